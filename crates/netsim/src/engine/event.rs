//! Events and their queue.
//!
//! It holds what nodes told themselves and one entry for each link with something in flight, never
//! a packet. In a rack that is ten entries or so, and a sorted list of them is faster than any
//! tree; what a larger fabric has beyond the next few stands in a heap.

use bandwise_units::Time;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that will happen at a node. What happens at the same instant is ordered by node,
/// kind, object and argument, never by the order in which events were pushed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    at: Time,
    what: u64,
}

/// Bits of each part of `what`, from the top.
const NODE: u32 = 20;
const KIND: u32 = 4;
const OBJECT: u32 = 16;
const ARG: u32 = 24;
const _: () = assert!(NODE + KIND + OBJECT + ARG == 64);

impl Event {
    /// How many arguments there are.
    pub const MAX_ARGS: usize = 1 << ARG;
    /// How many nodes a partition may have.
    pub const MAX_NODES: usize = 1 << NODE;

    /// An event of `kind` (below 16) about `object` (a port, a queue pair, a core) at a node of
    /// its partition; `arg` (24 bits) is for the handler.
    #[inline]
    pub const fn new(at: Time, node: u32, kind: u8, object: u16, arg: u32) -> Self {
        debug_assert!(node >> NODE == 0 && kind >> KIND == 0 && arg >> ARG == 0);
        let what = (node as u64) << (KIND + OBJECT + ARG)
            | (kind as u64) << (OBJECT + ARG)
            | (object as u64) << ARG
            | arg as u64;
        Event { at, what }
    }

    /// The same of another kind.
    #[inline]
    pub const fn of_kind(self, kind: u8) -> Self {
        const MASK: u64 = ((1 << KIND) - 1) << (OBJECT + ARG);
        Event { what: self.what & !MASK | (kind as u64) << (OBJECT + ARG), ..self }
    }

    /// The same at another time.
    #[inline]
    pub const fn moved_to(self, at: Time) -> Self {
        Event { at, what: self.what }
    }

    /// What `<` says, faster: times mostly decide.
    #[inline]
    fn before(self, other: Event) -> bool {
        self.at < other.at || self.at == other.at && self.what < other.what
    }

    /// When.
    #[inline]
    pub const fn at(self) -> Time {
        self.at
    }
    /// The node, by its place in the partition.
    #[inline]
    pub const fn node(self) -> usize {
        (self.what >> (KIND + OBJECT + ARG)) as usize
    }
    /// What kind of event, as the node counts them.
    #[inline]
    pub const fn kind(self) -> u8 {
        (self.what >> (OBJECT + ARG)) as u8 & ((1 << KIND) - 1)
    }
    /// What it is about.
    #[inline]
    pub const fn object(self) -> usize {
        (self.what >> ARG) as u16 as usize
    }
    /// For the handler.
    #[inline]
    pub const fn arg(self) -> u32 {
        self.what as u32 & ((1 << ARG) - 1)
    }
}

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (node, kind, object, arg) = (self.node(), self.kind(), self.object(), self.arg());
        write!(f, "{}: node {node}, kind {kind}, object {object}, arg {arg}", self.at())
    }
}

/// Events in order.
#[derive(Debug)]
pub struct EventQueue {
    /// The next ones, the very next last, and before all of them [`NEVER`], where every search
    /// ends. Without events only if there are none at all.
    near: [Event; PLACES],
    /// Where the very next one stands; 0 if there is none.
    next: usize,
    /// Those after all of them.
    far: BinaryHeap<Reverse<Event>>,
    /// The first of those.
    far_first: Event,
    /// When the last event taken was due: debug builds check that nothing happens before it.
    #[cfg(debug_assertions)]
    last: Time,
}

/// How many places `near` has: a power of two, so that a mask keeps every index within.
const PLACES: usize = 32;
/// How many events go or come together when it is full or empty.
const BATCH: usize = PLACES / 2;

const NEVER: Event = Event { at: Time::MAX, what: u64::MAX };

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue {
            near: [NEVER; PLACES],
            next: 0,
            far: BinaryHeap::new(),
            far_first: NEVER,
            #[cfg(debug_assertions)]
            last: Time::ZERO,
        }
    }
}

impl EventQueue {
    /// When the first event is due; [`Time::MAX`] if there is none.
    #[inline]
    pub fn next_at(&self) -> Time {
        self.near[self.next % PLACES].at
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        #[cfg(debug_assertions)]
        assert!(event.at >= self.last, "{event:?} comes after {}", self.last);
        if self.next == PLACES - 1 {
            self.spill();
        }
        if self.far_first.before(event) {
            return self.far.push(Reverse(event));
        }
        self.next = (self.next + 1) % PLACES;
        // Those that come before it move up by one, until one does not: the first is NEVER.
        let near = Cell::from_mut(&mut self.near[..=self.next]).as_slice_of_cells();
        for pair in near.windows(2).rev() {
            if !pair[0].get().before(event) {
                pair[1].set(event);
                break;
            }
            pair[1].set(pair[0].get());
        }
    }

    /// Takes the first event if it is due before `horizon`.
    #[inline]
    pub fn pop_before(&mut self, horizon: Time) -> Option<Event> {
        let first = self.near[self.next % PLACES];
        if first.at >= horizon {
            return None;
        }
        self.next -= 1;
        if self.next == 0 && self.far_first != NEVER {
            self.refill();
        }
        #[cfg(debug_assertions)]
        {
            self.last = first.at;
        }
        Some(first)
    }

    /// The later half of `near` goes to the heap.
    #[cold]
    fn spill(&mut self) {
        self.far.extend(self.near[1..=BATCH].iter().copied().map(Reverse));
        self.far_first = self.near[BATCH];
        self.near.copy_within(BATCH + 1..=self.next, 1);
        self.next -= BATCH;
    }

    /// The next ones come from the heap.
    #[cold]
    fn refill(&mut self) {
        self.next = self.far.len().min(BATCH);
        for place in (1..=self.next).rev() {
            self.near[place] = self.far.pop().expect("there are as many").0;
        }
        self.far_first = self.far.peek().map_or(NEVER, |first| first.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_holds_its_parts() {
        let (node, object, arg) = ((1 << NODE) - 1, u16::MAX - 1, (1 << ARG) - 2);
        let event = Event::new(Time::from_us(7), node, 13, object, arg);
        let parts = (event.node(), event.kind(), event.object(), event.arg());
        assert_eq!(parts, (node as usize, 13, usize::from(object), arg));
        let moved = event.moved_to(Time::MAX);
        assert_eq!((event.at(), moved.at()), (Time::from_us(7), Time::MAX));
        assert_eq!((moved.node(), moved.arg()), (event.node(), event.arg()));
        let other = event.of_kind(2);
        let parts = (other.node(), other.kind(), other.object(), other.arg());
        assert_eq!((other.at(), parts), (event.at(), (node as usize, 2, usize::from(object), arg)));
    }

    proptest! {
        #[test]
        fn pops_in_order_whatever_the_order_of_pushes(
            mut events in proptest::collection::vec((0u64..50, 0u32..8, 0u32..4), 0..200),
            horizon in 0u64..60,
        ) {
            let mut queue = EventQueue::default();
            for &(at, node, arg) in &events {
                queue.push(Event::new(Time::from_ps(at), node, 0, 0, arg));
            }
            events.sort_unstable();
            events.retain(|e| e.0 < horizon);
            let popped: Vec<_> = std::iter::from_fn(|| queue.pop_before(Time::from_ps(horizon)))
                .map(|e| (e.at().as_ps(), e.node() as u32, e.arg()))
                .collect();
            prop_assert_eq!(popped, events);
            prop_assert!(queue.next_at() >= Time::from_ps(horizon));
        }
    }
}
