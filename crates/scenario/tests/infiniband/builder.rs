//! The builder: what it refuses, and that what it accepts can be run.

use bandwise_netsim::infiniband::host::{IdleState, MAX_RD_ATOMIC, Notify, OsTick};
use bandwise_netsim::infiniband::switch::Hiccup;
use bandwise_netsim::infiniband::{Models, PortQos};
use bandwise_rdma::qos::{Sl, Vl, VlArbTable};
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_scenario::infiniband::{
    BulkTraffic, Flow, FlowKey, FlowRequest, InfinibandBuilder, InfinibandScenario, LatencyTraffic,
    Method, MethodName, Senders,
};
use bandwise_topology::{Fabric, NodeId, builders};
use bandwise_units::{BitRate, Bytes, Time};
use proptest::prelude::*;
use std::ops::ControlFlow;

fn fabric() -> Fabric {
    builders::single_switch(3, BitRate::from_gbps(40), Time::from_ns(10)).unwrap()
}

fn builder() -> InfinibandBuilder {
    InfinibandScenario::builder(fabric())
}

fn latency() -> LatencyTraffic {
    LatencyTraffic { bytes: 64, warmup: 0, samples: 10, think: Time::ZERO }
}

fn flow(name: &str, from: usize, to: usize, method: Method) -> Flow {
    let (sl, transport, notify) = (Sl::default(), Transport::Rc, Notify::Poll);
    let (name, max_rd_atomic) = (name.into(), MAX_RD_ATOMIC);
    Flow { name, from, to, sl, transport, max_rd_atomic, notify, method }
}

fn error(builder: InfinibandBuilder) -> String {
    builder.build().expect_err("this must be refused").to_string()
}

#[test]
fn flows_of_hosts_that_do_not_exist_are_refused() {
    let rperf = || Method::RPerf(latency());
    insta::assert_snapshot!(error(builder().flow(flow("a", 1, 99, rperf()))), @"there is no host 99 (allowed: hosts 0 to 2)");
    insta::assert_snapshot!(error(builder().flow(flow("a", 3, 0, rperf()))), @"there is no host 3 (allowed: hosts 0 to 2)");
    insta::assert_snapshot!(error(builder().flow(flow("a", 1, 1, rperf()))), @r#""h1" sends to itself (allowed: two different hosts)"#);
    // Also for a scenario that was read and then changed.
    let scenario = builder().flow(flow("a", 1, 0, rperf())).build().unwrap();
    let mut changed = scenario.flows()[0].clone();
    changed.to = 99;
    insta::assert_snapshot!(error(scenario.into_builder().without_flows().flow(changed)), @"there is no host 99 (allowed: hosts 0 to 2)");
}

#[test]
fn impossible_models_are_refused() {
    let refused = |change: &dyn Fn(&mut Models)| {
        let flow = flow("a", 1, 0, Method::RPerf(latency()));
        error(builder().flow(flow).change_models(change))
    };
    let tick = |period, steal| Some(OsTick { period, steal });
    let (zero, ns) = (Time::ZERO, Time::from_ns(5));
    let of_port = |node, output| {
        let vlarb = Some(VlArbTable::even([Vl::default()], 1));
        PortQos { node: NodeId(node), input: None, output: Some(output), sl2vl: None, vlarb }
    };
    let idle = |after, exit| IdleState { after, exit };
    let errors = [
        refused(&|models| models.switch.buffer = Bytes::new(100)),
        refused(&|models| models.switch.buffer = Bytes::new(u64::MAX)),
        refused(&|models| models.switch.latency = Time::MAX),
        refused(&|models| models.switch.credit_delay = Time::MAX),
        refused(&|models| models.switch.hiccup = Some(Hiccup { one_in: 0, up_to: ns })),
        refused(&|models| models.device.cpu_wqe = Time::MAX),
        refused(&|models| models.device.pcie_rate = BitRate::from_bps(0)),
        refused(&|models| models.device.loopback_rate = BitRate::from_bps(0)),
        refused(&|models| models.device.pcie_payload = Bytes::ZERO),
        refused(&|models| models.device.inline_max = Bytes::new(u64::MAX)),
        refused(&|models| models.device.rx_buffer = Bytes::ZERO),
        refused(&|models| models.device.os_tick = tick(zero, zero)),
        refused(&|models| models.device.os_tick = tick(ns, ns)),
        refused(&|models| models.device.idle_states = vec![idle(ns, ns), idle(ns * 2, ns)]),
        refused(&|models| models.device.idle_states = vec![idle(Time::MAX, ns)]),
        refused(&|models| models.qos.ports.push(of_port(999, 1))),
        refused(&|models| models.qos.ports.push(of_port(0, 200))),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn impossible_flows_are_refused() {
    let rperf = flow("a", 1, 0, Method::RPerf(latency()));
    let twice = builder().flow(rperf.clone()).flow(rperf.clone());
    insta::assert_snapshot!(error(twice), @r#"two flows have the name "a" (allowed: a `name` that no other flow has)"#);
    insta::assert_snapshot!(error(builder().flow(Flow { name: "\n".into(), ..rperf.clone() })), @r#""\n" can't be the name of a flow (allowed: one or more characters, none of them a control character)"#);
    let none = LatencyTraffic { samples: 0, ..latency() };
    insta::assert_snapshot!(error(builder().flow(flow("a", 1, 0, Method::PingPong(none)))), @"samples can't be 0 (allowed: 1 to 1000000000)");
    let datagrams = Flow { transport: Transport::Ud, ..rperf };
    insta::assert_snapshot!(error(builder().flow(datagrams)), @r#"this method needs a reliable connection (allowed: transport = "rc")"#);
}

#[test]
fn requests_are_flows_by_name() {
    let both = || Senders::Each(vec!["h1".into(), "h2".into()]);
    let bulk = FlowRequest { qps: Some(2), ..FlowRequest::new(both(), "h0", MethodName::Bulk) };
    let scenario = builder().request(bulk.clone()).build().unwrap();
    let names: Vec<&str> = scenario.flows().iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["bulk h1->h0", "bulk h2->h0"]);
    let again = FlowRequest::new(Senders::One("h2".into()), "h0", MethodName::Bulk);
    insta::assert_snapshot!(error(builder().request(bulk).request(again)), @r#"two flows have the name "bulk h2->h0" (allowed: a `name` that no other flow has)"#);
    let unknown = Senders::Each(vec!["h2".into(), "h9".into()]);
    let unknown = builder().request(FlowRequest::new(unknown, "h1", MethodName::Rperf));
    insta::assert_snapshot!(error(unknown.clone()), @r#"there is no host "h9" (allowed: one of 3 hosts: "h0", "h1", "h2")"#);
    let bandwise_scenario::infiniband::BuildError::Flow(error) = unknown.build().unwrap_err()
    else {
        panic!("an error of a flow")
    };
    assert_eq!((error.number, error.key, error.sender), (0, FlowKey::Sender, 1));
}

#[test]
fn impossible_times_and_tables_are_refused() {
    insta::assert_snapshot!(error(builder().duration(Time::ZERO)), @"duration can't be 0 ps (allowed: 1 ps to 3600 s)");
    insta::assert_snapshot!(error(builder().warmup(Time::MAX)), @"warmup can't be 18446744.073709551615 s (allowed: 0 ps to 3600 s)");
    let empty = VlArbTable { high: Vec::new(), low: Vec::new(), high_limit: 0 };
    let tables = builder().change_models(|models| models.qos.vlarb = empty);
    insta::assert_snapshot!(error(tables), @"no entry of the arbitration table has a weight: at least one must be 1 to 255");
}

fn traffic() -> impl Strategy<Value = LatencyTraffic> {
    (0u32..5_000, 0u64..3, 0u64..20, 0u64..2_000_000).prop_map(|(bytes, warmup, samples, ps)| {
        LatencyTraffic { bytes, warmup, samples, think: Time::from_ps(ps) }
    })
}

fn opcode() -> impl Strategy<Value = Opcode> {
    prop_oneof![
        Just(Opcode::Send),
        Just(Opcode::Write),
        Just(Opcode::WriteImm),
        Just(Opcode::Read),
        Just(Opcode::Atomic)
    ]
}

fn bulk() -> impl Strategy<Value = BulkTraffic> {
    let counts = (0u32..20_000, opcode(), 0u64..40_000, 0u32..200, 0u32..10, 0u16..4);
    let times = (proptest::option::of(0u64..1 << 36), 0u64..30, proptest::option::of(0u64..30));
    (counts, times).prop_map(|((bytes, opcode, buffer, depth, batch, qps), (rate, start, stop))| {
        BulkTraffic {
            bytes,
            opcode,
            buffer: Bytes::new(buffer),
            depth,
            batch,
            qps,
            rate: rate.map(BitRate::from_bps),
            start: Time::from_us(start),
            stop: stop.map(Time::from_us),
        }
    })
}

fn any_flow() -> impl Strategy<Value = Flow> {
    let method =
        prop_oneof![
            traffic().prop_map(Method::RPerf),
            traffic().prop_map(Method::PingPong),
            traffic().prop_map(Method::PostPoll),
            (opcode(), 0u32..5, traffic())
                .prop_map(|(opcode, depth, traffic)| Method::ClosedLoop { opcode, depth, traffic }),
            bulk().prop_map(Method::Bulk),
        ];
    let transport = prop_oneof![4 => Just(Transport::Rc), 1 => Just(Transport::Ud)];
    let notify = prop_oneof![Just(Notify::Poll), Just(Notify::Event)];
    ("[a-z]{0,2}", 0usize..4, 0usize..4, 0u8..16, transport, notify, method).prop_map(
        |(name, from, to, sl, transport, notify, method)| {
            let sl = Sl::try_from(sl).unwrap();
            let max_rd_atomic = MAX_RD_ATOMIC;
            Flow { name, from, to, sl, transport, max_rd_atomic, notify, method }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, max_global_rejects: 30_000, ..ProptestConfig::default() })]

    /// Flows of any values are refused, or run without a panic. Too many refusals fail the test.
    #[test]
    fn accepted_infiniband_scenarios_run(flows in prop::collection::vec(any_flow(), 1..3)) {
        let short = builder().warmup(Time::from_us(2)).duration(Time::from_us(20));
        let scenario = flows.into_iter().fold(short, InfinibandBuilder::flow).build();
        prop_assume!(scenario.is_ok());
        let scenario = scenario.unwrap();
        let results = scenario.run(|_| ControlFlow::Continue(()));
        prop_assert_eq!(results.flows.len(), scenario.flows().len());
    }
}

#[test]
fn free_host_is_the_first_without_a_task() {
    let scenario = builder().build().unwrap();
    assert_eq!(scenario.free_host(&[]), Some("h0"));
    assert_eq!(scenario.free_host(&["h2", "h0"]), Some("h1"));
    assert_eq!(scenario.free_host(&["h0", "h1", "h2"]), None);
}
