//! The part that limits a bulk flow: what it allows by hand, beside the run.

use super::{gbps, run};
use bandwise_input::Source;
use bandwise_scenario::infiniband::{InfinibandScenario, LimitingPart};

/// Returns the limiting part of a flow, the rate that it allows, and that of the run.
fn limit(link: &str, keys: &str) -> (LimitingPart, f64, f64) {
    let text = format!(
        "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 2 }}\nlink = {{ {link} }}\n\
         [run]\nwarmup = \"1 ms\"\nduration = \"1 ms\"\n[[flow]]\nfrom = \"h0\"\nto = \"h1\"\n\
         method = \"bulk\"\n{keys}\n"
    );
    let source = Source::new("s.toml", &text);
    let scenario = InfinibandScenario::from_toml(&source, bandwise_scenario::no_files).unwrap();
    let bottleneck = scenario.bottleneck(&scenario.flows()[0]);
    (bottleneck.part, bottleneck.payload.as_gbps_f64(), gbps(&run(&text).flows[0]))
}

fn close(got: f64, wanted: f64, within: f64) -> bool {
    (got / wanted - 1.0).abs() < within
}

/// With messages of 4 KiB, a queue pair sends one in 135 ns: 242.7 Gbps. Four fill a link of 400 Gbps.
/// One message of 256 B in 135 ns makes 15.2 Gbps on any link.
#[test]
fn queue_pairs_limit_small_messages() {
    let link = "rate = \"400 Gbps\"";
    let (part, allowed, got) = limit(link, "buffer = \"1 MiB\"");
    assert!(matches!(part, LimitingPart::QueuePairs { qps: 1, .. }), "{part:?}");
    assert!(
        close(allowed, 4096.0 * 8.0 / 135.0, 1e-3) && close(got, allowed, 0.02),
        "{allowed} {got}"
    );
    let (part, allowed, got) = limit(link, "buffer = \"1 MiB\"\nqps = 4");
    assert!(matches!(part, LimitingPart::Link(_)), "{part:?}");
    assert!(
        // 4138 B with delimiters, in whole blocks of 8 B.
        close(allowed, 400.0 * 4096.0 / 4144.0, 1e-4) && close(got, allowed, 1e-3),
        "{allowed} {got}"
    );
    let (part, allowed, got) = limit(link, "bytes = \"256 B\"\nbuffer = \"1 MiB\"");
    assert!(matches!(part, LimitingPart::QueuePairs { qps: 1, .. }), "{part:?}");
    assert!(
        close(allowed, 256.0 * 8.0 / 135.0, 1e-3) && close(got, allowed, 0.02),
        "{allowed} {got}"
    );
}

/// A core builds a work request in 50 ns and handles a completion in 20 ns: 4 KiB in 70 ns are 468.1
/// Gbps. 64 B are copied into the request in 10 ns: 64 B in 80 ns are 6.4 Gbps.
#[test]
fn one_core_limits_many_queue_pairs() {
    let (part, allowed, got) = limit("rate = \"800 Gbps\"", "qps = 8\nbuffer = \"1 MiB\"");
    assert!(matches!(part, LimitingPart::Cpu(_)), "{part:?}");
    assert!(close(allowed, 468.1, 1e-3) && close(got, allowed, 0.03), "{allowed} {got}");
    let (part, allowed, got) =
        limit("rate = \"400 Gbps\"", "bytes = \"64 B\"\nqps = 8\nbuffer = \"1 MiB\"");
    assert!(matches!(part, LimitingPart::Cpu(_)), "{part:?}");
    assert!(close(allowed, 6.4, 1e-3) && close(got, allowed, 0.1), "{allowed} {got}");
}

/// 100 m are 500 ns. A switch's buffer covers this by default. 32 KiB hold seven packets of 4 KiB, which
/// take 2 x 500 + 200 + 82.6 + 50 ns for a round: 172.1 Gbps.
#[test]
fn credits_limit_long_cables_with_small_buffers() {
    let link = "rate = \"400 Gbps\", delay = \"500 ns\"";
    let bulk = "bytes = \"64 KiB\"\nbuffer = \"16 MiB\"";
    let (part, allowed, got) = limit(link, bulk);
    assert!(matches!(part, LimitingPart::Link(_)), "{part:?}");
    assert!(
        // 4122 B with delimiters, in whole blocks of 8 B; 16 B more in the first packet of 16.
        close(allowed, 400.0 * 4096.0 / 4129.0, 1e-4) && close(got, allowed, 1e-3),
        "{allowed} {got}"
    );
    let (part, allowed, got) = limit(link, &format!("{bulk}\n[switch]\nbuffer = \"32 KiB\""));
    assert!(matches!(part, LimitingPart::Credits { .. }), "{part:?}");
    let wanted = 7.0 * 4096.0 * 8.0 / (2.0 * 500.0 + 200.0 + 82.6 + 50.0);
    assert!(close(allowed, wanted, 1e-3) && close(got, allowed, 0.02), "{allowed} {got}");
}

#[test]
fn own_rate_limits() {
    let (part, allowed, got) = limit("rate = \"400 Gbps\"", "rate = \"20 Gbps\"");
    assert_eq!(part, LimitingPart::Rate);
    assert!(close(allowed, 20.0, 1e-3) && close(got, 20.0, 0.02), "{got}");
}

/// Hosts with a cable of 1 km, 5 us: 64 KiB hold 15 packets of 65 blocks, and a credit returns after two
/// times 5 us, 0.33 us of sending, 0.12 us of the pipeline, 0.28 us of PCIe (4480 B at 126.03 Gbps) and
/// 0.05 us. The default, doubled until it covers 10.8 us, fills the link.
#[test]
fn credits_of_a_host_limit_a_long_cable() {
    let run = |device: &str, keys: &str| {
        let text = format!(
            "kind = \"infiniband\"\n{device}\n[fabric]\nlink = {{ rate = \"100 Gbps\", delay = \"5 us\" }}\n\
             host = [{{ name = \"a\" }}, {{ name = \"b\" }}]\ncable = [{{ from = \"a\", to = \"b\" }}]\n\
             [run]\nwarmup = \"1 ms\"\nduration = \"1 ms\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n\
             method = \"bulk\"\nbytes = \"64 KiB\"\nbuffer = \"64 MiB\"\ndepth = 1024\n{keys}\n"
        );
        let source = Source::new("s.toml", &text);
        let scenario = InfinibandScenario::from_toml(&source, bandwise_scenario::no_files).unwrap();
        let bottleneck = scenario.bottleneck(&scenario.flows()[0]);
        (bottleneck.part, bottleneck.payload.as_gbps_f64(), gbps(&super::run(&text).flows[0]))
    };
    let by_hand = 15.0 * 4096.0 * 8.0 / (10_000.0 + 330.0 + 120.0 + 284.0 + 50.0);
    for keys in ["", "opcode = \"read\"\nmax-rd-atomic = 128"] {
        let (part, allowed, got) = run("device = { rx-buffer = \"64 KiB\" }", keys);
        assert!(matches!(part, LimitingPart::Credits { .. }), "{part:?}");
        assert!(close(allowed, by_hand, 1e-2) && close(got, allowed, 0.02), "{allowed} {got}");
        let (part, allowed, got) = run("", keys);
        assert!(matches!(part, LimitingPart::Link(_)), "{part:?}");
        assert!(
            close(allowed, 100.0 * 4096.0 / 4122.0, 1e-2) && close(got, allowed, 0.02),
            "{got}"
        );
    }
}

/// The RNIC that answers a READ starts a packet of 4 KiB each 500 ns: 65.5 Gbps.
#[test]
fn responder_of_reads_limits_them() {
    let keys = "bytes = \"64 KiB\"\nbuffer = \"4 MiB\"\nopcode = \"read\"\n\
                [[node]]\nname = \"h1\"\ndevice = { issue-gap = \"500 ns\" }";
    let (part, allowed, got) = limit("rate = \"100 Gbps\"", keys);
    assert!(matches!(part, LimitingPart::Rnic(_)), "{part:?}");
    assert!(close(allowed, 65.5, 1e-2) && close(got, allowed, 0.02), "{allowed} {got}");
}

/// A packet of 64 B has 90 B, 92 with delimiters, and takes 96 in whole blocks. With an MTU of 256 B, one
/// message of 257 B has two packets: of 282 and 27 B, which take 288 and 32.
#[test]
fn small_packets_have_the_rate_that_they_get() {
    for (rate, keys, payload, wire) in [
        (2.0, "bytes = \"64 B\"", 64.0, 96.0),
        (10.0, "bytes = \"257 B\"\n[device]\nmtu = 256", 257.0, 288.0 + 32.0),
    ] {
        let keys = format!("opcode = \"send\"\nbuffer = \"64 KiB\"\n{keys}");
        let (part, allowed, got) = limit(&format!("rate = \"{rate} Gbps\""), &keys);
        assert!(matches!(part, LimitingPart::Link(_)), "{part:?}");
        assert!(close(allowed, rate * payload / wire, 1e-6), "{allowed}");
        assert!(close(got, allowed, 2e-3), "{allowed} {got}");
    }
}
