//! [`throttle`]: a tree that limits everything that a device sends.

use super::layout::{burst, check_link};
use super::{Class, LINK, Tree, Unfit, printable};
use bandwise_units::{BitRate, Bytes};
use std::collections::BTreeMap;

/// The largest piece that a host passes to its device (GSO).
const PACKET: Bytes = Bytes::from_kib(64);

/// Returns a tree that limits a device to a rate, rounded down to what `tc` prints.
///
/// # Errors
///
/// Returns [`Unfit`] if the rate is out of range.
pub fn throttle(rate: BitRate) -> Result<Tree, Unfit> {
    check_link(rate)?;
    let rate = printable(rate);
    let bytes = burst(rate, PACKET);
    let (ceil, quantum) = (rate, Some(PACKET.get() as u32));
    let class = Class { parent: None, rate, ceil, burst: bytes, cburst: bytes, quantum };
    Ok(Tree { default: LINK, classes: BTreeMap::from([(LINK, class)]), ..Tree::default() })
}

/// Returns `true` if the tree is a rate limit by [`throttle`], or an incomplete one. A shared port
/// never gives its whole link to unmarked packets.
pub fn is_throttle(tree: &Tree) -> bool {
    tree.default == LINK
}
