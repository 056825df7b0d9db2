//! A device that sends less than it could, whoever sends: one class for everyone.

use super::layout::{burst, check_link};
use super::{Class, LINK, Tree, Unfit, printable};
use bandwise_units::{BitRate, Bytes};
use std::collections::BTreeMap;

/// What a host hands to its device in one piece at most (GSO).
const PACKET: Bytes = Bytes::from_kib(64);

/// The tree by which all that a device sends has this rate, rounded down to what `tc` prints.
pub fn throttle(rate: BitRate) -> Result<Tree, Unfit> {
    check_link(rate)?;
    let rate = printable(rate);
    let bytes = burst(rate, PACKET);
    let (ceil, quantum) = (rate, Some(PACKET.get() as u32));
    let class = Class { parent: None, rate, ceil, burst: bytes, cburst: bytes, quantum };
    Ok(Tree { default: LINK, classes: BTreeMap::from([(LINK, class)]), ..Tree::default() })
}

/// Whether this is such a tree, or what there is of one half-way. No port that is shared has all of its link for packets
/// without a mark.
pub fn is_throttle(tree: &Tree) -> bool {
    tree.default == LINK
}
