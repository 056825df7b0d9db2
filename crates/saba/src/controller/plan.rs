//! How a port is to be configured.

use super::facts::Facts;
use super::merging::Merging;
use super::roster::Roster;
use super::senders::Sender;
use super::shares::PortShares;
use super::{ApplicationId, PortConfig, Settings, Weighting};
use crate::mapping::{PriorityLevel, arbitration};
use crate::weights::{Granted, ModelId};
use std::num::NonZeroU8;

/// Plans ports one after the other. What it keeps between them is memory, so that a port allocates no
/// more than its configuration.
pub(super) struct Planner<'a> {
    settings: &'a Settings,
    facts: &'a Facts,
    roster: &'a Roster,
    merging: &'a Merging,
    shares: PortShares<'a>,
    /// By model and place of level: how many applications of the model have this level and no other.
    alone: Vec<u32>,
    /// By place: whether somebody has the level.
    is_present: Vec<bool>,
    /// Models at the port, each with a place that its applications have.
    cells: Vec<Cell>,
    /// Models at the port, each with how many applications have it.
    classes: Vec<(ModelId, u32)>,
    granted: Vec<Granted>,
    present: Vec<PriorityLevel>,
    queues: Vec<u8>,
    /// By place.
    queue_at: Vec<u8>,
    /// By queue.
    of_queue: Vec<f64>,
}

/// A model and the place of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    model: ModelId,
    place: u16,
}

/// Who sends through a port, told apart by what matters to it.
struct Seen {
    /// Whether an application has connections with several levels.
    is_mixed: bool,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        facts: &'a Facts,
        (roster, merging): (&'a Roster, &'a Merging),
        (models, shares): (usize, PortShares<'a>),
    ) -> Self {
        Planner {
            settings,
            facts,
            roster,
            merging,
            shares,
            alone: vec![0; models * merging.len()],
            is_present: vec![false; merging.len()],
            cells: Vec::new(),
            classes: Vec::new(),
            granted: Vec::new(),
            present: Vec::new(),
            queues: Vec::new(),
            queue_at: vec![0; merging.len()],
            of_queue: Vec::new(),
        }
    }

    /// The configuration of a port with so many queues, through which these send. Those that have no
    /// model yet count for nothing.
    pub(super) fn plan(&mut self, senders: &[Sender], queues: NonZeroU8) -> PortConfig {
        let Seen { is_mixed } = self.look_at(senders);
        if self.present.is_empty() {
            return PortConfig::default();
        }
        self.merging.queues(&self.present, queues, &mut self.queues);
        let count = self.queues.iter().max().map_or(0, |&last| usize::from(last) + 1);
        for (place, &queue) in self.present.iter().zip(&self.queues) {
            self.queue_at[usize::from(place.0)] = queue;
        }
        self.of_queue.clear();
        self.of_queue.resize(count, 0.0);
        match self.settings.weighting {
            Weighting::EqualQueues => self.of_queue.fill(1.0),
            Weighting::Sensitivity => {
                self.shares.of(&self.classes, &mut self.granted);
                // Equal for all of a model?
                if !is_mixed && self.granted.len() == self.classes.len() {
                    self.add_models();
                } else {
                    self.add_members(senders);
                }
            }
        }
        self.forget();
        let levels = self.present.iter().map(|&place| self.merging.level(place));
        let table = levels.zip(self.queues.iter().copied()).collect();
        PortConfig { table, weights: arbitration(&self.of_queue, self.settings.most_weight.get()) }
    }

    /// Counts who sends, by model and level. All that is counted stands in an order that no number of
    /// an application has a part in.
    fn look_at(&mut self, senders: &[Sender]) -> Seen {
        self.cells.clear();
        self.classes.clear();
        self.present.clear();
        let mut is_mixed = false;
        for own in senders.chunk_by(|a, b| a.application == b.application) {
            let Some(model) = self.roster.model(own[0].application) else { continue };
            is_mixed |= own.len() > 1;
            // One with several levels counts where its first one is.
            let place = self.place(own[0].level);
            let alone = &mut self.alone[model.0 as usize * self.merging.len() + usize::from(place)];
            if *alone == 0 {
                self.cells.push(Cell { model, place });
            }
            *alone += 1;
            for of in own {
                let place = self.place(of.level);
                self.is_present[usize::from(place)] = true;
            }
        }
        self.cells.sort_unstable();
        for &cell in &self.cells {
            let count = self.alone[self.at(cell)];
            match self.classes.last_mut() {
                Some(last) if last.0 == cell.model => last.1 += count,
                _ => self.classes.push((cell.model, count)),
            }
        }
        for (place, is_present) in (0..).zip(&mut self.is_present) {
            if std::mem::take(is_present) {
                self.present.push(PriorityLevel(place));
            }
        }
        Seen { is_mixed }
    }

    fn place(&self, level: PriorityLevel) -> u16 {
        self.merging.place(level).expect("who has a model has levels that are known")
    }

    fn at(&self, cell: Cell) -> usize {
        cell.model.0 as usize * self.merging.len() + usize::from(cell.place)
    }

    /// Adds shares up where those of one model are alike and each application has one level.
    fn add_models(&mut self) {
        let mut class = 0;
        for &cell in &self.cells {
            if self.classes[class].0 < cell.model {
                class += 1;
            }
            let count = f64::from(self.alone[self.at(cell)]);
            let queue = self.queue_at[usize::from(cell.place)];
            self.of_queue[usize::from(queue)] += count * self.granted[class].share;
        }
    }

    /// Adds shares up application by application.
    fn add_members(&mut self, senders: &[Sender]) {
        let own = senders.chunk_by(|a, b| a.application == b.application);
        let member = |own: &'_ [Sender]| {
            let application = own[0].application;
            Some((self.roster.model(application)?, self.facts.numbers.id(application)))
        };
        let mut members: Vec<(ModelId, ApplicationId, &[Sender])> =
            own.filter_map(|own| member(own).map(|(model, id)| (model, id, own))).collect();
        // Those of one model in the order of their ids, the later ones get more.
        members.sort_unstable_by_key(|member| (member.0, member.1));
        let each = self.granted.iter().flat_map(|g| (0..g.count).map(|_| g.share));
        for (&(.., own), share) in members.iter().zip(each) {
            let all: u32 = own.iter().map(|of| of.connections).sum();
            for of in own {
                // Where it has connections with several levels, each has its part of the share.
                let part = f64::from(of.connections) / f64::from(all);
                let queue = self.queue_at[usize::from(self.place(of.level))];
                self.of_queue[usize::from(queue)] += share * part;
            }
        }
    }

    /// Makes room for the next port.
    fn forget(&mut self) {
        for i in 0..self.cells.len() {
            let at = self.at(self.cells[i]);
            self.alone[at] = 0;
        }
    }
}
