//! The run of a network scenario: opens flows at their start, and drops them when they are done.

use super::flow::{Arrival, FlowRecord};
use super::groups::Groups;
use super::ports;
use super::requests::Requests;
use super::results::{EthernetResults, TAIL};
use super::{ArrivalError, EthernetScenario};
use crate::experiment::{Effort, Experiment, Progress, Stop, Watch};
use bandwise_netsim::engine::{Executor, MIN_PARTITION_LATENCY, Sequential};
use bandwise_netsim::ethernet::{CaptureFilter, CaptureRecord, FinishedFlow, FlowSpec, Network};
use bandwise_topology::Port;
use bandwise_units::Time;
use bandwise_workload::Flow;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// A watch of a run that also takes its flows and packets.
pub trait FlowWatch {
    /// Takes a flow that has arrived. Flows come in order of arrival.
    fn finished(&mut self, _flow: &FlowRecord) {}

    /// Returns the selection of packets that [`captured`](FlowWatch::captured) takes.
    fn captures(&self) -> Option<CaptureFilter> {
        None
    }

    /// Takes a captured packet. Packets come in order of time; a break ends the capture.
    fn captured(&mut self, _record: &CaptureRecord) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Takes the progress, at intervals. A break ends the run, with partial results.
    fn progress(&mut self, _at: Progress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl FlowWatch for () {}

impl<F: FnMut(Progress) -> ControlFlow<()>> FlowWatch for F {
    fn progress(&mut self, at: Progress) -> ControlFlow<()> {
        self(at)
    }
}

/// Simulated time between two collections of results. Flows that start within it are opened at its
/// begin.
const SLICE: Time = Time::from_us(100);

impl EthernetScenario {
    /// Runs the scenario with the flows of its own generators.
    ///
    /// # Panics
    ///
    /// Panics if the workload is a list, whose flows [`run_with`](Self::run_with) takes.
    pub fn run(&self, watch: &mut impl FlowWatch) -> EthernetResults {
        self.run_by(&Sequential, watch)
    }

    /// Runs the scenario on an executor, which changes no result.
    ///
    /// # Panics
    ///
    /// Panics if the workload is a list, whose flows [`run_with`](Self::run_with) takes.
    pub fn run_by(&self, executor: &impl Executor, watch: &mut impl FlowWatch) -> EthernetResults {
        let flows = self.arrivals().map(Ok::<_, std::convert::Infallible>);
        match self.run_checked(executor, flows, watch) {
            Ok(results) => results,
            Err(never) => match never {},
        }
    }

    /// Runs the scenario with flows from another source, in order of start, among the scenario's
    /// hosts. Takes each flow shortly before its start.
    ///
    /// # Errors
    ///
    /// Returns the first flow's error, or an error if the scenario can't have the flow.
    pub fn run_with<E: From<ArrivalError>>(
        &self,
        executor: &impl Executor,
        flows: impl IntoIterator<Item = Result<Arrival, E>>,
        watch: &mut impl FlowWatch,
    ) -> Result<EthernetResults, E> {
        let mut last = Time::ZERO;
        let checked = flows.into_iter().map(|arrival| {
            let arrival = arrival?;
            self.check_arrival(&arrival, last)?;
            last = arrival.flow.start;
            Ok(arrival)
        });
        self.run_checked(executor, checked, watch)
    }

    fn run_checked<E>(
        &self,
        executor: &impl Executor,
        mut flows: impl Iterator<Item = Result<Arrival, E>>,
        watch: &mut impl FlowWatch,
    ) -> Result<EthernetResults, E> {
        let mut run = Run::new(self, executor.workers());
        if let Some(chosen) = watch.captures() {
            run.network.capture(chosen);
        }
        let mut next = flows.next().transpose()?;
        let stop = loop {
            let due = run.network.now().max(next.map_or(Time::ZERO, |n| n.flow.start));
            // Without outstanding flows, no event is due before the next flow.
            let from = if run.network.open_flows() == 0 { due } else { run.network.now() };
            let end = from.saturating_add(SLICE).min(self.limit.unwrap_or(Time::MAX));
            while let Some(arrival) = next.filter(|arrival| arrival.flow.start < end) {
                run.open(arrival);
                next = flows.next().transpose()?;
            }
            let has_events = run.network.run_by(executor, end);
            run.collect(watch);
            run.pass_captured(watch, false);
            let outstanding = run.network.open_flows();
            let simulated = run.network.now();
            // A sender whose last acknowledgement was dropped may wait forever.
            let all_arrived = run.finished == run.started && (outstanding == 0 || !has_events);
            if next.is_none() && all_arrived {
                break Stop::Complete;
            } else if self.limit.is_some_and(|limit| simulated >= limit) {
                break Stop::Limit;
            } else if let Some(ports) = run.deadlock() {
                break Stop::Deadlock(ports);
            } else if next.is_none() && !has_events {
                break Stop::Stuck;
            }
            if watch.progress(Progress { simulated, part: run.part() }).is_break() {
                break Stop::Interrupted;
            }
        };
        run.pass_captured(watch, true);
        Ok(run.results(stop))
    }
}

impl Experiment for EthernetScenario {
    type Results = EthernetResults;

    fn conduct(&self, executor: &impl Executor, mut watch: Watch<'_>) -> EthernetResults {
        self.run_by(executor, &mut watch)
    }

    fn stop(results: &EthernetResults) -> Stop {
        results.stop.clone()
    }

    fn effort(results: &EthernetResults) -> Effort {
        let counters = &results.counters;
        Effort {
            simulated: results.simulated,
            packets_delivered: counters.packets_delivered,
            packet_hops: counters.packet_hops,
            events: counters.events,
        }
    }
}

/// A run in progress.
struct Run<'a> {
    scenario: &'a EthernetScenario,
    network: Network,
    groups: Groups,
    /// Groups of flows without a request, if the scenario has requests.
    others: Option<Groups>,
    requests: Requests,
    /// Flows that arrived since the last collection; kept to reuse its memory.
    arrived: Vec<FinishedFlow>,
    started: u64,
    finished: u64,
    /// Payload of the flows that started, in bytes.
    started_bytes: u128,
    /// Flows and requests that start earlier don't count.
    warmup: Time,
}

impl<'a> Run<'a> {
    fn new(scenario: &'a EthernetScenario, shards: NonZeroUsize) -> Self {
        let EthernetScenario { fabric, model, seed, .. } = scenario;
        Run {
            scenario,
            network: Network::partitioned(fabric, model, *seed, shards, MIN_PARTITION_LATENCY),
            groups: Groups::new(model.host.mtu),
            others: scenario.has_requests().then(|| Groups::new(model.host.mtu)),
            requests: Requests::default(),
            arrived: Vec::new(),
            started: 0,
            finished: 0,
            started_bytes: 0,
            warmup: scenario.warmup,
        }
    }

    fn open(&mut self, arrival: Arrival) {
        let number = u32::try_from(self.started).expect("a run has fewer than 2^32 flows");
        let Flow { start, src, dst, bytes } = arrival.flow;
        let opened = FlowSpec { number, start, src, dst, bytes, class: arrival.class };
        self.network.open(&opened).expect("the scenario's longest path is short enough");
        if let Some(request) = arrival.request.filter(|_| start >= self.warmup) {
            self.requests.start(number, request, start);
        }
        self.started += 1;
        self.started_bytes += u128::from(bytes);
    }

    /// Returns the finished part of the expected flows, or of the started flows if there are more.
    fn part(&self) -> f64 {
        let all = self.scenario.expected_flows().max(self.started).max(1);
        self.finished as f64 / all as f64
    }

    /// Records the flows that have arrived.
    fn collect(&mut self, watch: &mut impl FlowWatch) {
        self.network.take_finished(|finished| self.arrived.push(finished));
        self.arrived.sort_unstable_by_key(|finished| (finished.at, finished.number));
        for finished in self.arrived.drain(..) {
            let FinishedFlow { number, start, at, src, dst, bytes } = finished;
            let alone = self.network.alone(src, dst, bytes);
            let completion_time = finished.completion_time();
            let record = FlowRecord { number, start, src, dst, bytes, completion_time, alone };
            let of_request = self.requests.finish(number, at);
            if start >= self.warmup {
                self.groups.add(&record);
                if let (Some(others), false) = (&mut self.others, of_request) {
                    others.add(&record);
                }
            }
            self.finished += 1;
            watch.finished(&record);
        }
    }

    /// Passes captured packets to the watch. `ended` is `true` at the end of the run.
    fn pass_captured(&mut self, watch: &mut impl FlowWatch, ended: bool) {
        let mut capture = ControlFlow::Continue(());
        self.network.take_records(ended, |record| {
            if capture.is_continue() {
                capture = watch.captured(&record);
            }
        });
        if capture.is_break() {
            self.network.end_capture();
        }
    }

    /// Returns the ports that wait for each other forever.
    fn deadlock(&self) -> Option<Vec<Port>> {
        let has_pfc = self.scenario.model.switch.buffering.has_pfc();
        has_pfc.then(|| self.network.deadlock())?
    }

    fn results(mut self, stop: Stop) -> EthernetResults {
        self.groups.sort();
        let others = self.others.map(|mut others| {
            others.sort();
            others.distributions()
        });
        let ports = ports::results(&self.scenario.fabric, &self.network);
        EthernetResults {
            beside_requests: others.and_then(|groups| Some(groups.into_iter().next()?.1)),
            stop,
            started: self.started,
            finished: self.finished,
            started_bytes: self.started_bytes,
            groups: self.groups.distributions(),
            single_packet_tail: self.groups.tail(&TAIL),
            requests: self.requests.results(),
            counters: self.network.counters(),
            storms: ports::storms(&ports, self.scenario.storm),
            ports,
            simulated: self.network.now(),
        }
    }
}
