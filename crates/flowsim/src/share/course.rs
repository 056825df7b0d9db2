//! [`Course`]: damping of levels, so that links do not oscillate.

use crate::rate::Rate;

/// The steps of a level in a round.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Course {
    /// The last step.
    step: i64,
    /// The number of halvings: a step is 2^-this of the distance.
    swings: u8,
    /// The number of steps since the last oscillation, or since one was forgiven.
    calm: u8,
}

/// The maximum number of halvings: a step is at least 2^-6 of the distance.
const MOST_SWINGS: u8 = 6;

/// The number of steps without oscillation after which one is forgiven.
const CALM: u8 = 2;

impl Course {
    /// Returns the next level: the whole distance, or half and less while the level oscillates.
    pub(super) fn next(&mut self, from: Rate, to: Rate) -> Rate {
        let distance = to.0 as i64 - from.0 as i64;
        // A step back that is small beside the last one converges on its own.
        let is_swing = (distance < 0) != (self.step < 0) && distance.abs() > self.step.abs() / 4;
        if self.step != 0 && is_swing {
            (self.swings, self.calm) = ((self.swings + 1).min(MOST_SWINGS), 0);
        } else {
            self.calm += 1;
            if self.calm == CALM {
                (self.swings, self.calm) = (self.swings.saturating_sub(1), 0);
            }
        }
        let part = distance >> self.swings;
        self.step = if part == 0 { distance } else { part };
        Rate((from.0 as i64 + self.step) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the steps until a level is within a millionth of rest, if its target is `slope`
    /// times as far beyond the point of rest as the level is before it.
    fn steps(slope: f64) -> Option<usize> {
        let rest = 1e9;
        let mut course = Course::default();
        let mut level = Rate(2_000_000_000);
        (0..60).find(|_| {
            let to = rest - slope * (level.0 as f64 - rest);
            level = course.next(level, Rate(to.max(0.0) as u64));
            (level.0 as f64 - rest).abs() < 1e3
        })
    }

    #[test]
    fn convergent_levels_are_not_damped() {
        // Each error is a fifth of the last one; then with alternating sign.
        assert_eq!(steps(0.2), Some(8));
        assert_eq!(steps(-0.2), Some(8));
        let mut course = Course::default();
        assert_eq!(course.next(Rate(1_000), Rate(100)), Rate(100));
        assert_eq!(course.next(Rate(100), Rate(140)), Rate(140));
        // A step back of more than a quarter is halved.
        assert_eq!(course.next(Rate(140), Rate(100)), Rate(120));
    }

    #[test]
    fn smallest_step_is_taken() {
        let mut course = Course { step: 1, swings: MOST_SWINGS, calm: 0 };
        assert_eq!(course.next(Rate(7), Rate(8)), Rate(8));
    }

    proptest! {
        /// Levels converge, including those that would diverge without damping.
        #[test]
        fn damped_levels_converge(slope in -0.5f64..14.0) {
            prop_assert!(steps(slope).is_some());
        }
    }
}
