//! Accepted documents and their meaning.

use super::{parse, read};
use bandwise_netsim::ethernet::{
    Buffering, Classes, Headroom, InputBuffers, NetworkModel, Pfc, Routing, Schedule,
};
use bandwise_rdma::congestion::{Algorithm, RedMarker};
use bandwise_rdma::transport::{Acks, Recovery, Timeout, TransportSettings};
use bandwise_scenario::Parsed;
use bandwise_scenario::ethernet::{EthernetScenario, TransportKind, Workload};
use bandwise_units::{Bytes, Time};
use std::num::NonZeroU32;

/// A comment alone, as an empty document is refused.
const NOTHING: &str = "# nothing\n";

const DEFAULT: &str = include_str!("../../../../papers/irn/default.toml");

fn transport(keys: &str) -> TransportSettings {
    read(&format!("[transport]\n{keys}\n")).model().host.transport
}

/// The thresholds of inputs.
fn pfc(scenario: &EthernetScenario) -> Option<Pfc> {
    match scenario.model().switch.buffering {
        Buffering::PerInput(inputs) => inputs.pfc,
        Buffering::Shared(_) => None,
    }
}

#[test]
fn empty_scenario_is_the_irn_default_case() {
    let Parsed { scenario, warnings } = parse(NOTHING);
    let (fabric, model, workload) = (scenario.fabric(), scenario.model(), scenario.workload());
    let (limit, seed) = (scenario.limit(), scenario.seed());
    assert_eq!((fabric.hosts().len(), fabric.switches().len()), (54, 45));
    let buffers = InputBuffers { buffer: Bytes::new(240_000), pfc: None };
    assert_eq!(model.switch.buffering, Buffering::PerInput(buffers));
    assert_eq!((model.host.mtu, model.host.extra_header), (1000, 0));
    assert_eq!(model.host.poll, None);
    let window = model.host.transport.window;
    assert_eq!(model.host.transport, TransportSettings { window, ..TransportSettings::irn() });
    // "~110 MTU-sized packets", and what the hops take to send one.
    assert!((110..125).contains(&window.unwrap().get()), "{window:?}");
    assert_eq!((limit, seed, warnings.len()), (None, 1, 0));

    let written = read(DEFAULT);
    assert_eq!(written.title(), "The default case of IRN");
    assert_eq!((written.model(), written.workload()), (model, workload));
    assert_eq!((written.limit(), written.seed()), (limit, seed));
    assert_eq!(written.fabric().links(), fabric.links());
}

#[test]
fn the_default_workload_has_seventy_percent() {
    let scenario = read(NOTHING);
    let bytes: u64 = scenario.arrivals().map(|arrival| arrival.flow.bytes).sum();
    let flows = scenario.arrivals().count() as u64;
    // 54 hosts, 28 Gbps of payload each, for 10 ms. Few large flows make most of it.
    let expected = 54.0 * 28e9 / 8.0 * 10e-3;
    assert!((0.9..1.1).contains(&(bytes as f64 / expected)), "{bytes} of {expected}");
    assert!(scenario.expected_flows().abs_diff(flows) < 300, "{flows}");
    let starts: Vec<Time> = scenario.arrivals().map(|arrival| arrival.flow.start).collect();
    assert!(starts.is_sorted() && starts.last() < Some(&Time::from_ms(10)));
}

#[test]
fn transports_are_read_by_name() {
    assert_eq!(transport("kind = \"iwarp\""), TransportSettings::iwarp());
    // RoCE has PFC by default (IRN 4.2).
    assert_eq!(transport("kind = \"roce\""), TransportSettings::roce_with_pfc());
    assert_eq!(transport("kind = \"roce\"\n[switch]\npfc = false"), TransportSettings::roce());
    let roce = read("[transport]\nkind = \"roce\"\n");
    let xoff = Bytes::new(240_000 - 20_000 - 3 * 1_082 + 20 - 84);
    assert_eq!(pfc(&roce), Some(Pfc { xoff, xon: xoff }));
    assert_eq!(roce.transport(), TransportKind::Roce);
    // With PFC there is no timeout (IRN 4.1), and IRN still acknowledges every packet.
    let irn = transport("kind = \"irn\"\n[switch]\npfc = true");
    assert_eq!((irn.timeout, irn.acks), (Timeout::None, Acks::EveryPacket));
}

#[test]
fn transport_variations_are_accepted() {
    let recovery = |name: &str| transport(&format!("recovery = \"{name}\"")).recovery;
    assert_eq!(recovery("go-back-n"), Recovery::GoBackN);
    assert_eq!(recovery("no-sack"), Recovery::SelectiveWithoutSack);
    assert_eq!(recovery("sack"), Recovery::Selective { partial_acks: true });
    assert_eq!(recovery("sack-only"), Recovery::Selective { partial_acks: false });
    assert_eq!(transport("bdp-cap = false").window, None);
    assert_eq!(transport("bdp-cap = 110").window, NonZeroU32::new(110));
    let auto = transport("bdp-cap = \"auto\"").window;
    assert_eq!(auto, transport("kind = \"roce\"\nbdp-cap = \"auto\"").window);
    assert_eq!(transport("timeout = \"dynamic\"").timeout, Timeout::DYNAMIC);
    assert_eq!(transport("timeout = \"fixed\"").timeout, Timeout::Fixed(Time::from_us(320)));
    let (low, high) = (Time::from_us(50), Time::from_us(640));
    let given = transport("rto-low = \"50 us\"\nrto-high = \"640 us\"\nfew = 10").timeout;
    assert_eq!(given, Timeout::LowHigh { low, high, few: 10 });
    // IRN 4.1: "approximately 320 us" for a buffer of 240 KB.
    let Timeout::LowHigh { high, .. } = transport("rto-high = \"auto\"").timeout else { panic!() };
    assert!((Time::from_us(318)..Time::from_us(320)).contains(&high), "{high}");
    let smaller = read("[transport]\nrto-high = \"auto\"\n[switch]\nbuffer = \"60 KB\"\n");
    let Timeout::LowHigh { low, high, .. } = smaller.model().host.transport.timeout else {
        panic!()
    };
    assert!(low == high && high < Time::from_us(100), "{high}");
    // A timeout below RTO_low lowers RTO_low to the same value.
    let short = Time::from_us(20);
    let given = transport("rto-high = \"20 us\"").timeout;
    assert_eq!(given, Timeout::LowHigh { low: short, high: short, few: 3 });
    assert_eq!(transport("fetch-delay = \"2 us\"").fetch, Time::from_us(2));
    let header = read("[transport]\nextra-header = 16\n");
    assert_eq!(header.model().host.extra_header, 16);
    let polls = read("[host]\npoll = \"10 ns\"\n");
    assert_eq!(polls.model().host.poll, Some(Time::from_ns(10)));
    // A cap and a timeout need an acknowledgement of every packet.
    assert_eq!(transport("kind = \"roce\"\nbdp-cap = 110").acks, Acks::EveryPacket);
    assert_eq!(transport("kind = \"roce\"\ntimeout = \"fixed\"").acks, Acks::EveryPacket);
    assert_eq!(transport("kind = \"roce\"\nacks = \"every-packet\"").acks, Acks::EveryPacket);
}

#[test]
fn pfc_thresholds_have_defaults() {
    let pfc = |keys: &str| pfc(&read(&format!("[switch]\n{keys}\n"))).unwrap();
    let given = pfc("pfc = { xoff = \"200 KB\", xon = \"150 KB\" }");
    assert_eq!((given.xoff, given.xon), (Bytes::new(200_000), Bytes::new(150_000)));
    assert_eq!(pfc("pfc = {}"), pfc("pfc = true"));
    // The threshold is lower by the difference in buffer size.
    let smaller = pfc("pfc = true\nbuffer = \"60 KB\"");
    assert_eq!(pfc("pfc = true").xoff - smaller.xoff, Bytes::new(180_000));
}

#[test]
fn shared_buffer_settings_have_defaults() {
    let shared = |keys: &str| {
        let text = format!("[switch]\nqueues = \"output\"\n{keys}\n");
        match &read(&text).model().switch.buffering {
            Buffering::Shared(shared) => *shared,
            Buffering::PerInput(_) => panic!("{text}"),
        }
    };
    // The default equals the buffers of six inputs.
    let usual = shared("");
    assert_eq!((usual.buffer, usual.alpha), (Bytes::new(6 * 240_000), 1.0));
    assert_eq!((usual.reserve, usual.pfc), (Bytes::ZERO, None));
    let given = shared("buffer = \"2 MB\"\nalpha = 8\nreserve = \"2 KB\"");
    assert_eq!((given.buffer, given.alpha), (Bytes::new(2_000_000), 8.0));
    assert_eq!(given.reserve, Bytes::new(2_000));
    let lossless = shared("pfc = true").pfc.unwrap();
    assert_eq!((lossless.headroom, lossless.slack), (Headroom::ByLink, Bytes::new(2 * 1_062)));
    assert_eq!(shared("pfc = {}"), shared("pfc = true"));
    assert_eq!(shared("[transport]\nkind = \"roce\""), shared("pfc = true"));
}

#[test]
fn traffic_classes_and_port_settings_are_read() {
    let model = |keys: &str| read(&format!("[switch]\n{keys}\n")).model().clone();
    assert_eq!(model("buffer = \"240 KB\"").classes, Classes::ONE);
    let two = model("classes = 2\nlossless = [1]\nschedule = { weights = [1, 3] }\npfc = true");
    let weights = [1, 3, 1, 1, 1, 1, 1, 1];
    let schedule = Schedule::Weighted { weights, strict: 0 };
    assert_eq!(two.classes, Classes { count: 2, lossless: 0b10, schedule });
    // Weights are those of the classes that are not strict, in order.
    let strict = model("classes = 3\nschedule = { weights = [20, 80], strict = [1] }");
    let weights = [20, 1, 80, 1, 1, 1, 1, 1];
    assert_eq!(strict.classes.schedule, Schedule::Weighted { weights, strict: 0b010 });
    let hosts = read("[switch]\nclasses = 3\n[host]\nack-priority = 1\ncnp-priority = 2\n");
    assert_eq!((hosts.model().host.ack_class, hosts.model().host.cnp_class), (Some(1), Some(2)));
    assert_eq!((two.host.ack_class, two.host.cnp_class), (None, None));
    // Each class has half of an input's buffer.
    assert_eq!(two.switch.buffering.buffer(), Bytes::new(120_000));
    let scenario = read(
        "[switch]\nclasses = 3\n[workload]\npoisson = { flows = 5 }\n\
         incast = { priority = 2, senders = 5 }\n",
    );
    let classes: Vec<_> = scenario.arrivals().map(|a| (a.request.is_some(), a.class)).collect();
    assert!(classes.iter().all(|&(incast, class)| class == if incast { 2 } else { 0 }));
    assert_eq!(classes.len(), 10);
    // A port's own thresholds, and those of all ports of a switch.
    let ports = read(
        "[switch]\npfc = true\n[[switch.port]]\nnode = \"core0.0\"\nxoff = \"100 KB\"\n\
         [[switch.port]]\nnode = \"core0.0\"\ninput = 2\nxon = \"50 KB\"\n",
    );
    let thresholds = &ports.model().thresholds;
    assert_eq!(thresholds.len(), 7);
    let of = |port: u16| thresholds.iter().find(|(at, _)| at.number == port).unwrap().1;
    assert_eq!(of(1), Pfc { xoff: Bytes::new(100_000), xon: Bytes::new(100_000) });
    assert_eq!(of(2), Pfc { xoff: Bytes::new(216_690), xon: Bytes::new(50_000) });
    assert_eq!(model("routing = \"spray\"").routing, Routing::Spray);
}

#[test]
fn fabrics_and_workloads_from_files() {
    let scenario = read("fabric-file = \"rack.toml\"\n[workload]\nflows = \"some/list.csv\"\n");
    assert_eq!(scenario.fabric().hosts().len(), 3);
    assert_eq!(*scenario.workload(), Workload::List("some/list.csv".into()));
    let scenario = read(
        "[workload]\npoisson = { load = 0.3, sizes = { cdf = \"sizes.cdf\" }, flows = 1000 }\n",
    );
    assert_eq!(scenario.arrivals().count(), 1000);
    assert!(scenario.arrivals().all(|arrival| arrival.flow.bytes <= 1_000_000));
}

#[test]
fn irn_middle_sizes_follow_the_chosen_spread() {
    let mean = |sizes: &str| {
        let poisson = format!("poisson = {{ sizes = {sizes}, flows = 20000 }}");
        let scenario = read(&format!("[workload]\n{poisson}\n"));
        let sizes = scenario.arrivals().map(|arrival| arrival.flow.bytes);
        sizes.filter(|bytes| (1_001..=200_000).contains(bytes)).sum::<u64>() / 7_000
    };
    // The mean of the range of 199 KB: half of it, or the range over the logarithm of 200.
    assert!((95_000..106_000).contains(&mean("{ irn-middle = \"uniform\" }")));
    assert!((35_000..40_000).contains(&mean("{ irn-middle = \"log-uniform\" }")));
    assert_eq!(mean("{ irn-middle = \"log-uniform\" }"), mean("\"irn-heavy-tailed\""));
}

#[test]
fn parts_of_a_workload_do_not_change_each_other() {
    let poisson = "poisson = { load = 0.5, duration = \"1 ms\" }\n";
    let incast = "incast = { senders = 5, bytes = \"1 MB\", requests = 3, every = \"300 us\" }\n";
    let flows = |parts: &str| read(&format!("[workload]\n{parts}")).arrivals().collect::<Vec<_>>();
    let both = flows(&format!("{poisson}{incast}"));
    let (of_incast, others): (Vec<_>, Vec<_>) =
        both.into_iter().partition(|arrival| arrival.request.is_some());
    assert_eq!(of_incast, flows(incast));
    assert_eq!(others, flows(poisson));
    let requests: Vec<u64> = of_incast.iter().filter_map(|arrival| arrival.request).collect();
    assert_eq!(requests, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    assert_eq!(flows("permutation = { sizes = { fixed = \"1 MB\" } }\n").len(), 54);
}

#[test]
fn questionable_settings_give_warnings() {
    let warnings = |text: &str| {
        let warnings = parse(text).warnings;
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let documents = [
        "[workload]\npoisson = { load = 1.2 }\n",
        "[workload]\npoisson = { load = 0.95 }\n",
        "[switch]\npfc = { xoff = \"220 KB\" }\n",
        "[switch]\npfc = { xoff = \"240 KB\" }\n[transport]\ntimeout = \"fixed\"\n",
        "[transport]\nkind = \"irn\"\ntimeout = false\n",
        "[switch]\nqueues = \"output\"\npfc = { headroom = \"20 KB\" }\n",
        "[switch]\npfc = true\n[[switch.port]]\nnode = \"core0.0\"\nxoff = \"239 KB\"\n",
        "[transport]\nkind = \"roce\"\n[switch]\nclasses = 2\nlossless = [1]\n",
        "[transport]\nkind = \"roce\"\n[switch]\nrouting = \"spray\"\n",
        "[switch]\nclasses = 2\nlossless = [1]\n",
        "[congestion-control]\nkind = \"timely\"\necn = { kmin = \"5 KB\", kmax = \"200 KB\", pmax = 0.01 }\n",
        // Eight hosts of 100 Gbps at each of two leaves, which one cable of 200 Gbps joins at a spine. Half
        // a load is 54.1% with headers: 8 x 54.1 Gbps x 8/15 of 200 Gbps.
        "[fabric]\nbuild = { leaf-spine = { leaves = 2, spines = 1, hosts = 8 } }\n\
         link = { rate = \"100 Gbps\" }\nuplink = { rate = \"200 Gbps\" }\n\
         [workload]\npoisson = { load = 0.5 }\n",
        // A round trip of 400 us and more.
        "[fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"100 Gbps\", delay = \"100 us\" }\n",
        // Links of 10 and 400 Gbps.
        "[fabric]\nlink = { rate = \"10 Gbps\" }\nswitch = [{ name = \"s\", ports = 2 }]\n\
         host = [{ name = \"slow\", port = \"s:1\" }, { name = \"fast\" }]\n\
         cable = [{ from = \"fast\", to = \"s:2\", rate = \"400 Gbps\" }]\n",
        "[transport]\nkind = \"homa\"\n[fabric]\nlink = { rate = \"10 Gbps\" }\n\
         switch = [{ name = \"s\", ports = 2 }]\nhost = [{ name = \"slow\", port = \"s:1\" }, { name = \"fast\" }]\n\
         cable = [{ from = \"fast\", to = \"s:2\", rate = \"400 Gbps\" }]\n\
         [workload]\nincast = { senders = 1, bytes = \"1 MB\" }\n",
    ];
    let message: Vec<String> =
        documents.iter().map(|text| format!("{text}{}\n", warnings(text))).collect();
    insta::assert_snapshot!(message.join("\n"));
    assert_eq!(warnings("[workload]\npoisson = { load = 0.95, of = \"wire\" }\n"), "");
    assert_eq!(warnings("[switch]\npfc = { xoff = \"216690 B\" }\n"), "");
}

#[test]
fn congestion_control_is_read_by_name() {
    let roce = |kind: &str| {
        let kinds =
            format!("[transport]\nkind = \"roce\"\n[congestion-control]\nkind = \"{kind}\"\n");
        read(&kinds).model().clone()
    };
    let dcqcn = roce("dcqcn");
    assert_eq!(dcqcn.host.congestion.algorithm, Algorithm::Dcqcn);
    assert_eq!(dcqcn.switch.ecn, Some(RedMarker::DCQCN.into()));
    // CNPs need no acknowledgements, round-trip times do.
    assert_eq!(dcqcn.host.transport.acks, Acks::OnCompletion);
    let timely = roce("timely");
    assert_eq!((timely.switch.ecn, timely.host.transport.acks), (None, Acks::EveryPacket));
    let hpcc = roce("hpcc");
    assert_eq!((hpcc.switch.ecn, hpcc.host.transport.acks), (None, Acks::EveryPacket));
    // 42 bytes of telemetry take part in the headroom: three packets of it.
    let room = |model: &NetworkModel| match &model.switch.buffering {
        Buffering::PerInput(inputs) => (inputs.buffer - inputs.pfc.unwrap().xoff).get(),
        Buffering::Shared(_) => 0,
    };
    assert_eq!(room(&hpcc), room(&timely) + 3 * 42);
    let marks =
        read("[congestion-control]\necn = { kmin = \"1 KB\", kmax = \"2 KB\", pmax = 1.0 }\n");
    let marker = RedMarker::new(Bytes::new(1_000), Bytes::new(2_000), 1.0).unwrap();
    assert_eq!(marks.model().switch.ecn, Some(marker.into()));
    assert_eq!(marks.model().host.congestion.algorithm, Algorithm::None);
}
