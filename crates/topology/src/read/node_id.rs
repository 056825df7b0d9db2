//! The begin of node lines: keywords and ids.

use crate::NodeKind;

/// The keywords of node lines. A router is an end point of its subnet, so it counts as a host.
pub(super) const KEYWORDS: [(&str, NodeKind); 4] = [
    ("Switch", NodeKind::Switch),
    ("Hca", NodeKind::Host),
    ("Ca", NodeKind::Host),
    (ROUTER, NodeKind::Host),
];

/// The keyword of routers between InfiniBand subnets.
pub(super) const ROUTER: &str = "Rt";

/// Returns the quoted id of a line such as `Switch 8 "sw1"`.
pub(super) fn node_id_in(line: &str) -> Option<&str> {
    let rest = KEYWORDS.iter().find_map(|(keyword, _)| line.strip_prefix(keyword))?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    rest.strip_prefix('"')?.split_once('"').map(|(id, _)| id)
}

/// Returns whether an id has the form of `ibnetdiscover`: `H-0002c9030012ab34`.
pub(super) fn is_guid_id(id: &str) -> bool {
    let digits = ["S-", "H-", "R-"].iter().find_map(|kind| id.strip_prefix(kind));
    digits.is_some_and(|d| d.len() == 16 && d.bytes().all(|b| b.is_ascii_hexdigit()))
}
