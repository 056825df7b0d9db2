//! Hosts whose model is chosen by their link: bandwidth and RPerf from 10 to 1600 Gbps.

use super::{gbps, run};
use bandwise_input::Source;
use bandwise_scenario::infiniband::{InfinibandScenario, LimitingPart};

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

/// Full packets have 4096 of 4122 B of payload on the wire, and 256 of 280 B in PCIe.
#[test]
fn bulk_reaches_the_slower_of_link_and_pcie() {
    for (link, pcie, preset) in GENERATIONS {
        let wanted = f64::min(link as f64 * 4096.0 / 4122.0, pcie * 256.0 / 280.0);
        for bytes in ["64 KiB", "1 MiB"] {
            let flow = format!(
                "[run]\nwarmup = \"1 ms\"\nduration = \"{} us\"\n\
                 [[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"bulk\"\nbytes = \"{bytes}\"\n\
                 buffer = \"4 MiB\"\n",
                // The time of 100 MiB.
                839_000 / link
            );
            let scenario = scenario(&text(link, &flow));
            assert_eq!(scenario.models().device.preset, preset, "{link}");
            let bottleneck = scenario.bottleneck(&scenario.flows()[0]);
            let is_pcie = wanted < 0.99 * link as f64 && pcie * 256.0 / 280.0 == wanted;
            assert_eq!(bottleneck.part == LimitingPart::Pcie(None), is_pcie, "{link}");
            let allowed = bottleneck.payload.as_gbps_f64();
            assert!((allowed / wanted - 1.0).abs() < 1e-3, "{link}: {allowed} of {wanted}");
            let got = gbps(&run(&text(link, &flow)).flows[0]);
            assert!((got / wanted - 1.0).abs() < 0.02, "{link}, {bytes}: {got} of {wanted}");
        }
    }
}

/// RPerf posts to the loopback one doorbell later than to the wire, and so takes this gap away too
/// much. A loopback that is not as fast as the link adds its part.
#[test]
fn rperf_errs_by_a_doorbell_and_the_loopback() {
    for (link, ..) in GENERATIONS {
        for bytes in [64, 1024, 4096] {
            let flow = format!(
                "[run]\nduration = \"20 ms\"\n\
                 [[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"rperf\"\nbytes = \"{bytes} B\"\n\
                 samples = 1000\n"
            );
            let scenario = scenario(&text(link, &flow));
            let results = run(&text(link, &flow));
            let latency = results.flows[0].latency.unwrap();
            let (measured, truth) = (latency.measured.p50_ns, latency.truth.unwrap().p50_ns);
            let gap = scenario.models().device.doorbell_gap.as_ns_f64();
            let bias = scenario.loopback_bias(&scenario.flows()[0]);
            let faster = bias.is_some_and(|bias| bias.loopback > bias.link);
            let known = bias.map_or(0.0, |bias| bias.error.as_ns_f64());
            let expected = truth - gap + if faster { known } else { -known };
            let details = format!("{link} Gbps, {bytes} B: {measured} ns, in truth {truth}");
            let allowed = if (100..=800).contains(&link) { 0.5 } else { 10.0 };
            assert!((measured - expected).abs() <= allowed, "{details}");
            assert!(bias.is_none() || !(100..=800).contains(&link), "{details}");
            let implausible = scenario.implausible(&results);
            assert!(implausible.is_empty() || link > 800, "{details}: {implausible:?}");
        }
    }
}

/// The paper's hosts on a link of 400 Gbps: the answer is no round trip, and the reason is named.
#[test]
fn slow_loopback_is_named_where_results_are_impossible() {
    let flow = "[device]\npreset = \"connectx4-56g\"\n[run]\nduration = \"20 ms\"\n\
                [[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"rperf\"\nbytes = \"4 KiB\"\n\
                samples = 1000\n";
    let scenario = scenario(&text(400, flow));
    let implausible = scenario.implausible(&run(&text(400, flow)));
    let messages: Vec<String> = implausible.iter().map(ToString::to_string).collect();
    // 4122 B and an acknowledgement of 30 B: x 8 x (1/56.25 - 1/400) = 507.5 ns.
    assert!(
        messages.iter().any(|m| m.contains("takes 507 ns too much away at 4 KiB")),
        "{messages:?}"
    );
    let message = "The loopback of 56.25 Gbps is slower than the link of 400 Gbps";
    assert!(messages.iter().all(|m| m.contains(message)), "{messages:?}");
}
