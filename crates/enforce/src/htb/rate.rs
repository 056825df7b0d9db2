//! Rates and quanta from weights.

use bandwise_units::{BitRate, Bytes, lowest_terms};

/// The rate of a queue without a weight. It may borrow like the others, so that its remaining packets leave.
pub const LEAST: BitRate = BitRate::from_bps(8_000);

/// Returns the largest rate up to `rate` that `tc` prints exactly. The kernel stores whole bytes a
/// second. `tc` prints four digits or more: in bit, in kbit from 10^6 bit/s, in Mbit from 10^9, in
/// Gbit from 10^12. So the printed value is the written one; the error is below 0.1%.
pub fn printable(rate: BitRate) -> BitRate {
    let bps = rate.as_bps();
    let step = match bps {
        0..1_000_000 => 8,
        1_000_000..1_000_000_000 => 1_000,
        1_000_000_000..1_000_000_000_000 => 1_000_000,
        _ => 1_000_000_000,
    };
    BitRate::from_bps(bps - bps % step)
}

/// Returns a fraction of a rate, as `tc` prints it, and at least [`LEAST`].
pub(super) fn part(rate: BitRate, numerator: u64, denominator: u64) -> BitRate {
    let bps = u128::from(rate.as_bps()) * u128::from(numerator) / u128::from(denominator.max(1));
    // A fraction of a 64-bit number fits 64 bits.
    printable(BitRate::from_bps(bps as u64)).max(LEAST)
}

/// Returns the guaranteed rate of each queue: its part of the rate by weight.
pub fn rates(all: BitRate, weights: &[u8]) -> Vec<BitRate> {
    let sum = weights.iter().map(|&weight| u64::from(weight)).sum();
    weights.iter().map(|&weight| part(all, weight.into(), sum)).collect()
}

/// The kernel's ticks in a second. It keeps a burst as its transmission time, in ticks of 64 ns (PSCHED_SHIFT).
const TICKS_PER_S: u128 = 1_000_000_000 / 64;

/// Returns the transmission time of bytes at a rate, in ticks; at most 275 s, the largest number of ticks.
pub(super) fn ticks(bytes: Bytes, rate: BitRate) -> u32 {
    let (bits, bps) = (8 * u128::from(bytes.get()), u128::from(rate.as_bps().max(1)));
    u32::try_from((bits * TICKS_PER_S + bps / 2) / bps).unwrap_or(u32::MAX)
}

/// Returns the bytes that are sent in a number of ticks. Inverts [`ticks`] if a tick is longer than
/// the transmission time of a byte.
pub(super) fn bytes(ticks: u32, rate: BitRate) -> Bytes {
    let bits = u128::from(ticks) * u128::from(rate.as_bps());
    let bytes = (bits + 4 * TICKS_PER_S) / (8 * TICKS_PER_S);
    Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// Returns the bytes that each queue sends in each round of the round robin, in the ratios of the
/// weights. A quantum is at least a packet: HTB sends whole packets, and a queue that has exceeded
/// its quantum still takes part in the next round. Weights are not 0; equal ratios give equal
/// quanta.
pub fn quanta(weights: &[u8], packet: Bytes) -> Vec<u32> {
    let weights = lowest_terms(&weights.iter().map(|&weight| weight.into()).collect::<Vec<_>>());
    let least = weights.iter().copied().min().unwrap_or(1).max(1);
    // A packet of Linux has less than 2^20 bytes, also with its largest offload.
    let unit = packet.get().div_ceil(least.into()) as u32;
    weights.iter().map(|&weight| weight * unit).collect()
}
