//! Traffic classes (the priorities of IEEE 802.1Q), and their shares of a link.

use super::packet::CLASSES;

/// The traffic classes of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    /// Number of classes, 1 to [`CLASSES`]. Flows use the classes below it.
    pub count: u8,
    /// Set of classes with priority flow control, where switches have it.
    pub lossless: u8,
    /// Rule for the choice of the next class.
    pub schedule: Schedule,
}

/// Rule for the choice among classes with waiting packets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// Strict priority: the highest class.
    Strict,
    /// Strict classes first, the highest of them before the others. What they leave is shared by weight,
    /// in bytes (deficit weighted round robin, DWRR).
    Weighted {
        /// Weight of each class, at least 1; without effect for strict ones.
        weights: [u16; CLASSES],
        /// Set of strict classes.
        strict: u8,
    },
}

impl Classes {
    /// One class for all traffic, with flow control where switches have it.
    pub const ONE: Classes = Classes { count: 1, lossless: u8::MAX, schedule: Schedule::Strict };

    /// Returns the number of classes with priority flow control, where switches have it.
    pub const fn lossless_count(&self) -> u32 {
        (self.lossless & u8::MAX >> (8 - self.count)).count_ones()
    }

    /// Returns whether flow control may pause a class.
    pub const fn is_lossless(&self, class: u8) -> bool {
        self.lossless >> class & 1 == 1
    }
}

/// Bytes that a class may send in a round per unit of weight. About a packet: less would only mean
/// more rounds, more would make classes send in bursts.
const QUANTUM: i32 = 1_024;

/// Scheduler of the classes at a port.
///
/// A class may overdraw by less than a packet, which is deducted from its next round (surplus round
/// robin). Shares equal those of DWRR (Shreedhar and Varghese, SIGCOMM 1995), and a packet's length
/// need not be known before it is taken.
#[derive(Debug, Clone, Default)]
pub(super) struct DeficitRoundRobin {
    at: u8,
    /// Bytes that a class may still send in this round.
    left: [i32; CLASSES],
}

impl DeficitRoundRobin {
    /// Returns the next class from a non-empty set.
    #[inline]
    pub(super) fn next(&mut self, schedule: &Schedule, ready: u8) -> usize {
        let class = match schedule {
            _ if ready & (ready - 1) == 0 => ready.trailing_zeros() as usize,
            Schedule::Strict => 7 - ready.leading_zeros() as usize,
            Schedule::Weighted { strict, .. } if ready & strict != 0 => {
                7 - (ready & strict).leading_zeros() as usize
            }
            Schedule::Weighted { weights, .. } => self.weighted(weights, ready),
        };
        class % CLASSES
    }

    fn weighted(&mut self, weights: &[u16; CLASSES], ready: u8) -> usize {
        loop {
            let at = usize::from(self.at);
            if ready >> at & 1 == 1 && self.left[at] > 0 {
                return at;
            }
            self.at = (self.at + 1) % CLASSES as u8;
            let next = usize::from(self.at);
            if ready >> next & 1 == 1 {
                // A class forfeits quota that it did not use because it had nothing to send.
                self.left[next] = self.left[next].min(0) + i32::from(weights[next]) * QUANTUM;
            }
        }
    }

    /// Accounts for a packet of a class that leaves while the given classes were ready. A strict class
    /// is not charged, and neither is one without another weighted class beside it.
    #[inline]
    pub(super) fn sent(&mut self, schedule: &Schedule, ready: u8, class: usize, bytes: u16) {
        let Schedule::Weighted { strict, .. } = schedule else { return };
        let weighted = ready & !strict;
        if weighted.count_ones() > 1 && weighted >> class & 1 == 1 {
            self.left[class] -= i32::from(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn strict_priority_selects_the_highest_class() {
        let mut scheduler = DeficitRoundRobin::default();
        let order = [0b1010_0001, 0b0010_0001, 0b1, 0b100];
        assert_eq!(order.map(|set| scheduler.next(&Schedule::Strict, set)), [7, 5, 0, 2]);
    }

    proptest! {
        /// Classes with permanent backlog share by weight, for any packet sizes. Strict classes that
        /// send now and then come first and change no share.
        #[test]
        fn bytes_are_shared_by_weight(
            weights in prop::array::uniform8(1u16..20),
            sizes in prop::array::uniform8(64u16..9_000),
            ready in 1u8..=255,
            strict: u8,
            every in 2u32..9,
        ) {
            let (ready, strict) = (ready & !strict, strict);
            prop_assume!(ready != 0);
            let schedule = Schedule::Weighted { weights, strict };
            let mut turn = 0;
            let mut scheduler = DeficitRoundRobin::default();
            let mut bytes_sent = [0u64; CLASSES];
            while bytes_sent.iter().sum::<u64>() < 50_000_000 {
                turn += 1;
                if turn % every == 0 && strict != 0 {
                    let class = scheduler.next(&schedule, ready | strict);
                    prop_assert_eq!(class, 7 - strict.leading_zeros() as usize);
                    scheduler.sent(&schedule, ready | strict, class, sizes[class]);
                }
                let class = scheduler.next(&schedule, ready);
                prop_assert!(ready >> class & 1 == 1);
                scheduler.sent(&schedule, ready, class, sizes[class]);
                bytes_sent[class] += u64::from(sizes[class]);
            }
            let all: u64 = (0..8).filter(|c| ready >> c & 1 == 1).map(|c| u64::from(weights[c])).sum();
            for class in (0..8).filter(|c| ready >> c & 1 == 1) {
                let share = bytes_sent[class] as f64 / bytes_sent.iter().sum::<u64>() as f64;
                let expected = f64::from(weights[class]) / all as f64;
                prop_assert!((share / expected - 1.0).abs() < 0.05, "{class}: {share} {expected}");
            }
        }
    }
}
