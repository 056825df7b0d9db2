//! Events and their queue.
//!
//! It holds what nodes told themselves and one entry for each link with something in flight, never
//! a packet. In a rack that is ten entries or so, and a sorted list of them is faster than any
//! tree; what a larger fabric has beyond the next few stands in a heap.

use bandwise_units::Time;
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
///
/// Where among the next ones an event belongs can't be foreseen, and a branch that is taken for another
/// costs more than a look at all of them. So it is counted, without a branch, how many come after it, and as
/// many places move as there can be, whether anything is in them or not.
#[derive(Debug)]
pub struct EventQueue {
    /// The next ones, the very next last, and before all of them [`NEVER`]: when they are due, in ps, and
    /// what they are. Without events only if there are none at all. Whatever stands behind the very
    /// next was due before it.
    at: [u64; 2 * PLACES],
    what: [u64; 2 * PLACES],
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

/// How many events may stand apart from the heap. A switch has two for each of its ports.
const PLACES: usize = 16;
/// How many events go or come together when it is full or empty.
const BATCH: usize = PLACES / 2;

const NEVER: Event = Event { at: Time::MAX, what: u64::MAX };

impl Default for EventQueue {
    fn default() -> Self {
        let mut queue = EventQueue {
            at: [0; 2 * PLACES],
            what: [0; 2 * PLACES],
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
    /// When the first event is due; [`Time::MAX`] if there is none.
    #[inline]
    pub fn next_at(&self) -> Time {
        Time::from_ps(self.at[self.next % PLACES])
    }

    #[inline]
    fn event(&self, place: usize) -> Event {
        Event { at: Time::from_ps(self.at[place]), what: self.what[place] }
    }

    #[inline]
    fn put(&mut self, place: usize, event: Event) {
        (self.at[place], self.what[place]) = (event.at.as_ps(), event.what);
    }

    /// Adds an event, due within 2^63 ps (106 days).
    #[inline]
    pub fn push(&mut self, event: Event) {
        #[cfg(debug_assertions)]
        assert!(event.at >= self.last, "{event:?} comes after {}", self.last);
        debug_assert!(event.at.as_ps() >> 63 == 0, "{event:?} is too late");
        if self.next == PLACES - 1 {
            self.spill();
        }
        if self.far_first.before(event) {
            return self.far.push(Reverse(event));
        }
        let at = event.at.as_ps();
        // Of those that come after it the difference is negative: its highest bit says so.
        let later = self.at[1..PLACES].iter().map(|other| at.wrapping_sub(*other) >> 63);
        let mut place = 1 + later.sum::<u64>() as usize % PLACES;
        while self.at[place] == at && place <= self.next && self.what[place] > event.what {
            place += 1;
        }
        move_up(&mut self.at, place);
        move_up(&mut self.what, place);
        self.put(place, event);
        self.next = (self.next + 1) % PLACES;
    }

    /// Takes the first event if it is due before `horizon`.
    #[inline]
    pub fn pop_before(&mut self, horizon: Time) -> Option<Event> {
        let first = self.event(self.next % PLACES);
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

    /// The later half of what stands apart goes to the heap.
    #[cold]
    fn spill(&mut self) {
        self.far_first = self.event(BATCH);
        let later: [Event; BATCH] = std::array::from_fn(|place| self.event(1 + place));
        self.far.extend(later.map(Reverse));
        for place in BATCH + 1..=self.next {
            self.put(place - BATCH, self.event(place));
        }
        self.next -= BATCH;
        self.at[self.next + 1..].fill(0);
    }

    /// The next ones come from the heap.
    #[cold]
    fn refill(&mut self) {
        self.next = self.far.len().min(BATCH);
        for place in (1..=self.next).rev() {
            let event = self.far.pop().expect("there are as many").0;
            self.put(place, event);
        }
        self.far_first = self.far.peek().map_or(NEVER, |first| first.0);
    }
}

/// Moves what stands from a place on up by one: as many as there can be.
#[inline]
fn move_up(values: &mut [u64; 2 * PLACES], from: usize) {
    let moved: [u64; PLACES - 1] = values[from..][..PLACES - 1].try_into().expect("as many");
    values[from + 1..][..PLACES - 1].copy_from_slice(&moved);
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

        #[test]
        fn events_that_come_between_take_their_places(
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
                    // Each is another, and may come before some of the same instant.
                    let event = Event::new(now + Time::from_ps(after), node, 0, 0, number);
                    queue.push(event);
                    expected.insert(event);
                }
            }
        }
    }
}
