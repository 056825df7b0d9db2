//! States of flows in flight, by slot: a slot is used again when its flow has ended, so that what
//! has ended costs nothing.

/// Values by key. A key is a slot and how often that was used, modulo 256: what is still on its
/// way to a flow that has ended finds that the slot is another's. A slot would have to serve 256
/// flows while a packet is in the network for this to fail.
#[derive(Debug)]
pub(super) struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<T> {
    key: u32,
    value: Option<T>,
}

/// Slots, and so flows in flight at a host, of which there can be that many.
const BITS: u32 = 24;
const MASK: u32 = (1 << BITS) - 1;

impl<T> Slots<T> {
    pub const fn new() -> Self {
        Slots { slots: Vec::new(), free: Vec::new() }
    }

    /// Puts a value into a free slot; returns its key.
    pub fn put(&mut self, value: T) -> u32 {
        if let Some(slot) = self.free.pop() {
            let slot = &mut self.slots[slot as usize];
            slot.key = slot.key.wrapping_add(1 << BITS);
            slot.value = Some(value);
            return slot.key;
        }
        let key = self.slots.len() as u32;
        assert!(key <= MASK, "more than {MASK} flows in flight at a host");
        self.slots.push(Slot { key, value: Some(value) });
        key
    }

    /// The value of a key, if it is still there.
    #[inline]
    pub fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.slots.get_mut((key & MASK) as usize)?;
        if slot.key == key { slot.value.as_mut() } else { None }
    }

    /// The same, to look at.
    pub fn get(&self, key: u32) -> Option<&T> {
        let slot = self.slots.get((key & MASK) as usize)?;
        if slot.key == key { slot.value.as_ref() } else { None }
    }

    /// The key of a slot (its low 24 bits), if something is there.
    #[inline]
    pub fn key_at(&self, slot: u32) -> Option<u32> {
        let slot = self.slots.get(slot as usize)?;
        slot.value.as_ref().map(|_| slot.key)
    }

    /// The slot of a key.
    #[inline]
    pub const fn slot(key: u32) -> u32 {
        key & MASK
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_one_value() {
        let mut slots = Slots::new();
        let (a, b) = (slots.put('a'), slots.put('b'));
        slots.remove(a);
        let c = slots.put('c');
        assert_eq!(Slots::<char>::slot(c), Slots::<char>::slot(a));
        assert_eq!((slots.get(a), slots.get(b)), (None, Some(&'b')));
        assert_eq!(slots.get_mut(c), Some(&mut 'c'));
        assert_eq!((slots.key_at(0), slots.key_at(2), slots.len()), (Some(c), None, 2));
        slots.remove(a);
        assert_eq!(slots.len(), 2);
    }
}
