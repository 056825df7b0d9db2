//! Many queues in one arena.
//!
//! A place that is freed is the next one to be used, so that what the queues touch is as large as
//! what they hold. Rings would each go round all of their places, those of their worst moment.

/// Queues, first in, first out, by number. Each value has a tag, which takes no room: it stands
/// where a place of packets would be padded.
#[derive(Debug)]
pub(super) struct Queues<T> {
    places: Vec<Place<T>>,
    /// The first of the free places.
    free: u32,
    queues: Vec<Queue<T>>,
}

#[derive(Debug)]
struct Place<T> {
    value: T,
    next: u32,
    tag: u32,
}

/// A queue. Its first value stands here and not in a place: whoever takes it decides by it what to
/// do, and would wait for memory. The one behind it is fetched then, while that is done.
#[derive(Debug, Clone, Copy)]
struct Queue<T> {
    first: T,
    /// Places of the second value and of the last.
    second: u32,
    last: u32,
    /// The tag of the first value.
    tag: u32,
    is_empty: bool,
}

const NONE: u32 = u32::MAX;

impl<T: Copy + Default> Queues<T> {
    pub fn new(queues: usize) -> Self {
        let first = T::default();
        let empty = Queue { first, second: NONE, last: NONE, tag: 0, is_empty: true };
        Queues { places: Vec::new(), free: NONE, queues: vec![empty; queues] }
    }

    #[inline]
    pub fn push(&mut self, queue: usize, value: T, tag: u32) {
        let queue = &mut self.queues[queue];
        if queue.is_empty {
            (queue.first, queue.tag, queue.is_empty) = (value, tag, false);
            return;
        }
        let place = self.free;
        let place = match self.places.get_mut(place as usize) {
            Some(free) => {
                self.free = free.next;
                *free = Place { value, next: NONE, tag };
                place
            }
            None => {
                self.places.push(Place { value, next: NONE, tag });
                (self.places.len() - 1) as u32
            }
        };
        let last = std::mem::replace(&mut queue.last, place);
        match self.places.get_mut(last as usize) {
            Some(last) => last.next = place,
            None => queue.second = place,
        }
    }

    #[inline]
    pub fn pop(&mut self, queue: usize) -> Option<(T, u32)> {
        let queue = &mut self.queues[queue];
        if queue.is_empty {
            return None;
        }
        let value = (queue.first, queue.tag);
        let place = queue.second;
        match self.places.get_mut(place as usize) {
            Some(second) => {
                (queue.first, queue.tag) = (second.value, second.tag);
                queue.second = std::mem::replace(&mut second.next, self.free);
                if queue.second == NONE {
                    queue.last = NONE;
                }
                self.free = place;
            }
            None => queue.is_empty = true,
        }
        Some(value)
    }

    #[inline]
    pub fn is_empty(&self, queue: usize) -> bool {
        self.queues[queue].is_empty
    }

    /// What a queue holds.
    pub fn iter(&self, queue: usize) -> impl Iterator<Item = (&T, u32)> {
        let queue = &self.queues[queue];
        let first = (!queue.is_empty).then_some((&queue.first, queue.tag));
        let second = self.places.get(queue.second as usize);
        let later = std::iter::successors(second, |place| self.places.get(place.next as usize));
        first.into_iter().chain(later.map(|place| (&place.value, place.tag)))
    }

    /// How many values all queues hold.
    pub fn len(&self) -> usize {
        let free = std::iter::successors(self.places.get(self.free as usize), |place| {
            self.places.get(place.next as usize)
        });
        let firsts = self.queues.iter().filter(|queue| !queue.is_empty).count();
        firsts + self.places.len() - free.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn are_queues(steps in prop::collection::vec((0usize..3, any::<bool>(), any::<u8>()), 0..300)) {
            let mut queues = Queues::new(3);
            let mut expected: [VecDeque<(u8, u32)>; 3] = Default::default();
            for ((queue, push, value), tag) in steps.into_iter().zip(0..) {
                if push {
                    queues.push(queue, value, tag);
                    expected[queue].push_back((value, tag));
                } else {
                    prop_assert_eq!(queues.pop(queue), expected[queue].pop_front());
                }
                prop_assert_eq!(queues.is_empty(queue), expected[queue].is_empty());
                let held = queues.iter(queue).map(|(&value, tag)| (value, tag));
                prop_assert!(held.eq(expected[queue].iter().copied()));
                prop_assert_eq!(queues.len(), expected.iter().map(VecDeque::len).sum::<usize>());
            }
        }
    }
}
