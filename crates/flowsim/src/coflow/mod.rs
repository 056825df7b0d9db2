//! Completion times of coflow traces on a fabric that only its ports limit.

mod clock;
mod ordered;
mod peers;
mod scheduler;

pub use ordered::{Order, run_in_order};
pub use scheduler::Scheduler;

use crate::{FinishedFlow, FlowSpec, Network, NetworkError, Policy, Simulation};
use bandwise_stats::Percentile;
use bandwise_units::{BitRate, Time};
use bandwise_workload::{Coflow, CoflowTrace};
use std::ops::ControlFlow;

/// The port rate at which coflow schedulers are compared (Varys, section 7: 1 Gbps).
pub const PORT_RATE: BitRate = BitRate::from_gbps(1);

/// The completion times of a trace's coflows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoflowTimes {
    /// The time from arrival to the end of the last flow, in the order of the trace.
    pub times: Vec<Time>,
    /// The number of flows.
    pub flows: usize,
    /// The number of instants at which flows ended.
    pub events: usize,
}

impl CoflowTimes {
    /// Returns the mean coflow completion time, rounded down to picoseconds, or zero without
    /// coflows.
    pub fn average(&self) -> Time {
        let sum = self.times.iter().map(|time| u128::from(time.as_ps())).sum::<u128>();
        Time::from_ps((sum / self.times.len().max(1) as u128) as u64)
    }

    /// Returns a percentile of the coflow completion times, or zero if there are no coflows.
    pub fn percentile(&self, percentile: Percentile) -> Time {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        percentile.of_sorted(&sorted).unwrap_or(Time::ZERO)
    }
}

/// The number of instants between two calls of the observer.
const WATCH_EVERY: usize = 64;

/// Runs a trace on one big switch. Each port has a sending link (numbered as the port) and a
/// receiving link (after those), both of `rate`. A coflow is a group of flows, with its index in
/// the trace as number. A port that sends to itself uses both its links, as in the simulator for
/// which the public trace was made.
///
/// `watch` is called regularly with the number of ended flows. Returns `None` if it breaks.
///
/// # Errors
///
/// Returns a [`NetworkError`] if the rate is out of range, or the policy configures an invalid
/// link.
pub fn run<P: Policy>(
    trace: &CoflowTrace,
    rate: BitRate,
    policy: P,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Option<CoflowTimes>, NetworkError> {
    let simulation = Simulation::new(big_switch(trace, rate)?, policy);
    Ok(run_over(trace, simulation, watch))
}

/// Runs a trace over the links of a simulation without flows, as [`run`] does.
pub fn run_over<P: Policy>(
    trace: &CoflowTrace,
    simulation: Simulation<P>,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Option<CoflowTimes> {
    follow(trace, Links { ports: trace.ports, simulation, ended: Vec::new() }, watch)
}

/// Returns the links of such a switch.
fn big_switch(trace: &CoflowTrace, rate: BitRate) -> Result<Network, NetworkError> {
    Network::new(vec![rate; 2 * trace.ports as usize])
}

/// A simulation that carries the flows of a trace.
trait Carrier {
    /// Returns the time of the next end of a flow or change of rates.
    fn next_event(&mut self) -> Option<Time>;
    /// Advances to the next event or an earlier time, and reports the group of each flow that ends.
    fn advance(&mut self, to: Time, report: &mut dyn FnMut(u32));
    /// Starts the flows of a coflow.
    fn start(&mut self, group: u32, coflow: &Coflow);
}

/// Starts coflows at their arrivals, and records their ends.
fn follow(
    trace: &CoflowTrace,
    mut carrier: impl Carrier,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Option<CoflowTimes> {
    let mut times = vec![Time::ZERO; trace.coflows.len()];
    let (mut flows, mut events, mut over) = (0, 0, 0);
    let mut arrivals = (0..).zip(&trace.coflows).peekable();
    loop {
        let arrival = arrivals.peek().map(|(_, coflow)| coflow.arrival);
        let Some(at) = carrier.next_event().into_iter().chain(arrival).min() else { break };
        let before = over;
        carrier.advance(at, &mut |group| {
            times[group as usize] = at - trace.coflows[group as usize].arrival;
            over += 1;
        });
        events += usize::from(over > before);
        if events % WATCH_EVERY == 0 && watch(over).is_break() {
            return None;
        }
        while let Some((group, coflow)) = arrivals.next_if(|(_, coflow)| coflow.arrival == at) {
            carrier.start(group, coflow);
            flows += coflow.width();
        }
    }
    Some(CoflowTimes { times, flows, events })
}

/// Links without knowledge of ports and coflows.
struct Links<P: Policy> {
    ports: u32,
    simulation: Simulation<P>,
    ended: Vec<FinishedFlow>,
}

impl<P: Policy> Carrier for Links<P> {
    fn next_event(&mut self) -> Option<Time> {
        self.simulation.next_event()
    }

    fn advance(&mut self, to: Time, report: &mut dyn FnMut(u32)) {
        self.simulation.advance(to, &mut self.ended);
        self.ended.drain(..).for_each(|ended| report(ended.group));
    }

    fn start(&mut self, group: u32, coflow: &Coflow) {
        for (mapper, reducer, bytes) in coflow.flows() {
            let path = &[mapper, self.ports + reducer];
            self.simulation.start(FlowSpec { path, bytes, class: 0, group, cap: None });
        }
    }
}
