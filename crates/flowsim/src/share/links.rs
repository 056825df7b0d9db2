//! [`Sharing`]: links, the bundles that cross them, and the offer of each link.

use super::course::Course;
use super::fill::Fill;
use super::growth::Growth;
use super::ladder::Ladder;
use super::members::{Member, Members};
use super::settle::{DemandChange, Offered};
use super::{Bundle, Bundles, Hop, QueueChoice};
use crate::network::{LinkConfig, Network, Queue};
use crate::rank::HELD;
use crate::rate::Rate;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The cut of a link that satisfies all claims.
pub(super) const NO_CUT: u64 = u64::MAX;

/// The capacity and offer of a link.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) capacity: Rate,
    /// The rank at which flows want more than is left. They get the levels of [`Sharing::levels`];
    /// lower ranks get all that they can use, higher ones nothing.
    pub(super) cut: u64,
    /// The sum of all flows' rates. It may exceed the capacity during a computation.
    pub(super) load: u128,
    pub(super) is_waiting: bool,
    /// The number of visits in this round.
    pub(super) visits: u32,
    /// The round of `visits`.
    pub(super) round: u64,
    /// The last result of the link's scheduler ([`Sharing::given`] has the levels), as long as no
    /// member has changed since.
    pub(super) seen: Option<Seen>,
}

/// The result of a link's scheduler.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) cut: u64,
    /// True if flows compete whose rates may be too low: flows of several queues, or any flows if
    /// there are no queues.
    pub(super) has_rivals: bool,
}

/// The least offer to a bundle, its origin, and the least offer of the others. The origin is the
/// hop of the link, or `usize::MAX` for the cap.
pub(super) struct Offers {
    pub(super) least: Rate,
    pub(super) at: usize,
    pub(super) second: Rate,
}

impl Offers {
    pub(super) fn add(&mut self, hop: usize, offer: Rate) {
        if offer < self.least {
            (self.second, self.least, self.at) = (self.least, offer, hop);
        } else if offer < self.second {
            self.second = offer;
        }
    }
}

/// The order of visits: phase, cut, least level and link. Links with the least offers come first,
/// because the offers of others depend on them.
pub(super) type Turn = (u32, u64, Rate, u32);

/// The state of all links and bundles. Between rounds it is an equilibrium.
#[derive(Debug, Clone)]
pub(crate) struct Sharing {
    pub(super) links: Vec<Link>,
    pub(super) configs: Vec<Option<Box<LinkConfig>>>,
    /// The levels by link and queue, `queues` of each link.
    pub(super) levels: Vec<Rate>,
    pub(super) queues: usize,
    /// The steps of each level in this round, by link and queue.
    pub(super) courses: Vec<Course>,
    /// The bundles that cross each link, in order of rank.
    pub(super) members: Vec<Members>,
    pub(crate) bundles: Bundles,
    /// The links with changed claims, in the order of visits.
    pub(super) waiting: BinaryHeap<Reverse<Turn>>,
    /// The bundles whose rate or number of flows has changed in this round, and their rate before.
    pub(crate) touched: Vec<(u32, Rate)>,
    /// The bundles with new or removed flows whose links are not updated yet.
    changed: Vec<u32>,
    /// The bundles without a rate so far.
    pub(super) fresh: Vec<u32>,
    /// True if a policy sets the rates, so that links decide nothing.
    is_explicit: bool,
    /// The ladder, if rates are computed rank by rank. Links then have no members.
    pub(super) ladder: Option<Box<Ladder>>,
    pub(super) growth: Growth,
    /// The rates to set.
    pub(super) given_anew: Vec<(u32, Rate)>,
    /// True if links with several queues are visited once each.
    pub(crate) is_once: bool,
    /// The relative amount by which a level may be too low, in millionths; 0 for exact levels.
    pub(super) tolerance: u64,
    /// True if flows use several queues, by class or their own.
    pub(super) has_queues: bool,
    /// The rank of all bundles at links, or `None` before the first.
    one_rank: Option<u64>,
    /// True if bundles have several ranks.
    pub(super) has_ranks: bool,
    /// The last levels of each link's scheduler, by link and queue.
    pub(super) given: Vec<Rate>,
    pub(super) round: u64,
    /// The number of rounds that left a link with a reportable gap.
    pub(crate) rough: u64,
    pub(super) fill: Fill,
    pub(super) new_levels: Vec<Rate>,
    /// The buffers of a visit, kept so that their memory is reused.
    pub(super) offered: Vec<Offered>,
    pub(super) demand_changes: Vec<DemandChange>,
}

impl Sharing {
    pub(crate) fn new(network: &Network, is_explicit: bool) -> Sharing {
        let link = |&capacity: &Rate| Link {
            capacity,
            cut: NO_CUT,
            load: 0,
            is_waiting: false,
            visits: 0,
            round: 0,
            seen: None,
        };
        let links: Vec<Link> = network.capacities.iter().map(link).collect();
        let count = links.len();
        Sharing {
            links,
            configs: vec![None; count],
            levels: vec![Rate::UNLIMITED; count],
            queues: 1,
            courses: vec![Course::default(); count],
            members: vec![Members::default(); count],
            bundles: Bundles::default(),
            waiting: BinaryHeap::new(),
            touched: Vec::new(),
            changed: Vec::new(),
            fresh: Vec::new(),
            is_explicit,
            ladder: None,
            growth: Growth::default(),
            given_anew: Vec::new(),
            is_once: false,
            tolerance: 0,
            has_queues: false,
            one_rank: None,
            has_ranks: false,
            given: vec![Rate::UNLIMITED; count],
            round: 1,
            rough: 0,
            fill: Fill::default(),
            new_levels: Vec::new(),
            offered: Vec::new(),
            demand_changes: Vec::new(),
        }
    }

    /// Computes rates rank by rank from now on. No flow has started, and links have one queue.
    pub(crate) fn rank_by_rank(&mut self) {
        assert!(self.queues == 1 && self.bundles.len() == 0, "links of one queue, without flows");
        let capacities = self.links.iter().map(|link| link.capacity.0);
        self.ladder = Some(Box::new(Ladder::new(capacities)));
    }

    /// Allows levels to be too low by up to `millionths` of themselves.
    pub(crate) fn set_tolerance(&mut self, millionths: u32) {
        self.tolerance = u64::from(millionths);
    }

    /// Returns the number of links.
    pub(crate) fn count(&self) -> u32 {
        self.links.len() as u32
    }

    /// Returns the sum of the rates of a link's flows.
    pub(crate) fn load(&self, link: u32) -> Rate {
        Rate(self.links[link as usize].load as u64)
    }

    pub(crate) fn capacity(&self, link: u32) -> Rate {
        self.links[link as usize].capacity
    }

    /// Iterates over the bundles with flows that cross a link.
    pub(crate) fn crossing(&self, link: u32) -> impl Iterator<Item = u32> + '_ {
        let members = self.members[link as usize].all().iter();
        members.filter(|member| member.flows > 0).map(|member| member.bundle)
    }

    /// Iterates over the bundles with flows at a link that may have a rate, the first ranks first.
    pub(crate) fn served(&self, link: u32) -> impl Iterator<Item = u32> + '_ {
        let cut = self.links[link as usize].cut;
        let members = self.members[link as usize].all().iter();
        let served = members.take_while(move |member| member.rank <= cut);
        served.filter(|member| member.flows > 0).map(|member| member.bundle)
    }

    /// Returns the configuration of a link's queue.
    pub(super) fn terms(&self, link: u32, queue: u32) -> Queue {
        match &self.configs[link as usize] {
            Some(config) => config.queues.get(queue as usize).copied(),
            None => None,
        }
        .unwrap_or(Queue::weighted(1))
    }

    /// Returns the offer of a link to a flow of this queue and rank.
    #[inline]
    pub(super) fn offer(&self, link: u32, queue: u32, rank: u64) -> Rate {
        let cut = self.links[link as usize].cut;
        match rank.cmp(&cut) {
            std::cmp::Ordering::Less => Rate::UNLIMITED,
            std::cmp::Ordering::Equal => self.levels[link as usize * self.queues + queue as usize],
            std::cmp::Ordering::Greater => Rate::ZERO,
        }
    }

    /// Computes the demand of a bundle at each of its links, and its rate. The rate stays if
    /// nothing limits the bundle yet.
    pub(super) fn see(&mut self, bundle: u32) {
        let rate = self.claim(bundle);
        self.give(bundle, rate);
    }

    /// Updates the number of flows and the demand of a bundle at each link: the least offer of the
    /// others. Returns the least of all offers.
    fn claim(&mut self, bundle: u32) -> Rate {
        let flows = self.bundles.get(bundle).flows;
        let Offers { least, at, second } = self.offers(bundle);
        for i in 0..self.bundles.hops(bundle).len() {
            let member = self.member(bundle, i);
            member.demand = if i == at { second } else { least };
            member.flows = flows;
        }
        least
    }

    /// Returns the offers of a bundle's cap and links.
    pub(super) fn offers(&self, bundle: u32) -> Offers {
        let Bundle { rank, cap, .. } = *self.bundles.get(bundle);
        let mut offers = Offers { least: cap, at: usize::MAX, second: cap };
        for (i, hop) in self.bundles.hops(bundle).iter().enumerate() {
            offers.add(i, self.offer(hop.link, hop.queue, rank));
        }
        offers
    }

    /// Returns the entry of a bundle at its hop `i`.
    pub(super) fn member(&mut self, bundle: u32, i: usize) -> &mut Member {
        let rank = self.bundles.get(bundle).rank;
        let hop = &mut self.bundles.hops_mut(bundle)[i];
        self.links[hop.link as usize].seen = None;
        self.members[hop.link as usize].find(rank, bundle, &mut hop.place)
    }

    /// Returns whether a link without queues and ranks is full within the tolerance, so that its
    /// level suffices. With ranks, the last ones might fill it in place of earlier ones.
    pub(super) fn is_busy_enough(&self, link: u32) -> bool {
        let Link { capacity, load, .. } = self.links[link as usize];
        let most = u128::from(capacity.0);
        let least = most - most * u128::from(self.tolerance) / 1_000_000;
        let is_level = !self.has_queues && !self.has_ranks;
        self.tolerance > 0 && is_level && (least..=most).contains(&load)
    }

    /// Schedules another visit of a link in this round.
    pub(super) fn ask(&mut self, link: u32) {
        let state = &mut self.links[link as usize];
        let is_done =
            self.is_once && self.queues > 1 && state.round == self.round && state.visits > 0;
        if !state.is_waiting && !is_done {
            state.is_waiting = true;
            // The first visit computes the offer; the link then waits for its position.
            let turn = self.turn(link);
            self.waiting.push(Reverse((turn, 0, Rate::ZERO, link)));
        }
    }

    /// Returns the phase of a link in the order of visits. With several queues, links that were
    /// visited less often come first.
    pub(super) fn turn(&self, link: u32) -> u32 {
        let state = &self.links[link as usize];
        if self.queues > 1 && state.round == self.round { state.visits } else { 0 }
    }

    /// Records a bundle whose rate or number of flows is about to change.
    pub(crate) fn touch(&mut self, bundle: u32) {
        let state = self.bundles.get_mut(bundle);
        if !state.is_touched {
            state.is_touched = true;
            let rate = state.rate;
            self.touched.push((bundle, rate));
        }
    }

    /// Sets the rate of a bundle's flows. A bundle without a limit has no rate for the moment.
    pub(crate) fn give(&mut self, bundle: u32, rate: Rate) {
        let rate = if rate == Rate::UNLIMITED { Rate::ZERO } else { rate };
        let Bundle { rate: before, flows, .. } = *self.bundles.get(bundle);
        if rate == before {
            return;
        }
        self.touch(bundle);
        self.bundles.get_mut(bundle).rate = rate;
        for hop in self.bundles.hops(bundle) {
            let load = &mut self.links[hop.link as usize].load;
            *load += u128::from(rate.0) * u128::from(flows);
            *load -= u128::from(before.0) * u128::from(flows);
        }
    }

    /// Adds a bundle without flows.
    ///
    /// # Panics
    ///
    /// Panics if the path is empty, or contains a link twice or one that does not exist.
    pub(crate) fn add(&mut self, like: Bundle, path: &[u32]) -> u32 {
        assert!(!path.is_empty() && path.len() <= usize::from(u16::MAX), "a flow crosses a link");
        for (i, link) in path.iter().enumerate() {
            assert!((*link as usize) < self.links.len(), "there is no link {link}");
            assert!(!path[..i].contains(link), "a path that has link {link} twice");
        }
        assert!(like.rank < NO_CUT, "the last rank is no flow's");
        if let QueueChoice::Own(queue) = like.queue {
            self.reserve_queues(queue as usize + 1);
        }
        self.has_queues |= like.queue != QueueChoice::One;
        assert!(!self.has_queues || self.ladder.is_none(), "rank by rank links have one queue");
        let bundle = self.bundles.add(like, path.iter().map(|&link| Hop::new(link)));
        if self.is_known(bundle) {
            self.enter(bundle);
        }
        bundle
    }

    /// Returns whether links have an entry of a bundle. They have none if a policy sets the rates
    /// or the bundle is held.
    fn is_known(&self, bundle: u32) -> bool {
        !self.is_explicit && self.ladder.is_none() && self.bundles.get(bundle).rank != HELD
    }

    /// Enters a bundle at its links, without flows.
    fn enter(&mut self, bundle: u32) {
        let Bundle { rank, class, queue: choice, .. } = *self.bundles.get(bundle);
        self.has_ranks |= *self.one_rank.get_or_insert(rank) != rank;
        for hop in self.bundles.hops_mut(bundle) {
            hop.queue = queue_at(&self.configs, hop.link, class, choice);
            hop.place = self.members[hop.link as usize].insert(rank, bundle, hop.queue);
        }
    }

    /// Removes a bundle of this rank from its links.
    fn exit(&mut self, bundle: u32, rank: u64) {
        for hop in self.bundles.hops(bundle) {
            self.links[hop.link as usize].seen = None;
            self.members[hop.link as usize].remove(rank, bundle, hop.place);
        }
    }

    /// Adds a flow to a bundle.
    pub(crate) fn join(&mut self, bundle: u32) {
        self.change(bundle);
        let state = self.bundles.get_mut(bundle);
        state.flows += 1;
        state.has_more = true;
        state.is_fresh |= state.flows == 1;
        let rate = u128::from(state.rate.0);
        for hop in self.bundles.hops(bundle) {
            self.links[hop.link as usize].load += rate;
        }
    }

    /// Removes a flow from a bundle.
    pub(crate) fn leave(&mut self, bundle: u32) {
        self.change(bundle);
        let state = self.bundles.get_mut(bundle);
        state.flows -= 1;
        let rate = u128::from(state.rate.0);
        if state.flows == 0 {
            (state.rate, state.is_fresh) = (Rate::ZERO, false);
        }
        for hop in self.bundles.hops(bundle) {
            self.links[hop.link as usize].load -= rate;
        }
    }

    /// Records a bundle with new or removed flows.
    fn change(&mut self, bundle: u32) {
        self.touch(bundle);
        let state = self.bundles.get_mut(bundle);
        state.has_changed = true;
        if !state.has_pending_change {
            (state.has_pending_change, state.has_more, state.is_fresh) = (true, false, false);
            self.changed.push(bundle);
        }
    }

    /// Removes a bundle without flows.
    pub(crate) fn remove(&mut self, bundle: u32) {
        self.bundles.get_mut(bundle).is_gone = true;
        self.bundles.remove(bundle);
    }

    /// Updates the links of all bundles with new or removed flows. Deferred, so that many memory
    /// accesses overlap.
    pub(crate) fn catch_up(&mut self) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.iter().for_each(|&bundle| self.bundles.get_mut(bundle).has_pending_change = false);
        if let Some(ladder) = &mut self.ladder {
            for bundle in changed.drain(..) {
                ladder.put(&self.bundles, bundle);
            }
        }
        changed.retain(|&bundle| self.is_known(bundle));
        for &bundle in &changed {
            let Bundle { flows, is_fresh, .. } = *self.bundles.get(bundle);
            if is_fresh {
                // The bundle gets a rate after all links have been visited.
                self.fresh.push(bundle);
                self.claim(bundle);
            } else {
                for i in 0..self.bundles.hops(bundle).len() {
                    self.member(bundle, i).flows = flows;
                }
            }
        }
        for bundle in changed.drain(..) {
            self.ask_for(bundle);
            let Bundle { rank, is_gone, .. } = *self.bundles.get(bundle);
            if is_gone {
                self.exit(bundle, rank);
            }
        }
        self.changed = changed;
    }

    /// Schedules visits of the links of a bundle with new or removed flows.
    fn ask_for(&mut self, bundle: u32) {
        let Bundle { has_more, rank, .. } = *self.bundles.get(bundle);
        for i in 0..self.bundles.hops(bundle).len() {
            let link = self.bundles.hops(bundle)[i].link;
            // Flows after the cut take nothing from others.
            let cut = self.links[link as usize].cut;
            let is_cut = cut != NO_CUT && rank <= cut;
            if has_more || (is_cut && !self.is_busy_enough(link)) {
                self.ask(link);
            }
        }
    }

    /// Moves bundles to other ranks. Each leaves and enters as if its flows had ended and started,
    /// so that the others need no additional visits.
    pub(crate) fn rerank(&mut self, moves: &[(u32, u64)]) {
        let mut moved: SmallVec<[(u32, u64); 32]> = SmallVec::new();
        for &(bundle, rank) in moves {
            assert!(rank < NO_CUT, "the last rank is no flow's");
            let before = std::mem::replace(&mut self.bundles.get_mut(bundle).rank, rank);
            if before != rank {
                moved.push((bundle, before));
            }
        }
        if self.is_explicit {
            return;
        }
        if let Some(ladder) = &mut self.ladder {
            moved.iter().for_each(|&(bundle, _)| ladder.put(&self.bundles, bundle));
            moved.retain(|&mut (bundle, _)| self.bundles.get(bundle).rank == HELD);
            return moved.iter().for_each(|&(bundle, _)| self.give(bundle, Rate::ZERO));
        }
        self.has_ranks |= !moved.is_empty();
        self.sort_anew(&moved);
        for &(bundle, before) in &moved {
            match (before, self.bundles.get(bundle).rank) {
                (_, HELD) => self.hold(bundle, before),
                (HELD, _) => {
                    self.enter(bundle);
                    self.see_anew(bundle);
                }
                _ => self.see_anew(bundle),
            }
        }
    }

    /// Sorts bundles that stay at links into their new ranks. Each comes with its old rank.
    fn sort_anew(&mut self, moved: &[(u32, u64)]) {
        // Link, index there and bundle.
        let mut places: SmallVec<[(u32, u32, u32); 64]> = SmallVec::new();
        for &(bundle, before) in moved {
            if before == HELD || self.bundles.get(bundle).rank == HELD {
                continue;
            }
            for hop in self.bundles.hops_mut(bundle) {
                self.links[hop.link as usize].seen = None;
                self.members[hop.link as usize].find(before, bundle, &mut hop.place);
                places.push((hop.link, hop.place, bundle));
            }
        }
        places.sort_unstable();
        for places in places.chunk_by(|a, b| a.0 == b.0) {
            let rank = |bundle: u32| self.bundles.get(bundle).rank;
            let moves = places.iter().map(|&(_, place, bundle)| (place, rank(bundle)));
            self.members[places[0].0 as usize].rerank(moves);
        }
    }

    /// Holds a bundle that had a rank: it may not send.
    fn hold(&mut self, bundle: u32, before: u64) {
        self.give(bundle, Rate::ZERO);
        self.exit(bundle, before);
        for i in 0..self.bundles.hops(bundle).len() {
            self.ask(self.bundles.hops(bundle)[i].link);
        }
    }

    /// Changes the configuration of a link.
    pub(crate) fn configure(&mut self, link: u32, config: LinkConfig) {
        assert!(self.ladder.is_none(), "rank by rank links have one queue");
        self.reserve_queues(config.queues.len());
        self.configs[link as usize] = Some(Box::new(config));
        for member in self.members[link as usize].all_mut() {
            let Bundle { class, queue: choice, .. } = *self.bundles.get(member.bundle);
            member.queue = queue_at(&self.configs, link, class, choice);
            let hops = self.bundles.hops_mut(member.bundle).iter_mut();
            hops.filter(|hop| hop.link == link).for_each(|hop| hop.queue = member.queue);
        }
        // The link offers everything until its visit, and all affected links are visited.
        let state = &mut self.links[link as usize];
        (state.cut, state.seen) = (NO_CUT, None);
        self.ask(link);
        for i in 0..self.members[link as usize].all().len() {
            self.see_anew(self.members[link as usize].all()[i].bundle);
        }
    }

    /// Visits all links of a bundle with a changed demand. A bundle without flows is updated when
    /// it gets some.
    fn see_anew(&mut self, bundle: u32) {
        if self.bundles.get(bundle).flows == 0 {
            return;
        }
        self.see(bundle);
        for i in 0..self.bundles.hops(bundle).len() {
            self.ask(self.bundles.hops(bundle)[i].link);
        }
    }

    /// Makes room for the levels of `queues` queues at each link.
    fn reserve_queues(&mut self, queues: usize) {
        if queues <= self.queues {
            return;
        }
        let queues = queues.next_power_of_two();
        let mut levels = vec![Rate::UNLIMITED; self.links.len() * queues];
        for (to, from) in levels.chunks_mut(queues).zip(self.levels.chunks(self.queues)) {
            to[..from.len()].copy_from_slice(from);
        }
        self.courses = vec![Course::default(); levels.len()];
        self.given = vec![Rate::UNLIMITED; levels.len()];
        self.links.iter_mut().for_each(|link| link.seen = None);
        (self.levels, self.queues) = (levels, queues);
    }
}

/// Returns the least level of a link.
pub(super) fn least(levels: &[Rate]) -> Rate {
    levels.iter().copied().fold(Rate::UNLIMITED, Rate::min)
}

/// Returns the queue of a class at a link.
fn queue_at(configs: &[Option<Box<LinkConfig>>], link: u32, class: u8, choice: QueueChoice) -> u32 {
    match choice {
        QueueChoice::One => 0,
        QueueChoice::Own(queue) => queue,
        QueueChoice::ByClass => {
            configs[link as usize].as_ref().map_or(0, |config| u32::from(config.queue_of(class)))
        }
    }
}
