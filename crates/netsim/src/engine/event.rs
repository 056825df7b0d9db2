//! Events and their queue: a 4-ary heap of 16-byte entries.
//!
//! It holds what nodes told themselves and one entry for each link with something in flight, never
//! a packet, so it stays within a few cache lines.

use bandwise_units::Time;

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

    /// The same at another time.
    #[inline]
    pub const fn moved_to(self, at: Time) -> Self {
        Event { at, what: self.what }
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
    root: Event,
    /// The children of entry n are group n, so that a step down the heap looks at one cache line.
    groups: Vec<Group>,
    len: usize,
    /// The root was taken, and nothing has its place yet. Most events cause another, which then
    /// goes in there, at the price of one walk down the heap instead of one down and one up.
    vacant: bool,
    /// When the last event taken was due: debug builds check that nothing happens before it.
    #[cfg(debug_assertions)]
    last: Time,
}

const ARITY: usize = 4;

/// Four entries, times and all else apart: times mostly decide. Entries that are not there come
/// after all others.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Group {
    at: [Time; ARITY],
    what: [u64; ARITY],
}

const NEVER: Event = Event { at: Time::MAX, what: u64::MAX };

impl Default for EventQueue {
    fn default() -> Self {
        EventQueue {
            root: NEVER,
            groups: Vec::new(),
            len: 0,
            vacant: false,
            #[cfg(debug_assertions)]
            last: Time::ZERO,
        }
    }
}

impl EventQueue {
    /// When the first event is due; [`Time::MAX`] if there is none.
    #[inline]
    pub fn next_at(&mut self) -> Time {
        self.settle();
        self.root.at()
    }

    /// Adds an event.
    #[inline]
    pub fn push(&mut self, event: Event) {
        #[cfg(debug_assertions)]
        assert!(event.at() >= self.last, "{event:?} comes after {}", self.last);
        if self.vacant {
            self.vacant = false;
            self.sift_down(event);
        } else {
            self.sift_up(event);
        }
    }

    /// Takes the first event if it is due before `horizon`.
    #[inline]
    pub fn pop_before(&mut self, horizon: Time) -> Option<Event> {
        self.settle();
        let first = self.root;
        if first.at() >= horizon {
            return None;
        }
        #[cfg(debug_assertions)]
        {
            self.last = first.at();
        }
        self.vacant = true;
        Some(first)
    }

    /// Gives the place of the event taken last to the last one of the heap.
    #[inline]
    fn settle(&mut self) {
        if self.vacant {
            self.vacant = false;
            self.len -= 1;
            if self.len == 0 {
                self.root = NEVER;
                return;
            }
            let (group, place) = place(self.len);
            let last = self.groups[group].get(place);
            self.groups[group].set(place, NEVER);
            if place == 0 {
                self.groups.pop();
            }
            self.sift_down(last);
        }
    }

    /// Adds an event at the end and moves it up to where it belongs.
    fn sift_up(&mut self, event: Event) {
        let mut entry = self.len;
        self.len += 1;
        if entry == 0 {
            self.root = event;
            return;
        }
        let (mut group, mut hole) = place(entry);
        if hole == 0 {
            self.groups.push(Group { at: [NEVER.at; ARITY], what: [NEVER.what; ARITY] });
        }
        // Entry n's parent is number (n - 1) / 4, which is also its group.
        while group > 0 {
            let (above, parent) = place(group);
            let parent = self.groups[above].get(parent);
            if parent <= event {
                return self.groups[group].set(hole, event);
            }
            self.groups[group].set(hole, parent);
            entry = group;
            (group, hole) = place(entry);
        }
        if self.root <= event {
            self.groups[0].set(hole, event);
        } else {
            self.groups[0].set(hole, self.root);
            self.root = event;
        }
    }

    /// Puts an event in the place of the root and moves it down to where it belongs.
    fn sift_down(&mut self, event: Event) {
        let groups = self.groups.as_mut_slice();
        let Some(first) = groups.first() else {
            self.root = event;
            return;
        };
        let mut hole = first.least();
        let least = first.get(hole);
        if least >= event {
            self.root = event;
            return;
        }
        self.root = least;
        // The hole is the entry at `hole` in `group` now, whose children are group `below`.
        let (mut group, mut below) = (0, hole + 1);
        while let Some(children) = groups.get(below) {
            let child = children.least();
            let least = children.get(child);
            if least >= event {
                break;
            }
            groups[group].set(hole, least);
            (group, hole) = (below, child);
            below = ARITY * below + 1 + child;
        }
        groups[group].set(hole, event);
    }
}

/// The group of entry n (which is not the root), and its place there.
#[inline]
fn place(entry: usize) -> (usize, usize) {
    ((entry - 1) / ARITY, (entry - 1) % ARITY)
}

impl Group {
    #[inline]
    fn get(&self, place: usize) -> Event {
        Event { at: self.at[place & (ARITY - 1)], what: self.what[place & (ARITY - 1)] }
    }

    #[inline]
    fn set(&mut self, place: usize, event: Event) {
        self.at[place & (ARITY - 1)] = event.at;
        self.what[place & (ARITY - 1)] = event.what;
    }

    /// Where the first of the four stands.
    #[inline]
    fn least(&self) -> usize {
        self.earlier(self.earlier(0, 1), self.earlier(2, 3))
    }

    /// The earlier of two entries. Which it is is a guess that no processor makes well, so that
    /// nothing branches on it but the rare tie.
    #[inline]
    fn earlier(&self, i: usize, j: usize) -> usize {
        let (first, second) = (self.at[i & (ARITY - 1)], self.at[j & (ARITY - 1)]);
        let swap = if first == second {
            self.what[j & (ARITY - 1)] < self.what[i & (ARITY - 1)]
        } else {
            second < first
        };
        i ^ ((i ^ j) & usize::from(swap).wrapping_neg())
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
