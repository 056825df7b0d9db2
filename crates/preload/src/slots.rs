//! [`Slots`]: numbers of queue pairs and address handles, by their address in memory.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// The number of slots that an address may take.
const NEAR: usize = 16;

/// In place of an address: the number is set aside. No object has this address.
const ASIDE: usize = usize::MAX;

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

    /// Returns the number of an address, which neither this address nor another one has from now on.
    pub(crate) fn set_aside(&self, address: usize) -> Option<usize> {
        let place = self.of(address)?;
        self.0[place].compare_exchange(address, ASIDE, AcqRel, Relaxed).is_ok().then_some(place)
    }

    /// Frees a number that was set aside.
    pub(crate) fn free(&self, number: usize) {
        self.0[number].store(0, Release);
    }

    /// Gives a number that was set aside to its address again.
    pub(crate) fn restore(&self, number: usize, address: usize) {
        self.0[number].store(address, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn each_address_has_its_own_slot(steps in proptest::collection::vec((1..60usize, 0..3u8), 0..200)) {
            let slots = Slots::<64>::new();
            let mut there = BTreeMap::new();
            for (address, step) in steps {
                let address = address * 16;
                if step == 0 {
                    if let Some(number) = slots.take(address) {
                        prop_assert_eq!(*there.entry(address).or_insert(number), number);
                    }
                } else {
                    let aside = slots.set_aside(address);
                    prop_assert_eq!(aside, there.get(&address).copied());
                    prop_assert_eq!(slots.of(address), None);
                    match aside {
                        Some(number) if step == 1 => {
                            slots.free(number);
                            there.remove(&address);
                        }
                        Some(number) => slots.restore(number, address),
                        None => {}
                    }
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
