//! The run of a scenario: programs on hosts, slices of simulated time, results.

use super::arrivals::Arrivals;
use crate::experiment::{Effort, Experiment, Progress, Stop, Watch};
use crate::infiniband::{
    BulkTraffic, Flow, FlowResult, InfinibandResults, InfinibandScenario, LatencyResult,
    LatencyTraffic, Method,
};
use bandwise_netsim::engine::Executor;
use bandwise_netsim::infiniband::{Outcome, Simulation};
use bandwise_random::Stream;
use bandwise_rdma::verbs::{Opcode, Qp, Transport};
use bandwise_rperf::{
    Bulk, BulkSettings, ClosedLoop, ClosedLoopSettings, Generator, Measure, PingPongInitiator,
    PingPongResponder, PingPongSettings, PostPoll, PostPollSettings, RPerf, RPerfSettings, Rounds,
    Think, Window,
};
use bandwise_units::Time;
use std::ops::ControlFlow;

/// Simulated time between two calls of the watch.
const SLICE: Time = Time::from_us(500);

/// A flow's program, and what arrives for it.
struct Started {
    /// The host of the program.
    host: usize,
    /// The program's number there.
    number: usize,
    /// Of a bulk flow, but of atomics, whose packets carry no payload.
    arrivals: Option<Arrivals>,
}

impl InfinibandScenario {
    /// Runs the scenario to its end, or until `watch` breaks, and returns the results so far.
    pub fn run(&self, mut watch: impl FnMut(Progress) -> ControlFlow<()>) -> InfinibandResults {
        let sim = Simulation::new(&self.fabric, &self.routes, &self.models, self.seed);
        let mut sim = sim.expect("the builder has checked the tables");
        let started = self.flows.iter().zip(0..).map(|(flow, i)| self.start(&mut sim, flow, i));
        let mut started: Vec<Started> = started.collect();
        let total = self.warmup + self.duration;
        let mut stop = Stop::Complete;
        let mut slice = Time::ZERO;
        while sim.now() < total {
            slice += SLICE;
            let outcome = run_to(&mut sim, slice.min(total), &mut started);
            if let Some(ports) = sim.deadlock() {
                stop = Stop::Deadlock(ports);
                break;
            }
            let progress = Progress {
                simulated: sim.now(),
                part: sim.now().as_ps() as f64 / total.as_ps() as f64,
            };
            if outcome == Outcome::Quiet || self.is_measured(&sim, &started) {
                break;
            }
            if watch(progress).is_break() {
                stop = Stop::Interrupted;
                break;
            }
        }
        let results = |(flow, started)| result_of(flow, started, &sim);
        let flows = self.flows.iter().zip(&started).map(results);
        InfinibandResults {
            flows: flows.collect(),
            stop,
            simulated: sim.now(),
            counters: sim.counters(),
        }
    }

    /// Returns whether there are latency flows, and all of them have all samples.
    fn is_measured(&self, sim: &Simulation<Generator>, started: &[Started]) -> bool {
        let latency = |flow: &Flow| !matches!(flow.method, Method::Bulk(_));
        let mut any = false;
        self.flows.iter().zip(started).filter(|(flow, _)| latency(flow)).all(|(_, started)| {
            any = true;
            sim.is_done(started.host, started.number)
        }) && any
    }

    fn start(&self, sim: &mut Simulation<Generator>, flow: &Flow, index: u64) -> Started {
        let rounds = |t: &LatencyTraffic| Rounds {
            warmup: t.warmup,
            samples: t.samples,
            think: Think::uniform(Time::ZERO, t.think, self.stream("think", index)),
        };
        // Random starts keep flows from running in step by construction.
        let jitter = Stream::new(self.seed, "start", index).time_below(Time::from_us(2));
        let (from, to) = (flow.from, flow.to);
        let connect = |sim: &mut Simulation<Generator>| {
            let (here, there) = sim.connect(from, to, flow.transport, flow.sl);
            sim.set_max_rd_atomic(from, here, flow.max_rd_atomic);
            (here, there)
        };
        let at = self.warmup + jitter;
        let mut arrivals = None;
        let (program, qps, at): (Generator, Vec<Qp>, Time) = match &flow.method {
            Method::RPerf(t) => {
                let (wire, _) = connect(sim);
                let (loopback, _) = sim.connect(from, from, Transport::Rc, flow.sl);
                let settings = RPerfSettings {
                    wire,
                    loopback,
                    bytes: t.bytes,
                    inline_max: 0,
                    rounds: rounds(t),
                };
                (RPerf::new(settings).into(), vec![wire, loopback], at)
            }
            Method::PingPong(t) => {
                let (here, there) = connect(sim);
                let settings = |qp| PingPongSettings {
                    qp,
                    opcode: Opcode::Send,
                    bytes: t.bytes,
                    inline_max: PingPongSettings::PERFTEST_INLINE_MAX,
                    signal_every: PingPongSettings::PERFTEST_SIGNAL_EVERY,
                };
                let responder = PingPongResponder::new(settings(there));
                sim.start(to, &[there], responder.into(), flow.notify, Time::ZERO);
                (PingPongInitiator::new(settings(here), rounds(t)).into(), vec![here], at)
            }
            Method::PostPoll(t) => {
                let (qp, _) = connect(sim);
                let settings = PostPollSettings { qp, bytes: t.bytes, rounds: rounds(t) };
                (PostPoll::new(settings).into(), vec![qp], at)
            }
            Method::ClosedLoop { opcode, depth, traffic: t } => {
                let (qp, _) = connect(sim);
                let settings = ClosedLoopSettings {
                    qp,
                    opcode: *opcode,
                    bytes: t.bytes,
                    inline_max: self.device_of(from).inline_max.get() as u32,
                    depth: *depth,
                    rounds: rounds(t),
                };
                (ClosedLoop::new(settings).into(), vec![qp], at)
            }
            Method::Bulk(t) => {
                let (qps, theirs): (Vec<Qp>, Vec<Qp>) = (0..t.qps).map(|_| connect(sim)).unzip();
                let (host, receiving) =
                    if t.opcode == Opcode::Read { (from, qps.clone()) } else { (to, theirs) };
                arrivals = (t.opcode != Opcode::Atomic).then(|| self.arrivals(t, host, receiving));
                let at = t.start + jitter;
                let inline_max = self.device_of(from).inline_max.get() as u32;
                let bulk = self.bulk(t, qps.clone(), at, inline_max);
                (bulk.into(), qps, at)
            }
        };
        let number = sim.start(from, &qps, program, flow.notify, at);
        Started { host: from, number, arrivals }
    }

    /// Returns the window in which results count.
    fn window(&self) -> Window {
        Window { from: self.warmup, to: self.warmup + self.duration }
    }

    /// Returns the window in which a bulk flow counts: from its start, and until it stops.
    fn window_of(&self, t: &BulkTraffic) -> Window {
        let all = self.window();
        let from = t.start.clamp(all.from, all.to);
        Window { from, to: t.stop.map_or(all.to, |stop| stop.clamp(from, all.to)) }
    }

    fn arrivals(&self, t: &BulkTraffic, host: usize, qps: Vec<Qp>) -> Arrivals {
        let window = self.window_of(t);
        let before = [(window.from == Time::ZERO).then_some(0), None];
        Arrivals { host, qps, window, before }
    }

    fn bulk(&self, t: &BulkTraffic, qps: Vec<Qp>, start: Time, inline_max: u32) -> Bulk {
        let settings = BulkSettings {
            qps,
            opcode: t.opcode,
            bytes: t.bytes,
            buffer: t.buffer,
            depth: t.depth,
            batch: t.batch,
            signal_every: 1,
            inline_max,
            start,
            until: t.stop,
            messages: None,
            rate: t.rate,
            window: self.window(),
        };
        Bulk::new(settings).expect("the builder has checked the flow")
    }

    /// Returns the seed of a program's random stream.
    fn stream(&self, name: &str, index: u64) -> u64 {
        Stream::new(self.seed, name, index).time_below(Time::MAX).as_ps()
    }
}

impl Experiment for InfinibandScenario {
    type Results = InfinibandResults;

    fn conduct(&self, _: &impl Executor, watch: Watch<'_>) -> InfinibandResults {
        self.run(watch)
    }

    fn stop(results: &InfinibandResults) -> Stop {
        results.stop.clone()
    }

    fn effort(results: &InfinibandResults) -> Effort {
        let counters = &results.counters;
        Effort {
            simulated: results.simulated,
            packets_delivered: counters.packets_delivered,
            packet_hops: counters.packet_hops,
            events: counters.events,
        }
    }
}

/// Runs to a time, and stops on the way where the payload of flows begins or ends to count.
fn run_to(sim: &mut Simulation<Generator>, end: Time, started: &mut [Started]) -> Outcome {
    loop {
        let counted = || started.iter().filter_map(|started| started.arrivals.as_ref());
        let times = counted().flat_map(|arrivals| [arrivals.window.from, arrivals.window.to]);
        let stop = times.filter(|&at| sim.now() < at && at < end).min().unwrap_or(end);
        let outcome = sim.run(stop);
        for arrivals in started.iter_mut().filter_map(|started| started.arrivals.as_mut()) {
            arrivals.look(sim);
        }
        if outcome == Outcome::Quiet || stop == end {
            return outcome;
        }
    }
}

fn result_of(flow: &Flow, started: &Started, sim: &Simulation<Generator>) -> FlowResult {
    let program = sim.program(started.host, started.number);
    let latency = program.measure().and_then(latency_of);
    let bandwidth = program.bandwidth().map(|mut b| {
        if let Some(arrivals) = &started.arrivals {
            b.bytes = arrivals.payload(sim);
            b.from = arrivals.window.from;
        }
        b.to = b.to.min(sim.now()).max(b.from);
        b
    });
    FlowResult { name: flow.name.clone(), latency, bandwidth }
}

fn latency_of(measure: &Measure) -> Option<LatencyResult> {
    let against = measure.against_truth();
    Some(LatencyResult {
        measured: measure.latency().summary()?,
        truth: against.and_then(|a| a.truth.summary()),
        error: against.and_then(|a| a.error.summary()),
    })
}
