//! A node's own future: a small 4-ary heap of 16-byte events.
//!
//! Every node has one. It holds what the node told itself and one entry for each link with
//! something in flight, never a packet, so it stays within a few cache lines.

use bandwise_units::Time;

/// Something that will happen at a node. `rank` orders what happens at the same instant and must
/// not depend on the order in which events were pushed: a kind in the top byte, then its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When.
    pub at: Time,
    /// What: see [`rank`].
    pub rank: u32,
    /// For the handler.
    pub arg: u32,
}

/// The rank of an event of `kind` about `object` (a port, a queue pair, a core).
pub const fn rank(kind: u8, object: u32) -> u32 {
    (kind as u32) << 24 | (object & 0x00ff_ffff)
}

impl Event {
    /// The kind that [`rank`] was given.
    pub const fn kind(self) -> u8 {
        (self.rank >> 24) as u8
    }
    /// The object that [`rank`] was given.
    pub const fn object(self) -> usize {
        (self.rank & 0x00ff_ffff) as usize
    }
    /// As one number that orders as events do.
    #[inline]
    fn key(self) -> u128 {
        u128::from(self.at.as_ps()) << 64 | u128::from(self.rank) << 32 | u128::from(self.arg)
    }
    #[inline]
    fn from_key(key: u128) -> Self {
        let at = Time::from_ps((key >> 64) as u64);
        Event { at, rank: (key >> 32) as u32, arg: key as u32 }
    }
}

/// Events by time, then rank, then argument.
#[derive(Debug, Default)]
pub struct EventQueue {
    heap: Vec<u128>,
    /// When the last event taken was due: debug builds check that nothing happens before it.
    #[cfg(debug_assertions)]
    last: Time,
}

const ARITY: usize = 4;

impl EventQueue {
    /// When the first event is due; [`Time::MAX`] if there is none.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.heap.first().map_or(Time::MAX, |&key| Event::from_key(key).at)
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        #[cfg(debug_assertions)]
        assert!(event.at >= self.last, "{event:?} comes after {}", self.last);
        let mut hole = self.heap.len();
        let key = event.key();
        self.heap.push(key);
        while hole > 0 {
            let parent = (hole - 1) / ARITY;
            if self.heap[parent] <= key {
                break;
            }
            self.heap[hole] = self.heap[parent];
            hole = parent;
        }
        self.heap[hole] = key;
    }

    /// Takes the first event if it is due before `horizon`.
    #[inline]
    pub fn pop_before(&mut self, horizon: Time) -> Option<Event> {
        let first = Event::from_key(*self.heap.first()?);
        if first.at >= horizon {
            return None;
        }
        #[cfg(debug_assertions)]
        {
            self.last = first.at;
        }
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.sift_down(last);
        }
        Some(first)
    }

    fn sift_down(&mut self, key: u128) {
        let len = self.heap.len();
        let mut hole = 0;
        loop {
            let first_child = hole * ARITY + 1;
            if first_child >= len {
                break;
            }
            let children = &self.heap[first_child..len.min(first_child + ARITY)];
            let mut best = 0;
            let mut best_key = children[0];
            for (i, &child) in children.iter().enumerate().skip(1) {
                if child < best_key {
                    (best, best_key) = (i, child);
                }
            }
            if best_key >= key {
                break;
            }
            self.heap[hole] = best_key;
            hole = first_child + best;
        }
        self.heap[hole] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pops_in_order_whatever_the_order_of_pushes(
            mut events in proptest::collection::vec((0u64..50, 0u32..8, 0u32..4), 0..200),
            horizon in 0u64..60,
        ) {
            let mut queue = EventQueue::default();
            for &(at, rank, arg) in &events {
                queue.push(Event { at: Time::from_ps(at), rank, arg });
            }
            events.sort_unstable();
            events.retain(|e| e.0 < horizon);
            let popped: Vec<_> = std::iter::from_fn(|| queue.pop_before(Time::from_ps(horizon)))
                .map(|e| (e.at.as_ps(), e.rank, e.arg))
                .collect();
            prop_assert_eq!(popped, events);
            prop_assert!(queue.next_at() >= Time::from_ps(horizon));
        }
    }
}
