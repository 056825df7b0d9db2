//! [`Stamps`]: times of completions by the clock of the device.

use bandwise_units::Time;

/// The conversion of a device's counter to time.
///
/// A counter of few bits wraps. As long as it is read more than twice per round, each value is taken for the one
/// nearest to the previous one, earlier or later: completions of two queue pairs may be polled in another order than
/// they happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamps {
    /// The valid bits.
    mask: u64,
    khz: u64,
    /// The previous value, and its unwrapped value; `None` before the first.
    last: Option<(u64, u64)>,
}

/// The first unwrapped value in ticks, which leaves room for earlier ones.
const FIRST: u64 = 1 << 62;

impl Stamps {
    /// Returns the conversion of a counter with this mask and rate; `None` if the device has none. The mask has to
    /// consist of the lowest bits.
    pub(super) fn of(mask: u64, khz: u64) -> Option<Stamps> {
        let counts = mask > 1 && (mask & mask.wrapping_add(1)) == 0;
        (counts && khz > 0).then_some(Stamps { mask, khz, last: None })
    }

    /// Returns the rate in kHz.
    pub(super) fn khz(&self) -> u64 {
        self.khz
    }

    /// Returns the time of a value; only differences have a meaning.
    pub(super) fn time(&mut self, value: u64) -> Time {
        let value = value & self.mask;
        let ticks = match self.last {
            None => FIRST,
            Some((before, ticks)) => {
                let forward = value.wrapping_sub(before) & self.mask;
                let backward = before.wrapping_sub(value) & self.mask;
                match forward <= backward {
                    true => ticks.wrapping_add(forward),
                    false => ticks.wrapping_sub(backward),
                }
            }
        };
        self.last = Some((value, ticks));
        // Ticks count from `FIRST`, and picoseconds from half of their range.
        let ps = |ticks: u64| (u128::from(ticks) * 1_000_000_000 / u128::from(self.khz)) as u64;
        const MIDDLE: u64 = 1 << 62;
        Time::from_ps(match ticks.checked_sub(FIRST) {
            Some(later) => MIDDLE.wrapping_add(ps(later)),
            None => MIDDLE.wrapping_sub(ps(FIRST - ticks)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn device_without_a_clock_has_no_stamps() {
        assert_eq!(Stamps::of(0, 156_250), None);
        assert_eq!(Stamps::of(u64::MAX, 0), None);
        assert_eq!(Stamps::of(0b1011, 1), None);
        assert_eq!(Stamps::of(u64::MAX, 156_250).unwrap().khz(), 156_250);
    }

    /// 156.25 MHz, as in a ConnectX: 6.4 ns a tick.
    #[test]
    fn clock_ticks_convert_to_time() {
        let mut stamps = Stamps::of(u64::MAX >> 1, 156_250).unwrap();
        let first = stamps.time(u64::MAX >> 1);
        assert_eq!(stamps.time(9).signed_ps_since(first), 64_000);
        assert_eq!(stamps.time(u64::MAX >> 1).signed_ps_since(first), 0);
        assert_eq!(stamps.time((u64::MAX >> 1) - 5).signed_ps_since(first), -32_000);
    }

    proptest! {
        /// For any number of bits and any start, the conversion equals a counter that never wraps, if it is read
        /// twice per round.
        #[test]
        fn wrapped_clock_equals_an_endless_counter(
            bits in 3u32..=64, begin in any::<u64>(), khz in 1_000u64..2_000_000,
            steps in prop::collection::vec((-1i64..=1, 0u64..1 << 33), 1..100),
        ) {
            let mask = u64::MAX >> (64 - bits);
            let mut stamps = Stamps::of(mask, khz).unwrap();
            let first = stamps.time(begin & mask);
            let (mut ticks, mut at) = (0i128, i128::from(begin));
            for (way, step) in steps {
                let step = i128::from(way) * i128::from(step % (mask / 2).max(1));
                (ticks, at) = (ticks + step, at + step);
                let measured = i128::from(stamps.time((at & i128::from(mask)) as u64).signed_ps_since(first));
                let exact = ticks * 1_000_000_000 / i128::from(khz);
                prop_assert_eq!(measured, exact, "after {} ticks", ticks);
            }
        }
    }
}
