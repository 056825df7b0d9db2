//! How weights become rates and quanta.

use bandwise_units::{BitRate, Bytes, lowest_terms};

/// What a queue has that nobody gave a weight. It may borrow as the others do, so that what is left in
/// it leaves.
pub const LEAST: BitRate = BitRate::from_bps(8_000);

/// The largest rate up to this one that `tc` prints in full: the kernel keeps whole bytes a second, and `tc` prints
/// four digits or more, in bit, kbit from 10^6 bit/s, Mbit from 10^9, Gbit from 10^12. So what people see there is
/// what was written, and no rate is off by more than 0.1%.
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

/// A part of a rate, as `tc` prints it, and not below [`LEAST`].
pub(super) fn part(rate: BitRate, numerator: u64, denominator: u64) -> BitRate {
    let bps = u128::from(rate.as_bps()) * u128::from(numerator) / u128::from(denominator.max(1));
    // A part of what fits 64 bits does so too.
    printable(BitRate::from_bps(bps as u64)).max(LEAST)
}

/// What each queue may send whatever the others do: its part of the rate by weight.
pub fn rates(all: BitRate, weights: &[u8]) -> Vec<BitRate> {
    let sum = weights.iter().map(|&weight| u64::from(weight)).sum();
    weights.iter().map(|&weight| part(all, weight.into(), sum)).collect()
}

/// The kernel's ticks in a second; it keeps bursts as the time that they take, in ticks of 64 ns (PSCHED_SHIFT).
const TICKS_PER_S: u128 = 1_000_000_000 / 64;

/// How long so many bytes take at a rate, in ticks; as long as a tick's number can be at most, which is 275 s.
pub(super) fn ticks(bytes: Bytes, rate: BitRate) -> u32 {
    let (bits, bps) = (8 * u128::from(bytes.get()), u128::from(rate.as_bps().max(1)));
    u32::try_from((bits * TICKS_PER_S + bps / 2) / bps).unwrap_or(u32::MAX)
}

/// How many bytes go out in so many ticks. Of [`ticks`] it is what they were made of: where a tick is more than a
/// byte, the same ticks again come of it.
pub(super) fn bytes(ticks: u32, rate: BitRate) -> Bytes {
    let bits = u128::from(ticks) * u128::from(rate.as_bps());
    let bytes = (bits + 4 * TICKS_PER_S) / (8 * TICKS_PER_S);
    Bytes::new(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// How many bytes each queue sends in its turn where queues take turns: in the ratios of the weights,
/// and not less than a packet, since HTB sends whole packets and lets who has sent too much go on in
/// the next round all the same. Weights are not 0; the same ratios give the same quanta.
pub fn quanta(weights: &[u8], packet: Bytes) -> Vec<u32> {
    let weights = lowest_terms(&weights.iter().map(|&weight| weight.into()).collect::<Vec<_>>());
    let least = weights.iter().copied().min().unwrap_or(1).max(1);
    // A packet of Linux has less than 2^20 bytes, with its largest offload.
    let unit = packet.get().div_ceil(least.into()) as u32;
    weights.iter().map(|&weight| weight * unit).collect()
}
