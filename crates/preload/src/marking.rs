//! [`Marking`]: a mark in one word, which threads read while another thread changes it.

use saba::Mark;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The mark of packets; empty until it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Marking {
    /// The byte of the IP header, without the two ECN bits.
    pub(crate) class: Option<u8>,
    /// The service level of InfiniBand.
    pub(crate) service_level: Option<u8>,
}

/// The flag of a byte that is set.
const IS_SET: u32 = 0x100;

impl From<Mark> for Marking {
    fn from(mark: Mark) -> Self {
        Marking { class: mark.traffic_class(), service_level: mark.service_level }
    }
}

impl Marking {
    /// Returns the new byte of the IP header, or `None` if `before` has the mark already.
    pub(crate) fn class_over(self, before: u8) -> Option<u8> {
        // The two ECN bits belong to the sender (RFC 3168).
        let class = self.class? | before & 3;
        (class != before).then_some(class)
    }
}

/// A marking that threads share.
#[derive(Debug)]
pub(crate) struct Shared(AtomicU32);

impl Shared {
    pub(crate) const fn new() -> Self {
        Shared(AtomicU32::new(0))
    }

    pub(crate) fn get(&self) -> Marking {
        let word = self.0.load(Relaxed);
        let byte = |half: u32| (half & IS_SET != 0).then_some(half as u8);
        Marking { class: byte(word), service_level: byte(word >> 16) }
    }

    pub(crate) fn set(&self, marking: Marking) {
        let half = |byte: Option<u8>| byte.map_or(0, |byte| IS_SET | u32::from(byte));
        self.0.store(half(marking.class) | half(marking.service_level) << 16, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn marking_round_trips_in_one_word(class: Option<u8>, service_level in proptest::option::of(0..16u8)) {
            let marking = Marking { class, service_level };
            let shared = Shared::new();
            prop_assert_eq!(shared.get(), Marking::default());
            shared.set(marking);
            prop_assert_eq!(shared.get(), marking);
        }

        #[test]
        fn ecn_bits_are_preserved(dscp in proptest::option::of(0..64u8), before: u8) {
            let mark = Mark { level: 0, dscp, service_level: None };
            let after = Marking::from(mark).class_over(before);
            let there = after.unwrap_or(before);
            prop_assert_eq!(there & 3, before & 3);
            prop_assert_eq!(there >> 2, dscp.unwrap_or(before >> 2));
            prop_assert_ne!(after, Some(before));
        }
    }
}
