//! [`Experiment`]: what papers run. An InfiniBand scenario, a network scenario, a study of Saba, or one
//! of flows that share a link.

use crate::run::{Case, Options};
use crate::{isolation, saba};
use bandwise_scenario::ethernet::{
    EthernetProgress, EthernetResults, EthernetScenario, EthernetStop, Watch,
};
use bandwise_scenario::infiniband::{InfinibandResults, InfinibandScenario, InfinibandStop};
use bandwise_units::Time;
use std::ops::ControlFlow;

/// The runs that a paper's items need.
#[derive(Debug, Clone, Copy)]
pub enum Cases {
    /// Measurements on an InfiniBand fabric.
    Rperf(fn(&Options) -> Vec<Case<InfinibandScenario>>),
    /// Flows through an Ethernet fabric.
    Network(fn(&Options) -> Vec<Case<EthernetScenario>>),
    /// Jobs that share a fabric, and models of them.
    Saba(fn(&Options) -> Vec<Case<saba::Study>>),
    /// Flows that share a link of an InfiniBand fabric.
    Isolation(fn(&Options) -> Vec<Case<isolation::Study>>),
}

/// As `rperf` does: "we run the test three times … graphs plot the average values".
const RUNS: u64 = 3;

/// A scenario that can be run with another seed.
pub trait Experiment: Sync {
    /// What comes out.
    type Results: Send + Sync;

    /// How often it is run, each time with another seed.
    fn runs(&self, quick: bool) -> u64 {
        if quick { 1 } else { RUNS }
    }

    /// Runs it; nothing comes out when `stop` says so before it is at its end. An error is a reason
    /// why there is no end.
    fn run_once(&self, seed: u64, stop: &dyn Fn() -> bool)
    -> Result<Option<Self::Results>, String>;

    /// What a run took.
    fn effort(results: &Self::Results) -> Effort;

    /// Simulated time of a run.
    fn simulated(results: &Self::Results) -> Time;
}

/// What the simulator counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Packets that arrived.
    pub packets_delivered: u64,
    /// Links that packets crossed.
    pub packet_hops: u64,
    /// Events handled.
    pub events: u64,
}

impl Effort {
    pub(crate) fn add(&mut self, other: Effort) {
        self.packets_delivered += other.packets_delivered;
        self.packet_hops += other.packet_hops;
        self.events += other.events;
    }
}

impl Experiment for InfinibandScenario {
    type Results = InfinibandResults;

    fn run_once(
        &self,
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<InfinibandResults>, String> {
        let scenario = self.clone().with_seed(seed);
        let watch = |_| if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let results = scenario.run(watch);
        match results.stop {
            InfinibandStop::Complete => Ok(Some(results)),
            InfinibandStop::Interrupted => Ok(None),
            InfinibandStop::Deadlock(_) => {
                Err("deadlock: output ports wait for each other's credits".to_owned())
            }
        }
    }

    fn effort(results: &InfinibandResults) -> Effort {
        let counters = &results.counters;
        Effort {
            packets_delivered: counters.packets_delivered,
            packet_hops: counters.packet_hops,
            events: counters.events,
        }
    }

    fn simulated(results: &InfinibandResults) -> Time {
        results.simulated
    }
}

/// Ends a run when somebody asks for it.
struct Asked<'a>(&'a dyn Fn() -> bool);

impl Watch for Asked<'_> {
    fn progress(&mut self, _: EthernetProgress) -> ControlFlow<()> {
        if (self.0)() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Experiment for EthernetScenario {
    type Results = EthernetResults;

    fn run_once(
        &self,
        seed: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<EthernetResults>, String> {
        let results = self.clone().with_seed(seed).run(&mut Asked(stop));
        match results.stop {
            EthernetStop::Complete | EthernetStop::Limit => Ok(Some(results)),
            EthernetStop::Interrupted => Ok(None),
            EthernetStop::Stuck => {
                Err("flows have not arrived, and nothing will happen any more".into())
            }
            EthernetStop::Deadlock(_) => {
                Err("deadlock: ports are told to stop until each other go on".into())
            }
        }
    }

    fn effort(results: &EthernetResults) -> Effort {
        let counters = &results.counters;
        Effort {
            packets_delivered: counters.packets_delivered,
            packet_hops: counters.packet_hops,
            events: counters.events,
        }
    }

    fn simulated(results: &EthernetResults) -> Time {
        results.simulated
    }
}
