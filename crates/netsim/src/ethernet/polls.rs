//! Flows that look now and then whether the link is free, in place of taking turns: "when the sender QP
//! is ready to transmit data packets, it periodically polls the MAC layer until the link is available"
//! (IRN 4.1).
//!
//! Nobody sees to it that each of them gets on: whose look comes first once the link is free sends, and
//! as all look as often, the order of their looks stays what it was. A flow may be passed over for
//! as long as others send packets of the same size.

use bandwise_units::Time;

/// A flow in line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QueuedFlow {
    pub key: u32,
    /// When it looks, within a period, picoseconds.
    phase: u32,
}

impl QueuedFlow {
    /// A flow that may send from `now` on, and looks at once. It sends when it looks, so that it keeps its
    /// times when it is in line again right after. The period is at most 4 ms.
    #[inline]
    pub fn new(key: u32, now: Time, every: Option<Time>) -> Self {
        QueuedFlow { key, phase: every.map_or(0, |every| (now.as_ps() % every.as_ps()) as u32) }
    }
}

/// The place in line of the flow that is the first to look, from `now` on, and in how long. Of several that
/// look at the same instant it is the one in line for longest.
pub(super) fn first<'a>(
    line: impl Iterator<Item = &'a QueuedFlow>,
    now: Time,
    every: Time,
) -> Option<(u32, Time)> {
    let (now, every) = ((now.as_ps() % every.as_ps()) as u32, every.as_ps() as u32);
    let wait = |phase: u32| if phase < now { every - (now - phase) } else { phase - now };
    let (wait, index) = line.map(|place| wait(place.phase)).zip(0..).min()?;
    Some((index, Time::from_ps(wait.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EVERY: Time = Time::from_ns(50);

    /// Who sends when, of flows that may send from these times on, where a packet takes that long.
    fn senders(from: &[u64], packet: Time, packets: usize) -> Vec<(u32, Time)> {
        let mut line: Vec<QueuedFlow> = (0..)
            .zip(from)
            .map(|(key, &ns)| QueuedFlow::new(key, Time::from_ns(ns), Some(EVERY)))
            .collect();
        let mut now = Time::from_us(1);
        let next = || {
            let (index, wait) = first(line.iter(), now, EVERY)?;
            let key = line.remove(index as usize).key;
            line.push(QueuedFlow::new(key, now + wait, Some(EVERY)));
            let sent = (key, now + wait);
            now = now + wait + packet;
            Some(sent)
        };
        std::iter::from_fn(next).take(packets).collect()
    }

    #[test]
    fn the_first_look_after_the_link_is_free_wins() {
        // Free at 1000, 1253 (1003 + 250) and so on: all looks are at 3, 20 and 45 past 50.
        let by_one = senders(&[103, 220, 345], Time::from_ns(251), 4);
        let times = [1003, 1270, 1545, 1803].map(Time::from_ns);
        let keys = [0, 1, 2, 0];
        assert_eq!(by_one, keys.into_iter().zip(times).collect::<Vec<_>>());
    }

    #[test]
    fn the_same_flow_may_win_again_and_again() {
        // Free 40 after its look, and the others look 17 and 25 after it.
        let sent = senders(&[103, 120, 128], Time::from_ns(240), 9);
        assert!(sent.iter().all(|&(key, _)| key == 0), "{sent:?}");
    }

    #[test]
    fn those_that_look_at_once_take_turns() {
        let sent = senders(&[100, 150, 200], Time::from_ns(250), 6);
        assert!(sent.iter().map(|&(key, _)| key).eq([0, 1, 2, 0, 1, 2]), "{sent:?}");
    }

    proptest! {
        /// The link is idle for less than a period.
        #[test]
        fn somebody_looks_within_a_period(
            from in prop::collection::vec(0u64..1_000, 1..9), packet in 1u64..400,
        ) {
            let packet = Time::from_ns(packet);
            for pair in senders(&from, packet, 40).windows(2) {
                prop_assert!(pair[1].1 >= pair[0].1 + packet);
                prop_assert!(pair[1].1 < pair[0].1 + packet + EVERY);
            }
        }
    }
}
