//! Traffic classes (the priorities of IEEE 802.1Q), and how those of a port share its link.

use super::packet::CLASSES;

/// The traffic classes of a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    /// How many there are, 1 to [`CLASSES`]. Flows are of those below.
    pub count: u8,
    /// Those with priority flow control, where switches have it, a set.
    pub lossless: u8,
    /// Which one goes next.
    pub schedule: Schedule,
}

/// Which class goes next where several have something to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// The highest.
    Strict,
    /// They share the link's bytes by these weights, each at least 1 (deficit weighted round robin,
    /// DWRR).
    Weighted([u16; CLASSES]),
}

impl Classes {
    /// One class for all, with flow control where switches have it.
    pub const ONE: Classes = Classes { count: 1, lossless: u8::MAX, schedule: Schedule::Strict };

    /// Whether flow control may stop a class.
    pub const fn is_lossless(&self, class: u8) -> bool {
        self.lossless >> class & 1 == 1
    }
}

/// Bytes that a class may send in a round for each unit of weight. A packet or so: fewer would only
/// mean more rounds, more that classes take turns in bursts.
const QUANTUM: i32 = 1_024;

/// Whose turn it is at a port.
///
/// A class may overdraw by less than a packet, and has that much less in the next round (surplus
/// round robin): shares are those of DWRR (Shreedhar and Varghese, SIGCOMM 1995), and nobody has
/// to know how long the next packet of a class is before it is taken.
#[derive(Debug, Clone, Default)]
pub(super) struct DeficitRoundRobin {
    at: u8,
    /// Bytes that a class may still send in this round.
    left: [i32; CLASSES],
}

impl DeficitRoundRobin {
    /// The class, of a set with at least one, that goes next.
    #[inline]
    pub fn next(&mut self, schedule: &Schedule, ready: u8) -> usize {
        let class = match schedule {
            _ if ready & (ready - 1) == 0 => ready.trailing_zeros() as usize,
            Schedule::Strict => 7 - ready.leading_zeros() as usize,
            Schedule::Weighted(weights) => self.weighted(weights, ready),
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
                // What a class did not use while it had nothing to send is gone.
                self.left[next] = self.left[next].min(0) + i32::from(weights[next]) * QUANTUM;
            }
        }
    }

    /// A packet of that class leaves, where these were ready. What a class sends while no other
    /// wants to is not held against it.
    #[inline]
    pub fn took(&mut self, schedule: &Schedule, ready: u8, class: usize, bytes: u16) {
        if ready & (ready - 1) != 0 && *schedule != Schedule::Strict {
            self.left[class] -= i32::from(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_highest_goes_first() {
        let mut turns = DeficitRoundRobin::default();
        let order = [0b1010_0001, 0b0010_0001, 0b1, 0b100];
        assert_eq!(order.map(|set| turns.next(&Schedule::Strict, set)), [7, 5, 0, 2]);
    }

    proptest! {
        /// Classes that always have something to send share by weight, whatever their packets' sizes.
        #[test]
        fn bytes_are_shared_by_weight(
            weights in prop::array::uniform8(1u16..20),
            sizes in prop::array::uniform8(64u16..9_000),
            ready in 1u8..=255,
        ) {
            let schedule = Schedule::Weighted(weights);
            let mut turns = DeficitRoundRobin::default();
            let mut sent = [0u64; CLASSES];
            while sent.iter().sum::<u64>() < 50_000_000 {
                let class = turns.next(&schedule, ready);
                prop_assert!(ready >> class & 1 == 1);
                turns.took(&schedule, ready, class, sizes[class]);
                sent[class] += u64::from(sizes[class]);
            }
            let all: u64 = (0..8).filter(|c| ready >> c & 1 == 1).map(|c| u64::from(weights[c])).sum();
            for class in (0..8).filter(|c| ready >> c & 1 == 1) {
                let share = sent[class] as f64 / sent.iter().sum::<u64>() as f64;
                let expected = f64::from(weights[class]) / all as f64;
                prop_assert!((share / expected - 1.0).abs() < 0.05, "{class}: {share} {expected}");
            }
        }
    }
}
