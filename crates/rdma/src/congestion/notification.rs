//! [`NotificationPoint`]: the receiver's CNPs.

use bandwise_units::Time;

/// Parameters of a receiver's CNPs, for all its flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct NotificationSettings {
    /// Smallest time between two CNPs of a flow. DCQCN section 3.1: 50 us, the minimum of the
    /// paper's RNICs.
    pub interval: Time,
}

impl Default for NotificationSettings {
    fn default() -> Self {
        NotificationSettings { interval: Time::from_us(50) }
    }
}

/// The receiver's side of one DCQCN flow, its notification point (section 3.1, figure 6). It
/// converts marked packets into congestion notification packets (CNPs), at most one per interval.
///
/// A marked packet after a quiet interval causes a CNP at once. A marked packet in the interval
/// after a CNP causes one when the interval ends. The paper's receiver has a timer for that. Here
/// the next packet after the interval, marked or not, triggers the CNP. The CNP is later by less
/// than the gap between two packets. If no packet follows, no CNP is sent, and no sender needs it.
#[derive(Debug, Clone, Copy, Default)]
pub struct NotificationPoint {
    /// Earliest time of the next CNP.
    quiet_until: Time,
    /// A marked packet has arrived since the last CNP.
    marked: bool,
}

impl NotificationPoint {
    /// Processes a data packet of the flow. Returns whether to send a CNP now.
    #[inline]
    pub fn on_packet(&mut self, settings: &NotificationSettings, now: Time, marked: bool) -> bool {
        self.marked |= marked;
        if !self.marked || now < self.quiet_until {
            return false;
        }
        self.marked = false;
        self.quiet_until = now.saturating_add(settings.interval);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn at_most_one_cnp_is_sent_per_interval() {
        let settings = NotificationSettings::default();
        let mut flow = NotificationPoint::default();
        let mut at = |us, marked| flow.on_packet(&settings, Time::from_us(us), marked);
        assert!(!at(1, false));
        assert!(at(2, true), "the first at once");
        assert!(!at(3, true));
        assert!(!at(51, false));
        assert!(at(52, false), "for the mark at 3 us");
        assert!(!at(102, false), "an interval without marks");
        assert!(at(150, true));
    }

    proptest! {
        #[test]
        fn cnps_are_an_interval_apart_and_need_marks(
            packets in prop::collection::vec((0u64..30_000, prop::bool::weighted(0.2)), 1..300),
        ) {
            let settings = NotificationSettings::default();
            let mut flow = NotificationPoint::default();
            let (mut now, mut last, mut marks, mut cnps) = (Time::ZERO, None, 0, 0);
            for (gap, marked) in packets {
                now += Time::from_ns(gap);
                marks += u32::from(marked);
                if flow.on_packet(&settings, now, marked) {
                    prop_assert!(last.is_none_or(|last| now >= last + settings.interval));
                    last = Some(now);
                    cnps += 1;
                }
                prop_assert!(cnps <= marks);
            }
        }
    }
}
