//! Error messages for mistakes in the document as a whole and in its fabric.

use super::{SMALL, after, error, with};
use bandwise_scenario::infiniband::InfinibandScenario;
use bandwise_topology::builders;
use bandwise_units::{BitRate, Time};

#[test]
fn invalid_documents_are_refused() {
    insta::assert_snapshot!(error(""), @"s.toml:1: the file is empty (allowed: a TOML scenario with a [fabric] table, the output of ibnetdiscover, or a netlist of ibsim)");
    insta::assert_snapshot!(error(" \n\t\n"), @"s.toml:1: the file is empty (allowed: a TOML scenario with a [fabric] table, the output of ibnetdiscover, or a netlist of ibsim)");
    insta::assert_snapshot!(error("title = \"x\"\n\0\u{1}ELF"), @"s.toml:2: a NUL byte: this is not text (allowed: a TOML scenario with a [fabric] table, the output of ibnetdiscover, or a netlist of ibsim)");
    insta::assert_snapshot!(error(&String::from_utf8_lossy(b"\x89PNG\r\n\x1a\n\xff")), @"s.toml:1: bytes that are not UTF-8: this is not text (allowed: a TOML scenario with a [fabric] table, the output of ibnetdiscover, or a netlist of ibsim)");
    insta::assert_snapshot!(error("\u{1}\u{2}\u{7f}\u{3}ELF"), @"s.toml:1: key with no value (allowed: a TOML scenario with a [fabric] table, the output of ibnetdiscover, or a netlist of ibsim)");
    insta::assert_snapshot!(error("Dear reader,\nthis is a letter.\n"), @"s.toml:1: key with no value (allowed: a TOML scenario with a [fabric] table, the output of ibnetdiscover, or a netlist of ibsim)");
    insta::assert_snapshot!(error("kind = \"infiniband\"\n"), @r#"s.toml:1: there is no fabric (allowed: fabric-file = "FILE" above the tables, or a [fabric] table with keys such as build = { single-switch = 7 } and link = { rate = "100 Gbps" })"#);
    insta::assert_snapshot!(after("title = \n"), @"s.toml:15: string values must be quoted (allowed: literal string)");
    insta::assert_snapshot!(after("[swich]\nlatency = \"1 ns\"\n"), @"s.toml:15: unknown field `swich` (allowed: one of `title`, `fabric-file`, `fabric`, `switch`, `device`, `node`, `qos`, `congestion-control`, `run`, `flow`)");
    insta::assert_snapshot!(after("[switch]\nlatncy = \"1 ns\"\n"), @"s.toml:16: unknown field `latncy` (allowed: one of `preset`, `latency`, `buffer`, `scheduling`, `queueing`, `credit-delay`, `hiccup`)");
    insta::assert_snapshot!(after("[run]\nseed = 1\nseed = 2\n"), @"s.toml:17: duplicate key (allowed: each key once in a table, and [[name]] for one of several tables)");
    insta::assert_snapshot!(after("[run]\n[run]\n"), @"s.toml:16: duplicate key (allowed: each key once in a table, and [[name]] for one of several tables)");
    insta::assert_snapshot!(with("[fabric]", "[[fabric]]"), @"s.toml:2: a list can't stand here (allowed: one [table])");
    insta::assert_snapshot!(after("[[run]]\nseed = 1\n"), @"s.toml:15: a list can't stand here (allowed: one [table])");
    insta::assert_snapshot!(after("[[congestion-control]]\ntable = 1\n"), @"s.toml:15: a list can't stand here (allowed: one [table])");
    insta::assert_snapshot!(error("kind = \"infiniband\"\nflow = { from = \"a\" }\n"), @"s.toml:2: a table can't stand here (allowed: a list, or for tables [[name]] before each)");
    insta::assert_snapshot!(error("fabric = \"two hosts\"\n"), @r#"s.toml:1: the text "two hosts" can't stand here (allowed: one [table])"#);
    insta::assert_snapshot!(error("[fabric\nbuild = \"back-to-back\"\n"), @"s.toml:1: unclosed table (allowed: `]`)");
    insta::assert_snapshot!(with("[[flow]]", "[flow]"), @"s.toml:11: duplicate key (allowed: each key once in a table, and [[name]] for one of several tables)");
}

#[test]
fn invalid_fabrics_are_refused() {
    let rack = |host: &str| {
        format!(
            "kind = \"infiniband\"\ntitle = \"rack\"\n\n[fabric]\nlink = {{ rate = \"10 Gbps\" }}\n\
             switch = [{{ name = \"tor\", ports = 4 }}]\n[[fabric.host]]\nname = \"a\"\n\
             port = \"tor:1\"\n[[fabric.host]]\n{host}\n[run]\nseed = 2\n"
        )
    };
    super::read(&rack("name = \"b\"\nport = \"tor:2\""));
    insta::assert_snapshot!(error(&rack("name = \"b\"")), @r#"s.toml:11: host "b" has no link (allowed: a link to a switch or to another host)"#);
    insta::assert_snapshot!(error(&rack("name = \"a\"\nport = \"tor:2\"")), @r#"s.toml:11: two nodes have the name "a" (allowed: a name that no other host or switch has)"#);
    insta::assert_snapshot!(error(&rack("name = \"tor\"\nport = \"tor:2\"")), @r#"s.toml:11: two nodes have the name "tor" (allowed: a name that no other host or switch has)"#);
    insta::assert_snapshot!(error(&rack("name = \"b\"\nport = \"tor:1\"")), @"s.toml:12: port tor:1 is already connected to a:1 (allowed: one link a port)");
    insta::assert_snapshot!(error(&rack("name = \"b\"\nport = \"top:1\"")), @r#"s.toml:12: there is no node "top:1" in this fabric (allowed: the name of a host or switch and a port number, such as "tor:1")"#);
    insta::assert_snapshot!(with("single-switch = 3", "single-switch = 0"), @"s.toml:3: the number of hosts can't be 0 (allowed: 1 to 512)");
    insta::assert_snapshot!(with("54.545454545 Gbps", "0 Gbps"), @r#"s.toml:4: a link can't have a rate of 0 bps (allowed: at least 10 Mbps, such as "100 Gbps")"#);
    insta::assert_snapshot!(with("54.545454545 Gbps", "9 Mbps"), @r#"s.toml:4: a link can't have a rate of 9 Mbps (allowed: at least 10 Mbps, such as "100 Gbps")"#);
    insta::assert_snapshot!(with("Gbps\" }", "Gbps\", delay = \"2 s\" }"), @r#"s.toml:4: a link can't have a delay of 2 s (allowed: up to 1 s, such as "10 ns")"#);
    insta::assert_snapshot!(with("Gbps\" }", "Gbps\" }\nlength = 3"), @"s.toml:5: unknown field `length` (allowed: one of `link`, `uplink`, `build`, `switch`, `host`, `cable`)");
}

#[test]
fn too_many_hosts_are_refused() {
    let hosts: String = (0..65_001).map(|i| format!("  {{ name = \"h{i}\" }},\n")).collect();
    let text = format!("kind = \"infiniband\"\n[fabric]\nhost = [\n{hosts}]\n");
    insta::assert_snapshot!(error(&text), @"s.toml:65004: more than 65000 nodes (allowed: up to 65000 nodes)");
}

/// Five switches in a ring, a host at each: shortest routes go two cables in both directions.
fn ring() -> String {
    let mut text = String::from("kind = \"infiniband\"\n[fabric]\nlink = { rate = \"10 Gbps\" }\n");
    for i in 0..5 {
        text += &format!(
            "[[fabric.switch]]\nname = \"s{i}\"\nports = 3\n\
             [[fabric.host]]\nname = \"h{i}\"\nport = \"s{i}:1\"\n\
             [[fabric.cable]]\nfrom = \"s{i}:2\"\nto = \"s{}:3\"\n",
            (i + 1) % 5
        );
    }
    text
}

/// Numbers of ports are bytes in InfiniBand, of which 255 stands for no port.
#[test]
fn switches_of_more_than_254_ports_are_refused() {
    let build = |hosts: u16| {
        format!("[fabric]\nlink = {{ rate = \"1 Gbps\" }}\nbuild = {{ single-switch = {hosts} }}\n")
    };
    assert_eq!(super::read(&build(254)).fabric().hosts().len(), 254);
    insta::assert_snapshot!(error(&build(255)), @r#"s.toml:3: "switch" can't have 255 ports (allowed: 1 to 254 ports)"#);
    // A builder takes a fabric of any kind.
    let (rate, delay) = (BitRate::from_gbps(1), Time::from_ns(10));
    let fabric = builders::single_switch(255, rate, delay).unwrap();
    let error = InfinibandScenario::builder(fabric).build().unwrap_err();
    insta::assert_snapshot!(error, @r#""switch" can't have 255 ports (allowed: 1 to 254 ports)"#);
}

#[test]
fn credit_loop_of_a_ring_is_refused() {
    insta::assert_snapshot!(error(&format!("title = \"ring\"\n{}", ring())), @"s.toml:3: ports can wait for each other's credits in a loop: s0:2 -> s1:2 -> s2:2 -> s3:2 -> s4:2 -> s0:2 (allowed: switches that form no ring, or run.allow-credit-loops = true to see it happen)");
    let allowed = format!("{}[run]\nallow-credit-loops = true\n", ring());
    assert_eq!(super::read(&allowed).fabric().switches().len(), 5);
    let fabric = super::read(&allowed).fabric().clone();
    let netlist = bandwise_topology::write::ibsim(&fabric).unwrap();
    insta::assert_snapshot!(error(&netlist), @"s.toml:1: ports can wait for each other's credits in a loop: s0:2 -> s1:2 -> s2:2 -> s3:2 -> s4:2 -> s0:2 (allowed: switches that form no ring, or the fabric in a TOML scenario with run.allow-credit-loops = true to see it happen)");
    // The line is that of the loop's first switch.
    let below = format!("# a comment\n\n{netlist}");
    assert!(error(&below).starts_with("s.toml:3: ports can wait"), "{}", error(&below));
}

#[test]
fn control_characters_in_names_are_escaped() {
    let odd = "kind = \"infiniband\"\n[fabric]\nhost = [{ name = \"a\\nb\" }, { name = \"b\", port = \"a\" }]\n";
    insta::assert_snapshot!(error(odd), @r#"s.toml:3: "a\nb" can't be the name of a node (allowed: one or more characters, none of them a control character or U+FFFD, without a space at the beginning or end)"#);
    insta::assert_snapshot!(error(&SMALL.replace("h1", "h\\u00011")), @r#"s.toml:7: there is no host "h\u{1}1" (allowed: one of 3 hosts: "h0", "h1", "h2")"#);
}
