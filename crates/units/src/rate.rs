//! [`BitRate`]: bits per second, and transmission times.

use crate::parse::{UnitTable, text_forms};
use crate::{Bytes, Time};

/// A rate in bits per second (powers of 1000).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BitRate(pub(crate) u64);

const UNITS: UnitTable = &[
    ("bps", 1),
    ("bit/s", 1),
    ("kbps", 1_000),
    ("Kbps", 1_000),
    ("kbit/s", 1_000),
    // The spelling of Linux's `tc`.
    ("kbit", 1_000),
    ("Mbps", 1_000_000),
    ("Mbit/s", 1_000_000),
    ("Mbit", 1_000_000),
    ("Gbps", 1_000_000_000),
    ("Gbit/s", 1_000_000_000),
    ("Gbit", 1_000_000_000),
    ("Tbps", 1_000_000_000_000),
    ("Tbit/s", 1_000_000_000_000),
    ("Tbit", 1_000_000_000_000),
];
const PRINT: UnitTable = &[
    ("bps", 1),
    ("kbps", 1_000),
    ("Mbps", 1_000_000),
    ("Gbps", 1_000_000_000),
    ("Tbps", 1_000_000_000_000),
];

/// Picoseconds in a second.
const PS_PER_S: u64 = 1_000_000_000_000;

impl BitRate {
    /// Returns a rate of `n` bits per second.
    pub const fn from_bps(n: u64) -> Self {
        BitRate(n)
    }
    /// Returns a rate of `n` gigabits per second.
    pub const fn from_gbps(n: u64) -> Self {
        BitRate(n * 1_000_000_000)
    }
    /// Returns the rate in bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }
    /// Returns the rate in gigabits per second, for output.
    pub fn as_gbps_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns the transmission time of `size`, rounded up to whole picoseconds, so that a packet
    /// never leaves early.
    ///
    /// # Panics
    ///
    /// Panics if the rate is zero.
    #[inline]
    pub const fn time_for(self, size: Bytes) -> Time {
        // Sizes up to 2 MB fit into 64 bits when multiplied by 8e12.
        const SHORT: u64 = u64::MAX / (8 * PS_PER_S);
        if size.0 < SHORT {
            Time((size.0 * 8 * PS_PER_S).div_ceil(self.0))
        } else {
            let ps = (size.0 as u128 * 8 * PS_PER_S as u128).div_ceil(self.0 as u128);
            assert!(ps <= u64::MAX as u128, "time beyond 2^64 ps");
            Time(ps as u64)
        }
    }

    /// Returns a [`ByteTime`] for many sizes at this rate, without a division for each.
    ///
    /// # Panics
    ///
    /// Panics if the rate is zero.
    pub const fn byte_time(self) -> ByteTime {
        let picoseconds = ((8 * PS_PER_S as u128) << 64).div_ceil(self.0 as u128) - 1;
        let (whole, part) = ((picoseconds >> 64) as u64, picoseconds as u64);
        let short = u64::MAX / if self.0 > 8 * PS_PER_S { self.0 } else { 8 * PS_PER_S };
        ByteTime { whole, part, short, rate: self }
    }

    /// Returns the average rate of `size` over `time`, or zero if `time` is zero.
    pub fn over(size: Bytes, time: Time) -> BitRate {
        if time == Time::ZERO {
            return BitRate(0);
        }
        let bps = u128::from(size.0) * 8 * u128::from(PS_PER_S) / u128::from(time.0);
        BitRate(u64::try_from(bps).unwrap_or(u64::MAX))
    }
}

/// Transmission times at one rate, equal to [`BitRate::time_for`] but without its division.
///
/// The time of a byte is held in picoseconds with 64 binary places, rounded up, minus one last
/// place. Multiplied by a size, it falls short of the exact time. The shortfall is less than one
/// over the rate, which is the least distance of an exact time above a whole picosecond, while size
/// times rate is below 2^64. So the next whole picosecond is the exact time rounded up.
#[derive(Debug, Clone, Copy)]
pub struct ByteTime {
    /// The time of a byte: whole picoseconds and binary places.
    whole: u64,
    part: u64,
    /// Sizes from here on are divided as in [`BitRate::time_for`].
    short: u64,
    rate: BitRate,
}

impl ByteTime {
    /// Returns the transmission time of `size`, rounded up to whole picoseconds.
    #[inline]
    pub const fn of(self, size: Bytes) -> Time {
        if size.0.wrapping_sub(1) >= self.short {
            return self.rate.time_for(size);
        }
        let part = (size.0 as u128 * self.part as u128) >> 64;
        Time(size.0 * self.whole + part as u64 + 1)
    }

    /// Returns the rate.
    #[inline]
    pub const fn rate(self) -> BitRate {
        self.rate
    }
}

text_forms!(BitRate, UNITS, PRINT, "bps, kbps, Mbps, Gbps or Tbps (or bit/s)", "bits per second");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::strategy::Strategy;

    #[test]
    fn serialisation_times_match_known_values() {
        let fdr = "56 Gbps".parse::<BitRate>().unwrap();
        // 32 KiB at 56 Gbps take 262144 / 56 ns, the divisor of equation 2 of the RPerf paper.
        assert_eq!(fdr.time_for(Bytes::from_kib(32)).as_ps(), 4_681_143);
        assert_eq!(BitRate::from_gbps(8).time_for(Bytes::new(1)).as_ps(), 1_000);
        assert_eq!(
            BitRate::from_gbps(10).time_for(Bytes::new(1 << 40)).as_ps(),
            879_609_302_220_800
        );
        assert_eq!(BitRate::over(Bytes::new(7_000_000), Time::from_ms(1)), fdr);
        assert_eq!(
            "54.545454545 Gbps".parse::<BitRate>().unwrap().to_string(),
            "54.545454545 Gbps"
        );
    }

    proptest::proptest! {
        #[test]
        fn time_for_bits_is_minimal(
            bytes in 1u64..1 << 40, bps in 1_000_000u64..1_000_000_000_000,
        ) {
            let ps = u128::from(BitRate(bps).time_for(Bytes(bytes)).as_ps());
            let bits = u128::from(bytes) * 8 * u128::from(PS_PER_S);
            proptest::prop_assert!(ps * u128::from(bps) >= bits);
            proptest::prop_assert!((ps - 1) * u128::from(bps) < bits);
        }

        #[test]
        fn byte_times_equal_divided_times(
            bytes in proptest::prop_oneof![0u64..20_000, 0u64..1 << 40, (1u64 << 21) - 3..1 << 22],
            bps in proptest::prop_oneof![
                1_000_000u64..20_000_000_000_000,
                // Rates at which a byte takes a whole number of picoseconds.
                (6u32..16, 6u32..13).prop_map(|(two, five)| (1 << two) * 5u64.pow(five)),
            ],
        ) {
            let rate = BitRate(bps);
            proptest::prop_assert_eq!(rate.byte_time().of(Bytes(bytes)), rate.time_for(Bytes(bytes)));
        }
    }
}
