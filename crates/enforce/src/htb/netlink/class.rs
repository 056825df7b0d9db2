//! The kernel's form of a class: `struct tc_htb_opt`.

use super::super::rate::{bytes, ticks};
use super::super::{Class, INNER_QUANTUM};
use super::attributes::{Unreadable, find, put, word};
use bandwise_units::BitRate;

/// TCA_HTB_PARMS.
const PARAMETERS: u16 = 1;
/// TCA_HTB_RATE64 and TCA_HTB_CEIL64: rates of more than 32 bits.
const RATE64: u16 = 6;
const CEIL64: u16 = 7;
/// TC_LINKLAYER_ETHERNET: the cost of a packet is its length, without a table.
const ETHERNET: u8 = 1;

/// Returns the options of a class, as they are written.
pub(super) fn encode(class: &Class) -> Vec<u8> {
    let (rate, ceil) = (class.rate.as_bps() / 8, class.ceil.as_bps() / 8);
    let mut options = Vec::new();
    for (number, bytes_per_s) in [(RATE64, rate), (CEIL64, ceil)] {
        if bytes_per_s > u32::MAX.into() {
            put(&mut options, number, &bytes_per_s.to_ne_bytes());
        }
    }
    let (burst, cburst) = (ticks(class.burst, class.rate), ticks(class.cburst, class.ceil));
    // Level and priority are 0.
    let rest = [burst, cburst, class.quantum.unwrap_or(INNER_QUANTUM), 0, 0];
    let value =
        [&specification(rate)[..], &specification(ceil), &rest.map(u32::to_ne_bytes).concat()];
    put(&mut options, PARAMETERS, &value.concat());
    options
}

/// Returns a `struct tc_ratespec`, in bytes a second.
fn specification(bytes_per_s: u64) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[1] = ETHERNET;
    let rate = u32::try_from(bytes_per_s).unwrap_or(u32::MAX);
    bytes[8..].copy_from_slice(&rate.to_ne_bytes());
    bytes
}

/// Reads the options of a class. The parent is not part of them.
pub(super) fn decode(options: &[u8]) -> Result<Class, Unreadable> {
    let lacks = || Unreadable::lacks("what a class of HTB has");
    let parameters = find(options, PARAMETERS)?.ok_or_else(lacks)?;
    let at = |at| word(parameters, at).ok_or_else(lacks);
    let rate = |number, short: u32| -> Result<BitRate, Unreadable> {
        let bytes_per_s = match find(options, number)? {
            Some(long) => u64::from_ne_bytes(*long.first_chunk().ok_or_else(lacks)?),
            None => short.into(),
        };
        Ok(BitRate::from_bps(bytes_per_s.saturating_mul(8)))
    };
    let (rate, ceil) = (rate(RATE64, at(8)?)?, rate(CEIL64, at(20)?)?);
    let is_leaf = at(36)? == 0;
    Ok(Class {
        parent: None,
        rate,
        ceil,
        burst: bytes(at(24)?, rate),
        cburst: bytes(at(28)?, ceil),
        quantum: is_leaf.then_some(at(32)?),
    })
}
