//! [`Sharing`]: links, the bundles that cross them, and what each link offers.

use super::course::Course;
use super::fill::Fill;
use super::growth::Growth;
use super::ladder::Ladder;
use super::members::{Member, Members};
use super::settle::{Offered, Told};
use super::{Bundle, Bundles, Hop, QueueChoice};
use crate::network::{LinkConfig, Network, Queue};
use crate::policy::HELD;
use crate::rate::Rate;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The cut of a link that gives everybody what they can use.
pub(super) const NO_CUT: u64 = u64::MAX;

/// What a link carries and offers.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) capacity: Rate,
    /// The rank at which flows want more than is left. At that rank [`Sharing::levels`] say what
    /// there is; lower ranks get all that they can use, higher ones nothing.
    pub(super) cut: u64,
    /// The rates of all flows. In between, the sum may be large.
    pub(super) load: u128,
    pub(super) is_waiting: bool,
    /// How often it has been asked in this round.
    pub(super) visits: u32,
    /// The round of `visits`.
    pub(super) round: u64,
    /// What its scheduler gave last ([`Sharing::given`] has the levels), as long as no member has changed since.
    pub(super) seen: Option<Seen>,
}

/// What the scheduler of a link gives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) cut: u64,
    /// Whether it shares what it has among those whose rates may be too low: flows of several queues, or any
    /// flows if there are no queues.
    pub(super) has_rivals: bool,
}

/// The least of what a bundle is offered, the hop of the link that offers it (none of them if that is the cap),
/// and the least of what the others offer.
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

/// Turn, cut, least level and link: who gets less is asked first, because what others get depends on
/// that.
pub(super) type Turn = (u32, u64, Rate, u32);

/// The state of all links and bundles. Between rounds it is an equilibrium.
#[derive(Debug, Clone)]
pub(crate) struct Sharing {
    pub(super) links: Vec<Link>,
    pub(super) configs: Vec<Option<Box<LinkConfig>>>,
    /// By link and queue, `queues` of each.
    pub(super) levels: Vec<Rate>,
    pub(super) queues: usize,
    /// By link and queue: how its level has gone in this round.
    pub(super) courses: Vec<Course>,
    /// By link: the bundles that cross it, in order of rank.
    pub(super) members: Vec<Members>,
    pub(crate) bundles: Bundles,
    /// Links whose claims have changed, in the order in which they are asked.
    pub(super) waiting: BinaryHeap<Reverse<Turn>>,
    /// Bundles whose rate or number of flows has changed in this round, and the rate before.
    pub(crate) touched: Vec<(u32, Rate)>,
    /// Bundles of which flows have come or gone, of which links have not been told.
    changed: Vec<u32>,
    /// Bundles that have no rate yet.
    pub(super) fresh: Vec<u32>,
    /// Rates are given by somebody else, and links decide nothing.
    is_explicit: bool,
    /// Rates are worked out rank after rank, and links know of no bundle.
    pub(super) ladder: Option<Box<Ladder>>,
    pub(super) growth: Growth,
    /// Rates that are to be given.
    pub(super) given_anew: Vec<(u32, Rate)>,
    /// Links with several queues are asked once each.
    pub(crate) is_once: bool,
    /// By which part of itself a level may be too low; 0 for an exact one.
    pub(super) tolerance: u64,
    /// Flows stand in different queues, by their class or their own.
    pub(super) has_queues: bool,
    /// The rank of all bundles that links know of; none before the first.
    one_rank: Option<u64>,
    /// They have different ones.
    pub(super) has_ranks: bool,
    /// By link and queue: the levels that its scheduler gave last.
    pub(super) given: Vec<Rate>,
    pub(super) round: u64,
    /// Rounds in which a link was left with a gap that is told of.
    pub(crate) rough: u64,
    pub(super) fill: Fill,
    pub(super) new_levels: Vec<Rate>,
    /// Of a visit, taken so that their memory is used again.
    pub(super) offered: Vec<Offered>,
    pub(super) told: Vec<Told>,
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
            told: Vec::new(),
        }
    }

    /// From now on rates are worked out rank after rank. Nothing has started yet, and links have one queue.
    pub(crate) fn rank_by_rank(&mut self) {
        assert!(self.queues == 1 && self.bundles.len() == 0, "links of one queue, without flows");
        let capacities = self.links.iter().map(|link| link.capacity.0);
        self.ladder = Some(Box::new(Ladder::new(capacities)));
    }

    /// Lets levels be too low by up to that many millionths of themselves.
    pub(crate) fn set_tolerance(&mut self, millionths: u32) {
        self.tolerance = u64::from(millionths);
    }

    /// How many links there are.
    pub(crate) fn count(&self) -> u32 {
        self.links.len() as u32
    }

    /// What the flows of a link have together.
    pub(crate) fn load(&self, link: u32) -> Rate {
        Rate(self.links[link as usize].load as u64)
    }

    pub(crate) fn capacity(&self, link: u32) -> Rate {
        self.links[link as usize].capacity
    }

    /// The bundles with flows that cross a link.
    pub(crate) fn crossing(&self, link: u32) -> impl Iterator<Item = u32> + '_ {
        let members = self.members[link as usize].all().iter();
        members.filter(|member| member.flows > 0).map(|member| member.bundle)
    }

    /// Those of them that may have a rate, the first ranks first.
    pub(crate) fn served(&self, link: u32) -> impl Iterator<Item = u32> + '_ {
        let cut = self.links[link as usize].cut;
        let members = self.members[link as usize].all().iter();
        let served = members.take_while(move |member| member.rank <= cut);
        served.filter(|member| member.flows > 0).map(|member| member.bundle)
    }

    /// What a link agrees on for a queue.
    pub(super) fn terms(&self, link: u32, queue: u32) -> Queue {
        match &self.configs[link as usize] {
            Some(config) => config.queues.get(queue as usize).copied(),
            None => None,
        }
        .unwrap_or(Queue::weighted(1))
    }

    /// What a link offers to a flow of that queue and rank.
    #[inline]
    pub(super) fn offer(&self, link: u32, queue: u32, rank: u64) -> Rate {
        let cut = self.links[link as usize].cut;
        match rank.cmp(&cut) {
            std::cmp::Ordering::Less => Rate::UNLIMITED,
            std::cmp::Ordering::Equal => self.levels[link as usize * self.queues + queue as usize],
            std::cmp::Ordering::Greater => Rate::ZERO,
        }
    }

    /// Works out what a bundle's flows can use at each of its links, and what they have. The rate is that
    /// of before where nothing limits them yet.
    pub(super) fn see(&mut self, bundle: u32) {
        let rate = self.claim(bundle);
        self.give(bundle, rate);
    }

    /// Tells each link how many flows a bundle has, and what they can use there: the least that others offer.
    /// Returns the least of all.
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

    /// What a bundle's cap and its links offer.
    pub(super) fn offers(&self, bundle: u32) -> Offers {
        let Bundle { rank, cap, .. } = *self.bundles.get(bundle);
        let mut offers = Offers { least: cap, at: usize::MAX, second: cap };
        for (i, hop) in self.bundles.hops(bundle).iter().enumerate() {
            offers.add(i, self.offer(hop.link, hop.queue, rank));
        }
        offers
    }

    /// What a link knows of a bundle, at the bundle's hop `i`: to change it.
    pub(super) fn member(&mut self, bundle: u32, i: usize) -> &mut Member {
        let rank = self.bundles.get(bundle).rank;
        let hop = &mut self.bundles.hops_mut(bundle)[i];
        self.links[hop.link as usize].seen = None;
        self.members[hop.link as usize].find(rank, bundle, &mut hop.place)
    }

    /// Whether a link without queues and ranks carries what it can, but for the tolerance: then its level is near
    /// enough. Where there are ranks it may be the last ones that fill it, in the place of earlier ones.
    pub(super) fn is_busy_enough(&self, link: u32) -> bool {
        let Link { capacity, load, .. } = self.links[link as usize];
        let most = u128::from(capacity.0);
        let least = most - most * u128::from(self.tolerance) / 1_000_000;
        let is_level = !self.has_queues && !self.has_ranks;
        self.tolerance > 0 && is_level && (least..=most).contains(&load)
    }

    /// Asks a link again in this round.
    pub(super) fn ask(&mut self, link: u32) {
        let state = &mut self.links[link as usize];
        let is_done =
            self.is_once && self.queues > 1 && state.round == self.round && state.visits > 0;
        if !state.is_waiting && !is_done {
            state.is_waiting = true;
            // First of all, to see what it would offer; then it waits until it is its turn.
            let turn = self.turn(link);
            self.waiting.push(Reverse((turn, 0, Rate::ZERO, link)));
        }
    }

    /// Links with several queues take turns: who was asked less often comes first.
    pub(super) fn turn(&self, link: u32) -> u32 {
        let state = &self.links[link as usize];
        if self.queues > 1 && state.round == self.round { state.visits } else { 0 }
    }

    /// Notes a bundle whose rate or number of flows is about to change.
    pub(crate) fn touch(&mut self, bundle: u32) {
        let state = self.bundles.get_mut(bundle);
        if !state.is_touched {
            state.is_touched = true;
            let rate = state.rate;
            self.touched.push((bundle, rate));
        }
    }

    /// Gives each flow of a bundle a rate. One that nothing limits yet has none for the moment.
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

    /// A bundle without flows yet. Panics for a path that is empty or has a link twice, or one that
    /// isn't there.
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

    /// Whether links know of a bundle: not where rates are given, and not of one that is held.
    fn is_known(&self, bundle: u32) -> bool {
        !self.is_explicit && self.ladder.is_none() && self.bundles.get(bundle).rank != HELD
    }

    /// Links come to know of a bundle, and not yet of its flows.
    fn enter(&mut self, bundle: u32) {
        let Bundle { rank, class, queue: choice, .. } = *self.bundles.get(bundle);
        self.has_ranks |= *self.one_rank.get_or_insert(rank) != rank;
        for hop in self.bundles.hops_mut(bundle) {
            hop.queue = queue_at(&self.configs, hop.link, class, choice);
            hop.place = self.members[hop.link as usize].insert(rank, bundle, hop.queue);
        }
    }

    /// Links forget a bundle of that rank.
    fn exit(&mut self, bundle: u32, rank: u64) {
        for hop in self.bundles.hops(bundle) {
            self.links[hop.link as usize].seen = None;
            self.members[hop.link as usize].remove(rank, bundle, hop.place);
        }
    }

    /// One more flow in a bundle.
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

    /// One flow less.
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

    /// Notes a bundle of which flows come or go.
    fn change(&mut self, bundle: u32) {
        self.touch(bundle);
        let state = self.bundles.get_mut(bundle);
        state.has_changed = true;
        if !state.is_untold {
            (state.is_untold, state.has_more, state.is_fresh) = (true, false, false);
            self.changed.push(bundle);
        }
    }

    /// A bundle without flows is gone.
    pub(crate) fn remove(&mut self, bundle: u32) {
        self.bundles.get_mut(bundle).is_gone = true;
        self.bundles.remove(bundle);
    }

    /// Tells links of all flows that have come or gone. Not at once, so that memory is waited for once for many.
    pub(crate) fn catch_up(&mut self) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.iter().for_each(|&bundle| self.bundles.get_mut(bundle).is_untold = false);
        if let Some(ladder) = &mut self.ladder {
            for bundle in changed.drain(..) {
                ladder.put(&self.bundles, bundle);
            }
        }
        changed.retain(|&bundle| self.is_known(bundle));
        for &bundle in &changed {
            let Bundle { flows, is_fresh, .. } = *self.bundles.get(bundle);
            if is_fresh {
                // It has a rate only when all links have been asked.
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

    /// Asks the links of a bundle of which flows have come or gone.
    fn ask_for(&mut self, bundle: u32) {
        let Bundle { has_more, rank, .. } = *self.bundles.get(bundle);
        for i in 0..self.bundles.hops(bundle).len() {
            let link = self.bundles.hops(bundle)[i].link;
            // Whoever comes after the cut takes nothing from others.
            let cut = self.links[link as usize].cut;
            let is_cut = cut != NO_CUT && rank <= cut;
            if has_more || (is_cut && !self.is_busy_enough(link)) {
                self.ask(link);
            }
        }
    }

    /// Moves bundles to other ranks: each leaves its place and comes to the other as a new one would, so those
    /// that stay are asked no more than if flows had ended and started.
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

    /// Puts bundles that links know of before and after where their ranks belong; each with that of before.
    fn sort_anew(&mut self, moved: &[(u32, u64)]) {
        // Link, place there and bundle.
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

    /// A bundle that had a rank may not send any more.
    fn hold(&mut self, bundle: u32, before: u64) {
        self.give(bundle, Rate::ZERO);
        self.exit(bundle, before);
        for i in 0..self.bundles.hops(bundle).len() {
            self.ask(self.bundles.hops(bundle)[i].link);
        }
    }

    /// Another way of sharing at a link.
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
        // It offers everything again until it is asked, and all that this matters to is asked.
        let state = &mut self.links[link as usize];
        (state.cut, state.seen) = (NO_CUT, None);
        self.ask(link);
        for i in 0..self.members[link as usize].all().len() {
            self.see_anew(self.members[link as usize].all()[i].bundle);
        }
    }

    /// What a bundle's flows can use has changed: all its links are asked. One without flows is seen when it
    /// has some.
    fn see_anew(&mut self, bundle: u32) {
        if self.bundles.get(bundle).flows == 0 {
            return;
        }
        self.see(bundle);
        for i in 0..self.bundles.hops(bundle).len() {
            self.ask(self.bundles.hops(bundle)[i].link);
        }
    }

    /// Makes room for levels of that many queues at each link.
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

/// The least level of a link.
pub(super) fn least(levels: &[Rate]) -> Rate {
    levels.iter().copied().fold(Rate::UNLIMITED, Rate::min)
}

/// The queue of a class at a link.
fn queue_at(configs: &[Option<Box<LinkConfig>>], link: u32, class: u8, choice: QueueChoice) -> u32 {
    match choice {
        QueueChoice::One => 0,
        QueueChoice::Own(queue) => queue,
        QueueChoice::ByClass => {
            configs[link as usize].as_ref().map_or(0, |config| u32::from(config.queue_of(class)))
        }
    }
}
