//! Hosts whose model is chosen by their link: bandwidth and RPerf from 10 to 1600 Gbps.

use super::{gbps, run};
use bandwise_input::Source;
use bandwise_netsim::infiniband::host::DevicePreset;
use bandwise_scenario::infiniband::{InfinibandScenario, LimitingPart, MethodLimit};

fn text(gbps: u64, more: &str) -> String {
    format!(
        "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 3 }}\n\
         link = {{ rate = \"{gbps} Gbps\", delay = \"10 ns\" }}\n{more}"
    )
}

fn scenario(text: &str) -> InfinibandScenario {
    InfinibandScenario::from_toml(&Source::new("s.toml", text), bandwise_scenario::no_files)
        .unwrap()
}

/// Rates of the link, the payload rate of PCIe by hand, and the preset.
const GENERATIONS: [(u64, f64, &str); 8] = [
    (10, 61.0, "connectx4-56g"),
    (40, 61.0, "connectx4-56g"),
    (56, 61.0, "connectx4-56g"),
    (100, 126.03, "connectx5-edr"),
    (200, 252.06, "connectx6-hdr"),
    (400, 504.12, "connectx7-ndr"),
    (800, 968.0, "connectx8-xdr"),
    // No adapter has such a link.
    (1600, 968.0, "connectx8-xdr"),
];

/// Full packets have 4096 of 4122 B of payload on the wire, and 256 of 280 B in PCIe. With delimiters and
/// whole blocks of 8 B they take 4128 B: 0.15% less.
#[test]
fn bulk_reaches_the_slower_of_link_and_pcie() {
    for (link, pcie, preset) in GENERATIONS {
        let wanted = f64::min(link as f64 * 4096.0 / 4122.0, pcie * 256.0 / 280.0);
        for (bytes, buffer) in [("64 KiB", ""), ("1 MiB", ""), ("1 MiB", "buffer = \"16 MiB\"\n")] {
            let flow = format!(
                "[run]\nwarmup = \"1 ms\"\nduration = \"{} us\"\n\
                 [[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"bulk\"\nbytes = \"{bytes}\"\n\
                 {buffer}",
                // The time of 400 MiB.
                3_355_000 / link
            );
            let scenario = scenario(&text(link, &flow));
            assert_eq!(scenario.models().device.preset, preset, "{link}");
            let bottleneck = scenario.bottleneck(&scenario.flows()[0]);
            let is_pcie = wanted < 0.99 * link as f64 && pcie * 256.0 / 280.0 == wanted;
            assert_eq!(bottleneck.part == LimitingPart::Pcie(None), is_pcie, "{link}");
            let allowed = bottleneck.payload.as_gbps_f64();
            assert!((allowed / wanted - 1.0).abs() < 2e-3, "{link}: {allowed} of {wanted}");
            let got = gbps(&run(&text(link, &flow)).flows[0]);
            assert!((got / wanted - 1.0).abs() < 0.02, "{link}, {bytes}: {got} of {wanted}");
        }
    }
}

/// Two cables of 10 ns and a switch of 200 ns make 440 ns there and back. RPerf posts to the loopback
/// later than to the wire, and so takes this gap away too much. A loopback that is not
/// as fast as the link adds its part.
#[test]
fn rperf_errs_by_a_doorbell_and_the_loopback() {
    for (link, ..) in GENERATIONS {
        for bytes in [64, 1024, 4096] {
            let flow = rperf(&format!("{bytes} B"));
            let scenario = scenario(&text(link, &flow));
            let results = run(&text(link, &flow));
            let latency = results.flows[0].latency.unwrap();
            let (measured, truth) = (latency.measured.p50_ns, latency.truth.unwrap().p50_ns);
            assert!((truth - 440.0).abs() < 0.1, "{link}: {truth}");
            let bias = scenario.loopback_bias(&scenario.flows()[0]);
            let known = bias.map_or(0.0, |bias| bias.error.as_ns_f64());
            let details = format!("{link} Gbps, {bytes} B: {measured} ns, in truth {truth}");
            assert!((measured - truth + known).abs() <= 10.0, "{details}");
            // What remains is the later start of the loopback: by the second doorbell, or by the gap
            // between two packets of the RNIC if that is longer.
            let device = &scenario.models().device;
            let later = device.doorbell_gap.max(device.issue_gap).as_ns_f64();
            let within = if (100..=800).contains(&link) { 0.6 } else { 10.0 };
            assert!((measured - truth + known + later).abs() <= within, "{details}");
            // 4122 B and an acknowledgement of 30 B: x 8 x (1/800 - 1/1600) = 20.8 ns.
            assert_eq!(bias.is_some(), link > 800 && bytes == 4096, "{details}");
            let implausible = scenario.implausible(&results);
            assert!(implausible.is_empty() || link > 800, "{details}: {implausible:?}");
            let limits = scenario.method_limits(&results);
            assert_eq!(limits.is_empty(), bias.is_none(), "{details}: {limits:?}");
        }
    }
}

/// The doorbell's 64 B, and 24 B around them, at the rate of PCIe.
#[test]
fn doorbells_follow_each_other_at_the_rate_of_pcie() {
    for preset in ["connectx5-edr", "connectx6-hdr", "connectx7-ndr", "connectx8-xdr"] {
        let device = DevicePreset::named(preset).unwrap().model();
        let ps = 88.0 * 8.0 / (device.pcie_rate.as_bps() as f64) * 1e12;
        assert!((device.doorbell_gap.as_ps() as f64 - ps).abs() < 1.0, "{preset}");
    }
}

/// The message of 64 KiB and its loopback take turns packet by packet: the result says so.
#[test]
fn rperf_of_several_packets_is_limited() {
    let flow = rperf("64 KiB");
    let results = run(&text(100, &flow));
    let limits = scenario(&text(100, &flow)).method_limits(&results);
    let [MethodLimit::Turns { medians: Some((measured, truth)), .. }] = limits[..] else {
        panic!("{limits:?}")
    };
    assert!(measured > 2.0 * truth && (truth - 440.0).abs() < 0.1, "{measured} {truth}");
    let limit = limits[0].to_string();
    let start = "RPerf is for messages of one packet, of up to 4 KiB. The packets of 64 KiB";
    assert!(limit.starts_with(start), "{limit}");
    assert!(limit.ends_with(&format!("{measured:.0} ns at the median in place of 440 ns.")));
}

/// A WRITE's acknowledgement waits for `dma-flush` at the receiver, 1.22 us of a fit.
#[test]
fn latency_of_a_write_names_the_flush() {
    let flow = |more: &str| {
        format!(
            "[run]\nduration = \"20 ms\"\n[[flow]]\nfrom = \"h1\"\nto = \"h0\"\n\
             method = \"post-poll\"\nbytes = \"64 B\"\nsamples = 1000\n{more}"
        )
    };
    let results = run(&text(100, &flow("")));
    let limits = scenario(&text(100, &flow(""))).method_limits(&results);
    let [MethodLimit::Flush { flush, without: Some(without) }] = limits[..] else {
        panic!("{limits:?}")
    };
    assert_eq!(flush.as_ps(), 1_220_000);
    assert!(limits[0].to_string().contains("fitted to one testbed"), "{}", limits[0]);
    let file = flow("[device]\ndma-flush = \"0 ns\"\n");
    let results = run(&text(100, &file));
    let measured = results.flows[0].latency.unwrap().measured.p50_ns;
    assert!((measured - without).abs() < 20.0, "{measured} {without}");
    assert_eq!(scenario(&text(100, &file)).method_limits(&results), []);
    // So does one with immediate data.
    let imm = flow("").replace("post-poll\"", "closed-loop\"\nopcode = \"write-imm\"");
    let limits = scenario(&text(100, &imm)).method_limits(&run(&text(100, &imm)));
    assert!(matches!(limits[..], [MethodLimit::Flush { .. }]), "{limits:?}");
}

/// Adapters that a file names have a loopback as fast as the slower of their own link and this one;
/// FDR's 54.545 Gbps are 64/66 of 56.25.
#[test]
fn loopback_is_as_fast_as_the_link() {
    let loopback = |rate: &str, more: &str| {
        let file = format!(
            "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 3 }}\n\
             link = {{ rate = \"{rate} Gbps\" }}\n{more}"
        );
        scenario(&file).models().device.loopback_rate.as_bps()
    };
    let preset = |name: &str| format!("[device]\npreset = \"{name}\"\n");
    assert_eq!(loopback("10", ""), 10_000_000_000);
    assert_eq!(loopback("25", ""), 25_000_000_000);
    assert_eq!(loopback("54.545454545", ""), 56_250_000_000);
    assert_eq!(loopback("50", ""), 50_000_000_000);
    assert_eq!(loopback("1600", ""), 800_000_000_000);
    assert_eq!(loopback("100", &preset("connectx7-ndr")), 100_000_000_000);
    assert_eq!(loopback("400", &preset("connectx4-56g")), 56_250_000_000);
    let own = "[device]\nloopback-rate = \"30 Gbps\"\n";
    assert_eq!(loopback("100", own), 30_000_000_000);
}

fn rperf(bytes: &str) -> String {
    format!(
        "[run]\nduration = \"20 ms\"\n[[flow]]\nfrom = \"h1\"\nto = \"h0\"\n\
         method = \"rperf\"\nbytes = \"{bytes}\"\nsamples = 1000\n"
    )
}

/// The paper's hosts on a link of 400 Gbps: the answer is no round trip, and the reason is named.
#[test]
fn slow_loopback_is_named_where_results_are_impossible() {
    let flow = format!("[device]\npreset = \"connectx4-56g\"\n{}", rperf("4 KiB"));
    let scenario = scenario(&text(400, &flow));
    let implausible = scenario.implausible(&run(&text(400, &flow)));
    let messages: Vec<String> = implausible.iter().map(ToString::to_string).collect();
    // 4122 B and an acknowledgement of 30 B: x 8 x (1/56.25 - 1/400) = 507.5 ns.
    assert!(
        messages.iter().any(|m| m.contains("takes 507 ns too much away at 4 KiB")),
        "{messages:?}"
    );
    let message = "The loopback of 56.25 Gbps is slower than the link of 400 Gbps";
    assert!(messages.iter().all(|m| m.contains(message)), "{messages:?}");
}

/// A ConnectX-3 starts a packet each 28.571 ns. The 440 ns of cables and switch are measured as 411 and
/// the rest of a polling period, and the reason is told beside it.
#[test]
fn late_start_of_the_loopback_is_named() {
    let flow = format!("[device]\npreset = \"connectx3-fdr\"\n{}", rperf("64 B"));
    let scenario = scenario(&text(54, &flow));
    let results = run(&text(54, &flow));
    let latency = results.flows[0].latency.unwrap();
    let late = latency.truth.unwrap().p50_ns - latency.measured.p50_ns;
    assert!((late - 28.571).abs() < 5.0, "{late}");
    let told = "RPerf takes 28.571 ns too much away";
    assert_eq!(scenario.implausible(&results), []);
    let limits = scenario.method_limits(&results);
    assert!(limits[0].to_string().starts_with(told), "{limits:?}");
    // With 500 ns the samples are below zero.
    let late = text(54, &flow.replace("preset", "doorbell-gap = \"500 ns\"\npreset"));
    let implausible = self::scenario(&late).implausible(&run(&late))[0].to_string();
    assert!(implausible.contains("RPerf takes 500 ns too much away"), "{implausible}");
}

/// Two hosts with a cable of 2 ns: what is between the completions is the program's time for one.
#[test]
fn round_trip_below_the_resolution_is_named() {
    let text = format!(
        "kind = \"infiniband\"\n[fabric]\nlink = {{ rate = \"100 Gbps\", delay = \"2 ns\" }}\n\
         host = [{{ name = \"h0\" }}, {{ name = \"h1\" }}]\ncable = [{{ from = \"h0\", to = \"h1\" }}]\n{}",
        rperf("64 B")
    );
    let implausible = scenario(&text).implausible(&run(&text));
    let told = "Cables and switches take 4 ns both ways, and RPerf is off by up to 20 ns";
    assert!(implausible[0].to_string().contains(told), "{implausible:?}");
}
