//! States of flows in flight, by slot: a slot is used again when its flow has ended, so that what
//! has ended costs nothing.

use crate::base::prefetch::prefetch;

/// Values by key. A key is a slot and how often that was used, modulo 256: what is still on its
/// way to a flow that has ended finds that the slot is another's. A slot would have to serve 256
/// flows while a packet is in the network for this to fail.
///
/// Many flows take turns, so that what is known of one is in no near cache when its packet comes. It begins at a
/// cache line, and what most packets don't need stands apart (`A`).
#[derive(Debug)]
pub(super) struct Slots<T, A = ()> {
    slots: Vec<Slot<T>>,
    /// By slot; that of a free one stays until it is used again.
    apart: Vec<A>,
    free: Vec<u32>,
}

/// In this order: the key is in the last cache line.
#[derive(Debug)]
#[repr(C, align(64))]
struct Slot<T> {
    value: Option<T>,
    key: u32,
}

/// Slots, and so flows in flight at a host, of which there can be that many.
const BITS: u32 = 24;
const MASK: u32 = (1 << BITS) - 1;

impl<T, A> Slots<T, A> {
    pub const fn new() -> Self {
        Slots { slots: Vec::new(), apart: Vec::new(), free: Vec::new() }
    }

    /// Puts a value into a free slot, and what stands apart; returns its key.
    pub fn put(&mut self, value: T, apart: A) -> u32 {
        if let Some(place) = self.free.pop() {
            let slot = &mut self.slots[place as usize];
            slot.key = slot.key.wrapping_add(1 << BITS);
            slot.value = Some(value);
            self.apart[place as usize] = apart;
            return slot.key;
        }
        let key = self.slots.len() as u32;
        assert!(key <= MASK, "more than {MASK} flows in flight at a host");
        self.slots.push(Slot { key, value: Some(value) });
        self.apart.push(apart);
        key
    }

    /// The value of a key, if it is still there.
    #[inline]
    pub fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        self.both_mut(key).map(|(value, _)| value)
    }

    /// The same, and what stands apart.
    #[inline]
    pub fn both_mut(&mut self, key: u32) -> Option<(&mut T, &mut A)> {
        let place = (key & MASK) as usize;
        let slot = self.slots.get_mut(place)?;
        if slot.key == key { slot.value.as_mut().zip(self.apart.get_mut(place)) } else { None }
    }

    /// The value of a key, to look at.
    pub fn get(&self, key: u32) -> Option<&T> {
        let slot = self.slots.get((key & MASK) as usize)?;
        if slot.key == key { slot.value.as_ref() } else { None }
    }

    /// Has the value of a key fetched, which will be asked for soon: the cache line where it begins and that of the
    /// key, which are all if it takes two.
    #[inline]
    pub fn fetch(&self, key: u32) {
        if let Some(slot) = self.slots.get((key & MASK) as usize) {
            prefetch(&slot.value);
            prefetch(&slot.key);
        }
    }

    /// The key of a slot (its low 24 bits), if something is there.
    #[inline]
    pub fn key_at(&self, slot: u32) -> Option<u32> {
        let slot = self.slots.get(slot as usize)?;
        slot.value.as_ref().map(|_| slot.key)
    }

    /// Frees a slot.
    pub fn remove(&mut self, key: u32) {
        if self.get(key).is_some() {
            self.slots[(key & MASK) as usize].value = None;
            self.free.push(key & MASK);
        }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// The slot of a key.
#[inline]
pub(super) const fn slot_of(key: u32) -> u32 {
    key & MASK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_one_value() {
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
