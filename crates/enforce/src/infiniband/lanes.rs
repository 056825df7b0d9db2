//! [`Lanes`]: what of a port is Saba's to share, and how a configuration stands in its tables.

use super::attributes::PortInfo;
use super::tables::{Tables, Turn};
use bandwise_rdma::qos::{Sl, Vl, entries_by_weight};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::{PriorityLevel, Queues};
use bandwise_units::lowest_terms;

/// Service levels and lanes that the operator gave Saba. Level `n` is the `n`th service level, queue `n` the
/// `n`th lane. All others stay as they are read: SL0 and VL0, which everyone else uses, VL15, which is for
/// management, and what is reserved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    sls: Vec<Sl>,
    vls: Vec<Vl>,
}

/// Why service levels and lanes can't be Saba's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoLanes {
    /// There are none.
    #[error("{0}: at least one is needed")]
    None(&'static str),
    /// That is everyone else's.
    #[error("{0} 0 is everyone else's: allowed are 1 and up")]
    Zero(&'static str),
    /// One is there twice.
    #[error("{0} {1} is there twice")]
    Twice(&'static str, u8),
}

/// Why a port can't be shared so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// None of the lanes is in use there.
    #[error("its link has {0} data lanes, none of which is Saba's")]
    NoLane(u8),
    /// More queues than lanes.
    #[error("{wanted} queues are wanted, and it has {there} lanes for them")]
    TooManyQueues {
        /// Wanted.
        wanted: usize,
        /// There.
        there: usize,
    },
    /// Weights that are not one for each queue, from 1.
    #[error("{weights} weights for {queues} queues: each needs one, from 1 to 255")]
    Weights {
        /// Weights that are not 0.
        weights: usize,
        /// Queues.
        queues: usize,
    },
    /// A level that no service level stands for.
    #[error("priority level {0} has no service level")]
    NoLevel(u16),
    /// A level without a queue would go where everyone else does, and that is a lane of Saba's.
    #[error("SL 0 is on VL {0}, which was given to Saba")]
    Default(u8),
    /// The arbitration table is too short for a turn of each lane.
    #[error("{lanes} lanes need a turn each, and its low-priority table has room for {there}")]
    Turns {
        /// Lanes.
        lanes: usize,
        /// Entries that are Saba's or nobody's.
        there: usize,
    },
}

impl Lanes {
    /// These service levels and lanes, each once, and not 0.
    pub fn new(sls: Vec<Sl>, vls: Vec<Vl>) -> Result<Self, NoLanes> {
        let checks = |what, numbers: &[u8]| {
            if numbers.is_empty() {
                return Err(NoLanes::None(what));
            }
            if numbers.contains(&0) {
                return Err(NoLanes::Zero(what));
            }
            let twice = (1..numbers.len()).find(|&at| numbers[..at].contains(&numbers[at]));
            twice.map_or(Ok(()), |at| Err(NoLanes::Twice(what, numbers[at])))
        };
        checks("service level", &sls.iter().map(|sl| sl.get()).collect::<Vec<_>>())?;
        checks("virtual lane", &vls.iter().map(|vl| vl.get()).collect::<Vec<_>>())?;
        Ok(Lanes { sls, vls })
    }

    /// The service levels, by level.
    pub fn sls(&self) -> &[Sl] {
        &self.sls
    }

    /// The lanes, by queue, whether a port has them or not.
    pub fn vls(&self) -> &[Vl] {
        &self.vls
    }

    /// The lanes of a port, by queue: those up to the first that its link does not have.
    pub fn at(&self, port: &PortInfo) -> &[Vl] {
        let there = self.vls.iter().take_while(|vl| vl.get() < port.lanes).count();
        &self.vls[..there]
    }

    /// The tables by which a port shares its link so: those that were read, with Saba's part in them as wanted.
    ///
    /// Levels that are not present go where SL0 goes. Lanes without a queue have a turn of the least weight, so
    /// that what is left in them leaves. Saba's lanes have turns of low priority alone: what goes before others
    /// would not share with them.
    pub fn tables(
        &self,
        config: &PortConfig,
        read: &Tables,
        port: &PortInfo,
    ) -> Result<Tables, Unfit> {
        let PortConfig { table, weights } = config;
        let lanes = self.at(port);
        if lanes.is_empty() {
            return Err(Unfit::NoLane(port.lanes));
        }
        let positive = weights.iter().filter(|&&weight| weight > 0).count();
        if positive != table.len() || positive != weights.len() {
            return Err(Unfit::Weights { weights: positive, queues: table.len() });
        }
        if table.len() > lanes.len() {
            return Err(Unfit::TooManyQueues { wanted: table.len(), there: lanes.len() });
        }
        let has_none = |(level, _): &(PriorityLevel, u8)| usize::from(level.0) >= self.sls.len();
        if let Some((level, _)) = table.iter().find(has_none) {
            return Err(Unfit::NoLevel(level.0));
        }
        let mut tables = read.clone();
        for mapping in tables.mappings.values_mut() {
            let default = mapping[0];
            for (level, sl) in (0..).map(PriorityLevel).zip(&self.sls) {
                let queue = table.of(level);
                if queue.is_none() && self.is_ours(default) {
                    return Err(Unfit::Default(default));
                }
                let lane = queue.map_or(default, |queue| lanes[usize::from(queue)].get());
                mapping[usize::from(sl.get())] = lane;
            }
        }
        for turn in tables.high.iter_mut().filter(|turn| self.is_ours(turn.vl)) {
            turn.weight = 0;
        }
        self.take_turns(lanes, weights, &mut tables.low, port.mtu)?;
        Ok(tables)
    }

    fn is_ours(&self, vl: u8) -> bool {
        self.vls.iter().any(|ours| ours.get() == vl)
    }

    /// Puts turns where Saba's are, and where nobody's are if that is not enough. Those of others stay in
    /// their places.
    fn take_turns(
        &self,
        lanes: &[Vl],
        weights: &[u8],
        low: &mut [Turn],
        mtu: u16,
    ) -> Result<(), Unfit> {
        let (ours, nobodys): (Vec<usize>, Vec<usize>) = (0..low.len())
            .filter(|&at| self.is_ours(low[at].vl) || low[at].weight == 0)
            .partition(|&at| self.is_ours(low[at].vl));
        let there = ours.len() + nobodys.len();
        let unfit = Unfit::Turns { lanes: lanes.len(), there };
        let new = entries_by_weight(lanes, weights, there, mtu).ok_or(unfit)?;
        for &at in &ours {
            low[at].weight = 0;
        }
        let mut places: Vec<usize> = ours.into_iter().chain(nobodys).take(new.len()).collect();
        places.sort_unstable();
        for (at, entry) in places.into_iter().zip(new) {
            low[at] = Turn { vl: entry.vl.get(), weight: entry.weight };
        }
        Ok(())
    }

    /// The configuration that a controller would have given a port: weights in lowest terms. Levels whose
    /// packets go elsewhere, or to one lane from here and to another from there, are left out.
    pub fn config(&self, tables: &Tables, port: &PortInfo) -> PortConfig {
        let lanes = self.at(port);
        let queue = |(level, sl): (u16, &Sl)| {
            let mut all = tables.mappings.values().map(|mapping| mapping[usize::from(sl.get())]);
            let lane = all.next().filter(|&lane| all.all(|other| other == lane))?;
            let queue = lanes.iter().position(|ours| ours.get() == lane)?;
            Some((PriorityLevel(level), queue as u8))
        };
        let table: Queues = (0..).zip(&self.sls).filter_map(queue).collect();
        let sum = |vl: &Vl| {
            let own = tables.low.iter().filter(|turn| turn.vl == vl.get());
            own.map(|turn| u32::from(turn.weight)).sum()
        };
        let sums: Vec<u32> = lanes.iter().take(table.len()).map(sum).collect();
        let weight = |weight: u32| u8::try_from(weight).unwrap_or(u8::MAX);
        PortConfig { table, weights: lowest_terms(&sums).into_iter().map(weight).collect() }
    }
}

/// Service levels or lanes as people list them: `1,2,5-8`. None if that is no list of them.
pub fn listed<T: TryFrom<u8>>(text: &str) -> Option<Vec<T>> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u8, u8) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if first > last {
            return None;
        }
        for number in first..=last {
            all.push(T::try_from(number).ok()?);
        }
    }
    Some(all)
}
