//! Flows that poll for a free link instead of sending round-robin: "when the sender QP is ready to
//! transmit data packets, it periodically polls the MAC layer until the link is available" (IRN
//! 4.1).
//!
//! Polling gives no fairness guarantee. The flow that polls first after the link becomes free
//! sends. All flows poll at the same interval, so the order of their polls never changes. A flow
//! may therefore be passed over as long as others send packets of the same size.

use bandwise_units::Time;

/// A flow in a send queue.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QueuedFlow {
    pub key: u32,
    /// Time of its polls within the interval, in ps.
    phase: u32,
}

impl QueuedFlow {
    /// Queues a flow that may send from `now` on and polls at once. A flow sends when it polls, so
    /// it keeps its phase when it is queued again right after. The interval is at most 4 ms.
    #[inline]
    pub(super) fn new(key: u32, now: Time, interval: Option<Time>) -> Self {
        QueuedFlow {
            key,
            phase: interval.map_or(0, |interval| (now.as_ps() % interval.as_ps()) as u32),
        }
    }
}

/// Returns the index of the flow that polls first from `now` on, and the time until it does. Among
/// flows that poll at the same instant, the one queued longest wins.
pub(super) fn first<'a>(
    queue: impl Iterator<Item = &'a QueuedFlow>,
    now: Time,
    interval: Time,
) -> Option<(u32, Time)> {
    let (now, interval) = ((now.as_ps() % interval.as_ps()) as u32, interval.as_ps() as u32);
    let wait = |phase: u32| if phase < now { interval - (now - phase) } else { phase - now };
    let (wait, index) = queue.map(|flow| wait(flow.phase)).zip(0..).min()?;
    Some((index, Time::from_ps(wait.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INTERVAL: Time = Time::from_ns(50);

    /// Returns the senders and send times of flows that may send from the given times on, with
    /// packets of that duration.
    fn senders(from: &[u64], packet: Time, packets: usize) -> Vec<(u32, Time)> {
        let mut queue: Vec<QueuedFlow> = (0..)
            .zip(from)
            .map(|(key, &ns)| QueuedFlow::new(key, Time::from_ns(ns), Some(INTERVAL)))
            .collect();
        let mut now = Time::from_us(1);
        let next = || {
            let (index, wait) = first(queue.iter(), now, INTERVAL)?;
            let key = queue.remove(index as usize).key;
            queue.push(QueuedFlow::new(key, now + wait, Some(INTERVAL)));
            let sent = (key, now + wait);
            now = now + wait + packet;
            Some(sent)
        };
        std::iter::from_fn(next).take(packets).collect()
    }

    #[test]
    fn the_first_poll_after_the_link_is_free_wins() {
        // Free at 1000, 1253 (1003 + 250) and so on: polls are at 3, 20 and 45 modulo 50.
        let by_one = senders(&[103, 220, 345], Time::from_ns(251), 4);
        let times = [1003, 1270, 1545, 1803].map(Time::from_ns);
        let keys = [0, 1, 2, 0];
        assert_eq!(by_one, keys.into_iter().zip(times).collect::<Vec<_>>());
    }

    #[test]
    fn one_flow_may_win_every_poll() {
        // The link is free 40 after its poll; the others poll 17 and 25 after it.
        let sent = senders(&[103, 120, 128], Time::from_ns(240), 9);
        assert!(sent.iter().all(|&(key, _)| key == 0), "{sent:?}");
    }

    #[test]
    fn flows_with_equal_phases_alternate() {
        let sent = senders(&[100, 150, 200], Time::from_ns(250), 6);
        assert!(sent.iter().map(|&(key, _)| key).eq([0, 1, 2, 0, 1, 2]), "{sent:?}");
    }

    proptest! {
        /// The link is idle for less than a period.
        #[test]
        fn a_flow_polls_within_an_interval(
            from in prop::collection::vec(0u64..1_000, 1..9), packet in 1u64..400,
        ) {
            let packet = Time::from_ns(packet);
            for pair in senders(&from, packet, 40).windows(2) {
                prop_assert!(pair[1].1 >= pair[0].1 + packet);
                prop_assert!(pair[1].1 < pair[0].1 + packet + INTERVAL);
            }
        }
    }
}
