//! [`Experiment`]: the common side of all kinds of experiments.

use bandwise_netsim::engine::Executor;
use bandwise_topology::Port;
use bandwise_units::Time;
use std::ops::ControlFlow;

/// An experiment that can be run, watched and stopped.
///
/// The three kinds of scenarios have further methods, which take more from a run than its progress.
///
/// ```
/// use bandwise_input::Source;
/// use bandwise_netsim::engine::Sequential;
/// use bandwise_scenario::infiniband::InfinibandScenario;
/// use bandwise_scenario::{Experiment, Stop, no_files};
/// use std::ops::ControlFlow;
///
/// let text = r#"
///     kind = "infiniband"
///     [fabric]
///     build = { single-switch = 2 }
///     link = { rate = "100 Gbps" }
///     [run]
///     duration = "2 ms"
///     [[flow]]
///     from = "h1"
///     to = "h0"
///     method = "bulk"
/// "#;
/// let scenario = InfinibandScenario::from_toml(&Source::new("bulk.toml", text), no_files).unwrap();
/// let half = |at: bandwise_scenario::Progress| match at.part < 0.5 {
///     true => ControlFlow::Continue(()),
///     false => ControlFlow::Break(()),
/// };
/// let results = scenario.conduct(&Sequential, &mut { half });
/// assert_eq!(InfinibandScenario::stop(&results), Stop::Interrupted);
/// ```
pub trait Experiment {
    /// Results of a run.
    type Results;

    /// Runs the experiment to its end, or until `watch` breaks. The workers of `executor` share the
    /// network if it has several partitions; they change no result.
    fn conduct(&self, executor: &impl Executor, watch: Watch<'_>) -> Self::Results;

    /// Returns the reason for the end of a run.
    fn stop(results: &Self::Results) -> Stop;

    /// Returns the work of a run.
    fn effort(results: &Self::Results) -> Effort;
}

/// A function that a run calls at intervals. A break ends the run, with partial results.
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Simulated time.
    pub simulated: Time,
    /// Approximate finished part of the run, from 0 to 1.
    pub part: f64,
}

/// The reason for the end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The run was complete.
    Complete,
    /// The scenario's limit of simulated time was reached.
    Limit,
    /// Flows have not arrived, and no event is due.
    Stuck,
    /// Ports wait for each other forever, in this order.
    Deadlock(Vec<Port>),
    /// The watch ended the run.
    Interrupted,
}

impl Stop {
    /// Returns the name of the reason in JSON.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Stop::Complete => "complete",
            Stop::Limit => "limit",
            Stop::Stuck => "stuck",
            Stop::Deadlock(_) => "deadlock",
            Stop::Interrupted => "interrupted",
        }
    }
}

/// The work of a run, or of several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Effort {
    /// Simulated time.
    pub simulated: Time,
    /// Delivered packets.
    pub packets_delivered: u64,
    /// Links that packets crossed.
    pub packet_hops: u64,
    /// Handled events; of jobs at flow level, the instants with an event.
    pub events: u64,
}

impl Effort {
    /// Adds the work of another run.
    pub fn add(&mut self, other: Effort) {
        self.simulated += other.simulated;
        self.packets_delivered += other.packets_delivered;
        self.packet_hops += other.packet_hops;
        self.events += other.events;
    }
}
