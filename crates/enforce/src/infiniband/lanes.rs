//! [`Lanes`]: Saba's part of a port, and the tables for a configuration.

use super::attributes::PortInfo;
use super::tables::{ArbitrationEntry, HALF, Tables};
use bandwise_rdma::qos::{Sl, Vl, entries_by_weight};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::{PriorityLevel, Queues};
use bandwise_units::lowest_terms;

/// The service levels and lanes that the operator assigns to Saba. Level `n` uses the `n`th service level, queue `n`
/// the `n`th lane. All others stay unchanged: SL0 and VL0 of other traffic, VL15 of management, and reserved ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    sls: Vec<Sl>,
    vls: Vec<Vl>,
}

/// The reason for which service levels and lanes can't be assigned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoLanes {
    /// The list is empty.
    #[error("{0}: at least one is needed")]
    None(&'static str),
    /// Number 0 belongs to other traffic.
    #[error("{0} 0 belongs to other traffic: allowed are 1 and up")]
    Zero(&'static str),
    /// A number occurs twice.
    #[error("{0} {1} is listed twice")]
    Twice(&'static str, u8),
}

/// The reason for which a port can't be shared as wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// None of the lanes is in use at the port.
    #[error("its link has {0} data lanes, none of which is Saba's")]
    NoLane(u8),
    /// More queues than lanes.
    #[error("{wanted} queues are wanted, and the port has {there} lanes for them")]
    TooManyQueues {
        /// The wanted number.
        wanted: usize,
        /// The number of lanes that the port has.
        there: usize,
    },
    /// A number of weights other than the number of queues, or a weight of 0.
    #[error("{weights} weights for {queues} queues: each queue needs a weight of 1 to 255")]
    Weights {
        /// The number of weights that are not 0.
        weights: usize,
        /// The number of queues.
        queues: usize,
    },
    /// A level without a service level.
    #[error("priority level {0} has no service level")]
    NoLevel(u16),
    /// Levels without a queue use the lane of SL0, which is one of Saba's.
    #[error("SL 0 uses VL {0}, which is assigned to Saba")]
    Default(u8),
    /// The arbitration table is too short for an entry of each lane.
    #[error("{lanes} lanes need an entry each, and the low-priority table has room for {there}")]
    Entries {
        /// The number of lanes.
        lanes: usize,
        /// The number of entries that are Saba's or unused.
        there: usize,
    },
}

impl Lanes {
    /// Assigns service levels and lanes.
    ///
    /// # Errors
    ///
    /// Returns [`NoLanes`] if a list is empty, contains 0, or contains a number twice.
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

    /// Returns the service levels, by level.
    pub fn sls(&self) -> &[Sl] {
        &self.sls
    }

    /// Returns the lanes, by queue; a port may lack some.
    pub fn vls(&self) -> &[Vl] {
        &self.vls
    }

    /// Returns the lanes that a port has, by queue: those before the first that its link lacks.
    pub fn at(&self, port: &PortInfo) -> &[Vl] {
        let there = self.vls.iter().take_while(|vl| vl.get() < port.lanes).count();
        &self.vls[..there]
    }

    /// Returns the tables for a configuration: the tables as read, with Saba's part replaced.
    ///
    /// Absent levels use the lane of SL0. Lanes without a queue have an entry of the least weight, so that their
    /// remaining packets leave. Saba's lanes have low-priority entries only, since high-priority entries would take
    /// precedence instead of sharing.
    ///
    /// # Errors
    ///
    /// Returns [`Unfit`] if the port can't have the configuration.
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

    /// Places entries at the positions of Saba's entries first, and then at unused positions.
    /// Entries of other lanes stay in place.
    fn take_turns(
        &self,
        lanes: &[Vl],
        weights: &[u8],
        low: &mut [ArbitrationEntry],
        mtu: u16,
    ) -> Result<(), Unfit> {
        let (ours, unused): (Vec<usize>, Vec<usize>) = (0..low.len())
            .filter(|&at| self.is_ours(low[at].vl) || low[at].weight == 0)
            .partition(|&at| self.is_ours(low[at].vl));
        let there = ours.len() + unused.len();
        let unfit = Unfit::Entries { lanes: lanes.len(), there };
        let mut new = entries_by_weight(lanes, weights, there, mtu).ok_or(unfit)?;
        for &at in &ours {
            low[at].weight = 0;
        }
        let mut places: Vec<usize> = ours.into_iter().chain(unused).take(new.len()).collect();
        places.sort_unstable();
        // A table of two halves is written by two SMPs. The first half alone serves each lane, so that none waits between
        // the two. A round has no beginning, so turning it changes no ratio.
        let first = places.iter().filter(|&&at| at < HALF).count();
        let serves_all = |turn: &usize| {
            let half = || new.iter().cycle().skip(*turn).take(first);
            lanes.iter().all(|&lane| half().any(|entry| entry.vl == lane))
        };
        let turn = (0..new.len()).find(serves_all).unwrap_or(0);
        new.rotate_left(turn);
        for (at, entry) in places.into_iter().zip(new) {
            low[at] = ArbitrationEntry { vl: entry.vl.get(), weight: entry.weight };
        }
        Ok(())
    }

    /// Returns the configuration of a port with these tables; weights in lowest terms. Levels that use other lanes, or
    /// different lanes at different inputs, are left out.
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

/// Reads a list of service levels or lanes, such as `1,2,5-8`; `None` if the text is not such a
/// list.
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
