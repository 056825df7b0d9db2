//! One message over two switches: every term of its round trip, to the picosecond.

use crate::common::{Either, RATE, Script, device, models, request, simulation, sl};
use bandwise_netsim::infiniband::host::Notify;
use bandwise_netsim::infiniband::{Models, Outcome};
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_topology::{Fabric, FabricBuilder, Port};
use bandwise_units::{BitRate, Bytes, Time};

const NEAR: Time = Time::from_ns(10);
const BETWEEN: Time = Time::from_ns(25);
const START: Time = Time::from_us(3);
const PAYLOAD: u32 = 1024;

/// Two hosts, two switches, three cables.
fn two_hops() -> Fabric {
    let mut b = FabricBuilder::new();
    let host = |b: &mut FabricBuilder, name| Port { node: b.add_host(name, 1).unwrap(), number: 1 };
    let (left, right) = (host(&mut b, "left"), host(&mut b, "right"));
    let (near, far) = (b.add_switch("near", 2).unwrap(), b.add_switch("far", 2).unwrap());
    b.connect(left, Port { node: near, number: 1 }, RATE, NEAR).unwrap();
    let [up, down] = [near, far].map(|node| Port { node, number: 2 });
    b.connect(up, down, RATE, BETWEEN).unwrap();
    b.connect(right, Port { node: far, number: 1 }, RATE, NEAR).unwrap();
    b.build().unwrap()
}

/// Returns when the program sees its completion, and the ground truth.
fn measured(models: &Models, opcode: Opcode) -> (Time, Time) {
    let mut sim = simulation(&two_hops(), models);
    let (qp, _) = sim.connect(0, 1, Transport::Rc, sl(0));
    let script = Script::new(vec![(START, request(qp, 0, opcode, PAYLOAD))]);
    sim.start(0, &[qp], Either::Script(script), Notify::Poll, Time::ZERO);
    assert_eq!(sim.run(Time::from_ms(1)), Outcome::Quiet);
    let [(at, completion)] = sim.program(0, 0).script().seen[..] else { panic!("one completion") };
    (at, completion.truth.unwrap())
}

/// Transmission time of a packet: its bytes, a start and an end delimiter, whole 8-byte blocks.
fn serialisation(packet: u64) -> Time {
    RATE.time_for(Bytes::new((packet + 2).next_multiple_of(8)))
}

/// Transmission time of `bytes` over PCIe, with the overhead of each 256.
fn pcie(bytes: u64) -> Time {
    BitRate::from_bps(61_000_000_000).time_for(Bytes::new(bytes + bytes.div_ceil(256) * 24))
}

/// Time between the ports, last bit out to last bit in: three cables and two cut-through switches.
fn between_ports(models: &Models) -> Time {
    NEAR + models.switch.latency + BETWEEN + models.switch.latency + NEAR
}

#[test]
fn latency_terms_match_hand_computed_values() {
    // 56 Gbps are 7 bytes a nanosecond: SEND 1024 + 26 bytes, +2 in whole blocks 1056.
    assert_eq!(serialisation(1024 + 26).as_ps(), 150_858);
    // An acknowledgement: 30 + 2 bytes.
    assert_eq!(serialisation(30).as_ps(), 4_572);
    assert_eq!(pcie(1024).as_ps(), 146_886);
    assert_eq!(between_ports(&models(device(), 1)).as_ps(), 445_000);
}

#[test]
fn a_send_is_acknowledged_before_its_data_is_placed() {
    let models = models(device(), 1);
    let d = &models.device;
    let terms = [
        START,
        d.cpu_wqe,                // the program builds the WQE
        d.mmio,                   // which the doorbell carries
        pcie(1024) + d.dma_read,  // payload from memory
        d.tx,                     // RNIC pipeline
        serialisation(1024 + 26), // LRH 8, BTH 12, ICRC 4, VCRC 2
        between_ports(&models),
        d.rx,              // the responder checks and acknowledges at once
        serialisation(30), // AETH 4 more
        between_ports(&models),
        d.rx,
        pcie(64) + d.dma_write, // CQE to memory, where the program polls
    ];
    let (at, truth) = measured(&models, Opcode::Send);
    assert_eq!(at, terms.into_iter().sum::<Time>());
    assert_eq!(truth, between_ports(&models) * 2);
}

#[test]
fn a_write_is_acknowledged_after_its_data_is_placed() {
    let models = models(device(), 1);
    let d = &models.device;
    let terms = [
        START,
        d.cpu_wqe,
        d.mmio,
        pcie(1024) + d.dma_read,
        d.tx,
        serialisation(1024 + 42), // RETH 16 more
        between_ports(&models),
        d.rx,
        pcie(1024) + d.dma_write, // data to the responder's memory
        d.dma_flush,              // flushed
        serialisation(30),
        between_ports(&models),
        d.rx,
        pcie(64) + d.dma_write,
    ];
    let (at, truth) = measured(&models, Opcode::Write);
    assert_eq!(at, terms.into_iter().sum::<Time>());
    assert_eq!(truth, between_ports(&models) * 2);
}

#[test]
fn a_read_fetches_its_data_at_the_other_end() {
    let models = models(device(), 1);
    let d = &models.device;
    let terms = [
        START,
        d.cpu_wqe,
        d.mmio,
        d.tx,              // nothing to fetch for a request
        serialisation(42), // RETH
        between_ports(&models),
        d.rx,
        pcie(1024) + d.dma_read, // payload from the responder's memory
        d.tx,
        serialisation(1024 + 30), // AETH
        between_ports(&models),
        d.rx,
        pcie(1024),             // data towards memory,
        pcie(64) + d.dma_write, // and the CQE behind it
    ];
    let (at, truth) = measured(&models, Opcode::Read);
    assert_eq!(at, terms.into_iter().sum::<Time>());
    assert_eq!(truth, between_ports(&models) * 2);
}

#[test]
fn a_slow_link_in_front_of_a_fast_one_delays_cut_through() {
    // The middle cable is ten times as fast. If its output has sent everything before, the first
    // switch must hold a packet until the packet's end has arrived.
    let mut b = FabricBuilder::new();
    let host = |b: &mut FabricBuilder, name| Port { node: b.add_host(name, 1).unwrap(), number: 1 };
    let (left, right) = (host(&mut b, "left"), host(&mut b, "right"));
    let (near, far) = (b.add_switch("near", 2).unwrap(), b.add_switch("far", 2).unwrap());
    b.connect(left, Port { node: near, number: 1 }, RATE, NEAR).unwrap();
    let [up, down] = [near, far].map(|node| Port { node, number: 2 });
    b.connect(up, down, BitRate::from_gbps(560), BETWEEN).unwrap();
    b.connect(right, Port { node: far, number: 1 }, RATE, NEAR).unwrap();
    let models = models(device(), 1);
    let mut sim = simulation(&b.build().unwrap(), &models);
    let (qp, _) = sim.connect(0, 1, Transport::Rc, sl(0));
    let script = Script::new(vec![(START, request(qp, 0, Opcode::Send, PAYLOAD))]);
    sim.start(0, &[qp], Either::Script(script), Notify::Poll, Time::ZERO);
    sim.run(Time::from_ms(1));
    // In each direction the packet is later by the time that the fast link saves: 9/10 of its
    // serialisation.
    let fast = |packet: u64| {
        BitRate::from_gbps(560).time_for(Bytes::new((packet + 2).next_multiple_of(8)))
    };
    let held = |packet| serialisation(packet) - fast(packet);
    let expected = between_ports(&models) * 2 + held(1024 + 26) + held(30);
    assert_eq!(sim.program(0, 0).script().seen[0].1.truth, Some(expected));
}
