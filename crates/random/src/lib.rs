//! Named random streams. Each part of a simulation has its own stream, derived from the run's seed
//! and the part's name. New parts and another order of parts do not change the numbers of the
//! others.
//!
//! ```
//! use bandwise_random::Stream;
//!
//! let mut poll = Stream::new(1, "poll", 0);
//! let mut same = Stream::new(1, "poll", 0);
//! assert_eq!(poll.below(100), same.below(100));
//! ```

use bandwise_units::Time;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream(Pcg64Mcg);

impl Stream {
    /// Returns the stream `name` of a run. `index` distinguishes streams of several parts with one
    /// name.
    pub fn new(seed: u64, name: &str, index: u64) -> Self {
        // FNV-1a hashes the name; the finaliser of SplitMix64 separates neighbouring seeds and
        // indices.
        let folded = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mixed = mix(seed ^ mix(folded ^ mix(index)));
        Stream(Pcg64Mcg::seed_from_u64(mixed))
    }

    /// Returns a uniform integer of `[0, bound)`, or zero if `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        // A multiply-shift keeps the bias below 2^-64 of the range, without a division.
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns a uniform time of `[0, bound)`, or zero if `bound` is zero.
    pub fn time_below(&mut self, bound: Time) -> Time {
        Time::from_ps(self.below(bound.as_ps()))
    }

    /// Returns `true` with probability 1/`n`, or never if `n` is zero.
    pub fn one_in(&mut self, n: u32) -> bool {
        n != 0 && self.below(u64::from(n)) == 0
    }

    /// Returns a uniform number of `(0, 1]` in steps of 2^-53, the finest step that `f64` has over
    /// the whole range. Zero is excluded, so that its logarithm can be taken.
    pub fn fraction(&mut self) -> f64 {
        const STEPS: u64 = 1 << 53;
        (self.below(STEPS) + 1) as f64 / STEPS as f64
    }

    /// Shuffles `items`. All orders are equally likely (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// Maps each number to another one that looks random, without collisions: the finaliser of
/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
/// It serves for orders that are arbitrary but always the same.
pub const fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_reproducible_and_independent() {
        let draw =
            |seed, name, index| Stream::new(seed, name, index).time_below(Time::from_ms(1)).as_ps();
        assert_eq!(draw(1, "poll", 0), draw(1, "poll", 0));
        assert_ne!(draw(1, "poll", 0), draw(1, "poll", 1));
        assert_ne!(draw(1, "poll", 0), draw(2, "poll", 0));
        assert_ne!(draw(1, "poll", 0), draw(1, "tick", 0));
    }

    #[test]
    fn draws_are_uniform() {
        let mut stream = Stream::new(7, "even", 0);
        let hits = (0..256_000).filter(|_| stream.one_in(256)).count();
        assert!((900..1_100).contains(&hits), "{hits} of 1000 expected");
        let mean = (0..100_000)
            .map(|_| stream.time_below(Time::from_ps(1_000)).as_ps())
            .sum::<u64>() as f64
            / 1e5;
        assert!((mean - 499.5).abs() < 5.0, "{mean}");
        assert!(!stream.one_in(0));
        assert_eq!(stream.time_below(Time::ZERO), Time::ZERO);
        let mean = (0..100_000).map(|_| stream.fraction()).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
    }

    /// Each of the 24 orders of 4 items comes 1,000 times in 24,000 draws, within five standard
    /// deviations.
    #[test]
    fn shuffles_are_uniform() {
        let mut stream = Stream::new(7, "orders", 0);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut order = [0, 1, 2, 3];
            stream.shuffle(&mut order);
            *counts.entry(order).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (845..=1_155).contains(count)), "{counts:?}");
        stream.shuffle::<u8>(&mut []);
    }

    /// The draws of published runs are pinned.
    #[test]
    fn draws_are_pinned() {
        let mut stream = Stream::new(1, "pinned", 2);
        let drawn = (stream.below(1_000_000), stream.time_below(Time::from_ms(1)).as_ps());
        assert_eq!(drawn, (36_956, 472_896_202));
        assert_eq!((stream.fraction(), stream.one_in(2)), (0.672_604_078_719_297_2, false));
    }

    proptest::proptest! {
        #[test]
        fn draws_stay_in_their_range(seed: u64, bound in 1u64..) {
            let mut stream = Stream::new(seed, "range", 0);
            for _ in 0..50 {
                proptest::prop_assert!(stream.below(bound) < bound);
                let fraction = stream.fraction();
                proptest::prop_assert!(0.0 < fraction && fraction <= 1.0);
            }
        }
    }
}
