//! [`Members`]: the bundles that cross a link, with all data that the link's scheduler needs.

use crate::rate::Rate;

/// A bundle at a link, aligned to a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct Member {
    pub(super) rank: u64,
    /// The demand of each of its flows: the least that cap and other links offer.
    pub(super) demand: Rate,
    pub(super) bundle: u32,
    /// The number of flows; zero if the bundle is kept for later flows with the same
    /// properties.
    pub(super) flows: u32,
    pub(super) queue: u32,
}

impl Member {
    fn order(&self) -> (u64, u32) {
        (self.rank, self.bundle)
    }
}

/// All bundles of a link, in order of rank and then of number.
#[derive(Debug, Clone, Default)]
pub(super) struct Members {
    all: Vec<Member>,
}

impl Members {
    /// Returns all members in order.
    pub(super) fn all(&self) -> &[Member] {
        &self.all
    }

    /// Returns all members for changes that do not affect the order.
    pub(super) fn all_mut(&mut self) -> &mut [Member] {
        &mut self.all
    }

    /// Inserts a bundle without flows, and returns its index.
    pub(super) fn insert(&mut self, rank: u64, bundle: u32, queue: u32) -> u32 {
        let place = self.all.partition_point(|other| other.order() < (rank, bundle));
        self.all.insert(place, Member { rank, demand: Rate::ZERO, bundle, flows: 0, queue });
        place as u32
    }

    /// Removes a bundle. `place` is its last known index.
    pub(super) fn remove(&mut self, rank: u64, bundle: u32, mut place: u32) {
        self.find(rank, bundle, &mut place);
        self.all.remove(place as usize);
    }

    /// Finds a bundle and updates `place`, its last known index.
    #[inline]
    pub(super) fn find(&mut self, rank: u64, bundle: u32, place: &mut u32) -> &mut Member {
        if self.all.get(*place as usize).is_none_or(|member| member.bundle != bundle) {
            *place = self.all.partition_point(|other| other.order() < (rank, bundle)) as u32;
        }
        &mut self.all[*place as usize]
    }

    /// Moves members, given by index, to other ranks.
    pub(super) fn rerank(&mut self, moves: impl Iterator<Item = (u32, u64)>) {
        let (mut from, mut to) = (u64::MAX, 0);
        for (place, rank) in moves {
            let before = std::mem::replace(&mut self.all[place as usize].rank, rank);
            (from, to) = (from.min(before.min(rank)), to.max(before.max(rank)));
        }
        // Only members between the old and new ranks move, and most of them are in order.
        let from = self.all.iter().position(|member| member.rank >= from).unwrap_or(0);
        let to = self.all.iter().rposition(|member| member.rank <= to).map_or(0, |last| last + 1);
        self.all[from..to].sort_by_key(Member::order);
    }
}
