//! [`Rate`] and [`Volume`]: bits per second and bits, as fine as sharing needs them.

use bandwise_units::{BitRate, Bytes, Time};

/// Bits of a [`Rate`] behind the point.
const FRACTION: u32 = 16;

/// A rate in 2^-16 bits per second. Two hundred thousand flows over 1 Gbps have 5 kbps each, of
/// which a unit is 3 billionths; 10 Tbps ([`MAX_CAPACITY`](crate::MAX_CAPACITY)) are less than 2^60.
///
/// An integer, so that a sum of rates depends on no order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Rate(pub(crate) u64);

impl Rate {
    /// A rate of zero.
    pub(crate) const ZERO: Rate = Rate(0);
    /// A rate above that of any link.
    pub(crate) const UNLIMITED: Rate = Rate(u64::MAX);

    /// Returns a rate of whole bits per second, or [`Rate::UNLIMITED`] if it does not fit.
    pub(crate) const fn new(rate: BitRate) -> Rate {
        Rate(rate.as_bps().saturating_mul(1 << FRACTION))
    }

    /// Returns the whole bits per second, rounded down.
    pub(crate) const fn whole(self) -> BitRate {
        BitRate::from_bps(self.0 >> FRACTION)
    }

    /// Returns the rate of `flows` flows together.
    pub(crate) const fn times(self, flows: u32) -> u64 {
        self.0.saturating_mul(flows as u64)
    }

    /// Returns the volume that is carried in `time`, exactly.
    pub(crate) const fn over(self, time: Time) -> Volume {
        Volume(self.0 as u128 * time.as_ps() as u128)
    }
}

/// A volume in 2^-16 bits per second times picoseconds: the exact product of a [`Rate`] and a
/// [`Time`]. 2^40 bytes are 2^99 units, so sums in a simulation fit 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Volume(pub(crate) u128);

/// The number of units in a byte.
const BYTE: u128 = (8 * 1_000_000_000_000) << FRACTION;

impl Volume {
    /// A volume of zero.
    pub(crate) const ZERO: Volume = Volume(0);

    /// Returns the volume of some bytes.
    pub(crate) const fn of(bytes: Bytes) -> Volume {
        Volume(bytes.get() as u128 * BYTE)
    }

    /// Returns the bytes, rounded up, so that a remainder is never understated.
    pub(crate) const fn bytes(self) -> Bytes {
        Bytes::new(self.0.div_ceil(BYTE) as u64)
    }

    /// Returns the sum of two volumes.
    pub(crate) const fn plus(self, other: Volume) -> Volume {
        Volume(self.0 + other.0)
    }

    /// Returns the difference, or zero if `other` is larger.
    pub(crate) const fn less(self, other: Volume) -> Volume {
        Volume(self.0.saturating_sub(other.0))
    }

    /// Returns the duration at a rate, rounded up to picoseconds, so that all has been carried
    /// then. Returns `None` if it never ends.
    pub(crate) fn time_at(self, rate: Rate) -> Option<Time> {
        if self.0 == 0 {
            return Some(Time::ZERO);
        }
        if rate == Rate::ZERO {
            return None;
        }
        // Up to 2^50 the quotient of floats is off by at most one, which a product corrects. A
        // division of 128 bits takes ten times as long.
        let near = (self.0 as f64 / rate.0 as f64) as u64;
        if near < 1 << 50 {
            let covers = |ps: u64| u128::from(ps) * u128::from(rate.0) >= self.0;
            let ps = (near.saturating_sub(1)..near + 2).find(|&ps| covers(ps));
            return Some(Time::from_ps(ps.unwrap_or(near + 2)));
        }
        let ps = self.0.div_ceil(u128::from(rate.0));
        u64::try_from(ps).ok().map(Time::from_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn megabyte_at_a_gigabit_takes_eight_milliseconds() {
        let size = Volume::of(Bytes::new(1_000_000));
        let rate = Rate::new(BitRate::from_gbps(1));
        assert_eq!(size.time_at(rate), Some(Time::from_ms(8)));
        assert_eq!(rate.over(Time::from_ms(8)), size);
        assert_eq!(size.time_at(Rate::ZERO), None);
        assert_eq!(Volume::ZERO.time_at(Rate::ZERO), Some(Time::ZERO));
        assert_eq!(size.less(Volume(1)).bytes(), Bytes::new(1_000_000));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn time_for_a_volume_is_minimal(
            bytes in 1u64..1 << 40, units in prop_oneof![1u64 << 30..1 << 60, 1u64 << 50..1 << 60],
        ) {
            let (size, rate) = (Volume::of(Bytes::new(bytes)), Rate(units));
            let time = size.time_at(rate).unwrap();
            prop_assert!(rate.over(time) >= size);
            prop_assert!(rate.over(time - Time::from_ps(1)) < size);
        }
    }
}
