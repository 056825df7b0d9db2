//! Congestion control: what it does, and that it is off unless it is asked for.

use super::{gbps, median_ns, run};
use bandwise_input::Source;
use bandwise_scenario::infiniband::InfinibandScenario;

/// Five bulk senders into a host, and RPerf beside them.
fn incast(congestion_control: &str) -> String {
    format!(
        "kind = \"infiniband\"\n[fabric]\nbuild = {{ single-switch = 7 }}\n\
         link = {{ rate = \"54.545454545 Gbps\", delay = \"10 ns\" }}\n\
         {congestion_control}\n\
         [run]\nwarmup = \"2 ms\"\nduration = \"60 ms\"\n\
         [[flow]]\nfrom = [\"h1\", \"h2\", \"h3\", \"h4\", \"h5\"]\nto = \"h0\"\n\
         method = \"bulk\"\n\
         [[flow]]\nfrom = \"h6\"\nto = \"h0\"\nmethod = \"rperf\"\nsamples = 1500\n"
    )
}

#[test]
fn congestion_control_keeps_queues_short_at_little_cost() {
    let measure = |congestion_control| {
        let results = run(&incast(congestion_control));
        let (rperf, bulk) = results.flows.split_last().unwrap();
        let rates: Vec<f64> = bulk.iter().map(gbps).collect();
        (median_ns(rperf), rates)
    };
    let ((without, n), full) = measure("");
    let ((with, m), rates) = measure("[congestion-control]");
    let (all, some): (f64, f64) = (full.iter().sum(), rates.iter().sum());
    let details = format!(
        "RPerf's median: {with} ns of {m} with congestion control, {without} ns of {n} without; \
         together the senders get {some:.2} Gbps of {all:.2}, each {rates:.2?}"
    );
    assert_eq!((n, m), (1_500, 1_500), "{details}");
    // 20 us are five buffers of 32 KiB in front of the link.
    assert!(without > 15_000.0 && with < without / 8.0, "{details}");
    assert!(some > 0.95 * all && some < all, "{details}");
    let fair = some / 5.0;
    assert!(rates.iter().all(|rate| (rate / fair - 1.0).abs() < 0.25), "{details}");
}

#[test]
fn congestion_control_is_off_by_default() {
    let scenario = InfinibandScenario::from_toml(
        &Source::new("s.toml", &incast("")),
        bandwise_scenario::no_files,
    )
    .unwrap();
    assert_eq!(scenario.models().switch.marking, None);
    assert_eq!(scenario.models().device.congestion_control, None);
}

/// Without marks, congestion control changes no event.
#[test]
fn congestion_control_without_marks_has_no_effect() {
    let results = |text: &str| format!("{:?}", run(&text.replace("60 ms", "5 ms")));
    let without = results(&incast(""));
    assert_eq!(results(&incast("[congestion-control]\nthreshold = \"190 KiB\"")), without);
    assert_ne!(results(&incast("[congestion-control]")), without);
}

/// Two switches. On the first lane `a` and `b` send to a host whose PCIe takes 47% of the link, so
/// that no port is the root of congestion; on the second, `v` keeps the cable between the switches busy.
fn slow_host(congestion_control: &str) -> String {
    let host =
        |name: &str, port: &str| format!("[[fabric.host]]\nname = {name:?}\nport = {port:?}\n");
    let bulk = |from: &str, to: &str, more: &str| {
        let sizes = "bytes = \"16 KiB\"\nbuffer = \"1 MiB\"";
        format!("[[flow]]\nfrom = {from:?}\nto = {to:?}\nmethod = \"bulk\"\n{sizes}\n{more}\n")
    };
    let hosts = [("a", "s:2"), ("v", "s:3"), ("b", "t:2"), ("slow", "t:3"), ("w", "t:4")];
    let hosts: String = hosts.into_iter().map(|(name, port)| host(name, port)).collect();
    let flows = [("a", "slow", ""), ("b", "slow", ""), ("v", "w", "sl = 1\nrate = \"15 Gbps\"")];
    let flows: String = flows.into_iter().map(|(from, to, more)| bulk(from, to, more)).collect();
    format!(
        "kind = \"infiniband\"\n[fabric]\nlink = {{ rate = \"54.545454545 Gbps\", delay = \"10 ns\" }}\n\
         [[fabric.switch]]\nname = \"s\"\nports = 4\n[[fabric.switch]]\nname = \"t\"\nports = 4\n\
         [[fabric.cable]]\nfrom = \"s:1\"\nto = \"t:1\"\n{hosts}\
         [device]\npcie-rate = \"28 Gbps\"\n\
         [qos]\nsl2vl = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n\
         {congestion_control}\n[run]\nduration = \"5 ms\"\n{flows}"
    )
}

/// A lane that waits for credits is a victim even if other lanes of its port send.
#[test]
fn a_lane_without_credits_is_a_victim() {
    let results = |control: &str| format!("{:?}", run(&slow_host(control)));
    let without = results("");
    assert_eq!(results("[congestion-control]\nmark-victims = \"none\""), without);
    assert_ne!(results("[congestion-control]"), without, "the port to the host marks");
    assert_ne!(results("[congestion-control]\nmark-victims = \"all\""), without);
}

/// The same with the victim on the lane of the flows to the slow host.
#[test]
fn marking_victims_protects_flows_beside_a_slow_host() {
    let victim = |control: &str| {
        let text = slow_host(control).replace("sl = 1", "").replace("\"5 ms\"", "\"20 ms\"");
        gbps(run(&text.replace("[run]", "[run]\nwarmup = \"20 ms\"")).flows.last().unwrap())
    };
    let [unmarked, marked] = ["mark-victims = \"none\"", ""]
        .map(|keys| victim(&format!("[congestion-control]\n{keys}")));
    assert!(unmarked < 0.9 * 15.0 && marked > 0.97 * 15.0, "{unmarked} and {marked} Gbps");
}
