//! [`ClockDifference`]: the difference between an agent's clock and the coordinator's.

use bandwise_units::Time;

/// The bounds of the difference between an agent's clock and the coordinator's.
///
/// The coordinator sends a request at `asked` and receives the agent's reading `there` at `received`. The agent read its
/// clock between these times. So the difference is between `there - received` and `there - asked`, whatever the network's
/// delays, and each exchange narrows the bounds (Marzullo and Owicki, "Maintaining the Time in a Distributed System").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockDifference {
    least_ps: i128,
    most_ps: i128,
}

/// Exchanges that contradict each other: a clock was set, or runs much faster than the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its clock was set, or runs at another rate than the coordinator's")]
pub struct ClockError;

impl ClockDifference {
    /// Returns the bounds from one exchange.
    pub fn of(asked: Time, there: Time, received: Time) -> Self {
        let [asked, there, received] =
            [asked, there, received].map(|time| i128::from(time.as_ps()));
        ClockDifference { least_ps: there - received, most_ps: there - asked }
    }

    /// Returns the intersection of two bounds.
    ///
    /// # Errors
    ///
    /// Returns [`ClockError`] if the bounds contradict each other.
    pub fn and(self, other: Self) -> Result<Self, ClockError> {
        let least_ps = self.least_ps.max(other.least_ps);
        let most_ps = self.most_ps.min(other.most_ps);
        if least_ps <= most_ps {
            Ok(ClockDifference { least_ps, most_ps })
        } else {
            Err(ClockError)
        }
    }

    /// Returns the largest error of the estimated difference.
    pub fn error(self) -> Time {
        Time::from_ps(u64::try_from((self.most_ps - self.least_ps + 1) / 2).unwrap_or(u64::MAX))
    }

    /// Returns the largest error of this estimate at the time of a later exchange, which includes the drift of the
    /// clocks.
    pub fn error_by(self, later: Self) -> Time {
        let taken = self.middle_ps();
        let off = (later.most_ps - taken).max(taken - later.least_ps).max(0);
        self.error().max(Time::from_ps(u64::try_from(off).unwrap_or(u64::MAX)))
    }

    /// Returns the reading of the agent's clock when the coordinator's clock reads `here`; `None`
    /// if the result is negative.
    pub fn there(self, here: Time) -> Option<Time> {
        u64::try_from(i128::from(here.as_ps()) + self.middle_ps()).ok().map(Time::from_ps)
    }

    fn middle_ps(self) -> i128 {
        self.least_ps + (self.most_ps - self.least_ps) / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// For any delays the true difference is within the bounds, and the midpoint is within the error of it.
        #[test]
        fn true_clock_difference_is_within_error_bounds(
            ahead in -1_000_000i64..1_000_000,
            exchanges in prop::collection::vec((0u64..1_000_000, 0u64..100_000, 0u64..100_000), 1..9),
        ) {
            const BEGAN: u64 = 10_000_000;
            let mut difference: Option<ClockDifference> = None;
            for (asked, there, back) in exchanges {
                let asked = BEGAN + asked;
                let read = (asked + there).strict_add_signed(ahead);
                let times = [asked, read, asked + there + back].map(Time::from_ps);
                let one = ClockDifference::of(times[0], times[1], times[2]);
                difference = Some(match difference {
                    None => one,
                    Some(so_far) => so_far.and(one).unwrap(),
                });
            }
            let difference = difference.unwrap();
            let here = Time::from_ps(BEGAN);
            let truth = Time::from_ps(BEGAN.strict_add_signed(ahead));
            let taken = difference.there(here).unwrap();
            let off = truth.max(taken) - truth.min(taken);
            prop_assert!(off <= difference.error(), "{off} of {}", difference.error());
            prop_assert!(difference.error() <= Time::from_ps(100_000));
            prop_assert_eq!(difference.error_by(difference), difference.error());
        }
    }

    #[test]
    fn clock_jump_is_detected() {
        let us = Time::from_us;
        let before = ClockDifference::of(us(0), us(50), us(2));
        let after = ClockDifference::of(us(10), us(70), us(12));
        assert_eq!(before.and(after), Err(ClockError));
        // The estimate is 49; the true value is now 58 to 60.
        assert_eq!(before.error_by(after), us(11));
        let early = ClockDifference::of(us(9), us(1), us(9));
        assert_eq!((early.there(us(10)), early.there(us(7))), (Some(us(2)), None));
    }
}
