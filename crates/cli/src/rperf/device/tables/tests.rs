//! The text of a measurement and its JSON.

use super::super::answer::DeviceAnswer;
use super::*;
use crate::answer::Answer;
use bandwise_agents::Address;
use bandwise_measure::outcome::Throughput;
use bandwise_measure::placement::{Cpus, Placement};
use bandwise_measure::rate::Rate;
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{Bandwidth, Latency, Spread};
use bandwise_session::{Gid, Task, WantedPages};
use bandwise_units::Bytes;
use bandwise_verbs::ibverbs::Chosen;

fn task(method: Method, bytes: u32) -> Task {
    Task {
        method,
        transport: Transport::Rc,
        bytes: bytes.try_into().unwrap(),
        inline: 0.try_into().unwrap(),
        queue_pairs: 2.try_into().unwrap(),
        threads: 1.try_into().unwrap(),
        depth: 128.try_into().unwrap(),
        mtu: Mtu::MAX,
        sl: 5.try_into().unwrap(),
        traffic_class: 0.try_into().unwrap(),
        manager: false,
        events: false,
    }
}

fn settings(tasks: &[Task]) -> ClientSettings {
    let mut gid = [0; 16];
    (gid[10], gid[11], gid[12], gid[15]) = (0xff, 0xff, 10, 2);
    ClientSettings {
        server: Address { name: "node1".into(), port: 7000 },
        chosen: Chosen {
            device: "mlx5_0".into(),
            port: 1,
            gid: Some((3, Gid(gid))),
            lid: 0,
            mtu: Mtu::MAX,
        },
        placement: Placement { cpus: Cpus::Any, pages: WantedPages::Ordinary },
        tasks: tasks.to_vec(),
        allowed: Vec::new(),
        rate: None,
        window: Time::from_ms(1),
        until: Until::Samples(10),
        seed: 7,
    }
}

fn run(task: Task) -> Run {
    Run {
        task,
        peer: "mlx5_1".into(),
        mtu: Mtu::try_from(1024).unwrap(),
        pages: Pages::Ordinary { instead_because: None },
        stamped_at_khz: None,
        latency: None,
        by_stamps: None,
        bandwidth: None,
        took: Time::from_ms(20),
        busy: Time::from_ms(19),
    }
}

fn outcome(runs: Vec<Run>, end: RunEnd) -> Outcome {
    Outcome { runs, end, clock: "the system's clock".into() }
}

fn of(samples: &[i64]) -> Option<Summary> {
    let mut latency = Latency::new();
    samples.iter().for_each(|&ps| latency.record_ps(ps));
    latency.summary()
}

#[track_caller]
fn has(message: &str, words: &[&str]) {
    for words in words {
        assert!(message.contains(words), "no {words:?} in {message}");
    }
}

/// Samples below zero count, and missing samples are reported.
#[test]
fn partial_latency_is_marked() {
    let task = task(Method::Rperf, 64);
    let latency = of(&[-2_000, 0, 4_000]);
    let end = RunEnd::Failed("the other side is gone".into());
    let outcome = outcome(vec![Run { latency, ..run(task) }], end);
    let settings = settings(&[task]);
    let message = text(&settings, &outcome);
    has(
        &message,
        &[
            "rperf: round-trip time of 64 B on SL5 from mlx5_0 to mlx5_1 at node1:7000",
            "samples           3",
            "max            4 ns",
            "negative          1",
            "It took 3 of 10 samples.",
            "Partial: the other side is gone. mlx5_0 port 1, GID 3 (::ffff:10.0.0.2), 2 queue pairs (RC), MTU 1024 B",
            "0.020 s by the system's clock, busy polling, processors busy for 0.019 s;",
            "any processor, ordinary pages; the device stamps no completions; seed 7",
        ],
    );
    assert!(!message.contains("by stamps"), "{message}");
    let json = DeviceAnswer::new(&settings, &outcome).json();
    let flow = &json["flows"][0];
    assert_eq!(
        (&json["stop"], &json["failure"]),
        (&"failed".into(), &"the other side is gone".into())
    );
    assert_eq!(flow["latency"]["measured"]["negatives"], 1);
    assert!(flow["latency"]["by_device_clock"].is_null());
    assert_eq!((&flow["operation"], &flow["mtu_bytes"]), (&"send".into(), &1024.into()));
}

/// Latencies by the device's clock stand beside the measured ones.
#[test]
fn latency_table_includes_device_timestamps() {
    let task = task(Method::Rperf, 64);
    let by_stamps = of(&[1_000, 3_000]).zip(of(&[4_000, -1_000]));
    let stamped_at_khz = Some(156_250);
    let run = Run { latency: of(&[5_000, 2_000]), by_stamps, stamped_at_khz, ..run(task) };
    let (settings, outcome) = (settings(&[task]), outcome(vec![run], RunEnd::Complete));
    has(
        &text(&settings, &outcome),
        &[
            "measured  by stamps  difference",
            "max           5 ns       3 ns        4 ns",
            "does not depend on when this host",
            "completions stamped by the device;",
        ],
    );
    let flow = &DeviceAnswer::new(&settings, &outcome).json()["flows"][0];
    assert_eq!(flow["latency"]["by_device_clock"]["max_ns"], 3.0);
    assert_eq!(flow["latency"]["less_device_clock"]["min_ns"], -1.0);
    assert_eq!(flow["device_clock_khz"], 156_250);
}

/// A line for each size that was measured, as far as it got.
#[test]
fn sweep_table_has_a_row_for_each_measured_size() {
    let tasks = [2, 4, 8].map(|bytes| task(Method::PingPong(Operation::Send), bytes));
    let runs: Vec<_> = tasks[..2]
        .iter()
        .zip([[1_000_i64, 2_000], [3_000, 4_000]])
        .map(|(&task, samples)| Run { latency: of(&samples), ..run(task) })
        .collect();
    let (settings, outcome) = (settings(&tasks), outcome(runs, RunEnd::Interrupted));
    let message = text(&settings, &outcome);
    has(
        &message,
        &[
            "ping-pong by SEND: round-trip times on SL5",
            "payload  samples   p50",
            "2 B        2  1 ns",
            "4 B        2  3 ns",
            "Partial: interrupted.",
            "0.040 s by",
        ],
    );
    assert!(!message.contains("8 B"), "{message}");
    let json = DeviceAnswer::new(&settings, &outcome).json();
    let flows = json["flows"].as_array().unwrap();
    let bytes: Vec<_> = flows.iter().map(|flow| (&flow["run"], &flow["bytes"])).collect();
    assert_eq!(bytes, [(&0.into(), &2.into()), (&1.into(), &4.into())]);
}

fn bulk(threads: Vec<Bandwidth>, spread: Option<Spread>) -> Option<Throughput> {
    Throughput::of(threads, spread)
}

#[test]
fn bandwidth_table_has_peak_least_and_threads() {
    let task = task(Method::Bulk(Operation::WriteImm), 62_500);
    let (from, to) = (Time::from_ms(1), Time::from_ms(3));
    // 2.5 MB in two milliseconds are 10 Gbps; 30 messages in one are 15.
    let each = Bandwidth { bytes: Bytes::new(1_250_000), messages: 20, from, to };
    let spread = Some(Spread { each: Time::from_ms(1), count: 2, least: 10, most: 30 });
    let threaded = Run { bandwidth: bulk(vec![each, each], spread), ..run(task) };
    let settings = settings(&[task]);
    let found = outcome(vec![threaded], RunEnd::Complete);
    let message = text(&settings, &found);
    has(
        &message,
        &[
            "bulk by WRITE with immediate: bandwidth on SL5",
            "62,500 B        40  10 Gbps  15 Gbps  5 Gbps  0.02 Mpps",
            "thread 1        20   5 Gbps",
            "Peak and least are of 1 ms each",
        ],
    );
    assert!(!message.contains("Partial"), "{message}");
    let flow = &DeviceAnswer::new(&settings, &found).json()["flows"][0];
    let bandwidth = &flow["bandwidth"];
    assert_eq!(
        [&bandwidth["gbps"], &bandwidth["peak_gbps"], &bandwidth["least_gbps"]],
        [10.0, 15.0, 5.0]
    );
    assert_eq!(bandwidth["messages_per_s"], 20_000.0);
    assert_eq!(bandwidth["by_thread"][1]["gbps"], 5.0);
    assert_eq!(flow["operation"], "write-imm");
    // Less than a slice, and a limit.
    let short = Run { bandwidth: bulk(vec![each], None), ..run(task) };
    let limited = ClientSettings { rate: Some(Rate::Messages(7)), ..settings };
    let message = text(&limited, &outcome(vec![short], RunEnd::Complete));
    has(
        &message,
        &[
            "5 Gbps  -     -      0.01 Mpps",
            "less than 1 ms there is no peak",
            "rate limit was 7 messages/s",
        ],
    );
}
