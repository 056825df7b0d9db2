//! Many queues in one arena.
//!
//! A queue is a list of chunks of some places each. A chunk that is freed is the next one to be
//! used, so that what the queues touch is about as large as what they hold; within a chunk one value
//! follows the other, as a processor's caches like it. Rings would each go round all of their
//! places, those of their worst moment; a list of single places would jump about.
//!
//! A queue that was ever used keeps its last chunk, and begins at the start of that again whenever it was
//! empty: most are short, and it costs less to find that out than to foresee that a chunk is needed or free.

use crate::base::prefetch::prefetch;
use std::hint::select_unpredictable;

/// Queues, first in, first out, by number.
#[derive(Debug)]
pub(super) struct Queues<T> {
    chunks: Vec<Chunk<T>>,
    /// By chunk: the one behind it.
    behind: Vec<u32>,
    /// The first of the free chunks.
    free: u32,
    queues: Vec<Queue>,
}

/// Places in a chunk, the first of which stays free: six cache lines of packets. Whether a chunk ends can't
/// be foreseen, so that fewer ends are faster, and more places take more room.
const PLACES: u32 = 16;

/// How far behind the value that is taken one is fetched: packets of the next cache line but one.
const AHEAD: usize = 5;

#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Chunk<T>([T; PLACES as usize]);

/// Where the first value of a queue is and the last one, in places of all chunks. Of an empty queue the
/// last one is the place before the first, which is why a chunk's first place is none.
#[derive(Debug, Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
}

/// A queue without a chunk yet, as if its last one were full.
const UNUSED: Queue = Queue { first: 0, last: u32::MAX };
const NONE: u32 = u32::MAX;

/// The chunk of a place, and which of its places that is.
#[inline]
const fn split(place: u32) -> (usize, usize) {
    ((place / PLACES) as usize, (place % PLACES) as usize)
}

impl Queue {
    /// With one chunk, and nothing there.
    const fn empty(chunk: u32) -> Self {
        Queue { first: chunk * PLACES + 1, last: chunk * PLACES }
    }
}

impl<T: Copy + Default> Queues<T> {
    pub fn new(queues: usize) -> Self {
        Queues { chunks: Vec::new(), behind: Vec::new(), free: NONE, queues: vec![UNUSED; queues] }
    }

    #[inline]
    pub fn push(&mut self, queue: usize, value: T) {
        if self.queues[queue].last % PLACES == PLACES - 1 {
            self.lengthen(queue);
        }
        let last = &mut self.queues[queue].last;
        *last += 1;
        let (chunk, place) = split(*last);
        self.chunks[chunk].0[place] = value;
    }

    /// Puts a free chunk behind a queue's last.
    #[inline(never)]
    fn lengthen(&mut self, queue: usize) {
        let chunk = match self.free {
            NONE => {
                self.chunks.push(Chunk([T::default(); PLACES as usize]));
                self.behind.push(NONE);
                self.chunks.len() as u32 - 1
            }
            free => {
                self.free = std::mem::replace(&mut self.behind[free as usize], NONE);
                free
            }
        };
        let queue = &mut self.queues[queue];
        let empty = Queue::empty(chunk);
        match self.behind.get_mut(split(queue.last).0) {
            Some(behind) => (*behind, queue.last) = (chunk, empty.last),
            None => *queue = empty,
        }
    }

    /// Takes the first value of a queue that has one; and whether it was the last.
    #[inline]
    pub fn pop(&mut self, queue: usize) -> (T, bool) {
        let queue = &mut self.queues[queue];
        let (chunk, place) = split(queue.first);
        let places = &self.chunks[chunk].0;
        let value = places[place];
        // It came a while ago, and is in no near cache.
        prefetch(&places[(place + AHEAD) % PLACES as usize]);
        let is_last = queue.first == queue.last;
        if place == PLACES as usize - 1 && !is_last {
            let behind = std::mem::replace(&mut self.behind[chunk], self.free);
            self.free = chunk as u32;
            queue.first = Queue::empty(behind).first;
        } else {
            // Whether it is the last can't be foreseen: both are there, and one is taken.
            let next = Queue { first: queue.first + 1, last: queue.last };
            let empty = Queue::empty(chunk as u32);
            queue.first = select_unpredictable(is_last, empty.first, next.first);
            queue.last = select_unpredictable(is_last, empty.last, next.last);
        }
        (value, is_last)
    }

    /// Has the first value of a queue that was ever used fetched, as it will be taken soon.
    #[inline]
    pub fn fetch(&self, queue: usize) {
        let (chunk, place) = split(self.queues[queue].first);
        prefetch(&self.chunks[chunk].0[place]);
    }

    /// What a queue holds.
    pub fn iter(&self, queue: usize) -> impl Iterator<Item = &T> {
        let Queue { first, last } = self.queues[queue];
        let is_held = last != first.wrapping_sub(1);
        let next = move |&place: &u32| match split(place) {
            _ if place == last => None,
            (chunk, place) if place == PLACES as usize - 1 => {
                Some(Queue::empty(self.behind[chunk]).first)
            }
            _ => Some(place + 1),
        };
        let places = std::iter::successors(is_held.then_some(first), next);
        places.map(|place| {
            let (chunk, place) = split(place);
            &self.chunks[chunk].0[place]
        })
    }

    /// How many values all queues hold.
    pub fn len(&self) -> usize {
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
        fn are_queues(steps in prop::collection::vec((0usize..3, any::<bool>(), any::<u8>()), 0..300)) {
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
                prop_assert_eq!(queues.len(), expected.iter().map(VecDeque::len).sum::<usize>());
            }
        }
    }
}
