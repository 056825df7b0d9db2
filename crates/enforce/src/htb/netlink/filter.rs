//! The kernel's form of a filter: `struct tc_u32_sel` with one key.

use super::super::{Dscp, Family};
use super::attributes::{Unreadable, find, put, word};

/// TCA_U32_CLASSID.
const CLASS: u16 = 1;
/// TCA_U32_SEL.
const SELECTOR: u16 = 5;
/// TC_U32_TERMINAL: matching packets have found their class.
const TERMINAL: u8 = 1;
/// The lengths of `struct tc_u32_sel` without keys, and of a key, in bytes.
const HEAD: usize = 16;
const KEY: usize = 16;

/// Returns the kernel's handle of a filter: 12 bits of the table, 8 of the bucket, 12 of the filter. Saba's tables have
/// one bucket.
pub(super) fn handle(table: u16, node: u16) -> u32 {
    u32::from(table) << 20 | u32::from(node)
}

/// Returns the table, the bucket and the number of a filter.
pub(super) fn parts(handle: u32) -> (u16, u8, u16) {
    ((handle >> 20) as u16, (handle >> 12) as u8, (handle & 0xfff) as u16)
}

/// Returns the priority and the protocol of filters, as the kernel packs them.
pub(super) fn info(family: Family) -> u32 {
    let (_, rank, _) = family.words();
    u32::from(rank) << 16 | u32::from(protocol(family).to_be())
}

/// Returns the protocol of a packed value; `None` if the value is not one of Saba's.
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

/// Returns the shift of the mark's byte in the first word of a packet. The mark is the second byte of IPv4's header,
/// and lies across the first two of IPv6's.
const fn shift(family: Family) -> u32 {
    match family {
        Family::V4 => 16,
        Family::V6 => 20,
    }
}

/// The two lowest bits belong to explicit congestion notification.
const MASK: u32 = 0xfc;

/// Returns the options of a filter from packets with a mark to a class, by the kernel's number.
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

/// Reads the mark and the kernel's number of the class. The mark is `None` if the filter matches anything else.
pub(super) fn decode(family: Family, options: &[u8]) -> Result<(Option<Dscp>, u32), Unreadable> {
    let class = find(options, CLASS)?.and_then(|value| word(value, 0)).unwrap_or(0);
    let selector = find(options, SELECTOR)?.unwrap_or_default();
    Ok((mark(family, selector), class))
}

fn mark(family: Family, selector: &[u8]) -> Option<Dscp> {
    // A filter of Saba has no other action than selecting a class, and one key: the first word of
    // the header.
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
