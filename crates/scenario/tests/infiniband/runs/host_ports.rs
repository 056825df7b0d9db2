//! Hosts with two ports: the one that the traffic uses.

use super::{gbps, run};
use bandwise_input::Source;
use bandwise_scenario::infiniband::InfinibandScenario;

/// Hosts a and b at two leaves: port 1 with 100 Gbps at the first, port 2 with 200 Gbps at the second.
/// Host c has one port, at the first leaf.
const FABRIC: &str = r#"kind = "infiniband"
[[fabric.switch]]
name = "leaf-1"
ports = 4
[[fabric.switch]]
name = "leaf-2"
ports = 4
[[fabric.host]]
name = "a"
ports = 2
[[fabric.host]]
name = "b"
ports = 2
[[fabric.host]]
name = "c"
[[fabric.cable]]
from = "a:1"
to = "leaf-1:1"
rate = "100 Gbps"
[[fabric.cable]]
from = "b:1"
to = "leaf-1:2"
rate = "100 Gbps"
[[fabric.cable]]
from = "a:2"
to = "leaf-2:1"
rate = "200 Gbps"
[[fabric.cable]]
from = "b:2"
to = "leaf-2:2"
rate = "200 Gbps"
[[fabric.cable]]
from = "c"
to = "leaf-1:3"
rate = "100 Gbps"
"#;
const BETWEEN: &str =
    "[[fabric.cable]]\nfrom = \"leaf-1:4\"\nto = \"leaf-2:4\"\nrate = \"400 Gbps\"\n";
const FLOW: &str = "[run]\nduration = \"1 ms\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\nmethod = \"bulk\"\nbytes = \"64 KiB\"\nbuffer = \"1 MiB\"\n";

fn error(text: &str) -> String {
    let source = Source::new("s.toml", text);
    InfinibandScenario::from_toml(&source, bandwise_scenario::no_files).unwrap_err().to_string()
}

/// 4096 of 4122 B carry payload: 99.4 Gbps by port 1, 198.7 Gbps by port 2, with the adapter of that
/// link.
#[test]
fn traffic_uses_the_named_port() {
    let text = format!("{FABRIC}{BETWEEN}{FLOW}");
    let lowest = gbps(&run(&text).flows[0]);
    assert!((lowest / 99.4 - 1.0).abs() < 0.02, "{lowest}");
    let second = "[[node]]\nname = [\"a\", \"b\"]\nport = 2\n";
    let text = format!("{text}{second}");
    let faster = gbps(&run(&text).flows[0]);
    assert!((faster / 198.7 - 1.0).abs() < 0.02, "{faster}");
    // One host by port 2 and the other by port 1: over both leaves, at 100 Gbps.
    let text = text.replace("[\"a\", \"b\"]", "\"a\"");
    let mixed = gbps(&run(&text).flows[0]);
    assert!((mixed / 99.4 - 1.0).abs() < 0.02, "{mixed}");
}

#[test]
fn impossible_ports_are_refused() {
    let node =
        |between: &str, node: &str| error(&format!("{FABRIC}{between}{FLOW}[[node]]\n{node}\n"));
    insta::assert_snapshot!(node(BETWEEN, "name = \"a\"\nport = 3"), @r#"s.toml:50: "a" has no cable in port 3 (allowed: a port with a cable: 1, 2)"#);
    insta::assert_snapshot!(node(BETWEEN, "name = [\"a\", \"c\"]\nport = 70000"), @"s.toml:50: port can't be 70000 (allowed: 1 to 254)");
    insta::assert_snapshot!(node(BETWEEN, "name = \"leaf-1\"\nport = 1"), @r#"s.toml:50: "leaf-1" is a switch (allowed: a host)"#);
    insta::assert_snapshot!(node("", "name = [\"a\", \"b\"]\nport = 2"), @r#"s.toml:46: hosts "a" and "c" can't reach each other (allowed: a path of switches between the ports that every two hosts use)"#);
    insta::assert_snapshot!(node(BETWEEN, "name = \"a\"\nport = \"2\""), @r#"s.toml:50: the text "2" can't stand here (allowed: a whole number, 0 or more, without quotes)"#);
}
