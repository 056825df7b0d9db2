//! A filter as the kernel has it: `struct tc_u32_sel` with one key.

use super::super::{Dscp, Family};
use super::attributes::{Unreadable, find, put, word};

/// TCA_U32_CLASSID.
const CLASS: u16 = 1;
/// TCA_U32_SEL.
const SELECTOR: u16 = 5;
/// TC_U32_TERMINAL: a packet that matches has found its class.
const TERMINAL: u8 = 1;
/// `struct tc_u32_sel` without keys, and a key, in bytes.
const HEAD: usize = 16;
const KEY: usize = 16;

/// The kernel's number of a filter: 12 bits of its table, 8 of the bucket there, of which ours have one, and 12 of
/// its own.
pub(super) fn handle(table: u16, node: u16) -> u32 {
    u32::from(table) << 20 | u32::from(node)
}

/// Table, bucket and own number.
pub(super) fn parts(handle: u32) -> (u16, u8, u16) {
    ((handle >> 20) as u16, (handle >> 12) as u8, (handle & 0xfff) as u16)
}

/// What rank it has, and packets of which protocol it looks at.
pub(super) fn info(family: Family) -> u32 {
    let (_, rank, _) = family.words();
    u32::from(rank) << 16 | u32::from(protocol(family).to_be())
}

/// Whose filter it is by that.
pub(super) fn family(info: u32) -> Option<Family> {
    Family::ALL.into_iter().find(|&family| self::info(family) == info)
}

/// ETH_P_IP, ETH_P_IPV6.
const fn protocol(family: Family) -> u16 {
    match family {
        Family::V4 => 0x0800,
        Family::V6 => 0x86dd,
    }
}

/// By how many bits the mark's byte is shifted in a packet's first word: it is the second byte of IPv4's header, and
/// lies across the first two of IPv6's.
const fn shift(family: Family) -> u32 {
    match family {
        Family::V4 => 16,
        Family::V6 => 20,
    }
}

/// The two lowest bits are those of explicit congestion notification.
const MASK: u32 = 0xfc;

/// Packets with this mark go to the class with this number of the kernel's.
pub(super) fn encode(family: Family, dscp: Dscp, class: u32) -> Vec<u8> {
    let mut selector = [0; HEAD + KEY];
    (selector[0], selector[2]) = (TERMINAL, 1);
    let (mask, value) = (MASK << shift(family), u32::from(dscp.byte()) << shift(family));
    selector[HEAD..HEAD + 4].copy_from_slice(&mask.to_be_bytes());
    selector[HEAD + 4..HEAD + 8].copy_from_slice(&value.to_be_bytes());
    let mut options = Vec::new();
    put(&mut options, CLASS, &class.to_ne_bytes());
    put(&mut options, SELECTOR, &selector);
    options
}

/// The mark, if that is all that is looked for, and the kernel's number of the class.
pub(super) fn decode(family: Family, options: &[u8]) -> Result<(Option<Dscp>, u32), Unreadable> {
    let class = find(options, CLASS)?.and_then(|value| word(value, 0)).unwrap_or(0);
    let selector = find(options, SELECTOR)?.unwrap_or_default();
    Ok((mark(family, selector), class))
}

fn mark(family: Family, selector: &[u8]) -> Option<Dscp> {
    // Nothing but to end with a class, and one key: the first word, from where the header begins.
    let key = selector.get(HEAD..HEAD + KEY)?;
    if selector[0] != TERMINAL || selector[2] != 1 || key[8..] != [0; 8] {
        return None;
    }
    let word = |at| Some(u32::from_be_bytes(*key.get(at..)?.first_chunk()?));
    let (mask, value) = (word(0)?, word(4)?);
    if mask != MASK << shift(family) || value & !mask != 0 {
        return None;
    }
    Dscp::of_byte((value >> shift(family)) as u8)
}
