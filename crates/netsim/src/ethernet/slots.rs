//! An arena for the states of flows in flight. The slot of an ended flow is reused, so that ended
//! flows cost nothing.

use crate::base::prefetch::prefetch;

/// Values by key. A key is a slot and its number of uses, modulo 256. A packet to an ended flow
/// thereby detects that its slot has been reused. This fails only if a slot serves 256 flows while
/// a packet is in the network.
///
/// Many flows alternate, so a flow's state is in no near cache when its packet arrives. It begins
/// at a cache line, and data that most packets don't need is stored separately (`A`).
#[derive(Debug)]
pub(super) struct Slots<T, A = ()> {
    slots: Vec<Slot<T>>,
    /// Separate data by slot; that of a free slot remains until reuse.
    extra: Vec<A>,
    free: Vec<u32>,
}

/// In this order, the key is in the last cache line.
#[derive(Debug)]
#[repr(C, align(64))]
struct Slot<T> {
    value: Option<T>,
    key: u32,
}

/// Bits of a slot number, which limit the flows in flight at a host.
const BITS: u32 = 24;
const MASK: u32 = (1 << BITS) - 1;

impl<T, A> Slots<T, A> {
    pub(super) const fn new() -> Self {
        Slots { slots: Vec::new(), extra: Vec::new(), free: Vec::new() }
    }

    /// Stores a value and its separate data in a free slot. Returns the key.
    ///
    /// # Panics
    ///
    /// If 2^24 flows are in flight.
    pub(super) fn put(&mut self, value: T, extra: A) -> u32 {
        if let Some(index) = self.free.pop() {
            let slot = &mut self.slots[index as usize];
            slot.key = slot.key.wrapping_add(1 << BITS);
            slot.value = Some(value);
            self.extra[index as usize] = extra;
            return slot.key;
        }
        let key = self.slots.len() as u32;
        assert!(key <= MASK, "more than {MASK} flows in flight at a host");
        self.slots.push(Slot { key, value: Some(value) });
        self.extra.push(extra);
        key
    }

    /// Returns the value of a key, if it still exists.
    #[inline]
    pub(super) fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        self.both_mut(key).map(|(value, _)| value)
    }

    /// Returns the value of a key and its separate data, if they still exist.
    #[inline]
    pub(super) fn both_mut(&mut self, key: u32) -> Option<(&mut T, &mut A)> {
        let index = (key & MASK) as usize;
        let slot = self.slots.get_mut(index)?;
        if slot.key == key { slot.value.as_mut().zip(self.extra.get_mut(index)) } else { None }
    }

    /// Returns the value of a key for reading, if it still exists.
    pub(super) fn get(&self, key: u32) -> Option<&T> {
        let slot = self.slots.get((key & MASK) as usize)?;
        if slot.key == key { slot.value.as_ref() } else { None }
    }

    /// Prefetches the value of a key: the cache line where it begins and that of the key, which are
    /// all of a value of two lines.
    #[inline]
    pub(super) fn fetch(&self, key: u32) {
        if let Some(slot) = self.slots.get((key & MASK) as usize) {
            prefetch(&slot.value);
            prefetch(&slot.key);
        }
    }

    /// Returns the key of an occupied slot, given by its low 24 bits.
    #[inline]
    pub(super) fn key_at(&self, slot: u32) -> Option<u32> {
        let slot = self.slots.get(slot as usize)?;
        slot.value.as_ref().map(|_| slot.key)
    }

    /// Frees the slot of a key.
    pub(super) fn remove(&mut self, key: u32) {
        if self.get(key).is_some() {
            self.slots[(key & MASK) as usize].value = None;
            self.free.push(key & MASK);
        }
    }

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// Returns the slot of a key.
#[inline]
pub(super) const fn slot_of(key: u32) -> u32 {
    key & MASK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_a_removed_value_is_invalid() {
        let mut slots = Slots::new();
        let (a, b) = (slots.put('a', 1), slots.put('b', 2));
        slots.remove(a);
        let c = slots.put('c', 3);
        assert_eq!(slot_of(c), slot_of(a));
        assert_eq!((slots.get(a), slots.get(b)), (None, Some(&'b')));
        assert_eq!(slots.both_mut(c), Some((&mut 'c', &mut 3)));
        assert_eq!(slots.get_mut(b), Some(&mut 'b'));
        assert_eq!((slots.key_at(0), slots.key_at(2), slots.len()), (Some(c), None, 2));
        slots.remove(a);
        assert_eq!(slots.len(), 2);
    }
}
