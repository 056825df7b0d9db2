//! A queue in a ring whose size is a power of two. A packet passes several such queues on each hop;
//! the index arithmetic of `VecDeque` costs a tenth of the simulator's time there.

/// A first-in, first-out queue.
#[derive(Debug, Clone)]
pub(crate) struct Ring<T> {
    /// Always initialised; the `len` values from `head` on are live. The length is a power of two,
    /// or 0.
    slots: Box<[T]>,
    head: u32,
    len: u32,
}

impl<T: Copy + Default> Ring<T> {
    pub(crate) fn new() -> Self {
        Ring { slots: Box::new([]), head: 0, len: 0 }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    fn slot(&self, index: u32) -> usize {
        (self.head + index) as usize & (self.slots.len() - 1)
    }

    #[inline]
    pub(crate) fn push_back(&mut self, value: T) {
        if self.len() == self.slots.len() {
            self.grow();
        }
        let slot = self.slot(self.len);
        self.slots[slot] = value;
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = std::mem::take(&mut self.slots).into_vec();
        slots.rotate_left(self.head as usize);
        self.head = 0;
        slots.resize((2 * slots.len()).max(4), T::default());
        self.slots = slots.into();
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<T> {
        if self.len == 0 {
            return None;
        }
        let first = self.slots[self.head as usize];
        self.head = self.slot(1) as u32;
        self.len -= 1;
        Some(first)
    }

    /// Removes and returns the value at `index`, counted from the front.
    ///
    /// # Panics
    ///
    /// If the ring has no slots. `index` must be less than the length.
    pub(crate) fn remove(&mut self, index: u32) -> T {
        let value = self.slots[self.slot(index)];
        for later in index + 1..self.len {
            self.slots[self.slot(later - 1)] = self.slots[self.slot(later)];
        }
        self.len -= 1;
        value
    }

    #[inline]
    pub(crate) fn front(&self) -> Option<&T> {
        if self.len == 0 { None } else { Some(&self.slots[self.head as usize]) }
    }

    #[inline]
    pub(crate) fn front_mut(&mut self) -> Option<&mut T> {
        if self.len == 0 { None } else { Some(&mut self.slots[self.head as usize]) }
    }

    /// Inserts a value behind the last one that is not `after` it.
    #[inline]
    pub(crate) fn insert(&mut self, value: T, after: impl Fn(&T) -> bool) {
        self.push_back(value);
        for index in (1..self.len).rev() {
            let (before, here) = (self.slot(index - 1), self.slot(index));
            if !after(&self.slots[before]) {
                break;
            }
            self.slots.swap(before, here);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len).map(|index| &self.slots[self.slot(index)])
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let (head, len) = (self.head as usize, self.len());
        let (wrapped, first) = self.slots.split_at_mut(head);
        let first_len = len.min(first.len());
        first[..first_len].iter_mut().chain(&mut wrapped[..len - first_len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn ring_equals_a_deque(steps in prop::collection::vec((0u8..5, 0u32..9), 0..300)) {
            let (mut ring, mut queue) = (Ring::new(), VecDeque::new());
            for (step, value) in steps {
                match step {
                    0 => prop_assert_eq!(ring.pop_front(), queue.pop_front()),
                    1 => {
                        let later = queue.iter().rev().take_while(|&&v| v > value).count();
                        queue.insert(queue.len() - later, value);
                        ring.insert(value, |&v| v > value);
                    }
                    2 => {
                        ring.iter_mut().zip(&mut queue).for_each(|(a, b)| (*a, *b) = (*a + 1, *b + 1));
                    }
                    3 if (value as usize) < queue.len() => {
                        prop_assert_eq!(Some(ring.remove(value)), queue.remove(value as usize));
                    }
                    _ => {
                        ring.push_back(value);
                        queue.push_back(value);
                    }
                }
                prop_assert_eq!(ring.front(), queue.front());
                prop_assert_eq!(ring.front_mut(), queue.front_mut());
                prop_assert!(ring.iter().eq(&queue));
                prop_assert_eq!((ring.len(), ring.is_empty()), (queue.len(), queue.is_empty()));
            }
        }
    }
}
