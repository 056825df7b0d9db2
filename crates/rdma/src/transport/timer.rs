//! [`Timer`]: the retransmission timer.

use super::{Seq, Timeout};
use bandwise_units::Time;

/// The retransmission timer of a flow.
///
/// It runs from the latest of two times: the last transmission of the first unacknowledged packet,
/// and the last acknowledgement of new packets (RFC 6298 5.1 to 5.3). A retransmission thereby has
/// a whole timeout to arrive.
#[derive(Debug, Clone)]
pub(super) struct Timer {
    /// Start time; [`Time::MAX`] if the timer is not running.
    since: Time,
    /// Round trips, only for a dynamic timeout.
    round_trips: Option<Box<RoundTrips>>,
}

impl Timer {
    pub(super) fn new(timeout: &Timeout) -> Self {
        let round_trips = match timeout {
            Timeout::Dynamic { initial, .. } => Some(Box::new(RoundTrips::new(*initial))),
            _ => None,
        };
        Timer { since: Time::MAX, round_trips }
    }

    pub(super) fn reset(&mut self, timeout: &Timeout) {
        self.since = Time::MAX;
        match (&mut self.round_trips, timeout) {
            (Some(known), Timeout::Dynamic { initial, .. }) => **known = RoundTrips::new(*initial),
            _ => *self = Timer::new(timeout),
        }
    }

    #[inline]
    pub(super) fn start(&mut self, now: Time) {
        self.since = now;
    }

    #[inline]
    pub(super) fn stop(&mut self) {
        self.since = Time::MAX;
    }

    /// Returns when the timer expires, or [`Time::MAX`] if it is not running.
    #[inline]
    pub(super) fn deadline(&self, timeout: &Timeout, in_flight: u32) -> Time {
        let after = match *timeout {
            Timeout::None => Time::MAX,
            Timeout::Fixed(time) => time,
            // IRN 6.2.1 sets the timer to RTO_low and checks the condition when it expires.
            // Checking now is equivalent: the number of packets in flight decreases only by an
            // acknowledgement, which restarts the timer.
            Timeout::LowHigh { low, high, few } => {
                if in_flight < few {
                    low
                } else {
                    high
                }
            }
            Timeout::Dynamic { .. } => self.round_trips.as_ref().map_or(Time::MAX, |r| r.timeout),
        };
        self.since.saturating_add(after)
    }

    /// Records a new packet, which may time the next round trip.
    #[inline]
    pub(super) fn sent_new(&mut self, seq: Seq, now: Time) {
        if let Some(round_trips) = &mut self.round_trips {
            round_trips.timed.get_or_insert((seq, now));
        }
    }

    /// Records a retransmission.
    #[inline]
    pub(super) fn retransmitted(&mut self) {
        if let Some(round_trips) = &mut self.round_trips {
            // RFC 6298 3 (Karn): an acknowledgement could belong to either transmission. Cumulative
            // acknowledgements of other packets wait for the lost one, so no round trip is timed
            // across a loss.
            round_trips.timed = None;
        }
    }

    /// Records an acknowledgement of new packets below `cumulative`, with `in_flight` packets left.
    #[inline]
    pub(super) fn acknowledged(
        &mut self,
        timeout: &Timeout,
        cumulative: Seq,
        in_flight: u32,
        now: Time,
    ) {
        self.since = if in_flight > 0 { now } else { Time::MAX };
        if let (Some(round_trips), Timeout::Dynamic { min, max, .. }) =
            (&mut self.round_trips, timeout)
        {
            match round_trips.timed {
                Some((seq, at)) if seq < cumulative => round_trips.sample(now - at, *min, *max),
                _ => {}
            }
        }
    }

    /// Returns whether the timer has expired with `in_flight` packets unacknowledged, and restarts
    /// it if so.
    pub(super) fn expire(&mut self, timeout: &Timeout, in_flight: u32, now: Time) -> bool {
        if in_flight == 0 || now < self.deadline(timeout, in_flight) {
            return false;
        }
        self.since = now;
        if let (Some(round_trips), Timeout::Dynamic { max, .. }) = (&mut self.round_trips, timeout)
        {
            // RFC 6298 5.5.
            round_trips.timeout = round_trips.timeout.saturating_add(round_trips.timeout).min(*max);
            round_trips.timed = None;
        }
        true
    }
}

/// Round trips of a flow (RFC 6298 2). One packet at a time is timed.
#[derive(Debug, Clone)]
struct RoundTrips {
    /// Smoothed round trip and its variation.
    smoothed: Option<(Time, Time)>,
    timeout: Time,
    /// The timed packet, and its transmission time.
    timed: Option<(Seq, Time)>,
}

impl RoundTrips {
    fn new(initial: Time) -> Self {
        RoundTrips { smoothed: None, timeout: initial, timed: None }
    }

    /// Adds a round trip (RFC 6298 2.2 and 2.3); the clock's granularity is a picosecond.
    fn sample(&mut self, trip: Time, min: Time, max: Time) {
        self.timed = None;
        let (smoothed, variation) = match self.smoothed {
            None => (trip, trip / 2),
            Some((smoothed, variation)) => {
                let difference = smoothed.max(trip) - smoothed.min(trip);
                ((smoothed * 7 + trip) / 8, (variation * 3 + difference) / 4)
            }
        };
        self.smoothed = Some((smoothed, variation));
        self.timeout = (smoothed + variation * 4).clamp(min, max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(n: u64) -> Time {
        Time::from_us(n)
    }

    #[test]
    fn the_short_timeout_is_for_fewer_than_n_packets() {
        let timeout = Timeout::LowHigh { low: us(100), high: us(320), few: 3 };
        let mut timer = Timer::new(&timeout);
        assert_eq!(timer.deadline(&timeout, 1), Time::MAX);
        timer.start(us(7));
        assert_eq!(timer.deadline(&timeout, 2), us(107));
        assert_eq!(timer.deadline(&timeout, 3), us(327));
        assert_eq!(timer.deadline(&Timeout::None, 3), Time::MAX);
    }

    /// RFC 6298 2.2, 2.3, 3 and 5.5, with values computed by hand.
    #[test]
    fn the_dynamic_timeout_follows_the_round_trips() {
        let timeout = Timeout::Dynamic { initial: us(500), min: us(10), max: us(900) };
        let mut timer = Timer::new(&timeout);
        timer.start(us(0));
        assert_eq!(timer.deadline(&timeout, 1), us(500));
        timer.sent_new(0, us(0));
        timer.sent_new(1, us(5));
        timer.acknowledged(&timeout, 1, 1, us(80));
        // 80 + 4 * 40.
        assert_eq!(timer.deadline(&timeout, 1), us(80 + 240));
        timer.sent_new(2, us(100));
        timer.acknowledged(&timeout, 2, 1, us(120));
        assert_eq!(timer.deadline(&timeout, 1), us(120 + 240), "packet 2 is timed, not 1");
        timer.acknowledged(&timeout, 3, 1, us(260));
        // (7 * 80 + 160) / 8 = 90; (3 * 40 + 80) / 4 = 50.
        assert_eq!(timer.deadline(&timeout, 1), us(260 + 90 + 200));
        assert!(timer.expire(&timeout, 1, us(600)));
        assert_eq!(timer.deadline(&timeout, 1), us(600 + 580));
        assert!(timer.expire(&timeout, 1, us(2000)));
        assert_eq!(timer.deadline(&timeout, 1), us(2000 + 900), "the largest");
        timer.sent_new(4, us(2000));
        timer.retransmitted();
        timer.acknowledged(&timeout, 5, 1, us(2100));
        assert_eq!(
            timer.deadline(&timeout, 1),
            us(2100 + 900),
            "Karn: no sample, still backed off"
        );
        timer.reset(&timeout);
        timer.start(us(0));
        assert_eq!(timer.deadline(&timeout, 1), us(500));
    }
}
