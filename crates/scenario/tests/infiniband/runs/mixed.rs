//! Fabrics of several generations: each host and switch has a model of its own.

use super::{gbps, median_ns, run};
use bandwise_input::Source;
use bandwise_scenario::infiniband::{InfinibandScenario, LimitingPart};
use bandwise_scenario::no_files;
use bandwise_topology::NodeId;

/// A host of 100 Gbps and three of 400 Gbps at two switches with a cable of 400 Gbps.
const FABRIC: &str = r#"kind = "infiniband"
[fabric]
link = { rate = "400 Gbps", delay = "10 ns" }
host = [{ name = "old" }, { name = "a", port = "s:2" }, { name = "b", port = "t:1" }, { name = "c", port = "t:2" }]
switch = [{ name = "s", ports = 4 }, { name = "t", ports = 4 }]
cable = [{ from = "old:1", to = "s:1", rate = "100 Gbps" }, { from = "s:4", to = "t:4" }]
"#;

fn scenario(more: &str) -> InfinibandScenario {
    let text = format!("{FABRIC}{more}");
    InfinibandScenario::from_toml(&Source::new("s.toml", &text), no_files)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn error(more: &str) -> String {
    let text = format!("{FABRIC}{more}");
    InfinibandScenario::from_toml(&Source::new("s.toml", &text), no_files).unwrap_err().to_string()
}

fn flow(from: &str, to: &str, more: &str) -> String {
    format!("[[flow]]\nfrom = {from:?}\nto = {to:?}\n{more}\n")
}

#[test]
fn each_host_has_the_model_of_its_link() {
    let scenario = scenario("");
    let preset = |host| scenario.device_of(host).preset;
    assert_eq!(
        [0, 1, 2, 3].map(preset),
        ["connectx5-edr", "connectx7-ndr", "connectx7-ndr", "connectx7-ndr"]
    );
}

/// Two hosts at a switch, as `ibnetdiscover` prints them, with these device IDs and links.
fn dump(ids: [&str; 2], speed: &str) -> String {
    let line =
        |i: usize| format!("[{i}]\t\"H-000000000000000{i}\"[1]\t# \"h{i}\" lid {i} {speed}\n");
    let mut text =
        "devid=0xd2f0\nSwitch\t40 \"S-0000000000000009\"\t# \"tor\" lid 9 lmc 0\n".to_owned();
    text += &(line(1) + &line(2));
    for (i, id) in [1, 2].into_iter().zip(ids) {
        text += &format!("{id}\nCa\t1 \"H-000000000000000{i}\"\t# \"h{i}\"\n");
        text +=
            &format!("[1]\t\"S-0000000000000009\"[{i}]\t# lid {i} lmc 0 \"tor\" lid 9 {speed}\n");
    }
    text
}

/// A dump names the adapter, which may be faster than its link: an HDR100 link is one of a ConnectX-6.
/// A ConnectX-4 is known at 56 Gbps only, so at 100 Gbps it counts as any adapter, as does one without
/// a known ID.
#[test]
fn adapters_are_those_of_a_dump() {
    let presets = |ids: [&str; 2], speed: &str| {
        let text = dump(ids, speed);
        let read = |_: &str| Ok(bandwise_scenario::File { name: "f".into(), text: text.clone() });
        let scenario = "kind = \"infiniband\"\nfabric-file = \"f\"\n";
        let flow = flow("h1", "h2", "method = \"bulk\"");
        let text = format!("{scenario}{flow}");
        let source = Source::new("s.toml", &text);
        let scenario = InfinibandScenario::from_toml(&source, read).unwrap();
        [0, 1].map(|host| {
            let device = scenario.device_of(host);
            format!("{} {}", device.preset, device.loopback_rate)
        })
    };
    let own = presets(["devid=0x101b", "devid=0x1021"], "2xHDR");
    assert_eq!(own, ["connectx6-hdr 100 Gbps", "connectx7-ndr 100 Gbps"]);
    let by_rate = presets(["devid=0x1013", "devid=0x0"], "4xEDR");
    assert_eq!(by_rate, ["connectx5-edr 100 Gbps"; 2]);
    let old = presets(["devid=0x1003", ""], "4xFDR");
    assert_eq!(old, ["connectx3-fdr 56.25 Gbps", "connectx4-56g 56.25 Gbps"]);
    let split = presets(["devid=0xa2dc", ""], "2xNDR");
    assert_eq!(split, ["connectx7-ndr 200 Gbps", "connectx6-hdr 200 Gbps"]);
}

#[test]
fn nodes_differ_from_the_rest() {
    let scenario = scenario(
        "[device]\nmtu = 2048\n[switch]\nlatency = \"210 ns\"\n\
         [[node]]\nname = [\"a\", \"b\"]\ndevice = { preset = \"connectx6-hdr\", inline-max = \"64 B\" }\n\
         [[node]]\nname = \"b\"\ndevice = { mtu = 1024 }\n\
         [[node]]\nname = \"t\"\nswitch = { latency = \"90 ns\", buffer = \"64 KiB\" }\n",
    );
    let models = scenario.models();
    let host =
        |name| scenario.device_of(scenario.fabric().rank(scenario.fabric().find(name).unwrap()));
    assert_eq!((host("old").preset, host("old").mtu.get()), ("connectx5-edr", 2048));
    assert_eq!((host("a").preset, host("a").mtu.get()), ("connectx6-hdr", 4096));
    assert_eq!((host("b").mtu.get(), host("b").inline_max.get()), (1024, 64));
    assert_eq!((host("c").preset, host("c").mtu.get()), ("connectx7-ndr", 2048));
    let latency = |name| {
        let node: NodeId = scenario.fabric().find(name).unwrap();
        models.switch_of(node).latency.as_ns_f64()
    };
    assert_eq!(["s", "t"].map(latency), [210.0, 90.0]);
}

/// Round trips by hand: twice a cable of 10 ns for each link and each switch's latency. An
/// acknowledgement of 32 B leaves at 400 Gbps and takes 1.92 ns longer at 100 Gbps.
#[test]
fn each_switch_has_its_latency() {
    let node = "[[node]]\nname = \"t\"\nswitch = { latency = \"90 ns\" }\n";
    for (from, to, by_hand) in [
        ("old", "a", 2.0 * (2.0 * 10.0 + 200.0) + 1.92),
        ("b", "c", 2.0 * (2.0 * 10.0 + 90.0)),
        ("a", "c", 2.0 * (3.0 * 10.0 + 200.0 + 90.0)),
    ] {
        let probe = flow(from, to, "method = \"closed-loop\"\nsamples = 50");
        let results = run(&format!("{FABRIC}{node}{probe}"));
        let truth = results.flows[0].latency.unwrap().truth.unwrap().p50_ns;
        assert!((truth - by_hand).abs() < 0.5, "{from} to {to}: {truth} ns, by hand {by_hand}");
    }
}

/// A host in PCIe 3.0 x8 behind a link of 400 Gbps: 61 Gbps x 256 of 280 B.
#[test]
fn slower_host_limits_both_directions() {
    let node = "[[node]]\nname = \"b\"\ndevice = { preset = \"connectx4-56g\" }\n";
    let by_hand = 61.0 * 256.0 / 280.0;
    for (from, to) in [("a", "b"), ("b", "a")] {
        let bulk = flow(from, to, "method = \"bulk\"\nbuffer = \"1 MiB\"");
        let text = format!("{node}[run]\nduration = \"2 ms\"\n{bulk}");
        let scenario = scenario(&text);
        let bottleneck = scenario.bottleneck(&scenario.flows()[0]);
        assert_eq!(bottleneck.part, LimitingPart::Pcie(scenario.fabric().find("b")));
        assert!((bottleneck.payload.as_gbps_f64() / by_hand - 1.0).abs() < 1e-3);
        let got = gbps(&run(&format!("{FABRIC}{text}")).flows[0]);
        assert!((got / by_hand - 1.0).abs() < 0.02, "{from} to {to}: {got} of {by_hand} Gbps");
    }
}

/// A connection has the smaller MTU of its hosts: 1024 of 1050 B (and delimiters in blocks of 8) on
/// the link.
#[test]
fn path_mtu_is_the_smaller_one() {
    let node = "[[node]]\nname = \"b\"\ndevice = { mtu = 1024 }\n";
    for (from, to) in [("a", "b"), ("b", "a")] {
        let bulk = flow(from, to, "method = \"bulk\"\nbytes = \"1 MiB\"\nbuffer = \"4 MiB\"");
        let got = gbps(&run(&format!("{FABRIC}{node}[run]\nduration = \"2 ms\"\n{bulk}")).flows[0]);
        let by_hand = 400.0 * 1024.0 / 1056.0;
        assert!((got / by_hand - 1.0).abs() < 0.02, "{from} to {to}: {got} of {by_hand} Gbps");
    }
    let datagrams = flow("a", "b", "method = \"bulk\"\ntransport = \"ud\"\nbytes = \"2 KiB\"");
    let message = error(&format!("{node}{datagrams}"));
    assert!(message.contains("1024"), "{message}");
}

#[test]
fn rperf_uses_the_loopback_of_its_host() {
    let probe = flow("old", "a", "method = \"rperf\"\nbytes = \"4 KiB\"\nsamples = 500");
    let (median, _) = median_ns(&run(&format!("{FABRIC}{probe}")).flows[0]);
    // The link of 100 Gbps and the loopback have the same rate; the doorbell takes 5.6 ns.
    assert!((median - 434.4).abs() < 5.0, "{median}");
}

#[test]
fn invalid_nodes_are_refused() {
    insta::assert_snapshot!(error("[[node]]\nname = \"x\"\ndevice = {}\n"), @r#"s.toml:8: there is no node "x" (allowed: one of 6 nodes: "s", "t", "old", "a", "b", …)"#);
    insta::assert_snapshot!(error("[[node]]\nname = \"a\"\n"), @"s.toml:7: no model is given (allowed: `device` and `port` for hosts, `switch` for switches)");
    insta::assert_snapshot!(error("[[node]]\nname = \"a\"\nswitch = {}\n"), @r#"s.toml:9: "a" is a host (allowed: `device` for hosts)"#);
    insta::assert_snapshot!(error("[[node]]\nname = [\"a\", \"t\"]\ndevice = {}\n"), @r#"s.toml:9: "t" is a switch (allowed: `switch` for switches)"#);
    insta::assert_snapshot!(error("[[node]]\nname = \"a\"\ndevice = { preset = \"connectx9\" }\n"), @r#"s.toml:9: unknown preset "connectx9" (allowed: connectx3-fdr, connectx4-56g, connectx5-edr, connectx6-hdr, connectx7-ndr, connectx8-xdr)"#);
    insta::assert_snapshot!(error("[[node]]\nname = \"a\"\nports = 3\n"), @"s.toml:9: unknown field `ports` (allowed: one of `name`, `port`, `device`, `switch`)");
    insta::assert_snapshot!(error("[[node]]\nname = \"t\"\nswitch = { buffer = \"1 KiB\" }\n"), @"s.toml:9: a buffer of 1 KiB can't hold a packet of the MTU of 4096 B with its headers (allowed: 4160 B to 4194240 B)");
    insta::assert_snapshot!(error("[node]\nname = \"t\"\n"), @"s.toml:7: a table can't stand here (allowed: a list, or for tables [[name]] before each)");
}

/// Hosts of 200 Gbps at a switch whose third port is faster, as an uplink is. The first bit leaves the
/// switch 200 ns after it came, so a round trip takes 4 cables and 2 crossings. To the faster host it
/// waits until the output can't run dry, so the last bit leaves 200 ns after the last one came. The
/// answer of 40 B on the wire comes from a faster port to a slower one: 0.8 or 1.2 ns more.
#[test]
fn only_the_packets_own_output_delays_it() {
    for fast in [200, 400, 800] {
        for bytes in [64, 4096] {
            let text = |to: &str| {
                format!(
                    "kind = \"infiniband\"\n[fabric]\nlink = {{ rate = \"200 Gbps\", delay = \"10 ns\" }}\n\
                     host = [{{ name = \"a\", port = \"s:1\" }}, {{ name = \"b\", port = \"s:2\" }}, {{ name = \"c\" }}]\n\
                     switch = [{{ name = \"s\", ports = 4 }}]\n\
                     cable = [{{ from = \"c\", to = \"s:3\", rate = \"{fast} Gbps\" }}]\n\
                     [[flow]]\nfrom = \"a\"\nto = \"{to}\"\nmethod = \"rperf\"\nbytes = \"{bytes} B\"\nsamples = 100\n"
                )
            };
            let truth = |to| run(&text(to)).flows[0].latency.unwrap().truth.unwrap().p50_ns;
            assert!((truth("b") - 440.0).abs() < 0.1, "{fast} Gbps, {bytes} B: {}", truth("b"));
            let slower = 40.0 * 8.0 * (1.0 / 200.0 - 1.0 / f64::from(fast));
            let off = truth("c") - 440.0 - slower;
            assert!(off.abs() < 0.5, "{fast} Gbps, {bytes} B: {off}");
        }
    }
}
