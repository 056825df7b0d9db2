//! Many queues in one arena.
//!
//! A queue is a list of chunks. A freed chunk is reused next, so the memory touched is about as
//! large as the contents of the queues. Within a chunk, values are contiguous, which suits caches.
//! One ring per queue would cycle through memory for its worst case; a linked list of single values
//! would jump around.
//!
//! A queue that was ever used keeps its last chunk and restarts at its beginning whenever it
//! becomes empty. Most queues are short, and this check costs less than a misprediction of whether
//! a chunk is needed or free.

use crate::base::prefetch::prefetch;
use std::hint::select_unpredictable;

/// First-in, first-out queues, by number.
#[derive(Debug)]
pub(super) struct Queues<T> {
    chunks: Vec<Chunk<T>>,
    /// Next chunk of each chunk.
    next_chunk: Vec<u32>,
    /// First of the free chunks.
    free: u32,
    queues: Vec<Queue>,
}

/// Values in a chunk, the first of which stays unused: six cache lines of packets. The end of a
/// chunk is unpredictable, so fewer ends are faster, but larger chunks take more memory.
const CHUNK_LEN: u32 = 16;

/// Distance from the value taken to the one prefetched: packets of the cache line after the next.
const PREFETCH_DISTANCE: usize = 5;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Chunk<T>([T; CHUNK_LEN as usize]);

/// Positions of a queue's first and last value, counted over all chunks. An empty queue's `last` is
/// the position before `first`, for which each chunk leaves its first position unused.
#[derive(Debug, Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
}

/// A queue without a chunk, represented as if its last chunk were full.
const UNUSED: Queue = Queue { first: 0, last: u32::MAX };
const NONE: u32 = u32::MAX;

/// Returns the chunk of a position, and the index within the chunk.
#[inline]
const fn split(position: u32) -> (usize, usize) {
    ((position / CHUNK_LEN) as usize, (position % CHUNK_LEN) as usize)
}

impl Queue {
    /// Returns an empty queue with one chunk.
    const fn empty(chunk: u32) -> Self {
        Queue { first: chunk * CHUNK_LEN + 1, last: chunk * CHUNK_LEN }
    }
}

impl<T: Copy + Default> Queues<T> {
    pub(super) fn new(queues: usize) -> Self {
        Queues {
            chunks: Vec::new(),
            next_chunk: Vec::new(),
            free: NONE,
            queues: vec![UNUSED; queues],
        }
    }

    #[inline]
    pub(super) fn push(&mut self, queue: usize, value: T) {
        if self.queues[queue].last % CHUNK_LEN == CHUNK_LEN - 1 {
            self.add_chunk(queue);
        }
        let last = &mut self.queues[queue].last;
        *last += 1;
        let (chunk, position) = split(*last);
        self.chunks[chunk].0[position] = value;
    }

    /// Appends a free chunk to a queue.
    #[inline(never)]
    fn add_chunk(&mut self, queue: usize) {
        let chunk = match self.free {
            NONE => {
                self.chunks.push(Chunk([T::default(); CHUNK_LEN as usize]));
                self.next_chunk.push(NONE);
                self.chunks.len() as u32 - 1
            }
            free => {
                self.free = std::mem::replace(&mut self.next_chunk[free as usize], NONE);
                free
            }
        };
        let queue = &mut self.queues[queue];
        let empty = Queue::empty(chunk);
        match self.next_chunk.get_mut(split(queue.last).0) {
            Some(next_chunk) => (*next_chunk, queue.last) = (chunk, empty.last),
            None => *queue = empty,
        }
    }

    /// Takes the first value of a non-empty queue. Returns it, and whether it was the last.
    #[inline]
    pub(super) fn pop(&mut self, queue: usize) -> (T, bool) {
        let queue = &mut self.queues[queue];
        let (chunk, position) = split(queue.first);
        let values = &self.chunks[chunk].0;
        let value = values[position];
        // The value has been stored for a while and is in no near cache.
        prefetch(&values[(position + PREFETCH_DISTANCE) % CHUNK_LEN as usize]);
        let is_last = queue.first == queue.last;
        if position == CHUNK_LEN as usize - 1 && !is_last {
            let next_chunk = std::mem::replace(&mut self.next_chunk[chunk], self.free);
            self.free = chunk as u32;
            queue.first = Queue::empty(next_chunk).first;
        } else {
            // The last value is unpredictable: compute both cases and select one.
            let next = Queue { first: queue.first + 1, last: queue.last };
            let empty = Queue::empty(chunk as u32);
            queue.first = select_unpredictable(is_last, empty.first, next.first);
            queue.last = select_unpredictable(is_last, empty.last, next.last);
        }
        (value, is_last)
    }

    /// Returns the last value of a queue, or `None` if the queue is empty.
    pub(super) fn last_mut(&mut self, queue: usize) -> Option<&mut T> {
        let Queue { first, last } = self.queues[queue];
        let (chunk, position) = split(last);
        (last != first.wrapping_sub(1)).then(|| &mut self.chunks[chunk].0[position])
    }

    /// Prefetches the first value of a queue that was ever used.
    #[inline]
    pub(super) fn fetch(&self, queue: usize) {
        let (chunk, position) = split(self.queues[queue].first);
        prefetch(&self.chunks[chunk].0[position]);
    }

    /// Returns the values of a queue, first to last.
    pub(super) fn iter(&self, queue: usize) -> impl Iterator<Item = &T> {
        let Queue { first, last } = self.queues[queue];
        let is_held = last != first.wrapping_sub(1);
        let next = move |&position: &u32| match split(position) {
            _ if position == last => None,
            (chunk, position) if position == CHUNK_LEN as usize - 1 => {
                Some(Queue::empty(self.next_chunk[chunk]).first)
            }
            _ => Some(position + 1),
        };
        let values = std::iter::successors(is_held.then_some(first), next);
        values.map(|position| {
            let (chunk, position) = split(position);
            &self.chunks[chunk].0[position]
        })
    }

    /// Returns the number of values in all queues.
    pub(super) fn len(&self) -> usize {
        (0..self.queues.len()).map(|queue| self.iter(queue).count()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn queues_equal_separate_queues(steps in prop::collection::vec((0usize..3, any::<bool>(), any::<u8>()), 0..300)) {
            let mut queues = Queues::new(3);
            let mut expected: [VecDeque<u8>; 3] = Default::default();
            for (queue, push, value) in steps {
                if push {
                    queues.push(queue, value);
                    expected[queue].push_back(value);
                } else if let Some(value) = expected[queue].pop_front() {
                    prop_assert_eq!(queues.pop(queue), (value, expected[queue].is_empty()));
                }
                prop_assert!(queues.iter(queue).eq(&expected[queue]));
                prop_assert_eq!(queues.last_mut(queue), expected[queue].back_mut());
                prop_assert_eq!(queues.len(), expected.iter().map(VecDeque::len).sum::<usize>());
            }
        }
    }
}
