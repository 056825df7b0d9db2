//! [`Slots`]: numbers of queue pairs and address handles, by their address in memory.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// The number of slots that an address may take.
const NEAR: usize = 16;

/// Up to `N` addresses. An address gets no slot if too many hash to the same ones.
#[derive(Debug)]
pub(crate) struct Slots<const N: usize>([AtomicUsize; N]);

impl<const N: usize> Slots<N> {
    pub(crate) const fn new() -> Self {
        Slots([const { AtomicUsize::new(0) }; N])
    }

    fn places(address: usize) -> impl Iterator<Item = usize> {
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): addresses are multiples of 16.
        let first = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (0..NEAR).map(move |next| (first as usize + next) % N)
    }

    /// Returns the number of an address.
    pub(crate) fn of(&self, address: usize) -> Option<usize> {
        Self::places(address).find(|place| self.0[*place].load(Acquire) == address)
    }

    /// Returns the number of an address, and assigns one if necessary.
    pub(crate) fn take(&self, address: usize) -> Option<usize> {
        let is_free =
            |place: &usize| self.0[*place].compare_exchange(0, address, AcqRel, Relaxed).is_ok();
        self.of(address).or_else(|| Self::places(address).find(is_free))
    }

    /// Frees the number of an address, and returns it.
    pub(crate) fn free(&self, address: usize) -> Option<usize> {
        let place = self.of(address)?;
        self.0[place].store(0, Relaxed);
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn each_address_has_its_own_slot(steps in proptest::collection::vec((1..60usize, any::<bool>()), 0..200)) {
            let slots = Slots::<64>::new();
            let mut there = BTreeMap::new();
            for (address, takes) in steps {
                let address = address * 16;
                if takes {
                    if let Some(number) = slots.take(address) {
                        prop_assert_eq!(*there.entry(address).or_insert(number), number);
                    }
                } else {
                    prop_assert_eq!(slots.free(address), there.remove(&address));
                }
                let mut numbers: Vec<usize> = there.values().copied().collect();
                numbers.sort();
                numbers.dedup();
                prop_assert_eq!(numbers.len(), there.len());
                for (address, number) in &there {
                    prop_assert_eq!(slots.of(*address), Some(*number));
                }
            }
        }
    }
}
