//! [`Failover`]: the choice among several controllers, and the delays between attempts. No I/O and no clock.

use std::num::NonZeroUsize;
use std::time::Duration;

/// The first delay after all controllers have failed; it doubles with each round.
const RETRY: Duration = Duration::from_millis(500);

/// The longest delay.
const MAX_RETRY: Duration = Duration::from_secs(10);

/// The controller in use, until it fails. The others are then tried at once, in order.
#[derive(Debug)]
pub(crate) struct Failover {
    endpoints: NonZeroUsize,
    at: usize,
    /// The number of failures since the last answer or the last delay.
    failed: usize,
    /// The last delay, if no controller has answered since.
    waited: Option<Duration>,
}

impl Failover {
    pub(crate) fn new(endpoints: NonZeroUsize) -> Self {
        Failover { endpoints, at: 0, failed: 0, waited: None }
    }

    /// Returns the index of the endpoint in use.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Handles an answer.
    pub(crate) fn answered(&mut self) {
        (self.failed, self.waited) = (0, None);
    }

    /// Handles a failure. Returns the delay before the next attempt if all endpoints have failed.
    pub(crate) fn failed(&mut self) -> Option<Duration> {
        self.at = (self.at + 1) % self.endpoints;
        self.failed += 1;
        if self.failed < self.endpoints.get() {
            return None;
        }
        self.failed = 0;
        let wait = self.waited.map_or(RETRY, |waited| (2 * waited).min(MAX_RETRY));
        self.waited = Some(wait);
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// In each round every controller is tried at most once, in turn. A delay follows only if none answers, and it
        /// grows. A controller that answers is asked first the next time.
        #[test]
        fn every_controller_is_tried_before_a_delay(
            there in (1..6usize).prop_flat_map(|endpoints| {
                proptest::collection::vec(proptest::collection::vec(any::<bool>(), endpoints), 1..40)
            }),
        ) {
            let endpoints = there[0].len();
            let mut failover = Failover::new(NonZeroUsize::new(endpoints).unwrap());
            let (mut last, mut waits) = (0, Vec::new());
            for there in there {
                let (mut tried, mut wait) = (Vec::new(), None);
                while wait.is_none() {
                    tried.push(failover.at());
                    if there[failover.at()] {
                        failover.answered();
                        break;
                    }
                    wait = failover.failed();
                }
                let in_turn: Vec<usize> = (0..tried.len()).map(|i| (last + i) % endpoints).collect();
                prop_assert_eq!(&tried, &in_turn);
                prop_assert!(tried.len() <= endpoints);
                prop_assert_eq!(wait.is_some(), !there.contains(&true));
                match wait {
                    Some(wait) => waits.push(wait),
                    None => waits.clear(),
                }
                last = failover.at();
                prop_assert_eq!(wait.is_none(), there[last] && tried.last() == Some(&last));
            }
            prop_assert!(waits.is_sorted());
        }
    }

    #[test]
    fn retry_delays_double_up_to_a_limit() {
        let mut failover = Failover::new(NonZeroUsize::new(3).unwrap());
        let failures = (0..7 * 3).map(|_| failover.failed());
        let waits: Vec<u128> = failures.flatten().map(|wait| wait.as_millis()).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    }
}
