//! Homa: what a scenario of it means and refuses, and its messages beside the same at the level of
//! flows.

use super::{of_kind, parse, read, try_read};
use bandwise_flowsim::policy::Homa;
use bandwise_flowsim::{FlowSpec, Network, Simulation};
use bandwise_netsim::ethernet::packet::{GAP, HEADERS};
use bandwise_netsim::ethernet::{Buffering, Routing};
use bandwise_rdma::homa::HomaSettings;
use bandwise_scenario::Stop;
use bandwise_scenario::ethernet::{EthernetScenario, FlowRecord, FlowWatch, Study, TransportKind};
use bandwise_units::{BitRate, Bytes, Time};

fn homa(keys: &str) -> HomaSettings {
    let parsed = parse(&format!("[transport]\nkind = \"homa\"\n{keys}\n"));
    assert_eq!((parsed.scenario.transport(), parsed.warnings.len()), (TransportKind::Homa, 0));
    parsed.scenario.model().host.homa.clone().unwrap()
}

#[test]
fn homa_defaults_follow_the_fabric_and_flow_sizes() {
    let scenario = read("[transport]\nkind = \"homa\"\n");
    assert_eq!((scenario.model().classes.count, scenario.model().routing), (8, Routing::Spray));
    assert!(matches!(scenario.model().switch.buffering, Buffering::Shared(shared)
        if shared.pfc.is_none() && shared.buffer == Bytes::new(6 * 240_000)));
    let default = homa("");
    // As many packets as IRN has in flight at most.
    let irn = read("[transport]\nkind = \"irn\"\n").model().host.transport.window;
    assert_eq!((Some(default.rtt), default.resend_after), (irn, Time::from_ms(2)));
    // With flows of about 200 KB, one of eight priorities serves the unscheduled first 119 KB.
    assert_eq!((default.priorities.scheduled(), default.priorities.cutoffs()), (7, &[][..]));
    // Small flows are unscheduled; half of the bytes belong to messages up to 70 KB.
    let small = homa("[workload]\npoisson = { sizes = { uniform = [\"1 B\", \"100 KB\"] } }");
    assert_eq!(small.priorities.scheduled(), 1);
    let cutoffs: Vec<u64> = small.priorities.cutoffs().iter().map(|c| c.get() / 1_000).collect();
    // The size below which n/7 of all bytes lie is 100 KB times the root of n/7.
    assert_eq!(cutoffs, [37, 53, 65, 75, 84, 92]);
    // Parts of the workload count by their number of flows.
    let mixed = homa(
        "[workload]\nincast = { senders = 2, bytes = \"200 KB\", requests = 9, every = \"1 ms\" }\n\
         permutation = { sizes = { fixed = \"1 KB\" } }",
    );
    assert_eq!(mixed.priorities.cutoffs(), [Bytes::new(1_000)]);
}

#[test]
fn explicit_homa_settings_are_used() {
    let given = homa(
        "[transport.homa]\nrtt-bytes = \"9500 B\"\ncutoffs = [\"1 KB\", \"5 KB\"]\n\
         resend-after = \"5 ms\"\n[switch]\nclasses = 4\nqueues = \"input\"\nrouting = \"ecmp\"",
    );
    assert_eq!((given.rtt.get(), given.resend_after), (10, Time::from_ms(5)));
    assert_eq!((given.priorities.scheduled(), given.priorities.count()), (1, 4));
    let of_list = homa("homa.unscheduled = 1\n[workload]\nflows = \"list.csv\"");
    assert_eq!((of_list.priorities.scheduled(), of_list.priorities.cutoffs()), (7, &[][..]));
    // Homa's parameters with another kind of transport.
    assert_eq!(read("[transport]\nhoma.rtt-bytes = \"9 KB\"\n").model().host.homa, None);
}

#[test]
fn invalid_homa_settings_are_refused() {
    let documents = [
        "recovery = \"sack\"",
        "bdp-cap = 3",
        "timeout = \"fixed\"",
        "rto-low = \"50 us\"",
        "rto-high = \"50 us\"",
        "few = 3",
        "acks = \"every-packet\"",
        "fetch-delay = \"1 us\"",
        "homa = 3",
        "homa.rtt = \"9 KB\"",
        "homa.rtt-bytes = \"0 B\"",
        "homa.resend-after = \"0 us\"",
        "homa.unscheduled = 8",
        "homa.unscheduled = 0",
        "homa.cutoffs = [\"5 KB\", \"5 KB\"]",
        "homa.cutoffs = [\"0 B\"]",
        "homa.cutoffs = [1000]",
        "homa.cutoffs = [\"1 KB\", \"2 KB\", \"3 KB\", \"4 KB\", \"5 KB\", \"6 KB\", \"7 KB\"]",
        "homa = { cutoffs = [], unscheduled = 1 }",
        "homa.cutoffs = [\"1 KB\"]\n[switch]\nclasses = 2",
        "[switch]\nclasses = 1",
        "[switch]\npfc = true",
        "[switch]\npfc = { headroom = \"30 KB\" }",
        "[switch]\nclasses = 2\nschedule = { weights = [1, 1] }",
        "[congestion-control]\nkind = \"dctcp\"",
        "[workload]\nincast = { priority = 1 }",
        "[workload]\nflows = \"list.csv\"",
        "homa.unscheduled = 2\n[workload]\nflows = \"list.csv\"",
    ];
    let messages = documents.iter().map(|keys| {
        let error = try_read(&format!("[transport]\nkind = \"homa\"\n{keys}\n")).expect_err(keys);
        format!("{keys}\n{error}\n")
    });
    insta::assert_snapshot!(messages.collect::<Vec<_>>().join("\n"));
}

#[test]
fn sweep_may_vary_the_transport() {
    let text = "[fabric]\nbuild = { single-switch = 8 }\nlink = { rate = \"40 Gbps\" }\n\
                [transport.homa]\ncutoffs = [\"1 KB\", \"10 KB\"]\n\
                [workload]\npoisson = { flows = 300 }\n\
                [sweep]\ntransport.kind = [\"irn\", \"roce\", \"iwarp\", \"homa\"]\n";
    let study =
        Study::from_toml(&bandwise_input::Source::new("n.toml", &of_kind(text)), super::file);
    let points = study.unwrap().points;
    assert_eq!(points.len(), 4);
    for point in points {
        let results = point.scenario.run(&mut ());
        assert_eq!((results.stop, results.finished), (Stop::Complete, 300));
    }
}

/// Homa's purpose: short messages hardly wait in an equally busy network.
#[test]
fn short_messages_pass_long_ones() {
    let tail = |kind: &str| {
        let text = format!(
            "[fabric]\nbuild = {{ fat-tree = 4 }}\nlink = {{ rate = \"40 Gbps\", delay = \"2 us\" }}\n\
             [transport]\nkind = \"{kind}\"\n[workload]\npoisson = {{ duration = \"2 ms\" }}\n"
        );
        let results = read(&text).run(&mut ());
        assert_eq!(results.stop, Stop::Complete);
        let single = &results.groups[1].1;
        assert!(single.flows > 100);
        (single.average_slowdown, single.slowdown_percentiles)
    };
    let ((homa, [.., homa_tail]), (irn, [.., irn_tail])) = (tail("homa"), tail("irn"));
    assert!(homa < 1.1 && irn > 1.5 * homa, "{homa} {irn}");
    assert!(homa_tail < 3.0 && irn_tail > 3.0 * homa_tail, "{homa_tail} {irn_tail}");
}

/// Takes down when flows are complete.
#[derive(Default)]
struct Records(Vec<FlowRecord>);

impl FlowWatch for Records {
    fn finished(&mut self, flow: &FlowRecord) {
        self.0.push(*flow);
    }
}

/// Returns the bytes of a message on a link: its packets with headers and gaps.
fn on_the_wire(scenario: &EthernetScenario, bytes: u64) -> Bytes {
    let packets = bytes.div_ceil(scenario.model().host.mtu.into()).max(1);
    Bytes::new(bytes + packets * u64::from(HEADERS + GAP))
}

/// Returns the messages at flow level, on the links from each host to the switch and back.
fn as_flows(scenario: &EthernetScenario, rate: BitRate, records: &[FlowRecord]) -> Vec<Time> {
    let homa = scenario.model().host.homa.as_ref().unwrap();
    let wire = |bytes| on_the_wire(scenario, bytes);
    let unscheduled = wire(u64::from(homa.rtt.get()) * u64::from(scenario.model().host.mtu));
    let cutoffs = homa.priorities.cutoffs().iter().map(|cutoff| wire(cutoff.get())).collect();
    let policy = Homa::new(unscheduled, cutoffs, homa.priorities.scheduled().into());
    let hosts = scenario.fabric().hosts().len() as u32;
    let network = Network::new((0..2 * hosts).map(|_| rate)).unwrap();
    let mut simulation = Simulation::new(network, policy);
    let mut ended = Vec::new();
    for (group, flow) in (0..).zip(records) {
        if flow.start > simulation.now() {
            simulation.advance(flow.start, &mut ended);
        }
        let path = [flow.src, hosts + flow.dst];
        let bytes = wire(flow.bytes);
        simulation.start(FlowSpec { path: &path, bytes, class: 0, group, cap: None });
    }
    while let Some(at) = simulation.next_event() {
        simulation.advance(at, &mut ended);
    }
    ended.sort_by_key(|ended| ended.group);
    ended.iter().zip(records).map(|(ended, flow)| ended.at - flow.start).collect()
}

/// Returns the mean time of messages at packet level divided by that at flow level, minus 1. The flow level includes
/// headers and the latency of an empty network.
fn difference(load: f64, sizes: &str) -> f64 {
    let rate = BitRate::from_gbps(40);
    let scenario = read(&format!(
        "[fabric]\nbuild = {{ single-switch = 16 }}\n\
         link = {{ rate = \"40 Gbps\", delay = \"500 ns\" }}\n\
         [transport]\nkind = \"homa\"\n[switch]\nbuffer = \"50 MB\"\n\
         [workload]\npoisson = {{ load = {load}, of = \"wire\", flows = 3000, sizes = {sizes} }}\n"
    ));
    let mut records = Records::default();
    let results = scenario.run(&mut records);
    assert_eq!((results.finished, results.counters.packets_retransmitted), (3_000, 0));
    let mut records = records.0;
    records.sort_by_key(|flow| flow.number);
    let flows = as_flows(&scenario, rate, &records);
    let latency =
        |flow: &FlowRecord| flow.alone - rate.time_for(on_the_wire(&scenario, flow.bytes));
    let flows: Time = flows.iter().zip(&records).map(|(&took, flow)| took + latency(flow)).sum();
    let packets: Time = records.iter().map(|flow| flow.completion_time).sum();
    packets.as_s_f64() / flows.as_s_f64() - 1.0
}

/// Messages much longer than a round trip are nearly all scheduled. Both levels grant the shortest, and differ in
/// when a grant acts. At packet level a grant acts a round trip later, and packets granted before keep their old
/// priority in the switch, which makes it slower. A sender with several granted messages sends the shortest instead
/// of sharing among those of a rank, which makes it faster.
#[test]
fn long_messages_take_equal_times_as_packets_and_as_flows() {
    for (load, sizes) in [
        (0.3, "\"irn-heavy-tailed\""),
        (0.6, "\"irn-heavy-tailed\""),
        (0.6, "{ uniform = [\"1 KB\", \"1 MB\"] }"),
    ] {
        let difference = difference(load, sizes);
        assert!(difference.abs() < 0.1, "load {load}, {sizes}: {difference}");
    }
}

/// Most bytes of messages up to two round trips are unscheduled. At flow level, messages of one priority share links;
/// at packet level, the shortest goes first at its sender (SRPT), so the mean is smaller.
#[test]
fn short_messages_are_faster_as_packets_than_as_flows() {
    let difference = difference(0.6, "{ uniform = [\"1 B\", \"30 KB\"] }");
    assert!((-0.25..0.0).contains(&difference), "{difference}");
}
