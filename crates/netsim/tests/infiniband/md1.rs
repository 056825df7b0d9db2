//! Poisson arrivals at one output are an M/D/1 queue.

#[path = "../oracles/md1.rs"]
mod oracle;

use crate::common::{instant_device, models, request, simulation, sl};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_netsim::infiniband::{Models, Outcome, Simulation};
use bandwise_rdma::verbs::{Completion, Next, Opcode, Posts, Program, Transport, WorkRequest};
use bandwise_topology::{Fabric, FabricBuilder, Port};
use bandwise_units::{BitRate, Bytes, Time};

/// Many sources, so that a packet rarely waits for another of the same source.
const SOURCES: usize = 20;
const BYTES: u32 = 1024;
/// Rate of the output; each source has ten times that.
const OUTPUT: BitRate = BitRate::from_gbps(40);
/// 34 bytes around a datagram's payload, 2 of delimiters, whole blocks of 8.
const SERVICE: Time = OUTPUT.time_for(Bytes::new(1024 + 40));

/// Posts at given times, or records arrival times of datagrams by queue pair.
enum Player {
    Source { request: WorkRequest, times: Vec<Time>, posted: usize },
    Sink { arrived: Vec<Vec<Time>> },
}

impl Program for Player {
    fn step(&mut self, now: Time, seen: &[Completion], posts: &mut Posts) -> Next {
        match self {
            Player::Source { request, times, posted } => {
                while let Some(&at) = times.get(*posted) {
                    if at > now {
                        return Next::At(at);
                    }
                    posts.post(*request);
                    *posted += 1;
                }
                Next::Done
            }
            Player::Sink { arrived } => {
                for completion in seen {
                    arrived[usize::from(completion.qp.0)].push(now);
                }
                Next::Completion
            }
        }
    }
}

fn fabric() -> Fabric {
    let mut b = FabricBuilder::new();
    let switch = b.add_switch("switch", SOURCES as u16 + 1).unwrap();
    for number in 1..=SOURCES as u16 + 1 {
        let host = Port { node: b.add_host(format!("h{number}"), 1).unwrap(), number: 1 };
        let rate = if number == 1 { OUTPUT } else { BitRate::from_gbps(400) };
        b.connect(host, Port { node: switch, number }, rate, Time::from_ns(10)).unwrap();
    }
    b.build().unwrap()
}

fn wide_models() -> Models {
    let mut models = models(instant_device(), 1);
    // Only the output causes waits.
    models.switch.buffer = Bytes::from_kib(2048);
    models
}

/// Returns the times at which a source posts.
fn times(source: u64, mean: Time, until: Time) -> Vec<Time> {
    oracle::poisson(source, mean).take_while(|&at| at < until).collect()
}

fn check(load: f64, datagrams: u64) {
    let gap = Time::from_ps((SERVICE.as_ps() as f64 / load) as u64);
    let posts: Vec<Vec<Time>> =
        (0..SOURCES as u64).map(|s| times(s, gap * SOURCES as u64, gap * datagrams)).collect();
    let mut sim: Simulation<Player> = simulation(&fabric(), &wide_models());
    let mut sinks = Vec::new();
    for (source, times) in posts.iter().enumerate() {
        let (qp, sink) = sim.connect(source + 1, 0, Transport::Ud, sl(0));
        let request = WorkRequest { signaled: false, ..request(qp, 0, Opcode::Send, BYTES) };
        let player = Player::Source { request, times: times.clone(), posted: 0 };
        sim.start(source + 1, &[qp], player, Notify::Poll, Time::ZERO);
        sinks.push(sink);
    }
    let player = Player::Sink { arrived: vec![Vec::new(); SOURCES] };
    sim.start(0, &sinks, player, Notify::Poll, Time::ZERO);
    assert_eq!(sim.run(gap * datagrams * 2), Outcome::Quiet);
    let Player::Sink { arrived } = sim.program(0, 0) else { panic!("a sink") };

    let mut latencies = Vec::new();
    for (posted, arrived) in posts.iter().zip(arrived) {
        assert_eq!(posted.len(), arrived.len(), "no datagram is lost");
        latencies.extend(posted.iter().zip(arrived).map(|(&p, &a)| (a - p).as_ps() as f64));
    }
    // Some packet found an empty queue: its latency is the fixed part.
    let fixed = latencies.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = latencies.iter().sum::<f64>() / latencies.len() as f64 - fixed;

    let mut all = posts.concat();
    all.sort_unstable();
    oracle::check(mean, &all, SERVICE, load);
}

#[test]
fn waits_at_low_load() {
    check(0.3, 200_000);
}

#[test]
fn waits_at_medium_load() {
    check(0.6, 300_000);
}

#[test]
fn waits_at_high_load() {
    check(0.9, 1_000_000);
}
