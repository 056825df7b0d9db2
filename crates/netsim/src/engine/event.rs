//! Events and their queue.
//!
//! The queue holds events that nodes set for themselves and one event per link with something in
//! flight, never a packet. A rack has about ten events; a sorted array of them is faster than any
//! tree. Larger fabrics keep the events beyond the next few in a heap.

use bandwise_units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A future occurrence at a node. Events at the same instant are ordered by node, kind, object and
/// argument, never by insertion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    at: Time,
    what: u64,
}

/// Widths in bits of the parts of `what`, from the most significant.
const NODE: u32 = 20;
const KIND: u32 = 4;
const OBJECT: u32 = 16;
const ARG: u32 = 24;
const _: () = assert!(NODE + KIND + OBJECT + ARG == 64);

impl Event {
    /// Number of distinct arguments.
    pub const MAX_ARGS: usize = 1 << ARG;
    /// Largest number of nodes in a partition.
    pub const MAX_NODES: usize = 1 << NODE;

    /// Creates an event of `kind` (below 16) about `object` (a port, a queue pair, a core) at a
    /// node, numbered within its partition. `arg` (24 bits) is for the handler.
    #[inline]
    pub const fn new(at: Time, node: u32, kind: u8, object: u16, arg: u32) -> Self {
        debug_assert!(node >> NODE == 0 && kind >> KIND == 0 && arg >> ARG == 0);
        let what = (node as u64) << (KIND + OBJECT + ARG)
            | (kind as u64) << (OBJECT + ARG)
            | (object as u64) << ARG
            | arg as u64;
        Event { at, what }
    }

    /// Returns the same event with another kind.
    #[inline]
    pub const fn of_kind(self, kind: u8) -> Self {
        const MASK: u64 = ((1 << KIND) - 1) << (OBJECT + ARG);
        Event { what: self.what & !MASK | (kind as u64) << (OBJECT + ARG), ..self }
    }

    /// Returns the same event at another time.
    #[inline]
    pub const fn moved_to(self, at: Time) -> Self {
        Event { at, what: self.what }
    }

    /// Equals `<`, but faster: times decide most comparisons.
    #[inline]
    fn before(self, other: Event) -> bool {
        self.at < other.at || self.at == other.at && self.what < other.what
    }

    /// Returns the time at which the event is due.
    #[inline]
    pub const fn at(self) -> Time {
        self.at
    }
    /// Returns the node's number in its partition.
    #[inline]
    pub const fn node(self) -> usize {
        (self.what >> (KIND + OBJECT + ARG)) as usize
    }
    /// Returns the kind. Each node type defines its own kinds.
    #[inline]
    pub const fn kind(self) -> u8 {
        (self.what >> (OBJECT + ARG)) as u8 & ((1 << KIND) - 1)
    }
    /// Returns the port, queue pair or core that the event is about.
    #[inline]
    pub const fn object(self) -> usize {
        (self.what >> ARG) as u16 as usize
    }
    /// Returns the argument for the handler.
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

/// A queue of events in order.
///
/// The position at which a new event belongs is unpredictable, and a mispredicted branch costs more
/// than a comparison with all nearby events. `push` therefore counts the events that come later
/// without a branch, and always moves a full array's worth of slots, whether used or not.
#[derive(Debug)]
pub struct EventQueue {
    /// The next events as parallel arrays of due time in ps and `what`, last to first, behind a
    /// leading [`NEVER`]. They are empty only if the whole queue is. Slots behind `next` hold
    /// earlier due times.
    at: [u64; 2 * SLOTS],
    what: [u64; 2 * SLOTS],
    /// Slot of the very next event, or 0 if there is none.
    next: usize,
    /// Events after all those in the arrays.
    far: BinaryHeap<Reverse<Event>>,
    /// The first event of `far`.
    far_first: Event,
    /// Due time of the last event taken. Debug builds check that no event is added before it.
    #[cfg(debug_assertions)]
    last: Time,
}

/// Number of events held outside the heap. A switch has two per port.
const SLOTS: usize = 16;
/// Number of events moved to or from the heap at once.
const BATCH: usize = SLOTS / 2;

const NEVER: Event = Event { at: Time::MAX, what: u64::MAX };

impl Default for EventQueue {
    fn default() -> Self {
        let mut queue = EventQueue {
            at: [0; 2 * SLOTS],
            what: [0; 2 * SLOTS],
            next: 0,
            far: BinaryHeap::new(),
            far_first: NEVER,
            #[cfg(debug_assertions)]
            last: Time::ZERO,
        };
        queue.put(0, NEVER);
        queue
    }
}

impl EventQueue {
    /// Returns the due time of the first event, or [`Time::MAX`] if there is none.
    #[inline]
    pub fn next_at(&self) -> Time {
        Time::from_ps(self.at[self.next % SLOTS])
    }

    #[inline]
    fn event(&self, slot: usize) -> Event {
        Event { at: Time::from_ps(self.at[slot]), what: self.what[slot] }
    }

    #[inline]
    fn put(&mut self, slot: usize, event: Event) {
        (self.at[slot], self.what[slot]) = (event.at.as_ps(), event.what);
    }

    /// Adds an event, due within 2^63 ps (106 days).
    ///
    /// # Panics
    ///
    /// In debug builds, if the event is due before one that was already taken, or too late.
    #[inline]
    pub fn push(&mut self, event: Event) {
        #[cfg(debug_assertions)]
        assert!(event.at >= self.last, "{event:?} is due before {}", self.last);
        debug_assert!(event.at.as_ps() >> 63 == 0, "{event:?} is due after 2^63 ps");
        if self.next == SLOTS - 1 {
            self.spill();
        }
        if self.far_first.before(event) {
            return self.far.push(Reverse(event));
        }
        let at = event.at.as_ps();
        // The difference to a later event is negative, so its highest bit counts that event.
        let later = self.at[1..SLOTS].iter().map(|other| at.wrapping_sub(*other) >> 63);
        let mut slot = 1 + later.sum::<u64>() as usize % SLOTS;
        while self.at[slot] == at && slot <= self.next && self.what[slot] > event.what {
            slot += 1;
        }
        move_up(&mut self.at, slot);
        move_up(&mut self.what, slot);
        self.put(slot, event);
        self.next = (self.next + 1) % SLOTS;
    }

    /// Takes the first event if it is due before `horizon`.
    #[inline]
    pub fn pop_before(&mut self, horizon: Time) -> Option<Event> {
        let first = self.event(self.next % SLOTS);
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

    /// Moves the later half of the array to the heap.
    #[cold]
    fn spill(&mut self) {
        self.far_first = self.event(BATCH);
        let later: [Event; BATCH] = std::array::from_fn(|slot| self.event(1 + slot));
        self.far.extend(later.map(Reverse));
        for slot in BATCH + 1..=self.next {
            self.put(slot - BATCH, self.event(slot));
        }
        self.next -= BATCH;
        self.at[self.next + 1..].fill(0);
    }

    /// Moves the next events from the heap to the array.
    #[cold]
    fn refill(&mut self) {
        self.next = self.far.len().min(BATCH);
        for slot in (1..=self.next).rev() {
            let event = self.far.pop().expect("there are as many").0;
            self.put(slot, event);
        }
        self.far_first = self.far.peek().map_or(NEVER, |first| first.0);
    }
}

/// Moves the values from slot `from` on up by one. The number of moved values is constant.
#[inline]
fn move_up(values: &mut [u64; 2 * SLOTS], from: usize) {
    let moved: [u64; SLOTS - 1] = values[from..][..SLOTS - 1].try_into().expect("as many");
    values[from + 1..][..SLOTS - 1].copy_from_slice(&moved);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_returns_its_fields() {
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

        #[test]
        fn event_queue_equals_a_sorted_set(
            steps in proptest::collection::vec((0u64..40, 0u32..8, any::<bool>()), 0..400),
        ) {
            let (mut queue, mut expected) = (EventQueue::default(), std::collections::BTreeSet::new());
            let mut now = Time::ZERO;
            for ((after, node, pops), number) in steps.into_iter().zip(0..) {
                if pops {
                    let first = expected.pop_first();
                    prop_assert_eq!(queue.next_at(), first.map_or(Time::MAX, Event::at));
                    prop_assert_eq!(queue.pop_before(Time::MAX), first);
                    now = first.map_or(now, Event::at);
                } else {
                    // The number makes each event distinct; it may precede others at the same
                    // instant.
                    let event = Event::new(now + Time::from_ps(after), node, 0, 0, number);
                    queue.push(event);
                    expected.insert(event);
                }
            }
        }
    }
}
