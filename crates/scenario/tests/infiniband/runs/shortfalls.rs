//! What holds bulk flows below the part that limits each alone.

use super::{gbps, run};
use bandwise_input::Source;
use bandwise_scenario::infiniband::{InfinibandScenario, SharedPart, Shortfall};
use bandwise_scenario::no_files;

const LONG: &str = "bytes = \"64 KiB\"";

/// Runs bulk flows with these ends on a fabric, and returns their rates and shortfalls.
fn shortfalls(fabric: &str, flows: &[(&str, &str)], keys: &str) -> Vec<(f64, Option<Shortfall>)> {
    let mut text =
        format!("kind = \"infiniband\"\n{fabric}\n[run]\nwarmup = \"1 ms\"\nduration = \"1 ms\"\n");
    for (from, to) in flows {
        text += &format!("[[flow]]\nfrom = {from:?}\nto = {to:?}\nmethod = \"bulk\"\n{keys}\n");
    }
    let scenario = InfinibandScenario::from_toml(&Source::new("s.toml", &text), no_files).unwrap();
    let results = run(&text);
    let found = scenario.shortfalls(&results);
    results.flows.iter().map(gbps).zip(found).collect()
}

/// The part that flows share, their number and the payload rate of all, Gbps.
fn shared(found: &Option<Shortfall>) -> (SharedPart, usize, f64) {
    match found {
        Some(Shortfall::Shared { part, flows, payload }) => (*part, *flows, payload.as_gbps_f64()),
        other => panic!("{other:?}"),
    }
}

/// Four hosts of 100 Gbps send over one uplink of 200 Gbps: 198.7 Gbps of payload are 49.7 each.
#[test]
fn shared_uplink_is_named() {
    let fabric = "[fabric]\nbuild = { leaf-spine = { leaves = 2, spines = 1, hosts = 4 } }\n\
                  link = { rate = \"100 Gbps\" }\nuplink = { rate = \"200 Gbps\" }\n";
    let across = [("h0", "h4"), ("h1", "h5"), ("h2", "h6"), ("h3", "h7")];
    for (rate, found) in shortfalls(fabric, &across, LONG) {
        let (part, flows, payload) = shared(&found);
        assert!(matches!(part, SharedPart::Link(_)), "{part:?}");
        assert_eq!(flows, 4);
        assert!((rate / 49.7 - 1.0).abs() < 0.02 && (payload / 198.7 - 1.0).abs() < 0.02);
    }
    // Two of them fill no link but their own.
    let two = shortfalls(fabric, &across[..2], "bytes = \"64 KiB\"\nbuffer = \"4 MiB\"");
    assert!(two.iter().all(|(_, found)| found.is_none()), "{two:?}");
}

/// Three senders share the receiver's link, or its PCIe of 61 Gbps on a link of 100: 55.8 of payload.
#[test]
fn shared_receiver_is_named() {
    let fabric = "[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"100 Gbps\" }\n";
    let into = [("h1", "h0"), ("h2", "h0"), ("h3", "h0")];
    for (rate, found) in shortfalls(fabric, &into, LONG) {
        let (part, flows, _) = shared(&found);
        assert!(matches!(part, SharedPart::Link(_)) && flows == 3, "{found:?}");
        assert!((rate / 33.1 - 1.0).abs() < 0.02, "{rate}");
    }
    let slow = format!("[[node]]\nname = \"h0\"\ndevice = {{ pcie-rate = \"61 Gbps\" }}\n{fabric}");
    for (rate, found) in shortfalls(&slow, &into, LONG) {
        let (part, ..) = shared(&found);
        assert!(matches!(part, SharedPart::PcieIn(_)), "{found:?}");
        assert!((rate / 18.6 - 1.0).abs() < 0.02, "{rate}");
    }
}

/// One message of 64 KiB at a time: its bytes over the time of one are the rate.
#[test]
fn window_is_named_and_datagrams_have_none() {
    let fabric = "[fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"100 Gbps\" }\n";
    let found = shortfalls(fabric, &[("h0", "h1")], "bytes = \"64 KiB\"\ndepth = 1");
    let (rate, Some(Shortfall::Window { messages, key, time, throttled, queued })) = found[0]
    else {
        panic!("{found:?}")
    };
    assert_eq!((messages, key, throttled, queued), (1, "depth", false, false));
    assert!((65_536.0 * 8.0 / rate / time.as_ns_f64() - 1.0).abs() < 1e-3, "{rate} {time}");
    let ud = "transport = \"ud\"\nopcode = \"send\"\ndepth = 1";
    let found = shortfalls(fabric, &[("h0", "h1")], ud);
    assert!(found[0].1.is_none(), "{found:?}");
}

/// Packets to a port of 100 Gbps stand before those to one of 400 Gbps, in the same lane of the same
/// input. The flow to the faster port gets no more than the other one.
#[test]
fn flow_behind_another_one_is_told() {
    let fabric = "[fabric]\nlink = { rate = \"400 Gbps\", delay = \"10 ns\" }\n\
                  host = [{ name = \"a\", port = \"s:1\" }, { name = \"b\" }, { name = \"c\", port = \"s:3\" }]\n\
                  switch = [{ name = \"s\", ports = 4 }]\n\
                  cable = [{ from = \"b\", to = \"s:2\", rate = \"100 Gbps\" }]\n";
    let long = "bytes = \"64 KiB\"\nbuffer = \"1 MiB\"";
    let found = shortfalls(fabric, &[("a", "b"), ("a", "c")], long);
    assert!(found[0].1.is_none() && found[1].0 < 110.0, "{found:?}");
    assert!(
        matches!(found[1].1, Some(Shortfall::Blocked { part: SharedPart::Link(_) })),
        "{found:?}"
    );
    // In another lane it goes past.
    let lanes = format!(
        "[qos]\nsl2vl = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nlow = [\"0:64\", \"1:64\"]\n{fabric}"
    );
    let text = |sl: u8| format!("{long}\nqps = 4\nsl = {sl}");
    let alone = shortfalls(&lanes, &[("a", "c")], &text(1));
    assert!(alone[0].0 > 380.0, "{alone:?}");
}

/// A lane of high priority without a limit leaves nothing of a full link to the other one.
#[test]
fn starved_flow_is_told() {
    let fabric = "[qos]\nsl2vl = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nlow = [\"0:64\"]\n\
                  high = [\"1:64\"]\nhigh-limit = 255\n\
                  [fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"100 Gbps\" }\n\
                  [[flow]]\nfrom = \"h2\"\nto = \"h0\"\nmethod = \"bulk\"\nsl = 1\nbytes = \"64 KiB\"\n";
    let found = shortfalls(fabric, &[("h1", "h0")], LONG);
    let (rate, starved) = &found[1];
    let (part, flows, _) = shared(starved);
    assert!(*rate < 1.0 && flows == 2 && matches!(part, SharedPart::Link(_)), "{found:?}");
}

/// A flow whose times are outside of the measurement.
#[test]
fn silent_flow_is_told() {
    let fabric = "[fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"100 Gbps\" }\n";
    for keys in ["start = \"3 ms\"", "stop = \"1 ms\""] {
        let found = shortfalls(fabric, &[("h0", "h1")], keys);
        assert_eq!(found[0].1, Some(Shortfall::Silent), "{keys}");
    }
}
