//! [`Pulse`]: the schedule of heartbeats, and the detection of a silent peer.

use std::time::Duration;

/// The interval of heartbeats.
const BEAT_EVERY: Duration = Duration::from_secs(1);
/// The time after which a silent peer is given up: within 5 s, with ten checks a second.
const PATIENCE: Duration = Duration::from_secs(4);

/// The heartbeats of both sides. Times count from any fixed moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pulse {
    /// The time of the next heartbeat of this side.
    due: Duration,
    /// The time of the last message of the other side.
    last_received: Duration,
}

/// An action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// Nothing.
    Nothing,
    /// Send a heartbeat.
    Send,
    /// Give up the other side, which has been silent for this time.
    Silent(Duration),
}

impl Pulse {
    /// Handles any message of the other side.
    pub fn received(&mut self, now: Duration) {
        self.last_received = now;
    }

    /// Returns the action at this time, after all received messages were handled.
    pub fn beat(&mut self, now: Duration) -> Beat {
        if now.saturating_sub(self.last_received) >= PATIENCE {
            Beat::Silent(PATIENCE)
        } else if now >= self.due {
            self.due = now + BEAT_EVERY;
            Beat::Send
        } else {
            Beat::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Returns the times of checks until a time, from repeated gaps between them.
    fn looks(gaps: &[u64], until: u64) -> Vec<u64> {
        let gaps = gaps.iter().cycle();
        let sums = gaps.scan(0, |at, gap| {
            *at += gap;
            Some(*at)
        });
        sums.take_while(|&at| at < until).collect()
    }

    proptest! {
        /// A side that checks every second is never given up, over a network with a delay of another second; a side
        /// that stops is given up within 4 s and one check.
        #[test]
        fn live_side_is_kept_and_stopped_side_is_dropped(
            gaps in prop::array::uniform2(prop::collection::vec(1u64..1000, 1..20)),
            delays in prop::collection::vec(0u64..1000, 1..20),
            stops in 5_000u64..20_000,
        ) {
            let mut at: Vec<_> = looks(&gaps[0], 30_000).into_iter().map(|at| (at, 0)).collect();
            at.extend(looks(&gaps[1], stops).into_iter().map(|at| (at, 1)));
            at.sort();
            let mut pulses = [Pulse::default(); 2];
            // The arrival times of each side's messages.
            let mut coming = [Vec::new(), Vec::new()];
            let mut delays = delays.iter().cycle();
            for (now, side) in at {
                let before = coming[side].len();
                coming[side].retain(|&arrives| arrives > now);
                if coming[side].len() < before {
                    pulses[side].received(ms(now));
                }
                match pulses[side].beat(ms(now)) {
                    Beat::Nothing => {}
                    Beat::Send => coming[1 - side].push(now + delays.next().unwrap()),
                    Beat::Silent(_) => {
                        prop_assert!(side == 0 && now > stops, "side {side} at {now}");
                        return Ok(());
                    }
                }
                // The last message may arrive a second after it was sent.
                prop_assert!(side == 1 || now < stops + 1000 + 4000 + 1000, "still there at {now}");
            }
            prop_assert!(false, "the stopped side was not dropped");
        }
    }

    #[test]
    fn pulse_is_sent_every_second() {
        let mut pulse = Pulse::default();
        let sent = (0..3000).step_by(100).filter(|&at| pulse.beat(ms(at)) == Beat::Send);
        assert_eq!(sent.collect::<Vec<_>>(), [0, 1000, 2000]);
        pulse.received(ms(3000));
        assert_eq!(pulse.beat(ms(6999)), Beat::Send);
        assert_eq!(pulse.beat(ms(7000)), Beat::Silent(PATIENCE));
        // A side that was suspended handles received messages before it checks.
        pulse.received(ms(60_000));
        assert_eq!(pulse.beat(ms(60_000)), Beat::Send);
    }
}
