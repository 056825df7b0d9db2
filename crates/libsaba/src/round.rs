//! [`Round`]: which of several controllers is spoken to, and when none is. No I/O and no clock.

use std::num::NonZeroUsize;
use std::time::Duration;

/// From one round in which none answered to the next, at first; twice as long after each.
const RETRY: Duration = Duration::from_millis(500);

/// The longest such wait.
const LONGEST_RETRY: Duration = Duration::from_secs(10);

/// Whose turn it is. Who answers is spoken to until they fail; then each of the others is tried at once, in turn.
#[derive(Debug)]
pub(crate) struct Round {
    places: NonZeroUsize,
    at: usize,
    /// How many have failed since one has answered, or since the last wait.
    failed: usize,
    /// How long it was waited last, if none has answered since.
    waited: Option<Duration>,
}

impl Round {
    pub(crate) fn new(places: NonZeroUsize) -> Self {
        Round { places, at: 0, failed: 0, waited: None }
    }

    /// The number of the place that is spoken to, less than that of places.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// It has answered.
    pub(crate) fn answered(&mut self) {
        (self.failed, self.waited) = (0, None);
    }

    /// It has not. The next one's turn is at once, or after a wait, if all have failed.
    pub(crate) fn failed(&mut self) -> Option<Duration> {
        self.at = (self.at + 1) % self.places;
        self.failed += 1;
        if self.failed < self.places.get() {
            return None;
        }
        self.failed = 0;
        let wait = self.waited.map_or(RETRY, |waited| (2 * waited).min(LONGEST_RETRY));
        self.waited = Some(wait);
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whoever is there at times: in each round all are tried once at most, in turn, and it is waited only if none
        /// is there; longer each time. Who answers is asked first the next time.
        #[test]
        fn all_are_tried_once_before_a_wait(
            there in (1..6usize).prop_flat_map(|places| {
                proptest::collection::vec(proptest::collection::vec(any::<bool>(), places), 1..40)
            }),
        ) {
            let places = there[0].len();
            let mut round = Round::new(NonZeroUsize::new(places).unwrap());
            let (mut last, mut waits) = (0, Vec::new());
            for there in there {
                let (mut tried, mut wait) = (Vec::new(), None);
                while wait.is_none() {
                    tried.push(round.at());
                    if there[round.at()] {
                        round.answered();
                        break;
                    }
                    wait = round.failed();
                }
                let in_turn: Vec<usize> = (0..tried.len()).map(|i| (last + i) % places).collect();
                prop_assert_eq!(&tried, &in_turn);
                prop_assert!(tried.len() <= places);
                prop_assert_eq!(wait.is_some(), !there.contains(&true));
                match wait {
                    Some(wait) => waits.push(wait),
                    None => waits.clear(),
                }
                last = round.at();
                prop_assert_eq!(wait.is_none(), there[last] && tried.last() == Some(&last));
            }
            prop_assert!(waits.is_sorted());
        }
    }

    #[test]
    fn waits_are_twice_as_long_until_the_longest() {
        let mut round = Round::new(NonZeroUsize::new(3).unwrap());
        let failures = (0..7 * 3).map(|_| round.failed());
        let waits: Vec<u128> = failures.flatten().map(|wait| wait.as_millis()).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    }
}
