//! [`Pulse`]: when to say that this side is there, and when the other one is given up.

use std::time::Duration;

/// How often each side says so.
const SAY_EVERY: Duration = Duration::from_secs(1);
/// How long one that says nothing is waited for. With ten looks a second it is given up within 5 s.
const PATIENCE: Duration = Duration::from_secs(4);

/// What is known of both sides. Times count from any one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pulse {
    /// When this side says so next.
    due: Duration,
    /// When the other side was last heard.
    heard: Duration,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// Nothing.
    Pause,
    /// Say that this side is there.
    Say,
    /// Give the other side up, which has said nothing for so long.
    Silent(Duration),
}

impl Pulse {
    /// The other side has said something, whatever it was.
    pub fn heard(&mut self, now: Duration) {
        self.heard = now;
    }

    /// What is to be done now, after what has come was read.
    pub fn beat(&mut self, now: Duration) -> Beat {
        if now.saturating_sub(self.heard) >= PATIENCE {
            Beat::Silent(PATIENCE)
        } else if now >= self.due {
            self.due = now + SAY_EVERY;
            Beat::Say
        } else {
            Beat::Pause
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

    /// When a side looks, for so long, from the gaps between looks, over and over.
    fn looks(gaps: &[u64], until: u64) -> Vec<u64> {
        let gaps = gaps.iter().cycle();
        let sums = gaps.scan(0, |at, gap| {
            *at += gap;
            Some(*at)
        });
        sums.take_while(|&at| at < until).collect()
    }

    proptest! {
        /// Nobody is given up who looks every second, over a network that is slow by another one; and who stops
        /// is given up within 4 s and one look.
        #[test]
        fn who_is_there_is_kept_and_who_stops_is_not(
            gaps in prop::array::uniform2(prop::collection::vec(1u64..1000, 1..20)),
            delays in prop::collection::vec(0u64..1000, 1..20),
            stops in 5_000u64..20_000,
        ) {
            let mut at: Vec<_> = looks(&gaps[0], 30_000).into_iter().map(|at| (at, 0)).collect();
            at.extend(looks(&gaps[1], stops).into_iter().map(|at| (at, 1)));
            at.sort();
            let mut pulses = [Pulse::default(); 2];
            // When that which each side has said arrives.
            let mut coming = [Vec::new(), Vec::new()];
            let mut delays = delays.iter().cycle();
            for (now, side) in at {
                let before = coming[side].len();
                coming[side].retain(|&arrives| arrives > now);
                if coming[side].len() < before {
                    pulses[side].heard(ms(now));
                }
                match pulses[side].beat(ms(now)) {
                    Beat::Pause => {}
                    Beat::Say => coming[1 - side].push(now + delays.next().unwrap()),
                    Beat::Silent(_) => {
                        prop_assert!(side == 0 && now > stops, "side {side} at {now}");
                        return Ok(());
                    }
                }
                // What was said last may arrive a second after it.
                prop_assert!(side == 1 || now < stops + 1000 + 4000 + 1000, "still there at {now}");
            }
            prop_assert!(false, "never given up");
        }
    }

    #[test]
    fn says_so_every_second() {
        let mut pulse = Pulse::default();
        let said = (0..3000).step_by(100).filter(|&at| pulse.beat(ms(at)) == Beat::Say);
        assert_eq!(said.collect::<Vec<_>>(), [0, 1000, 2000]);
        pulse.heard(ms(3000));
        assert_eq!(pulse.beat(ms(6999)), Beat::Say);
        assert_eq!(pulse.beat(ms(7000)), Beat::Silent(PATIENCE));
        // Who was stopped itself reads what has come before it asks.
        pulse.heard(ms(60_000));
        assert_eq!(pulse.beat(ms(60_000)), Beat::Say);
    }
}
