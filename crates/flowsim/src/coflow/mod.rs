//! Coflow traces on a fabric whose only limits are its ports: how long each coflow takes.

mod clock;
mod ordered;
mod peers;

pub use ordered::{Order, run_in_order};

use crate::{Ended, FlowSpec, Network, NetworkError, Policy, Simulation};
use bandwise_stats::Percentile;
use bandwise_units::{BitRate, Time};
use bandwise_workload::{Coflow, CoflowTrace};
use std::ops::ControlFlow;

/// The rate of ports that coflow schedulers are compared at (Varys, section 7: 1 Gbps).
pub const PORT_RATE: BitRate = BitRate::from_gbps(1);

/// How long the coflows of a trace took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoflowTimes {
    /// From arrival to the end of the last flow, by coflow as they stand in the trace.
    pub times: Vec<Time>,
    /// How many flows there were.
    pub flows: usize,
    /// At how many instants flows ended.
    pub events: usize,
}

impl CoflowTimes {
    /// The average coflow completion time, rounded down to picoseconds; zero without coflows.
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

/// Instants between two looks of whoever watches.
const WATCH_EVERY: usize = 64;

/// Runs a trace on one big switch: each port has a link that sends (numbered as the port) and one that
/// receives (after those), both of `rate`, and nothing else is limited. A coflow is a group of flows, its
/// number that of its place in the trace. A port that sends to itself takes both its links, as in the
/// simulator that the public trace was made for.
///
/// `watch` is told now and then how many flows have ended; when it says so there are no times.
pub fn run<P: Policy>(
    trace: &CoflowTrace,
    rate: BitRate,
    policy: P,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Option<CoflowTimes>, NetworkError> {
    let simulation = Simulation::new(big_switch(trace, rate)?, policy);
    Ok(run_over(trace, simulation, watch))
}

/// The same over the links of a simulation without flows yet.
pub fn run_over<P: Policy>(
    trace: &CoflowTrace,
    simulation: Simulation<P>,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Option<CoflowTimes> {
    follow(trace, Links { ports: trace.ports, simulation, ended: Vec::new() }, watch)
}

/// The links of such a switch.
fn big_switch(trace: &CoflowTrace, rate: BitRate) -> Result<Network, NetworkError> {
    Network::new(vec![rate; 2 * trace.ports as usize])
}

/// What carries the flows of a trace.
trait Carrier {
    /// When the next flow ends, at today's rates, or rates change.
    fn next_event(&mut self) -> Option<Time>;
    /// Lets time pass up to the next event or an earlier time, and tells of each flow that ends its group.
    fn advance(&mut self, to: Time, tell: &mut dyn FnMut(u32));
    /// Starts the flows of a coflow now.
    fn start(&mut self, group: u32, coflow: &Coflow);
}

/// Starts coflows when they arrive, and notes when they have ended.
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

/// Links that know nothing of ports and coflows.
struct Links<P: Policy> {
    ports: u32,
    simulation: Simulation<P>,
    ended: Vec<Ended>,
}

impl<P: Policy> Carrier for Links<P> {
    fn next_event(&mut self) -> Option<Time> {
        self.simulation.next_event()
    }

    fn advance(&mut self, to: Time, tell: &mut dyn FnMut(u32)) {
        self.simulation.advance(to, &mut self.ended);
        self.ended.drain(..).for_each(|ended| tell(ended.group));
    }

    fn start(&mut self, group: u32, coflow: &Coflow) {
        for (mapper, reducer, bytes) in coflow.flows() {
            let path = &[mapper, self.ports + reducer];
            self.simulation.start(FlowSpec { path, bytes, class: 0, group, cap: None });
        }
    }
}
