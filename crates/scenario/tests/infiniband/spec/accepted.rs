//! Accepted documents and their meaning.

use super::{FULL, SMALL, read};
use bandwise_netsim::infiniband::PortQos;
use bandwise_netsim::infiniband::egress::Scheduling;
use bandwise_netsim::infiniband::host::{DeviceModel, IdleState, Notify, OsTick};
use bandwise_netsim::infiniband::switch::{Hiccup, Queueing};
use bandwise_rdma::ib_congestion::{SourceSettings, Victims, linear_table, quadratic_table};
use bandwise_rdma::qos::{Sl2Vl, VlArbTable};
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_rdma::wire::Mtu;
use bandwise_scenario::infiniband::{InfinibandScenario, Method};
use bandwise_topology::{Fabric, builders, write};
use bandwise_units::{BitRate, Bytes, Time};
use std::ops::ControlFlow;

/// A scenario without flows in which everything has its default.
fn defaults_on(fabric: Fabric) -> InfinibandScenario {
    InfinibandScenario::builder(fabric).build().unwrap()
}

fn fabric() -> Fabric {
    builders::single_switch(3, BitRate::from_gbps(40), Time::from_ns(10)).unwrap()
}

#[test]
fn smallest_document_has_defaults() {
    let scenario = read(SMALL);
    let other = defaults_on(scenario.fabric().clone());
    assert_eq!(scenario.title(), "s.toml");
    assert_eq!(scenario.models(), other.models());
    assert_eq!(scenario.models().device, DeviceModel::connectx4_56g());
    assert_eq!(scenario.models().switch.buffer, Bytes::from_kib(32));
    assert_eq!(scenario.models().switch.hiccup, None);
    let run = |s: &InfinibandScenario| (s.warmup(), s.duration(), s.seed());
    assert_eq!(run(&scenario), (Time::from_us(100), Time::from_ms(50), 1));
    assert_eq!(run(&scenario), run(&other));
    let names: Vec<&str> = scenario.flows().iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["bulk h1->h0", "rperf h2->h0"]);
    let Method::Bulk(bulk) = &scenario.flows()[0].method else { panic!("not bulk") };
    assert_eq!((bulk.bytes, bulk.buffer, bulk.opcode), (4096, Bytes::from_kib(32), Opcode::Write));
    assert_eq!((bulk.batch, bulk.depth, bulk.qps, bulk.rate), (1, 128, 1, None));
    let Method::RPerf(rperf) = &scenario.flows()[1].method else { panic!("not rperf") };
    assert_eq!((rperf.bytes, rperf.samples, rperf.warmup), (64, 10_000, 20));
    // Eight packets of the one bulk sender: 4144 B each at 54.545454545 Gbps, 607.787 ns.
    assert_eq!(rperf.think, Time::from_ps(4_862_296));
}

fn idle_state(after_us: u64, exit_us: u64) -> IdleState {
    IdleState { after: Time::from_us(after_us), exit: Time::from_us(exit_us) }
}

#[test]
fn every_key_is_read() {
    let s = read(FULL);
    assert_eq!(s.title(), "Two bulk senders and a latency-sensitive flow");
    assert_eq!((s.warmup(), s.duration(), s.seed()), (Time::from_us(50), Time::from_ms(5), 7));
    let switch = &s.models().switch;
    assert_eq!((switch.latency, switch.credit_delay), (Time::from_ns(210), Time::from_ns(40)));
    assert_eq!((switch.scheduling, switch.queueing), (Scheduling::RoundRobin, Queueing::Voq));
    assert_eq!(switch.buffer, Bytes::from_kib(16));
    assert_eq!(switch.hiccup, Some(Hiccup { one_in: 256, up_to: Time::from_ns(200) }));
    let marking = switch.marking.unwrap();
    assert_eq!((marking.threshold, marking.marking_rate), (Bytes::from_kib(40), 3));
    assert_eq!((marking.packet_size, marking.victims), (256, Victims::All));
    let table = linear_table(64);
    let ns = Time::from_ns;
    let device = DeviceModel {
        preset: "connectx3-fdr",
        cpu_wqe: ns(1),
        cpu_inline: ns(2),
        cpu_completion: ns(3),
        cpu_poll: ns(4),
        interrupt: Time::from_us(14),
        idle_states: vec![idle_state(80, 10), idle_state(156, 59)],
        os_tick: Some(OsTick { period: Time::from_ms(1), steal: Time::from_us(3) }),
        mmio: ns(5),
        doorbell_gap: ns(6),
        dma_read: ns(7),
        dma_write: ns(8),
        dma_flush: ns(9),
        pcie_rate: BitRate::from_gbps(62),
        pcie_payload: Bytes::new(128),
        pcie_overhead: Bytes::new(26),
        tx: ns(10),
        rx: ns(11),
        issue_gap: ns(12),
        qp_gap: ns(13),
        loopback_rate: BitRate::from_gbps(63),
        tx_buffer: Bytes::from_kib(64),
        rx_buffer: Bytes::from_kib(65),
        mtu: Mtu::try_from(2048).unwrap(),
        inline_max: Bytes::new(220),
        congestion_control: Some(SourceSettings::new(table, 100, 2, 1).unwrap()),
    };
    assert_eq!(s.models().device, device);
    let qos = &s.models().qos;
    let entries = |text: &str| text.split(' ').map(|t| t.parse().unwrap()).collect();
    let vlarb = VlArbTable { high: entries("1:64"), low: entries("0:64 3:0"), high_limit: 1 };
    assert_eq!((qos.sl2vl.vls(), &qos.vlarb), (0b1011, &vlarb));
    let sl2vl = |first: [u8; 4]| {
        let lanes = first.into_iter().chain([0; 12]).collect::<Vec<u8>>();
        Some(Sl2Vl::try_from(lanes).unwrap())
    };
    let node = |name| s.fabric().find(name).unwrap();
    let port =
        |name, input, output| PortQos { node: node(name), input, output, sl2vl: None, vlarb: None };
    let out = VlArbTable { high: vec![], low: entries("0:32 3:16"), high_limit: 2 };
    let h6 = VlArbTable { high: entries("3:8"), low: entries("0:64 1:64"), high_limit: 0 };
    let ports = [
        PortQos { sl2vl: sl2vl([0, 3, 15, 3]), ..port("tor", Some(7), Some(1)) },
        PortQos { vlarb: Some(out), ..port("tor", None, Some(1)) },
        PortQos { sl2vl: sl2vl([1, 3, 15, 3]), vlarb: Some(h6), ..port("h6", None, None) },
    ];
    assert_eq!(qos.ports, ports);
    let ends: Vec<_> =
        s.flows().iter().map(|f| (f.name.as_str(), f.from, f.to, f.sl.get())).collect();
    let (h1, h2) = (("bsg h1->dst", 1, 0, 0), ("bsg h2->dst", 2, 0, 0));
    let rest = [("lsg", 3, 0, 1), ("closed-loop h6->h1", 3, 1, 0), ("ud", 3, 2, 0)];
    let rest = [rest.as_slice(), &[("bulk h6->dst", 3, 0, 0)]].concat();
    let reads: Vec<u8> = s.flows().iter().map(|f| f.max_rd_atomic).collect();
    assert_eq!(reads, [16, 16, 16, 16, 16, 4]);
    assert_eq!(ends, [[h1, h2].as_slice(), &rest].concat());
    let Method::Bulk(bulk) = &s.flows()[1].method else { panic!("not bulk") };
    assert_eq!((bulk.bytes, bulk.buffer, bulk.opcode), (2048, Bytes::from_kib(64), Opcode::Send));
    assert_eq!((bulk.batch, bulk.depth, bulk.qps), (8, 256, 2));
    assert_eq!(bulk.rate, Some(BitRate::from_gbps(10)));
    assert_eq!((bulk.start, bulk.stop), (Time::from_us(20), Some(Time::from_ms(3))));
    let Method::RPerf(rperf) = &s.flows()[2].method else { panic!("not rperf") };
    assert_eq!((rperf.bytes, rperf.samples, rperf.warmup), (64, 500, 5));
    assert_eq!(rperf.think, Time::from_us(1));
    assert!(matches!(s.flows()[3].method, Method::ClosedLoop { opcode: Opcode::WriteImm, .. }));
    let how: Vec<_> = s.flows()[2..].iter().map(|f| (f.transport, f.notify)).collect();
    let (rc, ud) = (Transport::Rc, Transport::Ud);
    let polls = |transport| (transport, Notify::Poll);
    assert_eq!(how, [polls(rc), (rc, Notify::Event), polls(ud), polls(rc)]);
}

#[test]
fn waits_grow_with_the_index_or_its_square() {
    let reaction = |keys: &str| {
        let scenario = read(&format!("{SMALL}[congestion-control]\n{keys}\n"));
        scenario.models().device.congestion_control.clone().unwrap()
    };
    let settings = |table| SourceSettings::new(table, 150, 1, 0).unwrap();
    assert_eq!(reaction("table = 5"), settings(linear_table(5)));
    let quadratic = settings(quadratic_table(9, 2.5, 1).unwrap());
    assert_eq!(reaction("table = { quadratic = 9, longest = 2.5, shift = 1 }"), quadratic);
    let finest = settings(quadratic_table(9, 2.0, 3).unwrap());
    assert_eq!(reaction("table = { quadratic = 9, longest = 2 }"), finest);
}

#[test]
fn a_lane_is_congested_by_half_of_the_buffer() {
    let threshold = |keys: &str| {
        let scenario = read(&format!("{SMALL}[congestion-control]\n{keys}\n"));
        scenario.models().switch.marking.unwrap().threshold
    };
    assert_eq!(threshold(""), Bytes::from_kib(16));
    assert_eq!(threshold("[switch]\nbuffer = \"20 KiB\""), Bytes::from_kib(10));
    assert_eq!(threshold("threshold = \"1 KiB\""), Bytes::from_kib(1));
}

#[test]
fn every_method_and_alternative_is_read() {
    for method in ["rperf", "ping-pong", "post-poll", "closed-loop", "bulk"] {
        let scenario = read(&SMALL.replace("\"rperf\"", &format!("{method:?}")));
        assert_eq!(scenario.flows()[1].name, format!("{method} h2->h0"));
    }
    let off = read(
        "kind = \"infiniband\"\n[fabric]\nbuild = \"back-to-back\"\nlink = { rate = \"1 Gbps\" }\n\
                    [device]\nos-tick = false\nmtu = \"1 KiB\"\n[switch]\nhiccup = false\n",
    );
    assert_eq!((off.models().device.os_tick, off.models().switch.hiccup), (None, None));
    assert_eq!(off.models().device.mtu.get(), 1024);
    assert!(off.flows().is_empty());
}

#[test]
fn every_opcode_has_its_payload() {
    let flow = |method: &str, keys: &str| {
        let text = SMALL.replace("\"rperf\"", &format!("{method:?}\n{keys}"));
        read(&format!("{text}[device]\nmtu = 2048\n")).flows().last().unwrap().clone()
    };
    let bulk = |keys: &str| match flow("bulk", keys).method {
        Method::Bulk(bulk) => (bulk.opcode, bulk.bytes),
        other => panic!("{other:?}"),
    };
    let closed_loop = |keys: &str| match flow("closed-loop", keys).method {
        Method::ClosedLoop { opcode, traffic, .. } => (opcode, traffic.bytes),
        other => panic!("{other:?}"),
    };
    for (name, opcode) in [
        ("send", Opcode::Send),
        ("write", Opcode::Write),
        ("write-imm", Opcode::WriteImm),
        ("read", Opcode::Read),
    ] {
        let key = format!("opcode = {name:?}");
        assert_eq!((bulk(&key), closed_loop(&key)), ((opcode, 4096), (opcode, 64)));
    }
    let atomic = "opcode = \"atomic\"";
    assert_eq!((bulk(atomic), closed_loop(atomic)), ((Opcode::Atomic, 8), (Opcode::Atomic, 8)));
    assert_eq!(bulk(&format!("{atomic}\nbytes = \"8 B\"")), (Opcode::Atomic, 8));
    let ud = "transport = \"ud\"";
    assert_eq!((bulk(ud), closed_loop(ud)), ((Opcode::Send, 2048), (Opcode::Send, 64)));
    assert_eq!(bulk(&format!("{ud}\nbytes = \"2 KiB\"")), (Opcode::Send, 2048));
    assert_eq!(flow("closed-loop", ud).transport, Transport::Ud);
}

#[test]
fn lanes_without_an_entry_share_evenly() {
    let qos = |keys: &str| read(&format!("{SMALL}[qos]\n{keys}\n")).models().qos.vlarb.clone();
    let sl2vl = "sl2vl = [0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15]";
    let text = |entries: &[bandwise_rdma::qos::VlArbEntry]| {
        entries.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(text(&qos(sl2vl).low), "0:64 1:64 2:64");
    let table = qos(&format!("{sl2vl}\nhigh = [\"1:10\"]"));
    assert_eq!((text(&table.high), text(&table.low)), ("1:10".into(), "0:64 2:64".into()));
    assert_eq!(text(&qos("high = [\"0:10\"]").low), "");
    // Lanes that only one port uses have an entry everywhere.
    let sl2vl = "sl2vl = [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]";
    let port = format!("[[qos.port]]\nnode = \"switch\"\n{sl2vl}\n");
    assert_eq!(text(&qos(&port).low), "0:64 5:64");
}

#[test]
fn zero_latencies_are_accepted() {
    let text = format!("{SMALL}[switch]\nlatency = \"0 ns\"\ncredit-delay = \"0 ns\"\n")
        .replace("Gbps\" }", "Gbps\", delay = \"0 ns\" }");
    let scenario = read(&text);
    let scenario = scenario.into_builder().duration(Time::from_us(50)).build().unwrap();
    let results = scenario.run(|_| ControlFlow::Continue(()));
    assert!(results.counters.packets_delivered > 100);
}

#[test]
fn a_fabric_file_is_a_scenario_without_flows() {
    for text in [write::toml(&fabric()), write::ibsim(&fabric()).unwrap()] {
        let scenario = read(&text);
        assert_eq!(scenario.fabric().hosts().len(), 3, "{text}");
        assert_eq!((scenario.title(), scenario.flows().len()), ("s.toml", 0));
    }
    let discovered = include_str!("../../../../topology/tests/data/two-racks.ibnetdiscover");
    assert!(read(discovered).fabric().hosts().len() > 1);
}

#[test]
fn documented_form_has_the_defaults() {
    let form = include_str!("../../../src/infiniband/spec/mod.rs")
        .lines()
        .filter_map(|l| l.strip_prefix("//!"));
    let toml = form.skip_while(|l| *l != " ```toml").skip(1).take_while(|l| *l != " ```");
    let documented = read(&toml.collect::<Vec<_>>().join("\n"));
    let mut models = defaults_on(documented.fabric().clone()).models().clone();
    let controlled = read(&format!("{SMALL}[congestion-control]\n")).models().clone();
    assert!(controlled.switch.marking.is_some());
    models.switch.marking = controlled.switch.marking;
    models.device.congestion_control = controlled.device.congestion_control;
    let port = documented.models().qos.ports[0].clone();
    assert_eq!((port.input, port.output, port.vlarb), (Some(3), Some(7), None));
    assert_eq!(port.sl2vl, Some(models.qos.sl2vl));
    models.qos.ports = documented.models().qos.ports.clone();
    assert_eq!(*documented.models(), models);
    let run = |s: &InfinibandScenario| (s.warmup(), s.duration(), s.seed());
    assert_eq!(run(&documented), run(&defaults_on(fabric())));
    assert_eq!(documented.flows().len(), 1);
}
