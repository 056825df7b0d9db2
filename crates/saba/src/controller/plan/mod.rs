//! [`Planner`]: the computation of ports' configurations.

mod tenants;

use super::bits::Bits;
use super::facts::Facts;
use super::merging::Merging;
use super::roster::Roster;
use super::senders::{Sender, Senders};
use super::shares::PortShares;
use super::{ApplicationId, PortConfig, Settings, Weighting};
use crate::mapping::{PriorityLevel, arbitration};
use crate::weights::{Granted, ModelId};
use std::num::NonZeroU8;

/// A planner of one port after the other. It keeps only buffers between them, so that a port
/// allocates no more than its configuration.
pub(super) struct Planner<'a> {
    settings: &'a Settings,
    facts: &'a Facts,
    roster: &'a Roster,
    merging: &'a Merging,
    shares: PortShares<'a>,
    /// The number of bits of a place's number.
    bits: u32,
    /// The number of applications at the port, by model and place of level.
    counts: Vec<u32>,
    /// The indices at which the count is not 0.
    counted: Bits,
    /// The places of the levels at the port.
    places: Bits,
    cells: Vec<Cell>,
    /// The models at the port, each with its number of applications.
    classes: Vec<(ModelId, u32)>,
    granted: Vec<Granted>,
    present: Vec<PriorityLevel>,
    queues: Vec<u8>,
    of_cluster: Vec<u8>,
    /// The queue of each place.
    queue_at: Vec<u8>,
    /// The share of each queue.
    of_queue: Vec<f64>,
}

/// The applications with one model and level at the port.
struct Cell {
    /// The index of the model in `classes`.
    class: u32,
    place: u32,
    count: u32,
}

/// An application at the port.
struct Member<'s> {
    model: ModelId,
    /// The place of its tenant.
    tenant: u32,
    id: ApplicationId,
    own: &'s [Sender],
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        facts: &'a Facts,
        roster: &'a Roster,
        merging: &'a Merging,
        models: usize,
        shares: PortShares<'a>,
    ) -> Self {
        let bits = merging.len().next_power_of_two().trailing_zeros();
        Planner {
            settings,
            facts,
            roster,
            merging,
            shares,
            counts: vec![0; models << bits],
            counted: Bits::below(models << bits),
            places: Bits::below(1 << bits),
            bits,
            classes: Vec::new(),
            granted: Vec::new(),
            cells: Vec::new(),
            present: Vec::new(),
            queues: Vec::new(),
            of_cluster: Vec::new(),
            queue_at: vec![0; merging.len()],
            of_queue: Vec::new(),
        }
    }

    /// Returns the configuration of a port with this number of queues and these senders.
    /// Applications without a model are ignored.
    pub(super) fn plan(&mut self, senders: &Senders, queues: NonZeroU8) -> PortConfig {
        self.count_senders(senders);
        if self.present.is_empty() {
            return PortConfig::default();
        }
        let (hierarchy, of_cluster) = (self.merging.hierarchy(), &mut self.of_cluster);
        hierarchy.queues_of(&self.present, queues, &mut self.queues, of_cluster);
        let count = self.queues.iter().max().map_or(0, |&last| usize::from(last) + 1);
        for (place, &queue) in self.present.iter().zip(&self.queues) {
            self.queue_at[usize::from(place.0)] = queue;
        }
        self.of_queue.clear();
        self.of_queue.resize(count, 0.0);
        let (weighting, guaranteed) = (self.settings.weighting, self.settings.guaranteed);
        match (weighting, guaranteed) {
            (Weighting::EqualQueues, _) => self.of_queue.fill(1.0),
            (Weighting::Sensitivity, Some(guaranteed)) if self.has_tenants(senders) => {
                let members = self.members(senders.each());
                self.add_tenants(members, guaranteed);
            }
            (Weighting::Sensitivity, _) => {
                if senders.is_mixed() || !self.add_models() {
                    let members = self.members(senders.each());
                    let shares = self.shares_of(&members, self.settings.part.get());
                    self.add_members(&members, &shares);
                }
            }
        }
        let levels = self.present.iter().map(|&place| self.merging.level(place));
        let table = levels.zip(self.queues.iter().copied()).collect();
        PortConfig { table, weights: arbitration(&self.of_queue, self.settings.most_weight.get()) }
    }

    /// Counts applications by model and level. The order of the result does not depend on the
    /// numbers of applications and profiles.
    fn count_senders(&mut self, senders: &Senders) {
        self.cells.clear();
        for cell in senders.cells() {
            let Some(model) = self.roster.model(cell.kind) else { continue };
            let place = self.place(cell.level);
            let at = (model.0 as usize) << self.bits | usize::from(place);
            self.counts[at] += cell.applications;
            self.counted.insert(at);
            self.places.insert(usize::from(place));
        }
        self.present.clear();
        let present = &mut self.present;
        self.places.take(|place| present.push(PriorityLevel(place as u16)));
        self.classes.clear();
        let Planner { counts, counted, cells, classes, bits, .. } = self;
        counted.take(|at| {
            let (model, place) = (ModelId((at >> *bits) as u32), at & ((1 << *bits) - 1));
            let count = std::mem::take(&mut counts[at]);
            match classes.last_mut() {
                Some(last) if last.0 == model => last.1 += count,
                _ => classes.push((model, count)),
            }
            cells.push(Cell { class: classes.len() as u32 - 1, place: place as u32, count });
        });
    }

    fn place(&self, level: PriorityLevel) -> u16 {
        self.merging.place(level).expect("an application with a model has known levels")
    }

    /// Adds up shares if all applications of one model have equal shares, and returns whether they
    /// do. Each application has one level.
    fn add_models(&mut self) -> bool {
        self.shares.of(&self.classes, self.settings.part.get(), &mut self.granted);
        let are_equal = self.granted.len() == self.classes.len();
        for cell in self.cells.iter().filter(|_| are_equal) {
            let queue = self.queue_at[cell.place as usize];
            let share = self.granted[cell.class as usize].share;
            self.of_queue[usize::from(queue)] += f64::from(cell.count) * share;
        }
        are_equal
    }

    /// Returns the applications with a model. Those of one model are together, in the order of
    /// their ids, because later ones get more.
    fn members<'s>(&self, senders: &'s [Sender]) -> Vec<Member<'s>> {
        let member = |own: &'s [Sender]| {
            let id = *self.facts.numbers.id(own[0].application);
            let kind = *self.facts.applications.get(&id)?;
            let (model, tenant) = (self.roster.model(kind)?, self.roster.tenant(kind));
            Some(Member { model, tenant, id, own })
        };
        let own = senders.chunk_by(|a, b| a.application == b.application);
        let mut members: Vec<Member> = own.filter_map(member).collect();
        members.sort_unstable_by_key(|member| (member.model, member.id));
        members
    }

    /// Returns the share of each member of a capacity.
    fn shares_of(&mut self, members: &[Member], capacity: f64) -> Vec<f64> {
        self.classes.clear();
        for own in members.chunk_by(|a, b| a.model == b.model) {
            self.classes.push((own[0].model, own.len() as u32));
        }
        self.shares.of(&self.classes, capacity, &mut self.granted);
        self.granted.iter().flat_map(|g| (0..g.count).map(|_| g.share)).collect()
    }

    /// Adds up shares by application.
    fn add_members(&mut self, members: &[Member], shares: &[f64]) {
        for (member, share) in members.iter().zip(shares) {
            let all: u32 = member.own.iter().map(|of| of.connections).sum();
            for of in member.own {
                // The share is divided among levels by the number of connections.
                let part = f64::from(of.connections) / f64::from(all);
                let queue = self.queue_at[usize::from(self.place(of.level))];
                self.of_queue[usize::from(queue)] += share * part;
            }
        }
    }
}
