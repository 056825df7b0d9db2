//! Visits of links until all have converged.

use super::course::Course;
use super::fill::Claim;
use super::links::{Link, NO_CUT, Offers, Seen, Sharing, least};
use super::members::Member;
use super::{Bundle, Hop};
use crate::rank::HELD;
use crate::rate::Rate;
use std::cmp::Reverse;

/// The parameters of convergence.
pub(super) struct Pace {
    /// The number of visits in a round after which an oscillating level moves a part of its
    /// distance.
    whole: u32,
    /// The precision of convergence: levels are within 2^-this of the new ones.
    gap: u32,
    /// The number of visits after which the gap doubles with every [`DOUBLE_EVERY`] visits.
    patience: u32,
}

/// With one queue a link, levels depend only on lower ones, so links converge exactly.
pub(super) const ONE_QUEUE: Pace = Pace { whole: 60, gap: 64, patience: 60 };

/// With several queues, levels may depend on each other circularly.
const QUEUES: Pace = Pace { whole: 2, gap: 20, patience: 100 };

const DOUBLE_EVERY: u32 = 4;

/// The size from which a gap is reported: 2^-16.
const REPORTED_GAP: u32 = 16;

/// A bundle to which a link's offer has changed.
#[derive(Debug, Clone)]
pub(super) struct Offered {
    bundle: u32,
    rank: u64,
    old: Rate,
    new: Rate,
    /// The rate of its flows under the new offer.
    rate: Rate,
}

/// The demand of a bundle's flows at one of its links, before and now.
#[derive(Debug, Clone)]
pub(super) struct DemandChange {
    bundle: u32,
    /// The index of the link on the path.
    hop: u32,
    rank: u64,
    was: Rate,
    is: Rate,
}

impl Pace {
    /// Returns the number of bits by which the gap is smaller than the level.
    fn gap_at(&self, visits: u32) -> u32 {
        self.gap.saturating_sub(visits.saturating_sub(self.patience) / DOUBLE_EVERY)
    }
}

impl Sharing {
    /// Visits links until no claim changes.
    pub(crate) fn settle(&mut self) {
        self.round += 1;
        if self.ladder.is_some() {
            return self.climb();
        }
        let mut is_rough = false;
        if self.is_once && self.queues > 1 {
            return self.settle_once();
        }
        // A fresh bundle has not received the offers that links made before.
        let mut fresh = std::mem::take(&mut self.fresh);
        for bundle in fresh.drain(..) {
            let &Bundle { flows, rank, .. } = self.bundles.get(bundle);
            if flows > 0 && rank != HELD {
                let rate = self.offers(bundle).least;
                self.give(bundle, rate);
            }
        }
        self.fresh = fresh;
        let pace = if self.queues > 1 { QUEUES } else { ONE_QUEUE };
        while let Some((link, cut)) = self.next_link() {
            let state = &mut self.links[link as usize];
            if state.round != self.round {
                (state.round, state.visits) = (self.round, 0);
                self.courses[link as usize * self.queues..][..self.queues].fill(Course::default());
            }
            state.visits += 1;
            is_rough |= pace.gap_at(state.visits) < REPORTED_GAP;
            self.visit(link, cut, &pace);
        }
        self.rough += u64::from(is_rough);
    }

    /// Returns the next link to visit and its cut. Its levels are then in `new_levels`.
    pub(super) fn next_link(&mut self) -> Option<(u32, u64)> {
        while let Some(Reverse((turn, _, _, link))) = self.waiting.pop() {
            let cut = self.wanted(link);
            // The offer may change while links with lesser offers are visited.
            let key = (turn, cut, least(&self.new_levels), link);
            if cut != NO_CUT && self.waiting.peek().is_some_and(|Reverse(next)| *next < key) {
                self.waiting.push(Reverse(key));
                continue;
            }
            self.links[link as usize].is_waiting = false;
            return Some((link, cut));
        }
        None
    }

    /// Sets a link's offer to the result of its scheduler, and updates the other links of
    /// bundles with a changed offer.
    pub(super) fn visit(&mut self, link: u32, cut: u64, pace: &Pace) {
        let before = self.links[link as usize].cut;
        let cut = self.restrain(link, before, cut, pace);
        let levels = &mut self.levels[link as usize * self.queues..][..self.queues];
        if cut == before && (cut == NO_CUT || *levels == self.new_levels[..]) {
            return;
        }
        // From here on the link has the new levels; `new_levels` has the old ones.
        levels.swap_with_slice(&mut self.new_levels);
        self.links[link as usize].cut = cut;
        // Each step is done for all members before the next step, so that memory accesses
        // overlap.
        let (mut offered, mut demand_changes) =
            (std::mem::take(&mut self.offered), std::mem::take(&mut self.demand_changes));
        self.compare(link, before, &mut offered);
        for offered in &offered {
            self.give(offered.bundle, offered.rate);
        }
        for offered in offered.drain(..) {
            self.pass_on(link, &offered, &mut demand_changes);
        }
        for change in demand_changes.drain(..) {
            self.set_demand(&change);
        }
        (self.offered, self.demand_changes) = (offered, demand_changes);
    }

    /// Collects the bundles with flows whose offer differs from that at the cut `before`.
    fn compare(&self, link: u32, before: u64, offered: &mut Vec<Offered>) {
        let cut = self.links[link as usize].cut;
        let members = self.members[link as usize].all();
        let from = members.partition_point(|member| member.rank < before.min(cut));
        let members = members[from..].iter().take_while(|member| member.rank <= before.max(cut));
        for &Member { rank, demand, bundle, queue, .. } in members.filter(|member| member.flows > 0)
        {
            let new = self.offer(link, queue, rank);
            let old = match rank.cmp(&before) {
                std::cmp::Ordering::Less => Rate::UNLIMITED,
                std::cmp::Ordering::Equal => self.new_levels[queue as usize],
                std::cmp::Ordering::Greater => Rate::ZERO,
            };
            if old != new {
                offered.push(Offered { bundle, rank, old, new, rate: new.min(demand) });
            }
        }
    }

    /// Returns the cut of a link; its levels are then in `new_levels`. Computed anew if a member
    /// has changed.
    fn wanted(&mut self, link: u32) -> u64 {
        let queues = link as usize * self.queues..(link as usize + 1) * self.queues;
        if let Some(seen) = self.links[link as usize].seen {
            self.new_levels.clear();
            self.new_levels.extend_from_slice(&self.given[queues]);
            return seen.cut;
        }
        let seen = self.schedule(link);
        self.given[queues].copy_from_slice(&self.new_levels);
        self.links[link as usize].seen = Some(seen);
        seen.cut
    }

    /// Runs a link's scheduler; its levels are then in `new_levels`.
    fn schedule(&mut self, link: u32) -> Seen {
        let mut fill = std::mem::take(&mut self.fill);
        self.new_levels.clear();
        self.new_levels.resize(self.queues, Rate::UNLIMITED);
        let has_limits = match &self.configs[link as usize] {
            Some(config) => config.queues.iter().any(|q| q.limit != Rate::UNLIMITED),
            None => false,
        };
        let mut rest = self.links[link as usize].capacity.0;
        let mut found = NO_CUT;
        let mut has_rivals = !self.has_queues;
        for run in self.members[link as usize].all().chunk_by(|a, b| a.rank == b.rank) {
            let with_flows = || run.iter().filter(|member| member.flows > 0);
            let claimed = |total: u64, m: &Member| total.saturating_add(m.demand.times(m.flows));
            let total = with_flows().fold(0, claimed);
            if total <= rest && !has_limits {
                rest -= total;
                continue;
            }
            let claim = |m: &Member| Claim { queue: m.queue, flows: m.flows, demand: m.demand };
            fill.claims.clear();
            fill.claims.extend(with_flows().map(claim));
            let Some(&Claim { queue: one, .. }) = fill.claims.first() else { continue };
            let mut is_cut = total > rest;
            if !has_limits && fill.claims.iter().all(|claim| claim.queue == one) {
                self.new_levels[one as usize] = fill.single(rest);
            } else {
                has_rivals = true;
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
                found = run[0].rank;
                break;
            }
            rest -= total;
        }
        self.fill = fill;
        Seen { cut: found, has_rivals }
    }

    /// Suppresses changes of cut and levels that have no effect or would make links oscillate.
    /// Lower levels always take effect in the end, or a link would exceed its capacity.
    fn restrain(&mut self, link: u32, before: u64, cut: u64, pace: &Pace) -> u64 {
        let Link { visits, capacity, seen, .. } = self.links[link as usize];
        let (gap, is_damped) = (pace.gap_at(visits), visits > pace.whole);
        let levels = &self.levels[link as usize * self.queues..][..self.queues];
        // Queues of other links have no influence if only one queue has flows here.
        let has_rivals = seen.is_some_and(|seen| seen.has_rivals);
        // A rank's rest is for the next rank, for which a small excess may be everything.
        let tolerance = if has_rivals && !self.has_ranks { self.tolerance } else { 0 };
        let is_exact = gap >= u64::BITS && tolerance == 0 && !is_damped;
        if is_exact || (before != cut && before != NO_CUT && cut != NO_CUT) {
            if gap == 0 && cut > before {
                self.new_levels.copy_from_slice(levels);
                return before;
            }
            return cut;
        }
        let rank = before.min(cut);
        if rank == NO_CUT {
            return cut;
        }
        // An offer of the whole capacity is unlimited, unless some flows have no other limit.
        let (mut is_short, mut is_open) = (false, true);
        let courses = &mut self.courses[link as usize * self.queues..][..self.queues];
        for ((new, &old), course) in self.new_levels.iter_mut().zip(levels).zip(courses) {
            let old = if before == NO_CUT { capacity } else { old.min(capacity) };
            let wanted = if cut == NO_CUT { capacity } else { (*new).min(capacity) };
            // Half of the tolerance is left unused, so that slightly less still suffices.
            let leeway = (u128::from(wanted.0) * u128::from(tolerance) / 1_000_000) as u64;
            let is_enough = old <= wanted && wanted.0 - old.0 <= leeway;
            let wanted = if is_enough { old } else { Rate(wanted.0 - leeway / 2) };
            let (low, high) = (old.0.min(wanted.0), old.0.max(wanted.0));
            let by_gap = if gap == 0 { u64::MAX } else { low.checked_shr(gap).unwrap_or(0) };
            if high - low <= by_gap {
                *new = Rate(low);
            } else if is_damped {
                *new = course.next(old, wanted);
                is_short |= *new != wanted;
            } else {
                *new = wanted;
            }
            is_open &= *new >= capacity;
        }
        if is_short {
            self.ask(link);
        }
        if cut == NO_CUT && is_open { NO_CUT } else { rank }
    }

    /// Collects the new demands at a bundle's other links when one link changes its offer.
    fn pass_on(&self, link: u32, offered: &Offered, demand_changes: &mut Vec<DemandChange>) {
        let &Offered { bundle, rank, old, new, .. } = offered;
        // The link with the least offer sees the second least one.
        let cap = self.bundles.get(bundle).cap;
        let mut offers = Offers { least: cap, at: usize::MAX, second: cap };
        let hops = self.bundles.hops(bundle);
        for (i, other) in hops.iter().enumerate() {
            if other.link != link {
                offers.add(i, self.offer(other.link, other.queue, rank));
            }
        }
        let Offers { least, at, second } = offers;
        for (i, other) in hops.iter().enumerate() {
            let others = if i == at { second } else { least };
            let (was, is) = (old.min(others), new.min(others));
            if other.link != link && was != is {
                demand_changes.push(DemandChange { bundle, hop: i as u32, rank, was, is });
            }
        }
    }

    /// Updates the demand of a bundle at a link, and schedules a visit if the link's offer may
    /// change.
    fn set_demand(&mut self, change: &DemandChange) {
        let &DemandChange { bundle, hop, rank, was, is } = change;
        let demand = &mut self.member(bundle, hop as usize).demand;
        debug_assert_eq!(*demand, was);
        *demand = is;
        let hop = self.bundles.hops(bundle)[hop as usize];
        if self.matters(hop, rank, was, is) {
            self.ask(hop.link);
        }
    }

    /// Returns whether a link's offer may change when the demand of a flow changes from `was` to
    /// `is`.
    fn matters(&self, hop: Hop, rank: u64, was: Rate, is: Rate) -> bool {
        let state = &self.links[hop.link as usize];
        if state.cut == NO_CUT {
            return is == Rate::UNLIMITED
                || state.load > u128::from(state.capacity.0)
                || self.configs[hop.link as usize].is_some();
        }
        if self.is_busy_enough(hop.link) {
            return false;
        }
        // A flow whose demand exceeds its rate does not change its claim. A flow after the cut
        // takes nothing.
        was.min(is) < self.offer(hop.link, hop.queue, rank)
    }
}
