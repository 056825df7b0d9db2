//! [`Study`]: flows that share a link, measured while all of them are active.

use crate::repeated::Repeated;
use bandwise_netsim::engine::Executor;
use bandwise_netsim::infiniband::host::Notify;
use bandwise_netsim::infiniband::{Counters, Outcome as Ran, Simulation};
use bandwise_random::Stream;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Opcode, Qp, Transport};
use bandwise_rperf::{
    ClosedLoop, ClosedLoopSettings, Generator, KeyValueClient, KeyValueClientSettings, KeyValueQps,
    KeyValueSizes, KeyValueWorker, KeyValueWorkerSettings, Latency, Rounds, Summary, Think,
};
use bandwise_scenario::infiniband::InfinibandScenario;
use bandwise_scenario::{Effort, Experiment, Progress, Stop, Watch};
use bandwise_units::{BitRate, Bytes, Time};

/// The hosts at both ends of the data, independent of the posting host; a reversed flow swaps them.
const FROM: usize = 0;
const TO: usize = 1;
/// Interval of checks for the end of a run. The other flows continue until the check.
const LOOK: Time = Time::from_us(10);
/// Range of the random starts of programs, which keep programs from running in step.
const START: Time = Time::from_us(2);

/// Flows and a key-value store between the two hosts of a scenario, which start together. A run
/// ends when the first of them is done, or after `limit`.
#[derive(Debug, Clone)]
pub struct Study {
    pub(super) hosts: InfinibandScenario,
    pub(super) flows: Vec<Flow>,
    pub(super) store: Option<Store>,
    pub(super) limit: Time,
}

/// A flow with one outstanding message. The program posts the next message at the completion of the
/// previous one ("Next work request is posted until the WC of the previous one is polled from CQ").
#[derive(Debug, Clone, Copy)]
pub(super) struct Flow {
    pub(super) opcode: Opcode,
    pub(super) bytes: u32,
    /// Number of messages to send.
    pub(super) messages: u64,
    pub(super) notify: Notify,
    /// True if the data goes in the opposite direction.
    pub(super) turned: bool,
}

/// A key-value store in the manner of HERD: clients on the host that flows come from, workers on
/// the other host.
#[derive(Debug, Clone, Copy)]
pub(super) struct Store {
    pub(super) clients: usize,
    pub(super) workers: usize,
    /// Outstanding requests of a client.
    pub(super) window: u32,
    /// Number of requests of which one is a PUT.
    pub(super) put_every: u32,
    /// Bytes of a value.
    pub(super) value: u32,
    /// Number of requests of a client.
    pub(super) requests: u64,
}

/// The results of a run, which are valid only for a complete run.
#[derive(Debug)]
pub struct Outcome {
    /// Flows in the study's order.
    pub(super) flows: Vec<Measured>,
    /// All clients of the store together.
    pub(super) store: Option<Measured>,
    stop: Stop,
    window: Time,
    counters: Counters,
}

/// The measurements of a flow while all flows were active.
#[derive(Debug)]
pub struct Measured {
    /// Rate of arrived payload.
    pub(super) rate: BitRate,
    /// Time from posting to completion, if a message was completed.
    pub(super) latency: Option<Summary>,
    /// Completed messages per second.
    pub(super) per_second: f64,
    /// Share of the time in which its core was busy.
    pub(super) cpu: f64,
}

/// A running program: its host, its number there, and the host and queue pair where its payload
/// arrives.
struct Running {
    host: usize,
    number: usize,
    arrives: (usize, Qp),
}

/// A study with a seed.
#[derive(Debug, Clone)]
pub struct Trial {
    study: Study,
    seed: u64,
}

impl Repeated for Study {
    type Experiment = Trial;

    fn with_seed(&self, seed: u64) -> Result<Trial, String> {
        Ok(Trial { study: self.clone(), seed })
    }
}

impl Experiment for Trial {
    type Results = Outcome;

    fn conduct(&self, _: &impl Executor, watch: Watch<'_>) -> Outcome {
        let Trial { study, seed } = self;
        let Study { hosts, flows, store, limit } = study;
        let sim = Simulation::new(hosts.fabric(), hosts.routes(), hosts.models(), *seed);
        let mut sim = sim.expect("the builder has checked the tables");
        let mut starts = (0..).map(|i| Stream::new(*seed, "start", i).time_below(START));
        let mut begin = || starts.next().unwrap_or_default();
        let flows: Vec<Running> =
            flows.iter().map(|flow| study.start(&mut sim, flow, begin())).collect();
        let clients = match store {
            Some(store) => study.open(&mut sim, store, &mut begin),
            None => Vec::new(),
        };
        let is_over = |sim: &Simulation<Generator>| {
            flows.iter().chain(&clients).any(|p| sim.is_done(p.host, p.number))
        };
        let mut stop = Stop::Complete;
        while sim.now() < *limit && !is_over(&sim) {
            let part = sim.now().as_ps() as f64 / limit.as_ps() as f64;
            if watch(Progress { simulated: sim.now(), part }).is_break() {
                stop = Stop::Interrupted;
                break;
            }
            let until = (sim.now() + LOOK).min(*limit);
            if sim.run(until) == Ran::Quiet && !is_over(&sim) {
                stop = Stop::Stuck;
                break;
            }
        }
        let is_whole = stop == Stop::Complete;
        let of = |programs: &[Running]| measured(&sim, programs);
        Outcome {
            flows: flows
                .iter()
                .filter(|_| is_whole)
                .map(|flow| of(std::slice::from_ref(flow)))
                .collect(),
            store: store.filter(|_| is_whole).map(|_| of(&clients)),
            stop,
            window: sim.now(),
            counters: sim.counters(),
        }
    }

    fn stop(results: &Outcome) -> Stop {
        results.stop.clone()
    }

    fn effort(results: &Outcome) -> Effort {
        let Counters { packets_delivered, packet_hops, events, .. } = results.counters;
        Effort { simulated: results.window, packets_delivered, packet_hops, events }
    }
}

impl Study {
    fn inline_max(&self) -> u32 {
        self.hosts.models().device.inline_max.get() as u32
    }

    /// Starts the program of a flow. "Both flows share the same link": the host that posts READs is
    /// the destination of the data.
    fn start(&self, sim: &mut Simulation<Generator>, flow: &Flow, at: Time) -> Running {
        let Flow { opcode, bytes, messages: samples, notify, turned } = *flow;
        let reads = opcode == Opcode::Read;
        let (from, to) = if turned { (TO, FROM) } else { (FROM, TO) };
        let (here, there) = if reads { (to, from) } else { (from, to) };
        let (qp, peer) = sim.connect(here, there, Transport::Rc, Sl::default());
        let inline_max = self.inline_max();
        let rounds = Rounds { warmup: 0, samples, think: Think::none() };
        let program =
            ClosedLoop::new(ClosedLoopSettings { qp, opcode, bytes, inline_max, depth: 1, rounds })
                .into();
        let number = sim.start(here, &[qp], program, notify, at);
        Running { host: here, number, arrives: (to, if reads { qp } else { peer }) }
    }

    /// Starts workers and clients, and returns the clients.
    fn open(
        &self,
        sim: &mut Simulation<Generator>,
        store: &Store,
        begin: &mut impl FnMut() -> Time,
    ) -> Vec<Running> {
        let sizes = KeyValueSizes::herd(store.value);
        let mut of_clients = vec![Vec::new(); store.clients];
        for _ in 0..store.workers {
            let mut clients = Vec::new();
            for of_client in &mut of_clients {
                let (requests, asked) = sim.connect(FROM, TO, Transport::Rc, Sl::default());
                let (answers, answered) = sim.connect(FROM, TO, Transport::Ud, Sl::default());
                of_client.push(KeyValueQps { requests, responses: answers });
                clients.push(KeyValueQps { requests: asked, responses: answered });
            }
            let qps = both_directions(&clients);
            let inline_max = self.inline_max();
            let worker = KeyValueWorkerSettings { clients, sizes, inline_max };
            let worker = KeyValueWorker::new(worker).into();
            sim.start(TO, &qps, worker, Notify::Poll, Time::ZERO);
        }
        let client = |workers: Vec<KeyValueQps>| {
            let qps = both_directions(&workers);
            let arrives = (FROM, workers[0].responses);
            let client = KeyValueClientSettings {
                workers,
                window: store.window,
                sizes,
                put_every: store.put_every,
                inline_max: self.inline_max(),
                rounds: Rounds { warmup: 0, samples: store.requests, think: Think::none() },
            };
            let client = KeyValueClient::new(client).into();
            let number = sim.start(FROM, &qps, client, Notify::Poll, begin());
            Running { host: FROM, number, arrives }
        };
        of_clients.into_iter().map(client).collect()
    }
}

fn both_directions(qps: &[KeyValueQps]) -> Vec<Qp> {
    qps.iter().flat_map(|qps| [qps.requests, qps.responses]).collect()
}

/// Returns the measurements of several programs together, from the start until now.
fn measured(sim: &Simulation<Generator>, programs: &[Running]) -> Measured {
    let window = sim.now();
    let mut latency = Latency::new();
    let (mut payload, mut busy) = (0, 0.0);
    for &Running { host, number, arrives: (at, qp) } in programs {
        payload += sim.payload_arrived(at, qp);
        busy += sim.cpu_time(host, number).as_s_f64() / window.as_s_f64();
        if let Some(own) = sim.program(host, number).latency() {
            latency.merge(own);
        }
    }
    Measured {
        rate: BitRate::over(Bytes::new(payload), window),
        latency: latency.summary(),
        per_second: latency.count() as f64 / window.as_s_f64(),
        cpu: busy / programs.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::cases::with_device;
    use bandwise_input::Source;
    use bandwise_netsim::engine::Sequential;
    use bandwise_netsim::infiniband::host::IdleState;
    use std::ops::ControlFlow;

    const FDR: &str = include_str!("../../../../papers/isolation/fdr.toml");
    const MB: u32 = 1_000_000;

    /// Hosts whose cores take `exit` to wake, whenever they sleep; nothing else takes them away.
    fn hosts(exit: Time) -> InfinibandScenario {
        let hosts = InfinibandScenario::from_toml(
            &Source::new("fdr.toml", FDR),
            bandwise_scenario::no_files,
        )
        .unwrap();
        with_device(hosts, |device| {
            device.idle_states = vec![IdleState { after: Time::ZERO, exit }];
            device.os_tick = None;
        })
    }

    fn flow(opcode: Opcode, bytes: u32, messages: u64) -> Flow {
        Flow { opcode, bytes, messages, notify: Notify::Event, turned: false }
    }

    fn run(hosts: InfinibandScenario, flows: Vec<Flow>, store: Option<Store>) -> Outcome {
        let study = Study { hosts, flows, store, limit: Time::from_ms(100) };
        let mut go_on = |_: Progress| ControlFlow::Continue(());
        study.with_seed(1).unwrap().conduct(&Sequential, &mut go_on)
    }

    /// A flow with one outstanding message leaves the link to a busy flow between its messages. The busy
    /// flow gets 1 + pause / (time of a message on the wire) as much. The pause is the time of a lone
    /// message beyond its time on the wire, plus the wait of its first packet behind the other flow's
    /// packets in the RNIC's buffer.
    #[test]
    fn posting_pauses_lower_a_flows_share() {
        for (opcode, exit) in
            [(Opcode::Write, 0), (Opcode::Write, 60), (Opcode::Send, 200), (Opcode::Read, 60)]
        {
            let exit = Time::from_us(exit);
            let alone = run(hosts(exit), vec![flow(opcode, MB, 20)], None);
            let message_us = 1.0 / (alone.flows[0].per_second / 1e6);
            // 244 packets of 4096 B and one of 576 B, each with 26 to 48 bytes around it; seven whole ones
            // are in 32 KiB, and one more is on the wire.
            let packet_us = 0.605;
            let (wire_us, queue_us) = (244.2 * packet_us, 8.0 * packet_us);
            let both =
                run(hosts(exit), vec![flow(opcode, 1_000 * MB, 1), flow(opcode, MB, 50)], None);
            let [large, small] = &both.flows[..] else { panic!("two flows") };
            let ratio = large.rate.as_gbps_f64() / small.rate.as_gbps_f64();
            let expected = (message_us + queue_us) / wire_us;
            assert!((ratio / expected - 1.0).abs() < 0.02, "{opcode:?}: {ratio} for {expected}");
            assert!(large.latency.is_none() && small.latency.unwrap().count == 50);
        }
    }

    #[test]
    fn equal_flows_share_evenly_until_the_first_end() {
        let both = vec![flow(Opcode::Write, MB, 30), flow(Opcode::Write, MB, 10)];
        let outcome = run(hosts(Time::ZERO), both, None);
        let [one, other] = &outcome.flows[..] else { panic!("two flows") };
        assert_eq!(other.latency.unwrap().count, 10);
        assert!((9..=10).contains(&one.latency.unwrap().count));
        let ratio = one.rate.as_gbps_f64() / other.rate.as_gbps_f64();
        assert!((0.99..1.01).contains(&ratio), "{ratio}");
        let total = one.rate.as_gbps_f64() + other.rate.as_gbps_f64();
        assert!((52.0..54.1).contains(&total), "{total} Gbps of what a link of 54.5 carries");
    }

    /// Little's law: the number of outstanding requests is their rate times their latency.
    #[test]
    fn store_follows_littles_law() {
        let store =
            Store { clients: 3, workers: 2, window: 4, put_every: 20, value: 32, requests: 2_000 };
        let outcome = run(hosts(Time::ZERO), Vec::new(), Some(store));
        let clients = outcome.store.unwrap();
        let latency = clients.latency.unwrap();
        let outstanding = clients.per_second * latency.mean_ns / 1e9;
        assert!((11.5..12.0).contains(&outstanding), "{outstanding}");
        assert!((1.0 - clients.cpu) < 0.01, "they poll");
        assert!(latency.count > 3 * 1_900);
    }

    #[test]
    fn interrupted_study_has_no_flows() {
        let flows = vec![flow(Opcode::Write, MB, 1_000)];
        let study =
            Study { hosts: hosts(Time::ZERO), flows, store: None, limit: Time::from_ms(10) };
        let mut stop = |_: Progress| ControlFlow::Break(());
        let outcome = study.with_seed(1).unwrap().conduct(&Sequential, &mut stop);
        assert_eq!((Trial::stop(&outcome), outcome.flows.len()), (Stop::Interrupted, 0));
    }
}
