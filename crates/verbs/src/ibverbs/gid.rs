//! [`GidInfo`]: an entry of a port's table of global identifiers (GIDs).

use bandwise_session::Gid;

/// The format of packets from a GID.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GidKind {
    /// InfiniBand.
    Ib,
    /// RoCE in Ethernet frames.
    RoceV1,
    /// RoCE over UDP and IP.
    RoceV2,
}

impl GidKind {
    pub(super) fn from_code(code: u32) -> Option<GidKind> {
        [GidKind::Ib, GidKind::RoceV1, GidKind::RoceV2].get(code as usize).copied()
    }

    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            GidKind::Ib => "InfiniBand",
            GidKind::RoceV1 => "RoCE v1",
            GidKind::RoceV2 => "RoCE v2",
        }
    }
}

/// An entry of a port's table of GIDs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GidInfo {
    /// The index in the table, for `-x`.
    pub index: u32,
    /// The identifier.
    pub gid: Gid,
    /// The format of packets; `None` for an unknown code.
    pub kind: Option<GidKind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_codes_of_libibverbs() {
        assert_eq!(GidKind::from_code(2), Some(GidKind::RoceV2));
        assert_eq!(GidKind::from_code(3), None);
    }
}
