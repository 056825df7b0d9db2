//! [`EthernetBuilder`](bandwise_scenario::ethernet::EthernetBuilder): built scenarios run, and
//! invalid ones give a reason.

use super::read;
use bandwise_netsim::engine::Sequential;
use bandwise_netsim::ethernet::{
    Buffering, Headroom, InputBuffers, Pfc, Schedule, SharedBuffer, SharedPfc,
};
use bandwise_rdma::transport::Timeout;
use bandwise_scenario::ethernet::{
    Arrival, ArrivalError, EthernetBuilder, EthernetScenario, Generator, Part, TransportKind,
    Workload,
};
use bandwise_topology::{NodeId, Port, builders};
use bandwise_units::{BitRate, Bytes, Time};
use bandwise_workload::{Flow, Incast, MAX_START};
use proptest::prelude::*;

const SMALL: &str = "[fabric]\nbuild = { single-switch = 4 }\n\
                     link = { rate = \"100 Gbps\", delay = \"100 ns\" }\n\
                     [workload]\nincast = { senders = 3, bytes = \"30 KB\" }\n";

fn small() -> EthernetBuilder {
    read(SMALL).into_builder()
}

fn why(builder: EthernetBuilder) -> String {
    builder.build().unwrap_err().to_string()
}

#[test]
fn ethernet_scenario_round_trips_through_its_builder() {
    let scenario = read(SMALL);
    let again = scenario.clone().into_builder().build().unwrap();
    assert_eq!(again.fingerprint(), scenario.fingerprint());
    assert_eq!(again.run(&mut ()), scenario.run(&mut ()));
    let other = small().seed(2).build().unwrap();
    assert_eq!(other.fingerprint(), scenario.with_seed(2).fingerprint());
}

#[test]
fn impossible_values_are_refused() {
    let incast = Incast::new(9, 8, 3, Bytes::new(3_000)).unwrap();
    let part = |class| Part { generator: Generator::Incast(incast.clone()), expected: 3, class };
    let of_two = Incast::new(2, 0, 1, Bytes::new(3_000)).unwrap();
    let classed = Part { generator: Generator::Incast(of_two), expected: 1, class: 1 };
    let shared = |buffer, alpha, headroom| {
        let pfc =
            Some(SharedPfc { headroom: Headroom::Fixed(Bytes::new(headroom)), slack: Bytes::ZERO });
        let shared = SharedBuffer { buffer: Bytes::new(buffer), alpha, reserve: Bytes::ZERO, pfc };
        small().change_model(|model| model.switch.buffering = Buffering::Shared(shared))
    };
    let pfc = |xoff, xon| {
        let pfc = Some(Pfc { xoff: Bytes::new(xoff), xon: Bytes::new(xon) });
        let inputs = InputBuffers { buffer: Bytes::new(10_000), pfc };
        small().change_model(|model| model.switch.buffering = Buffering::PerInput(inputs))
    };
    let thresholds = |node, number| {
        let port = Port { node: NodeId(node), number };
        let own = Pfc { xoff: Bytes::new(10), xon: Bytes::new(5) };
        let inputs = InputBuffers { buffer: Bytes::new(10_000), pfc: None };
        small().change_model(|model| {
            model.switch.buffering = Buffering::PerInput(inputs);
            model.thresholds.push((port, own));
        })
    };
    let one = builders::single_switch(1, BitRate::from_gbps(100), Time::ZERO).unwrap();
    let model = read(SMALL).model().clone();
    let homa = EthernetScenario::builder(
        builders::single_switch(3, BitRate::from_gbps(100), Time::ZERO).unwrap(),
        TransportKind::Homa,
        model.clone(),
    );
    let errors = [
        why(small().part(part(0))),
        why(small().part(classed)),
        why(EthernetScenario::builder(one, TransportKind::Irn, model)),
        why(homa),
        why(small().limit(Time::ZERO)),
        why(small().limit(Time::from_us(5)).warmup(Time::from_us(5))),
        why(small().storm(Time::ZERO)),
        why(small().change_model(|model| model.host.mtu = 0)),
        why(small().change_model(|model| model.host.extra_header = 9_999)),
        why(small().change_model(|model| model.host.poll = Some(Time::ZERO))),
        why(small().change_model(|model| model.host.transport.timeout = Timeout::Fixed(Time::ZERO))),
        why(small().change_model(|model| model.classes.count = 9)),
        why(small().change_model(|model| {
            model.classes.schedule = Schedule::Weighted { weights: [0; 8], strict: 0 }
        })),
        why(thresholds(77, 1)),
        why(thresholds(0, 9)),
        why(shared(9_000, f64::NAN, 0)),
        why(shared(9_000, 1.0, 3_000)),
        why(pfc(10_001, 0)),
        why(pfc(9_000, 9_001)),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn invalid_external_flows_are_refused() {
    let at = Time::from_us(1);
    let flow = |src, dst, bytes| Arrival::from(Flow { start: at, src, dst, bytes });
    let run = |arrivals: Vec<Arrival>| {
        let flows = arrivals.into_iter().map(Ok::<_, ArrivalError>);
        read(SMALL).run_with(&Sequential, flows, &mut ()).map(|results| results.finished)
    };
    assert_eq!(run(vec![flow(0, 1, 1), flow(3, 0, 1_000)]), Ok(2));
    assert_eq!(run(vec![flow(0, 99, 1)]), Err(ArrivalError::Hosts { src: 0, dst: 99, hosts: 4 }));
    assert_eq!(run(vec![flow(2, 2, 1)]), Err(ArrivalError::Hosts { src: 2, dst: 2, hosts: 4 }));
    assert_eq!(run(vec![flow(0, 1, 0)]), Err(ArrivalError::Bytes(Bytes::ZERO)));
    let classed = Arrival { class: 1, ..flow(0, 1, 1) };
    assert_eq!(run(vec![classed]), Err(ArrivalError::Class { class: 1, classes: 1 }));
    let last = Arrival::from(Flow { start: MAX_START, src: 0, dst: 1, bytes: 1 });
    assert_eq!(run(vec![last]), Ok(1));
    let late = MAX_START + Time::from_ps(1);
    let flow_at = Arrival::from(Flow { start: late, src: 0, dst: 1, bytes: 1 });
    assert_eq!(run(vec![flow_at]), Err(ArrivalError::Start(late)));
    let early = Arrival::from(Flow { start: Time::ZERO, src: 0, dst: 1, bytes: 1 });
    let order = ArrivalError::Order { start: Time::ZERO, last: at };
    assert_eq!(run(vec![flow(0, 1, 1), early]), Err(order));
}

/// Values mostly of one strategy, which are possible, now and then of another one.
fn mostly<T: std::fmt::Debug>(
    possible: impl Strategy<Value = T>,
    any: impl Strategy<Value = T>,
) -> impl Strategy<Value = T> {
    prop_oneof![19 => possible, 1 => any]
}

proptest! {
    /// The simulator runs every scenario that the builder accepts. Too many refusals fail the test.
    #[test]
    fn accepted_ethernet_scenarios_run(
        (mtu, extra, poll) in (
            mostly(512u32..=9_000, 0u32..10_000),
            mostly(0u32..=256, 0u32..1_000),
            proptest::option::of(mostly(1u64..=1_000, 0u64..2_000)),
        ),
        (count, weight, lossless) in (mostly(1u8..=8, 0u8..20), mostly(1u16..4, 0u16..4), any::<u8>()),
        (is_shared, buffer, xoff, xon) in (
            any::<bool>(),
            mostly(80_000u64..200_000, 0u64..40_000),
            mostly(0.0..=1.0, 0.0..1.5),
            mostly(0.0..=1.0, 0.0..1.5),
        ),
        (hosts, senders, bytes) in (mostly(3u32..=4, 2u32..9), 1u32..=2, 4u64..60_000),
        class in mostly(0u8..1, 0u8..9),
        (fixed, alpha) in (mostly(1u64..50, 0u64..1), mostly(0.01..3.0, -1.0..0.01)),
    ) {
        let builder = small().workload(Workload::Parts(Vec::new())).change_model(|model| {
            model.host.mtu = mtu;
            model.host.extra_header = extra;
            model.host.poll = poll.map(Time::from_ns);
            model.host.transport.timeout = Timeout::Fixed(Time::from_us(fixed));
            model.classes.count = count;
            model.classes.lossless = lossless;
            model.classes.schedule = Schedule::Weighted { weights: [weight; 8], strict: 0 };
            let part = |share: f64, of: Bytes| Bytes::new((share * of.get() as f64) as u64);
            let buffer = Bytes::new(buffer);
            model.switch.buffering = match is_shared {
                true => Buffering::Shared(SharedBuffer {
                    buffer,
                    alpha,
                    reserve: Bytes::new(100),
                    // 4 ports with up to 8 lossless classes: the headrooms can exceed the buffer.
                    pfc: Some(SharedPfc {
                        headroom: Headroom::Fixed(part(xoff / 10.0, buffer)),
                        slack: Bytes::new(2_000),
                    }),
                }),
                false => {
                    let xoff = part(xoff, buffer);
                    let pfc = Some(Pfc { xoff, xon: part(xon, xoff) });
                    Buffering::PerInput(InputBuffers { buffer, pfc })
                }
            };
        });
        let incast = Incast::new(hosts, 0, senders.min(hosts - 1), Bytes::new(bytes)).unwrap();
        let started = u64::from(senders.min(hosts - 1));
        let part = Part { generator: Generator::Incast(incast), expected: started, class };
        let scenario = builder.limit(Time::from_ms(1)).part(part).build();
        prop_assume!(scenario.is_ok());
        prop_assert_eq!(scenario.unwrap().run(&mut ()).started, started);
    }
}

#[test]
#[should_panic(expected = "the flows of the list flows.csv are for `run_with`")]
fn list_is_not_run_without_its_flows() {
    small().workload(Workload::List("flows.csv".into())).build().unwrap().run(&mut ());
}
