//! Named random streams: every part that needs chance has a stream of its own, made from the
//! run's one seed and the part's name. Adding a part, or running parts in another order, changes
//! no other part's numbers.

use bandwise_units::Time;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub struct Stream(Pcg64Mcg);

impl Stream {
    /// The stream called `name` (and numbered `index`, for the many of a kind) of a run.
    pub fn new(seed: u64, name: &str, index: u64) -> Self {
        // FNV-1a folds the name; SplitMix64's finaliser spreads neighbouring seeds and indices.
        let folded = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mixed = mix(seed ^ mix(folded ^ mix(index)));
        Stream(Pcg64Mcg::seed_from_u64(mixed))
    }

    /// Uniform in `[0, bound)`, or zero for a bound of zero.
    pub fn time_below(&mut self, bound: Time) -> Time {
        // A multiply-shift keeps the bias below 2^-64 of the range, without a division.
        Time::from_ps(((u128::from(self.0.next_u64()) * u128::from(bound.as_ps())) >> 64) as u64)
    }

    /// True once in `n` draws on average; never for zero.
    pub fn one_in(&mut self, n: u32) -> bool {
        n != 0 && (u128::from(self.0.next_u64()) * u128::from(n)) >> 64 == 0
    }
}

fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_reproducible_and_apart() {
        let draw =
            |seed, name, index| Stream::new(seed, name, index).time_below(Time::from_ms(1)).as_ps();
        assert_eq!(draw(1, "poll", 0), draw(1, "poll", 0));
        assert_ne!(draw(1, "poll", 0), draw(1, "poll", 1));
        assert_ne!(draw(1, "poll", 0), draw(2, "poll", 0));
        assert_ne!(draw(1, "poll", 0), draw(1, "tick", 0));
    }

    #[test]
    fn draws_are_even() {
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
    }
}
