//! [`Table`]: the connection of each descriptor, with many writing threads and one reader.

use crate::peer::Peer;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize, fence};

/// The id of a connection. Ids are never reused, also not in a forked child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id(u64);

/// The meaning of a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// Not of interest.
    Nothing,
    /// A connection to another host.
    Connection(Id, Peer),
}

/// The bits of a stamp for its serial number; the generation stands above them.
const NUMBER: u32 = 48;

#[derive(Debug)]
struct Slot {
    /// Zero if the slot is empty, and while the other words are written.
    stamp: AtomicU64,
    peer: [AtomicU64; 2],
}

impl Slot {
    #[allow(clippy::declare_interior_mutable_const)]
    const EMPTY: Slot = Slot { stamp: AtomicU64::new(0), peer: [const { AtomicU64::new(0) }; 2] };
}

/// The descriptors below `N`.
#[derive(Debug)]
pub(crate) struct Table<const N: usize> {
    slots: [Slot; N],
    /// Entries of another generation are void: a forked child starts with an empty table without writing it.
    generation: AtomicU64,
    next: AtomicU64,
    end: AtomicUsize,
}

impl<const N: usize> Table<N> {
    pub(crate) const fn new() -> Self {
        Table {
            slots: [const { Slot::EMPTY }; N],
            generation: AtomicU64::new(0),
            next: AtomicU64::new(1),
            end: AtomicUsize::new(0),
        }
    }

    fn stamp(&self, number: u64) -> u64 {
        self.generation.load(Relaxed) << NUMBER | number
    }

    /// Stores a new connection.
    pub(crate) fn put(&self, descriptor: usize, peer: Peer) {
        // 2^48 connections last eight years at a million a second.
        let number = self.next.fetch_add(1, Relaxed) % (1 << NUMBER);
        self.put_as(descriptor, Id(self.stamp(number.max(1))), peer);
    }

    /// Stores another descriptor of a connection.
    pub(crate) fn put_as(&self, descriptor: usize, id: Id, peer: Peer) {
        let Some(slot) = self.slots.get(descriptor) else { return };
        slot.stamp.store(0, Relaxed);
        fence(Release);
        for (word, value) in slot.peer.iter().zip(peer.words()) {
            word.store(value, Relaxed);
        }
        slot.stamp.store(id.0, Release);
        self.end.fetch_max(descriptor + 1, Relaxed);
    }

    pub(crate) fn clear(&self, descriptor: usize) {
        if let Some(slot) = self.slots.get(descriptor) {
            slot.stamp.store(0, Release);
        }
    }

    /// Clears a descriptor if it has this connection.
    pub(crate) fn clear_if(&self, descriptor: usize, id: Id) {
        if let Some(slot) = self.slots.get(descriptor) {
            // Otherwise the descriptor has another connection, which stays.
            let _ = slot.stamp.compare_exchange(id.0, 0, AcqRel, Relaxed);
        }
    }

    /// Returns whether a descriptor is in the table. This is all that `close` costs for other descriptors.
    pub(crate) fn is_known(&self, descriptor: usize) -> bool {
        let stamp = self.slots.get(descriptor).map_or(0, |slot| slot.stamp.load(Relaxed));
        stamp != 0 && self.is_ours(stamp)
    }

    fn is_ours(&self, stamp: u64) -> bool {
        stamp >> NUMBER == self.generation.load(Relaxed)
    }

    pub(crate) fn at(&self, descriptor: usize) -> At {
        let Some(slot) = self.slots.get(descriptor) else { return At::Nothing };
        loop {
            let stamp = slot.stamp.load(Acquire);
            if stamp == 0 || !self.is_ours(stamp) {
                return At::Nothing;
            }
            let words = [slot.peer[0].load(Relaxed), slot.peer[1].load(Relaxed)];
            fence(Acquire);
            if slot.stamp.load(Relaxed) == stamp {
                return At::Connection(Id(stamp), Peer::from_words(words));
            }
        }
    }

    /// Returns an upper bound of the descriptors in the table.
    pub(crate) fn end(&self) -> usize {
        self.end.load(Relaxed)
    }

    /// Clears the table in a forked child.
    pub(crate) fn restart(&self) {
        self.generation.fetch_add(1, Relaxed);
        self.end.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarted_table_is_empty_and_gives_new_ids() {
        let table = Table::<8>::new();
        let peer: Peer = "10.0.0.3".parse().unwrap();
        table.put(3, peer);
        let At::Connection(first, there) = table.at(3) else { panic!() };
        assert_eq!((there, table.end()), (peer, 4));
        table.restart();
        assert_eq!((table.at(3), table.end()), (At::Nothing, 0));
        assert!(!table.is_known(3));
        table.put(3, peer);
        let At::Connection(second, _) = table.at(3) else { panic!() };
        assert_ne!(first, second);
        table.clear_if(3, first);
        assert!(table.is_known(3), "the slot has another file");
        table.clear_if(3, second);
        assert!(!table.is_known(3));
    }

    #[test]
    fn descriptors_beyond_the_table_are_ignored() {
        let table = Table::<8>::new();
        table.put(8, "10.0.0.3".parse().unwrap());
        table.clear(usize::MAX);
        table.clear(8);
        assert_eq!((table.at(8), table.is_known(8), table.end()), (At::Nothing, false, 0));
    }

    /// A reader never sees an id with the address of another connection.
    #[test]
    fn an_id_has_its_own_address() {
        let table = Table::<1>::new();
        let running = std::sync::atomic::AtomicBool::new(true);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // One writer at a time, as while a descriptor is created.
                for i in 1..200_000u64 {
                    let number = table.next.load(Relaxed);
                    table.put(0, Peer::from_words([number, !number]));
                    if i % 3 == 0 {
                        table.clear(0);
                    }
                }
                running.store(false, Release);
            });
            while running.load(Acquire) {
                if let At::Connection(Id(stamp), peer) = table.at(0) {
                    assert_eq!(peer.words(), [stamp, !stamp]);
                }
            }
        });
    }
}
