//! Coflow traces on a fabric whose only limits are its ports: how long each coflow takes.

use crate::{FlowSpec, Network, NetworkError, Policy, Simulation};
use bandwise_units::{BitRate, Time};
use bandwise_workload::CoflowTrace;
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

    /// The least time that `percent` of coflows do not exceed (nearest rank); zero without coflows.
    pub fn percentile(&self, percent: u32) -> Time {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent.min(100) as usize).div_ceil(100).max(1);
        sorted.get(rank - 1).copied().unwrap_or(Time::ZERO)
    }
}

/// How rates are worked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Working {
    /// From what has changed. A link may leave so many millionths of what it could give a flow unused, which saves
    /// most of the work where many flows share ([`Simulation::with_tolerance`]); 0 for exact rates.
    Changes(u32),
    /// Exactly, the first rank at which something has changed first ([`Simulation::rank_by_rank`]): for policies
    /// whose coflows have ranks.
    Ranks,
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
    working: Working,
    watch: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Option<CoflowTimes>, NetworkError> {
    let network = Network::new(vec![rate; 2 * trace.ports as usize])?;
    let simulation = Simulation::new(network, policy);
    let mut simulation = match working {
        Working::Changes(tolerance) => simulation.with_tolerance(tolerance),
        Working::Ranks => simulation.rank_by_rank(),
    };
    let mut times = vec![Time::ZERO; trace.coflows.len()];
    let (mut flows, mut events, mut over, mut ended) = (0, 0, 0, Vec::new());
    let mut arrivals = (0..).zip(&trace.coflows).peekable();
    loop {
        let arrival = arrivals.peek().map(|(_, coflow)| coflow.arrival);
        let Some(at) = simulation.next_event().into_iter().chain(arrival).min() else { break };
        simulation.advance(at, &mut ended);
        events += usize::from(!ended.is_empty());
        over += ended.len() as u64;
        if events % WATCH_EVERY == 0 && watch(over).is_break() {
            return Ok(None);
        }
        for end in ended.drain(..) {
            times[end.group as usize] = end.at - trace.coflows[end.group as usize].arrival;
        }
        while let Some((group, coflow)) = arrivals.next_if(|(_, coflow)| coflow.arrival == at) {
            for (mapper, reducer, bytes) in coflow.flows() {
                let path = &[mapper, trace.ports + reducer];
                simulation.start(FlowSpec { path, bytes, class: 0, group, cap: None });
                flows += 1;
            }
        }
    }
    Ok(Some(CoflowTimes { times, flows, events }))
}
