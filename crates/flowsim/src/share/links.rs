//! [`Sharing`]: links, the bundles that cross them, and what each link offers.

use super::fill::Fill;
use super::{Bundle, Bundles, Hop, QueueChoice};
use crate::network::{LinkConfig, Network, Queue};
use crate::rate::Rate;
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
    pub(super) flows: u32,
    pub(super) is_waiting: bool,
    /// How often it has been asked in this round.
    pub(super) visits: u32,
    /// The round of `visits`.
    pub(super) round: u64,
}

/// The state of all links and bundles. Between rounds it is an equilibrium.
#[derive(Debug, Clone)]
pub(crate) struct Sharing {
    pub(super) links: Vec<Link>,
    pub(super) configs: Vec<Option<Box<LinkConfig>>>,
    /// By link and queue, `queues` of each.
    pub(super) levels: Vec<Rate>,
    pub(super) queues: usize,
    /// By link: rank and number of the bundles that cross it, in that order.
    pub(super) members: Vec<Vec<(u64, u32)>>,
    pub(crate) bundles: Bundles,
    /// Links whose claims have changed, those first whose flows are likely to get the least.
    pub(super) waiting: BinaryHeap<Reverse<(u64, u32)>>,
    /// Bundles whose rate or number of flows has changed in this round, and the rate before.
    pub(crate) touched: Vec<(u32, Rate)>,
    /// Bundles that have no rate yet.
    pub(super) fresh: Vec<u32>,
    /// Rates are given by somebody else, and links decide nothing.
    is_explicit: bool,
    /// By which part of itself a level may be too low; 0 for an exact one.
    pub(super) tolerance: u64,
    pub(super) round: u64,
    /// Rounds in which a link was left with a gap that is told of.
    pub(crate) rough: u64,
    pub(super) fill: Fill,
    pub(super) new_levels: Vec<Rate>,
}

impl Sharing {
    pub(crate) fn new(network: &Network, is_explicit: bool) -> Sharing {
        let link = |&capacity: &Rate| Link {
            capacity,
            cut: NO_CUT,
            load: 0,
            flows: 0,
            is_waiting: false,
            visits: 0,
            round: 0,
        };
        let links: Vec<Link> = network.capacities.iter().map(link).collect();
        let count = links.len();
        Sharing {
            links,
            configs: vec![None; count],
            levels: vec![Rate::UNLIMITED; count],
            queues: 1,
            members: vec![Vec::new(); count],
            bundles: Bundles::default(),
            waiting: BinaryHeap::new(),
            touched: Vec::new(),
            fresh: Vec::new(),
            is_explicit,
            tolerance: 0,
            round: 1,
            rough: 0,
            fill: Fill::default(),
            new_levels: Vec::new(),
        }
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

    /// The bundles that cross a link and may have a rate, the first ranks first.
    pub(crate) fn served(&self, link: u32) -> impl Iterator<Item = u32> + '_ {
        let cut = self.links[link as usize].cut;
        let members = self.members[link as usize].iter();
        members.take_while(move |&&(rank, _)| rank <= cut).map(|&(_, bundle)| bundle)
    }

    /// What a link agrees on for a queue.
    pub(super) fn terms(&self, link: u32, queue: u32) -> Queue {
        match &self.configs[link as usize] {
            Some(config) => config.queues.get(queue as usize).copied(),
            None => None,
        }
        .unwrap_or(Queue::weighted(1))
    }

    /// What a link offers to a flow of that rank.
    #[inline]
    pub(super) fn offer(&self, hop: Hop, rank: u64) -> Rate {
        let cut = self.links[hop.link as usize].cut;
        match rank.cmp(&cut) {
            std::cmp::Ordering::Less => Rate::UNLIMITED,
            std::cmp::Ordering::Equal => {
                self.levels[hop.link as usize * self.queues + hop.queue as usize]
            }
            std::cmp::Ordering::Greater => Rate::ZERO,
        }
    }

    /// What a bundle's flows can use at a link: the least of what they have elsewhere.
    #[inline]
    pub(super) fn demand(&self, bundle: u32, at: u32) -> Rate {
        let Bundle { rank, cap, .. } = *self.bundles.get(bundle);
        let elsewhere = self.bundles.hops(bundle).iter().filter(|hop| hop.link != at);
        elsewhere.map(|&hop| self.offer(hop, rank)).fold(cap, Rate::min)
    }

    /// Asks a link again in this round.
    pub(super) fn ask(&mut self, link: u32) {
        let state = &mut self.links[link as usize];
        if !state.is_waiting {
            state.is_waiting = true;
            let a_flow = state.capacity.0 / u64::from(state.flows.max(1));
            self.waiting.push(Reverse((a_flow, link)));
        }
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
        let (class, choice, rank) = (like.class, like.queue, like.rank);
        if let QueueChoice::Own(queue) = choice {
            self.reserve_queues(queue as usize + 1);
        }
        let configs = &self.configs;
        let hop = |&link: &u32| Hop { link, queue: queue_at(configs, link, class, choice) };
        let bundle = self.bundles.add(like, path.iter().map(hop));
        if !self.is_explicit {
            for &link in path {
                insert(&mut self.members[link as usize], (rank, bundle));
            }
            self.fresh.push(bundle);
        }
        bundle
    }

    /// One more flow in a bundle.
    pub(crate) fn join(&mut self, bundle: u32) {
        self.touch(bundle);
        let state = self.bundles.get_mut(bundle);
        state.flows += 1;
        let rate = u128::from(state.rate.0);
        for i in 0..self.bundles.hops(bundle).len() {
            let link = self.bundles.hops(bundle)[i].link;
            self.links[link as usize].flows += 1;
            self.links[link as usize].load += rate;
            if !self.is_explicit {
                self.ask(link);
            }
        }
    }

    /// One flow less; the bundle is gone with the last.
    pub(crate) fn leave(&mut self, bundle: u32) {
        self.touch(bundle);
        let state = self.bundles.get_mut(bundle);
        state.flows -= 1;
        let (rate, rank, is_gone) = (u128::from(state.rate.0), state.rank, state.flows == 0);
        for i in 0..self.bundles.hops(bundle).len() {
            let link = self.bundles.hops(bundle)[i].link;
            let state = &mut self.links[link as usize];
            state.flows -= 1;
            state.load -= rate;
            if self.is_explicit {
                continue;
            }
            // Whoever comes after the cut takes nothing from others.
            if state.cut != NO_CUT && rank <= state.cut {
                self.ask(link);
            }
            if is_gone {
                remove(&mut self.members[link as usize], (rank, bundle));
            }
        }
        if is_gone {
            self.bundles.remove(bundle);
        }
    }

    /// Moves bundles to other ranks.
    pub(crate) fn rerank(&mut self, moves: impl Iterator<Item = (u32, u64)>) {
        let mut links = Vec::new();
        for (bundle, rank) in moves {
            assert!(rank < NO_CUT, "the last rank is no flow's");
            if self.bundles.get(bundle).rank != rank {
                self.bundles.get_mut(bundle).rank = rank;
                links.extend(self.bundles.hops(bundle).iter().map(|hop| hop.link));
            }
        }
        if self.is_explicit {
            return;
        }
        links.sort_unstable();
        links.dedup();
        for &link in &links {
            let members = &mut self.members[link as usize];
            for (rank, bundle) in members.iter_mut() {
                *rank = self.bundles.get(*bundle).rank;
            }
            members.sort_unstable();
        }
        self.forget(&links);
    }

    /// Another way of sharing at a link.
    pub(crate) fn configure(&mut self, link: u32, config: LinkConfig) {
        self.reserve_queues(config.queues.len());
        self.configs[link as usize] = Some(Box::new(config));
        for i in 0..self.members[link as usize].len() {
            let bundle = self.members[link as usize][i].1;
            let Bundle { class, queue: choice, .. } = *self.bundles.get(bundle);
            let queue = queue_at(&self.configs, link, class, choice);
            let mut hops = self.bundles.hops(bundle).iter().map(|hop| hop.link);
            if let Some(i) = hops.position(|other| other == link) {
                self.bundles.hop_mut(bundle, i).queue = queue;
            }
        }
        self.forget(&[link]);
    }

    /// Links offer everything again until they are asked, and all that this matters to is asked.
    fn forget(&mut self, links: &[u32]) {
        for &link in links {
            self.links[link as usize].cut = NO_CUT;
        }
        for &link in links {
            self.ask(link);
            for i in 0..self.members[link as usize].len() {
                let bundle = self.members[link as usize][i].1;
                self.give(bundle, self.demand(bundle, u32::MAX));
                for j in 0..self.bundles.hops(bundle).len() {
                    self.ask(self.bundles.hops(bundle)[j].link);
                }
            }
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
        (self.levels, self.queues) = (levels, queues);
    }
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

fn insert(members: &mut Vec<(u64, u32)>, entry: (u64, u32)) {
    let at = members.partition_point(|&other| other < entry);
    members.insert(at, entry);
}

fn remove(members: &mut Vec<(u64, u32)>, entry: (u64, u32)) {
    let at = members.partition_point(|&other| other < entry);
    members.remove(at);
}
