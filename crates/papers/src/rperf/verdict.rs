//! Verdicts on claims, from the numbers alone.

use crate::Holds;

/// Largest ratio of the round trip to that of an idle switch with which a flow counts as protected.
const PROTECTED: f64 = 2.5;
/// Smallest ratio at which it counts as unprotected without doubt.
const HARMED: f64 = 10.0;
/// Largest relative change of a number that counts as unchanged.
const SAME: f64 = 0.03;
/// Smallest ratio that counts as several times as much.
const SEVERAL: f64 = 2.0;

/// Returns the smallest and the largest value.
pub(super) fn range(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    Some((least, most))
}

fn graded(yes: bool, in_part: bool) -> Holds {
    match (yes, in_part) {
        (true, _) => Holds::Yes,
        (false, true) => Holds::InPart,
        (false, false) => Holds::No,
    }
}

/// Returns whether all values of a range reach a bound; in part, if only some do.
pub(super) fn at_least(least: f64, most: f64, bound: f64) -> Holds {
    graded(least >= bound, most >= bound)
}

/// Returns whether latencies beside 1, 2, … senders grow by equal steps: the largest step is up to
/// 1.5 times the smallest. In part, if they only grow with each sender.
pub(super) fn proportional(latencies: &[f64]) -> Holds {
    let steps: Vec<f64> = latencies.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let Some((least, most)) = range(&steps) else { return Holds::No };
    graded(least > 0.0 && most <= 1.5 * least, least > 0.0)
}

/// Returns whether a flow is unprotected, by its latency over that of the idle switch.
pub(super) fn harmed(ratio: f64) -> Holds {
    graded(ratio >= HARMED, ratio > PROTECTED)
}

/// Returns whether a flow is protected, by the same ratio; in part up to twice that.
pub(super) fn protected(ratio: f64) -> Holds {
    graded(ratio <= PROTECTED, ratio <= 2.0 * PROTECTED)
}

/// Returns whether a bandwidth falls by more than 3%.
pub(super) fn falls(before: f64, after: f64) -> Holds {
    (after < (1.0 - SAME) * before).into()
}

/// Returns whether a bandwidth keeps 97%, by its ratio to that before.
pub(super) fn unchanged(ratio: f64) -> Holds {
    (ratio >= 1.0 - SAME).into()
}

/// Returns whether no setup has both a protected latency and 90% of the best bandwidth. Setups are
/// pairs of latency over the idle one and of bandwidth over the best.
pub(super) fn never_both(setups: &[(f64, f64)]) -> Holds {
    let both = |&(latency, bandwidth): &(f64, f64)| latency <= PROTECTED && bandwidth >= 0.9;
    (!setups.iter().any(both)).into()
}

/// Returns whether a ratio is above 1 by more than 10%; in part, if by more than the 1% by which seeds
/// differ.
pub(super) fn larger(ratio: f64) -> Holds {
    graded(ratio > 1.1, ratio > 1.01)
}

/// Returns whether a ratio is at most a quarter; in part, if it is below 1 by more than 3%.
pub(super) fn far_below(ratio: f64) -> Holds {
    graded(ratio <= 0.25, ratio < 1.0 - SAME)
}

/// Returns whether a ratio is at least 2; in part, if it is above 1 by more than 10%.
pub(super) fn several_times(ratio: f64) -> Holds {
    graded(ratio >= SEVERAL, ratio > 1.1)
}

/// Returns whether a change makes single messages slower by more than 10%, and bursts by a larger
/// ratio. In part, if it harms either.
pub(super) fn specially(single: f64, burst: f64) -> Holds {
    graded(single > 1.1 && burst > single, single > 1.1 || burst > 1.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Holds::{InPart, No, Yes};

    #[test]
    fn latencies_are_proportional_to_senders() {
        assert_eq!(proportional(&[0.6, 5.2, 10.7, 15.0, 20.2]), Yes);
        // Steps of 1 and 4 us.
        assert_eq!(proportional(&[1.0, 2.0, 6.0]), InPart);
        assert_eq!(proportional(&[1.0, 2.0, 1.9]), No);
        assert_eq!(proportional(&[1.0]), No);
    }

    #[test]
    fn latency_is_harmed_or_protected() {
        assert_eq!([47.0, 9.0, 1.8].map(harmed), [Yes, InPart, No]);
        assert_eq!([1.8, 4.0, 47.0].map(protected), [Yes, InPart, No]);
    }

    #[test]
    fn bandwidth_falls_beyond_3_percent() {
        assert_eq!(falls(52.2, 48.4), Yes);
        assert_eq!(falls(52.2, 51.1), No);
        assert_eq!(falls(52.2, 53.9), No);
        assert_eq!([0.99, 0.9].map(unchanged), [Yes, No]);
    }

    #[test]
    fn one_setup_with_both_refutes_the_trade_off() {
        assert_eq!(never_both(&[(1.0, 0.35), (47.0, 1.0)]), Yes);
        assert_eq!(never_both(&[(1.0, 0.35), (2.0, 0.95), (47.0, 1.0)]), No);
    }

    #[test]
    fn ratios_are_graded() {
        assert_eq!([26.3 / 20.0, 1.04, 1.0, 0.93].map(larger), [Yes, InPart, No, No]);
        assert_eq!([2.5 / 18.2, 0.5, 1.0].map(far_below), [Yes, InPart, No]);
        assert_eq!([21.5 / 7.0, 1.5, 1.0].map(several_times), [Yes, InPart, No]);
        assert_eq!(at_least(5.0, 14.0, 10.0), InPart);
        assert_eq!(at_least(11.0, 14.0, 10.0), Yes);
        assert_eq!(at_least(2.0, 9.0, 10.0), No);
    }

    #[test]
    fn limit_has_to_hurt_bursts_most() {
        assert_eq!(specially(1.5, 4.0), Yes);
        assert_eq!(specially(1.5, 1.2), InPart);
        assert_eq!(specially(1.0, 4.0), InPart);
        assert_eq!(specially(1.0, 1.0), No);
    }
}
