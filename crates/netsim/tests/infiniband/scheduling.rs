//! Order among the inputs of a lane: shares over two switches, and credits that a packet waits for.

use crate::common::random::config;
use crate::common::simulation;
use crate::common::{Either, RATE, Script, device, flood, instant_device, models, request, sl};
use bandwise_netsim::infiniband::Simulation;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::host::Notify;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_topology::builders::single_switch;
use bandwise_topology::{Fabric, FabricBuilder, Port};
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;

const DELAY: Time = Time::from_ns(10);

/// A parking lot: host 0 and hosts 3 to 5 at the near switch, hosts 1 and 2 at the far one, one link
/// between the switches.
fn parking_lot() -> Fabric {
    let mut b = FabricBuilder::new();
    let hosts: Vec<_> = (0..6).map(|i| b.add_host(format!("h{i}"), 1).unwrap()).collect();
    let [near, far] = ["near", "far"].map(|name| b.add_switch(name, 5).unwrap());
    let mut cable = |from, node, number| {
        let from = Port { node: from, number: if from == far { 5 } else { 1 } };
        b.connect(from, Port { node, number }, RATE, DELAY).unwrap();
    };
    for (host, switch, port) in
        [(0, near, 1), (3, near, 2), (4, near, 3), (5, near, 4), (1, far, 1), (2, far, 2)]
    {
        cable(hosts[host], switch, port);
    }
    cable(far, near, 5);
    b.build().unwrap()
}

/// Returns the payload rates in Gbps of hosts 1 to 5, which send to host 0.
fn parking_lot_rates(scheduling: Scheduling) -> Vec<f64> {
    const DURATION: Time = Time::from_ms(5);
    let mut models = models(device(), 1);
    models.switch.scheduling = scheduling;
    let mut sim = simulation(&parking_lot(), &models);
    for host in 1..6 {
        flood(&mut sim, (host, 0), sl(0), 4096, 64);
    }
    let completed = |sim: &Simulation<Either>| -> Vec<u64> {
        (1..6).map(|host| sim.program(host, 0).completed()).collect()
    };
    sim.run(DURATION);
    let before = completed(&sim);
    sim.run(DURATION * 2);
    let messages = completed(&sim).into_iter().zip(before).map(|(after, before)| after - before);
    messages.map(|n| BitRate::over(Bytes::new(n * 4096), DURATION).as_gbps_f64()).collect()
}

/// The output to host 0 has four inputs that always have a packet. By the order of arrival, each gets
/// a quarter, and the two behind the far switch share theirs. By age since the source, these two
/// come before the others, and get at least a fifth each. A WRITE of 4096 B takes 4144 B of the link
/// of 56 Gbps.
#[test]
fn parking_lot_shares_by_input_unless_by_age() {
    let all = 56.0 * 4096.0 / 4144.0;
    let (far, near) = (all / 8.0, all / 4.0);
    let by_age = parking_lot_rates(Scheduling::Age);
    assert!(by_age[..2].iter().all(|&rate| rate >= all / 5.0), "{by_age:?}");
    for scheduling in [Scheduling::Fcfs, Scheduling::RoundRobin] {
        let expected = [far, far, near, near, near];
        let rates = parking_lot_rates(scheduling);
        println!("{scheduling:?}: {rates:.2?}, by hand {expected:.2?}");
        for (rate, expected) in rates.iter().zip(expected) {
            assert!((rate / expected - 1.0).abs() < 0.02, "{scheduling:?}: {rates:?}");
        }
    }
}

/// A small packet that waits behind a large one without credits does not pass it, though the credits
/// would cover it. A packet of another lane does.
#[test]
fn packet_without_credits_stops_its_lane_only() {
    // The receiver's buffer has room for one packet of 4096 B (65 blocks) and one block more.
    for (lane, passes) in [(0, false), (1, true)] {
        let mut models = models(instant_device(), 2);
        models.device.rx_buffer = Bytes::new(66 * 64);
        // PCIe takes 33 us for 4096 B, and keeps the first packet in the receiver's buffer.
        models.device.pcie_rate = BitRate::from_gbps(1);
        let fabric = single_switch(4, RATE, DELAY).unwrap();
        let mut sim = simulation(&fabric, &models);
        let mut send = |host: usize, level: u8, at: Time, bytes| {
            let (qp, _) = sim.connect(host, 0, Transport::Rc, sl(level));
            let post = Script::new(vec![(at, request(qp, 0, Opcode::Send, bytes))]);
            sim.start(host, &[qp], Either::Script(post), Notify::Poll, Time::ZERO);
        };
        send(1, 0, Time::ZERO, 4096);
        send(2, 0, Time::from_us(5), 4096);
        send(3, lane, Time::from_us(45), 8);
        sim.run(Time::from_ms(1));
        let done = |host: usize| sim.program(host, 0).script().seen[0].0;
        let (large, small) = (done(2), done(3));
        assert_eq!(small < large, passes, "lane {lane}: {small} and {large}");
    }
}

/// Returns the median wait of messages of `bytes` beside `senders` bulk senders.
fn median_wait(scheduling: Scheduling, rate: BitRate, senders: usize, bytes: u32) -> Time {
    let mut models = models(instant_device(), 1);
    models.switch.scheduling = scheduling;
    let fabric = single_switch(7, rate, DELAY).unwrap();
    let mut sim = simulation(&fabric, &models);
    for host in 1..=senders {
        flood(&mut sim, (host, 0), sl(0), 4096, 16);
    }
    let (qp, _) = sim.connect(6, 0, Transport::Rc, sl(0));
    // Further apart than any wait, at varying phases of the bulk packets.
    let packet = rate.time_for(Bytes::new(4144));
    let apart = packet * (60 * senders as u64) + packet / 7 + Time::from_us(3);
    let post = |id| (apart * (id + 5), request(qp, id, Opcode::Send, bytes));
    let script = Script::new((0..101).map(post).collect());
    sim.start(6, &[qp], Either::Script(script), Notify::Poll, Time::ZERO);
    sim.run(apart * 120);
    let seen = &sim.program(6, 0).script().seen;
    assert_eq!(seen.len(), 101);
    let mut truths: Vec<Time> = seen.iter().map(|(_, c)| c.truth.unwrap()).collect();
    truths.sort_unstable();
    truths[50]
}

proptest! {
    #![proptest_config(config(12))]

    /// A larger message does not wait less than a smaller one, beyond half a bulk packet by chance.
    #[test]
    fn larger_messages_do_not_wait_less(
        scheduling in prop::sample::select(vec![Scheduling::Fcfs, Scheduling::RoundRobin]),
        gbps in prop::sample::select(vec![10u64, 56, 100, 400]),
        senders in 1usize..6,
    ) {
        let rate = BitRate::from_gbps(gbps);
        let half = rate.time_for(Bytes::new(4144)) / 2;
        let mut before = Time::ZERO;
        for bytes in [64, 256, 512, 1024, 2048, 4096] {
            let wait = median_wait(scheduling, rate, senders, bytes);
            prop_assert!(wait + half >= before, "{bytes} B: {wait} after {before}");
            before = before.max(wait);
        }
    }
}
