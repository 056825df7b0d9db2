//! [`Think`]: the pause between two rounds (think time).

use bandwise_units::Time;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Think time of a method between a round and the next post. A random pause prevents
/// synchronisation with the measured system.
#[derive(Debug, Clone)]
pub struct Think {
    least: Time,
    /// Largest additional pause in picoseconds.
    spread_ps: u64,
    random: Pcg64Mcg,
}

impl Think {
    /// Returns no pause.
    pub fn none() -> Self {
        Think::uniform(Time::ZERO, Time::ZERO, 0)
    }

    /// Returns pauses uniform from `least` to `most`, both included, from a random stream
    /// determined by `seed` alone.
    ///
    /// # Panics
    ///
    /// If `most` is less than `least`.
    pub fn uniform(least: Time, most: Time, seed: u64) -> Self {
        let spread_ps = (most - least).as_ps();
        Think { least, spread_ps, random: Pcg64Mcg::seed_from_u64(seed) }
    }

    /// Returns the next pause.
    pub fn draw(&mut self) -> Time {
        if self.spread_ps == 0 {
            return self.least;
        }
        // The upper half of the product is uniform within 2^-64 of the spread.
        let product = u128::from(self.random.next_u64()) * (u128::from(self.spread_ps) + 1);
        self.least + Time::from_ps((product >> 64) as u64)
    }
}

impl Default for Think {
    fn default() -> Self {
        Think::none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_fill_their_range_and_depend_on_the_seed_alone() {
        let (least, most) = (Time::from_ps(5), Time::from_ps(8));
        let draw = |seed| {
            let mut think = Think::uniform(least, most, seed);
            (0..1000).map(|_| think.draw().as_ps()).collect::<Vec<_>>()
        };
        let pauses = draw(1);
        for ps in 5..=8 {
            let n = pauses.iter().filter(|&&p| p == ps).count();
            assert!((200..300).contains(&n), "{ps} ps came {n} times of 1000");
        }
        assert!(pauses.iter().all(|ps| (5..=8).contains(ps)));
        assert_eq!(pauses, draw(1));
        assert_ne!(pauses, draw(2));
        assert_eq!(Think::none().draw(), Time::ZERO);
    }
}
