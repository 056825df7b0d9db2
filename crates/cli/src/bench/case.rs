//! The cases of `bandwise bench` that simulate.

use crate::failure::Failure;
use bandwise_input::Source;
use bandwise_netsim::engine::{Executor, Sequential};
use bandwise_scenario::ethernet::EthernetScenario;
use bandwise_scenario::infiniband::{FlowRequest, InfinibandScenario, MethodName, Senders};
use bandwise_scenario::{Effort, Experiment, Progress, Stop};
use bandwise_threads::Team;
use bandwise_units::Time;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// A case by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum CaseName {
    /// Five bulk senders of 4096 B and one RPerf flow to one destination through one InfiniBand
    /// switch (RPerf, ISPASS 2020, figure 7)
    FiveBulkSenders,
    /// IRN in the default case of its paper: 54 hosts, 45 switches, 70% load, an acknowledgement a
    /// packet
    Irn,
    /// The same with RoCE, priority flow control, and an acknowledgement a packet
    RocePfc,
    /// The measuring loop over a device without cost: from one post to the next
    MeasuringLoop,
    /// The controller with Linux ports: from a request for a connection to weights read back at the
    /// ports of its path
    Controller,
    /// The controller with 1,000 applications, 100,000 connections and ports in memory: connections
    /// made or closed per second
    ControllerMany,
}

/// The RPerf paper's testbed.
const RACK: &str = include_str!("../../../../papers/rperf/rack.toml");
/// The testbed with RoCE. In IRN (section 5.2) only READs are not acknowledged; here the responder
/// acknowledges every packet, as in other simulators.
const ROCE: &str = "[transport]\nkind = \"roce\"\nacks = \"every-packet\"\n";

/// A case that simulates.
pub(super) enum Case {
    /// Programs on InfiniBand hosts.
    Programs(Box<InfinibandScenario>),
    /// Flows through an Ethernet fabric: the case, the scenario, the time in which flows start, and
    /// the threads.
    Flows(CaseName, Box<EthernetScenario>, Time, Team),
}

/// The work of a run.
pub(super) struct Counted {
    pub(super) effort: Effort,
    /// Flows that arrived, if the case consists of flows.
    pub(super) flows: Option<u64>,
}

impl Case {
    pub(super) fn new(
        name: CaseName,
        duration: Option<Time>,
        threads: NonZeroUsize,
    ) -> Result<Self, Failure> {
        let flows = |name, file, transport: &str| {
            let duration = duration.unwrap_or(Time::from_ms(10));
            let text = format!(
                "kind = \"ethernet\"\n{transport}\n[workload]\npoisson = {{ duration = \"{duration}\" }}\n"
            );
            let scenario = EthernetScenario::from_toml(&Source::new(file, &text), |_| {
                Err("a case has no files".into())
            })?;
            Ok(Case::Flows(name, Box::new(scenario.scenario), duration, Team::new(threads)))
        };
        match name {
            CaseName::FiveBulkSenders => Ok(Case::Programs(Box::new(five_bulk_senders(
                duration.unwrap_or(Time::from_ms(4_000)),
            )?))),
            CaseName::Irn => flows(name, "irn", ""),
            CaseName::RocePfc => flows(name, "roce-pfc", ROCE),
            CaseName::MeasuringLoop | CaseName::Controller | CaseName::ControllerMany => {
                unreachable!("nothing of it is simulated")
            }
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Case::Programs(_) => "five-bulk-senders",
            Case::Flows(CaseName::RocePfc, ..) => "roce-pfc",
            Case::Flows(..) => "irn",
        }
    }

    /// Returns the title of the case, to which the number of runs is appended.
    pub(super) fn title(&self) -> String {
        let what = match self {
            Case::Programs(scenario) => {
                let duration = scenario.duration();
                return format!("five bulk senders and an RPerf flow on one switch, {duration}");
            }
            Case::Flows(CaseName::RocePfc, ..) => "RoCE with priority flow control",
            Case::Flows(..) => "IRN",
        };
        let Case::Flows(_, scenario, duration, _) = self else { unreachable!() };
        let hosts = scenario.fabric().hosts().len();
        format!("{what} on a fat tree of {hosts} hosts at 70% load, {duration} of flows")
    }

    pub(super) fn seed(&self) -> u64 {
        match self {
            Case::Programs(scenario) => scenario.seed(),
            Case::Flows(_, scenario, ..) => scenario.seed(),
        }
    }

    /// Returns the number of threads of a run.
    pub(super) fn threads(&self) -> NonZeroUsize {
        match self {
            Case::Programs(_) => NonZeroUsize::MIN,
            Case::Flows(.., team) => team.workers(),
        }
    }

    /// Runs the case and reports the progress to `at`. Returns `None` if the run was interrupted.
    pub(super) fn run(&self, at: impl FnMut(Progress) -> ControlFlow<()>) -> Option<Counted> {
        match self {
            Case::Programs(scenario) => conduct(&**scenario, &Sequential, at, |_| None),
            Case::Flows(_, scenario, _, team) => {
                conduct(&**scenario, team, at, |results| Some(results.finished))
            }
        }
    }
}

/// Runs an experiment of any kind.
fn conduct<E: Experiment>(
    experiment: &E,
    executor: &impl Executor,
    mut at: impl FnMut(Progress) -> ControlFlow<()>,
    flows: fn(&E::Results) -> Option<u64>,
) -> Option<Counted> {
    let results = experiment.conduct(executor, &mut at);
    let counted = || Counted { effort: E::effort(&results), flows: flows(&results) };
    (E::stop(&results) != Stop::Interrupted).then(counted)
}

fn five_bulk_senders(duration: Time) -> Result<InfinibandScenario, Failure> {
    let source = Source::new("papers/rperf/rack.toml", RACK);
    let scenario = InfinibandScenario::from_toml(&source, bandwise_scenario::no_files)?;
    let senders = ["h1", "h2", "h3", "h4", "h5"].map(str::to_owned);
    let bulk = FlowRequest::new(Senders::Each(senders.to_vec()), "dst", MethodName::Bulk);
    // More samples than the duration allows, so that the run does not end early.
    let rperf = FlowRequest {
        samples: Some(1_000_000_000),
        ..FlowRequest::new(Senders::One("h6".to_owned()), "dst", MethodName::Rperf)
    };
    let builder = scenario.into_builder().request(bulk).request(rperf).duration(duration);
    builder.build().map_err(|error| Failure::usage(error.to_string(), "another duration"))
}
