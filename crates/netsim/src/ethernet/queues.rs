//! Many queues in one arena.
//!
//! A queue is a list of chunks of some places each. A chunk that is freed is the next one to be
//! used, so that what the queues touch is about as large as what they hold; within a chunk one value
//! follows the other, as a processor's caches like it. Rings would each go round all of their
//! places, those of their worst moment; a list of single places would jump about.

/// Queues, first in, first out, by number. Each value has a tag: the port that it came in by.
#[derive(Debug)]
pub(super) struct Queues<T> {
    chunks: Vec<Chunk<T>>,
    /// The first of the free chunks.
    free: u32,
    queues: Vec<Queue>,
}

/// Places in a chunk: six cache lines of packets. Whether a chunk ends can't be foreseen, so that fewer
/// ends are faster, and more places take more room.
const PLACES: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Chunk<T> {
    values: [T; PLACES],
    tags: [u8; PLACES],
    /// The one behind it.
    next: u32,
}

/// Where a queue begins and ends. Only an empty one has no chunk.
#[derive(Debug, Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
    /// The place of the first value in the first chunk, and that behind the last in the last.
    head: u32,
    tail: u32,
}

const NONE: u32 = u32::MAX;
const EMPTY: Queue = Queue { first: NONE, last: NONE, head: 0, tail: PLACES as u32 };

impl<T: Copy + Default> Queues<T> {
    pub fn new(queues: usize) -> Self {
        Queues { chunks: Vec::new(), free: NONE, queues: vec![EMPTY; queues] }
    }

    #[inline]
    pub fn push(&mut self, queue: usize, value: T, tag: u8) {
        if self.queues[queue].tail as usize == PLACES {
            self.lengthen(queue);
        }
        let queue = &mut self.queues[queue];
        let (chunk, place) = (&mut self.chunks[queue.last as usize], queue.tail as usize % PLACES);
        (chunk.values[place], chunk.tags[place]) = (value, tag);
        queue.tail += 1;
    }

    /// Puts a free chunk behind a queue's last.
    #[inline(never)]
    fn lengthen(&mut self, queue: usize) {
        let chunk = match self.chunks.get_mut(self.free as usize) {
            Some(free) => {
                std::mem::replace(&mut self.free, std::mem::replace(&mut free.next, NONE))
            }
            None => {
                self.chunks.push(Chunk {
                    values: [T::default(); PLACES],
                    tags: [0; PLACES],
                    next: NONE,
                });
                (self.chunks.len() - 1) as u32
            }
        };
        let queue = &mut self.queues[queue];
        match self.chunks.get_mut(queue.last as usize) {
            Some(last) => last.next = chunk,
            None => queue.first = chunk,
        }
        (queue.last, queue.tail) = (chunk, 0);
    }

    #[inline]
    pub fn pop(&mut self, queue: usize) -> Option<(T, u8)> {
        let queue = &mut self.queues[queue];
        let chunk = self.chunks.get_mut(queue.first as usize)?;
        let place = queue.head as usize % PLACES;
        let value = (chunk.values[place], chunk.tags[place]);
        queue.head += 1;
        let is_last = queue.first == queue.last;
        if is_last && queue.head == queue.tail || queue.head as usize == PLACES {
            let freed = queue.first;
            match is_last {
                true => *queue = EMPTY,
                false => (queue.first, queue.head) = (chunk.next, 0),
            }
            chunk.next = std::mem::replace(&mut self.free, freed);
        }
        Some(value)
    }

    #[inline]
    pub fn is_empty(&self, queue: usize) -> bool {
        self.queues[queue].first == NONE
    }

    /// What a queue holds.
    pub fn iter(&self, queue: usize) -> impl Iterator<Item = (&T, u8)> {
        let queue = &self.queues[queue];
        let chunk = |number: u32| self.chunks.get(number as usize);
        let chunks = std::iter::successors(chunk(queue.first), move |last| chunk(last.next));
        let values = chunks.flat_map(|chunk| chunk.values.iter().zip(chunk.tags));
        values.skip(queue.head as usize).take(self.len_of(queue))
    }

    /// How many values all queues hold.
    pub fn len(&self) -> usize {
        self.queues.iter().map(|queue| self.len_of(queue)).sum()
    }

    fn len_of(&self, queue: &Queue) -> usize {
        let chunk = |number: u32| self.chunks.get(number as usize);
        let chunks = std::iter::successors(chunk(queue.first), |last| chunk(last.next)).count();
        chunks * PLACES - queue.head as usize - (PLACES - queue.tail as usize)
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
            let mut expected: [VecDeque<(u8, u8)>; 3] = Default::default();
            for ((queue, push, value), step) in steps.into_iter().zip(0..) {
                if push {
                    let tag = step as u8;
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
