//! Asking links until all are at rest.

use super::fill::Claim;
use super::links::{NO_CUT, Sharing};
use super::{Bundle, Hop};
use crate::rate::Rate;
use std::cmp::Reverse;

/// After so many visits in a round a link goes half the way to its new levels, which ends most swinging
/// between links that disagree, and a gap begins to be left.
const HALVE_AFTER: u32 = 60;

/// The gap that is left then, as a part of the level: 2^-40 at first, and twice as much every so many
/// visits. So links come to rest where halving gets nowhere, or too slowly.
const DOUBLE_EVERY: u32 = 8;
const FIRST_GAP: u32 = 40;

/// From this part on, a gap is one to tell of: a millionth.
const TOLD_GAP: u32 = 20;

impl Sharing {
    /// Asks links until no claim has changed.
    pub(crate) fn settle(&mut self) {
        self.round += 1;
        let mut is_rough = false;
        // Nobody tells a bundle what links have offered all along.
        for bundle in std::mem::take(&mut self.fresh) {
            if self.bundles.get(bundle).flows > 0 {
                self.give(bundle, self.demand(bundle, u32::MAX));
            }
        }
        while let Some(Reverse((_, link))) = self.waiting.pop() {
            let state = &mut self.links[link as usize];
            state.is_waiting = false;
            if state.round != self.round {
                (state.round, state.visits) = (self.round, 0);
            }
            state.visits += 1;
            is_rough |= state.visits > HALVE_AFTER + DOUBLE_EVERY * (FIRST_GAP - TOLD_GAP);
            self.visit(link);
        }
        self.rough += u64::from(is_rough);
    }

    /// Works out what a link offers, and tells those whose claims it changes.
    fn visit(&mut self, link: u32) {
        let cut = self.schedule(link);
        let before = self.links[link as usize].cut;
        let cut = self.restrain(link, before, cut);
        let levels = &mut self.levels[link as usize * self.queues..][..self.queues];
        if cut == before && (cut == NO_CUT || *levels == self.new_levels[..]) {
            return;
        }
        // From here on the link offers the new; `new_levels` keep the old.
        levels.swap_with_slice(&mut self.new_levels);
        self.links[link as usize].cut = cut;
        let members = std::mem::take(&mut self.members[link as usize]);
        let from = members.partition_point(|&(rank, _)| rank < before.min(cut));
        for &(rank, bundle) in &members[from..] {
            if rank > before.max(cut) {
                break;
            }
            self.tell(link, bundle, before);
        }
        self.members[link as usize] = members;
    }

    /// The cut of a link by its scheduler; its levels are then in `new_levels`.
    fn schedule(&mut self, link: u32) -> u64 {
        let mut fill = std::mem::take(&mut self.fill);
        self.new_levels.clear();
        self.new_levels.resize(self.queues, Rate::UNLIMITED);
        let has_limits = match &self.configs[link as usize] {
            Some(config) => config.queues.iter().any(|q| q.limit != Rate::UNLIMITED),
            None => false,
        };
        let mut rest = self.links[link as usize].capacity.0;
        let mut found = NO_CUT;
        for run in self.members[link as usize].chunk_by(|a, b| a.0 == b.0) {
            fill.claims.clear();
            let mut total = 0u64;
            for &(_, bundle) in run {
                let demand = self.demand(bundle, link);
                let flows = self.bundles.get(bundle).flows;
                total = total.saturating_add(demand.times(flows));
                let queue = self.queue(bundle, link);
                fill.claims.push(Claim { queue, flows, demand });
            }
            if total <= rest && !has_limits {
                rest -= total;
                continue;
            }
            let one = fill.claims[0].queue;
            let mut is_cut = total > rest;
            if !has_limits && fill.claims.iter().all(|claim| claim.queue == one) {
                self.new_levels[one as usize] = fill.single(rest);
            } else {
                let mut levels = std::mem::take(&mut self.new_levels);
                fill.queues(
                    rest,
                    |queue| self.terms(link, queue),
                    |queue, level| {
                        levels[queue as usize] = level;
                        is_cut = true;
                    },
                );
                self.new_levels = levels;
            }
            if is_cut {
                found = run[0].0;
                break;
            }
            rest -= total;
        }
        self.fill = fill;
        found
    }

    /// The queue in which a bundle stands at a link.
    #[inline]
    fn queue(&self, bundle: u32, link: u32) -> u32 {
        if self.queues == 1 {
            return 0;
        }
        let mut hops = self.bundles.hops(bundle).iter();
        hops.find(|hop| hop.link == link).map_or(0, |hop| hop.queue)
    }

    /// Holds back from the new cut and levels what would not matter, or would keep links swinging. In the
    /// end what is lower than before always counts, or a link would have more than it carries.
    fn restrain(&mut self, link: u32, before: u64, cut: u64) -> u64 {
        let visits = self.links[link as usize].visits;
        // None while no gap is left; then by how many bits it is smaller than the level.
        let gap =
            visits.checked_sub(HALVE_AFTER + 1).map(|n| FIRST_GAP.saturating_sub(n / DOUBLE_EVERY));
        let levels = &self.levels[link as usize * self.queues..][..self.queues];
        if gap == Some(0) && cut > before {
            self.new_levels.copy_from_slice(levels);
            return before;
        }
        if cut != before || cut == NO_CUT || (gap.is_none() && self.tolerance == 0) {
            return cut;
        }
        let mut is_half = false;
        for (new, &old) in self.new_levels.iter_mut().zip(levels) {
            let (low, high) = (old.0.min(new.0), old.0.max(new.0));
            let by_tolerance = u128::from(low) * u128::from(self.tolerance) / 1_000_000;
            let by_visits = match gap {
                None => 0,
                Some(0) => u64::MAX,
                Some(gap) => low >> gap,
            };
            let is_small = u128::from(high - low) <= by_tolerance.max(u128::from(by_visits));
            if is_small {
                *new = Rate(low);
            } else if gap.is_some() && high != u64::MAX {
                *new = Rate(low + (high - low) / 2);
                is_half = true;
            }
        }
        if is_half {
            self.ask(link);
        }
        cut
    }

    /// A link's offer to a bundle may have changed: gives it its rate, and asks the other links that it
    /// matters to.
    fn tell(&mut self, link: u32, bundle: u32, cut_before: u64) {
        let Bundle { rank, cap, .. } = *self.bundles.get(bundle);
        let hop = Hop { link, queue: self.queue(bundle, link) };
        let new = self.offer(hop, rank);
        let old = match rank.cmp(&cut_before) {
            std::cmp::Ordering::Less => Rate::UNLIMITED,
            std::cmp::Ordering::Equal => self.new_levels[hop.queue as usize],
            std::cmp::Ordering::Greater => Rate::ZERO,
        };
        if old == new {
            return;
        }
        // The least and the second least that others offer, so that for each of them it is known what
        // the rest do.
        let (mut least, mut at, mut second) = (cap, usize::MAX, cap);
        for (i, &other) in self.bundles.hops(bundle).iter().enumerate() {
            if other.link == link {
                continue;
            }
            let offer = self.offer(other, rank);
            if offer < least {
                (second, least, at) = (least, offer, i);
            } else if offer < second {
                second = offer;
            }
        }
        self.give(bundle, new.min(least));
        for i in 0..self.bundles.hops(bundle).len() {
            let other = self.bundles.hops(bundle)[i];
            if other.link == link {
                continue;
            }
            let rest = if i == at { second } else { least };
            let (was, is) = (old.min(rest), new.min(rest));
            if was != is && self.matters(other, rank, was, is) {
                self.ask(other.link);
            }
        }
    }

    /// Whether what a link offers may change when a flow there could use `was` and now can use `is`.
    fn matters(&self, hop: Hop, rank: u64, was: Rate, is: Rate) -> bool {
        let state = &self.links[hop.link as usize];
        if state.cut == NO_CUT {
            return is == Rate::UNLIMITED
                || state.load > u128::from(state.capacity.0)
                || self.configs[hop.link as usize].is_some();
        }
        // A flow that can use more than it gets claims as much as before, and one after the cut
        // takes nothing from others.
        was.min(is) < self.offer(hop, rank)
    }
}
