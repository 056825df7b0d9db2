//! Error messages for mistakes in the TOML form.

use bandwise_input::Source;
use bandwise_topology::infiniband;
use bandwise_topology::read::{self, FabricSpec};

const HEAD: &str = "[fabric]\nlink = { rate = \"10 Gbps\" }\n";

/// Returns the error for a document whose first two lines are [`HEAD`].
fn error(rest: &str) -> String {
    whole(&format!("{HEAD}{rest}"))
}

fn whole(text: &str) -> String {
    read::any(&Source::new("f.toml", text)).expect_err("this must be refused").to_string()
}

/// Returns a valid switch with two hosts, with one line replaced.
fn rack(replace: &str, by: &str) -> String {
    let good = "[[fabric.switch]]\nname = \"tor\"\nports = 4\n\
                [[fabric.host]]\nname = \"a\"\nport = \"tor:1\"\n\
                [[fabric.host]]\nname = \"b\"\nport = \"tor:2\"\n";
    assert!(good.contains(replace));
    error(&good.replacen(replace, by, 1))
}

#[test]
fn files_without_a_fabric_are_refused() {
    insta::assert_snapshot!(whole(""), @r#"f.toml:1: the file is empty (allowed: TOML with a [fabric] table of keys such as build = { single-switch = 7 } and link = { rate = "100 Gbps" }, the output of ibnetdiscover, or a netlist of ibsim)"#);
    insta::assert_snapshot!(whole(" \n\n"), @r#"f.toml:1: the file is empty (allowed: TOML with a [fabric] table of keys such as build = { single-switch = 7 } and link = { rate = "100 Gbps" }, the output of ibnetdiscover, or a netlist of ibsim)"#);
    insta::assert_snapshot!(whole("x\n\0\u{1}ELF"), @r#"f.toml:2: a NUL byte: this is not text (allowed: TOML with a [fabric] table of keys such as build = { single-switch = 7 } and link = { rate = "100 Gbps" }, the output of ibnetdiscover, or a netlist of ibsim)"#);
    insta::assert_snapshot!(whole(&String::from_utf8_lossy(b"\x89PNG\r\n\x1a\n")), @r#"f.toml:1: bytes that are not UTF-8: this is not text (allowed: TOML with a [fabric] table of keys such as build = { single-switch = 7 } and link = { rate = "100 Gbps" }, the output of ibnetdiscover, or a netlist of ibsim)"#);
    insta::assert_snapshot!(whole("Dear reader,\nthis is a letter.\n"), @r#"f.toml:1: key with no value (allowed: TOML with a [fabric] table of keys such as build = { single-switch = 7 } and link = { rate = "100 Gbps" }, the output of ibnetdiscover, or a netlist of ibsim)"#);
    insta::assert_snapshot!(whole("[workload]\nflows = 3\n"), @r#"f.toml:1: unknown field `workload` (allowed: TOML with a [fabric] table of keys such as build = { single-switch = 7 } and link = { rate = "100 Gbps" }, the output of ibnetdiscover, or a netlist of ibsim)"#);
    insta::assert_snapshot!(whole("[fabric]\n"), @"f.toml:1: the fabric has no host (allowed: at least one host)");
}

#[test]
fn suggested_keys_are_accepted() {
    let [build, link] = ["build = { single-switch = 7 }", "link = { rate = \"100 Gbps\" }"];
    for missing in [whole(""), whole("[workload]\n")] {
        assert!(missing.contains(build) && missing.contains(link), "{missing}");
    }
    assert!(whole(&format!("[fabric]\n{build}\n")).contains(link));
    let text = format!("[fabric]\n{build}\n{link}\n");
    assert_eq!(read::toml(&Source::new("f.toml", &text)).unwrap().hosts().len(), 7);
}

#[test]
fn invalid_nodes_are_refused() {
    insta::assert_snapshot!(rack("\"b\"", "\"a\""), @r#"f.toml:10: two nodes have the name "a" (allowed: a name that no other host or switch has)"#);
    insta::assert_snapshot!(rack("\"a\"", "\"tor\""), @r#"f.toml:7: two nodes have the name "tor" (allowed: a name that no other host or switch has)"#);
    insta::assert_snapshot!(rack("\"a\"", "\"\""), @r#"f.toml:7: "" can't be the name of a node (allowed: one or more characters, none of them a control character or U+FFFD, without a space at the beginning or end)"#);
    insta::assert_snapshot!(rack("ports = 4", "ports = 0"), @"f.toml:5: a node can't have 0 ports (allowed: 1 to 512 ports)");
    insta::assert_snapshot!(rack("ports = 4", "ports = 513"), @"f.toml:5: a node can't have 513 ports (allowed: 1 to 512 ports)");
    insta::assert_snapshot!(rack("ports = 4", "ports = -1"), @"f.toml:5: a node can't have -1 ports (allowed: 1 to 512 ports)");
    insta::assert_snapshot!(rack("ports = 4", "ports = \"4\""), @r#"f.toml:5: the text "4" can't stand here (allowed: a whole number such as 8, without quotes)"#);
    insta::assert_snapshot!(rack("ports = 4\n", ""), @"f.toml:3: missing field `ports` (allowed: `ports` in this table)");
    insta::assert_snapshot!(rack("ports = 4", "ports = 4\nvls = 2"), @"f.toml:6: unknown field `vls` (allowed: `name` or `ports`)");
    insta::assert_snapshot!(rack("port = \"tor:2\"\n", ""), @r#"f.toml:10: host "b" has no link (allowed: a link to a switch or to another host)"#);
    insta::assert_snapshot!(error("[[fabric.switch]]\nname = \"tor\"\nports = 4\n"), @"f.toml:1: the fabric has no host (allowed: at least one host)");
}

#[test]
fn invalid_ports_are_refused() {
    insta::assert_snapshot!(rack("tor:2", "tor:1"), @"f.toml:11: port tor:1 is already connected to a:1 (allowed: one link a port)");
    insta::assert_snapshot!(rack("tor:2", "tor:5"), @r#"f.toml:11: there is no port "tor:5" (allowed: ports 1 to 4)"#);
    insta::assert_snapshot!(rack("tor:2", "tor:0"), @r#"f.toml:11: there is no port "tor:0" (allowed: ports 1 to 4)"#);
    insta::assert_snapshot!(rack("tor:2", "tor:999"), @r#"f.toml:11: there is no port "tor:999" (allowed: ports 1 to 4)"#);
    insta::assert_snapshot!(rack("tor:2", "tor"), @r#"f.toml:11: switch "tor" without a port number (allowed: tor:1 to tor:4)"#);
    insta::assert_snapshot!(rack("tor:2", "top:2"), @r#"f.toml:11: there is no node "top:2" in this fabric (allowed: the name of a host or switch and a port number, such as "tor:1")"#);
    insta::assert_snapshot!(rack("tor:2", "tor:two"), @r#"f.toml:11: there is no node "tor:two" in this fabric (allowed: the name of a host or switch and a port number, such as "tor:1")"#);
    insta::assert_snapshot!(rack("tor:2", "b"), @"f.toml:11: b:1 is connected to its own node at b:1 (allowed: a link between two different nodes)");
    insta::assert_snapshot!(rack("tor:2", "a"), @"f.toml:11: port a:1 is already connected to tor:1 (allowed: one link a port)");
}

#[test]
fn invalid_cables_are_refused() {
    let cable = |keys: &str| {
        error(&format!(
            "[[fabric.switch]]\nname = \"tor\"\nports = 4\n[[fabric.host]]\nname = \"a\"\n\
             [[fabric.host]]\nname = \"b\"\nport = \"tor:2\"\n[[fabric.cable]]\n{keys}\n"
        ))
    };
    insta::assert_snapshot!(cable("from = \"tor:2\"\nto = \"a\""), @"f.toml:12: port tor:2 is already connected to b:1 (allowed: one link a port)");
    insta::assert_snapshot!(cable("from = \"a\"\nto = \"c:1\""), @r#"f.toml:13: there is no node "c:1" in this fabric (allowed: the name of a host or switch and a port number, such as "tor:1")"#);
    insta::assert_snapshot!(cable("from = \"a\""), @"f.toml:11: missing field `to` (allowed: `to` in this table)");
    insta::assert_snapshot!(cable("from = \"a:1\"\nto = \"tor:1\"\nrate = \"0 Gbps\""), @r#"f.toml:14: a link can't have a rate of 0 bps (allowed: at least 10 Mbps, such as "100 Gbps")"#);
    insta::assert_snapshot!(cable("from = \"a:1\"\nto = \"tor:1\"\nrate = \"-3 Gbps\""), @r#"f.toml:14: "-3 Gbps" is negative (allowed: a rate such as "100 Gbps")"#);
    insta::assert_snapshot!(cable("from = \"a:1\"\nto = \"tor:1\"\nrate = \"3\""), @r#"f.toml:14: "3" needs a unit: bps, kbps, Mbps, Gbps or Tbps (or bit/s) (allowed: a rate such as "100 Gbps")"#);
    insta::assert_snapshot!(cable("from = \"a:1\"\nto = \"tor:1\"\nrate = 3"), @r#"f.toml:14: 3 can't stand here (allowed: a rate such as "100 Gbps")"#);
    insta::assert_snapshot!(cable("from = \"a:1\"\nto = \"tor:1\"\ndelay = \"3 m\""), @r#"f.toml:14: "3 m" needs another unit: ps, ns, us, ms or s (allowed: a delay such as "10 ns")"#);
    insta::assert_snapshot!(cable("from = \"tor:1\"\nto = \"tor:3\""), @"f.toml:13: tor:1 is connected to its own node at tor:3 (allowed: a link between two different nodes)");
}

#[test]
fn invalid_fabrics_are_refused() {
    let halves = "[[fabric.host]]\nname = \"a\"\nport = \"s:1\"\n[[fabric.switch]]\nname = \"s\"\n\
                  ports = 2\n[[fabric.switch]]\nname = \"t\"\nports = 2\n\
                  [[fabric.host]]\nname = \"b\"\nport = \"t:1\"\n";
    insta::assert_snapshot!(error(halves), @r#"f.toml:13: hosts "a" and "b" can't reach each other (allowed: a path of switches between the ports that every two hosts use)"#);
    let no_rate = "[[fabric.host]]\nname = \"a\"\nport = \"b\"\n[[fabric.host]]\nname = \"b\"\n";
    insta::assert_snapshot!(whole(no_rate), @r#"f.toml:3: this link has no rate (allowed: a `rate` of its own, or link = { rate = "100 Gbps" } in [fabric] for all)"#);
    insta::assert_snapshot!(whole("[fabric]\nlink = { rate = \"0 bps\" }\nbuild = \"back-to-back\"\n"), @r#"f.toml:2: a link can't have a rate of 0 bps (allowed: at least 10 Mbps, such as "100 Gbps")"#);
    insta::assert_snapshot!(whole("[fabric]\nlink = 3\n"), @r#"f.toml:2: 3 can't stand here (allowed: a table such as { rate = "100 Gbps", delay = "10 ns" })"#);
    insta::assert_snapshot!(whole("[fabric]\nbuild = { single-switch = 7, hosts = 3 }\n"), @r#"f.toml:2: a shape is one key (allowed: "back-to-back", { single-switch = N }, { fat-tree = K }, { leaf-spine = { leaves = L, spines = S, hosts = H } } or { directors = { count = D, ports = K } })"#);
    insta::assert_snapshot!(whole("[fabric]\nbuild = {}\n"), @r#"f.toml:2: a shape is one key (allowed: "back-to-back", { single-switch = N }, { fat-tree = K }, { leaf-spine = { leaves = L, spines = S, hosts = H } } or { directors = { count = D, ports = K } })"#);
    insta::assert_snapshot!(whole("[fabric]\nbuild = \"back-to-back\"\n"), @r#"f.toml:2: `build` without a rate for its links (allowed: `build` and a line such as link = { rate = "100 Gbps" })"#);
    insta::assert_snapshot!(whole("[fabric]\nlink = { delay = \"1 us\" }\nbuild = { single-switch = 3 }\n"), @r#"f.toml:3: `build` without a rate for its links (allowed: `build` and a line such as link = { rate = "100 Gbps" })"#);
    insta::assert_snapshot!(whole("[fabric]\nlink = { rat = \"1 Gbps\" }\n"), @"f.toml:2: unknown field `rat` (allowed: `rate` or `delay`)");
    insta::assert_snapshot!(error("[[fabric.link]]\nfrom = \"a\"\nto = \"b\"\n"), @"f.toml:3: duplicate key (allowed: [[fabric.cable]] for a cable, where `link` is what cables have by default)");
}

/// A byte holds 255 as well, and InfiniBand has no port of that number.
#[test]
fn larger_switches_than_those_of_infiniband_are_refused() {
    #[derive(Debug, serde::Deserialize)]
    struct Document {
        fabric: FabricSpec,
    }
    let read = |text: &str| {
        let source = Source::new("f.toml", text);
        source.toml::<Document>().unwrap().fabric.resolve(&source, infiniband::MAX_PORTS)
    };
    let list = |ports: u16| {
        format!(
            "[fabric]\nlink = {{ rate = \"1 Gbps\" }}\n[[fabric.host]]\nname = \"a\"\nport = \"s:{ports}\"\n\
             [[fabric.switch]]\nname = \"s\"\nports = {ports}\n"
        )
    };
    let build = |hosts: u16| {
        format!("[fabric]\nlink = {{ rate = \"1 Gbps\" }}\nbuild = {{ single-switch = {hosts} }}\n")
    };
    for text in [list(254), build(254)] {
        assert_eq!(read(&text).unwrap().switches().len(), 1);
    }
    insta::assert_snapshot!(read(&list(255)).unwrap_err(), @"f.toml:8: a node can't have 255 ports (allowed: 1 to 254 ports)");
    insta::assert_snapshot!(read(&build(255)).unwrap_err(), @r#"f.toml:3: "switch" can't have 255 ports (allowed: 1 to 254 ports)"#);
}

#[test]
fn invalid_shapes_are_refused() {
    insta::assert_snapshot!(error("build = { fat-tree = 5 }\n"), @"f.toml:3: the number of ports of a fat tree's switches can't be 5 (allowed: an even number from 2 to 62)");
    insta::assert_snapshot!(error("build = { fat-tree = -5 }\n"), @"f.toml:3: -5 is not a number of hosts, ports or switches (allowed: 1 or more)");
    insta::assert_snapshot!(error("build = { torus = 5 }\n"), @"f.toml:3: unknown variant `torus` (allowed: one of `back-to-back`, `single-switch`, `fat-tree`, `leaf-spine`, `directors`)");
    insta::assert_snapshot!(error("build = { single-switch = 600 }\n"), @"f.toml:3: the number of hosts can't be 600 (allowed: 1 to 512)");
    insta::assert_snapshot!(error("build = { leaf-spine = { leaves = 4, spines = 2 } }\n"), @"f.toml:3: missing field `hosts` (allowed: `hosts` in this table)");
    insta::assert_snapshot!(error("build = { leaf-spine = { leaves = 4, spines = 0, hosts = 1 } }\n"), @"f.toml:3: the number of spines can't be 0 (allowed: 1 to 511)");
    insta::assert_snapshot!(error("build = \"back-to-back\"\n[[fabric.host]]\nname = \"a\"\n"), @"f.toml:3: `build` makes all nodes and cables, and this fabric also lists some (allowed: either `build` or lists of switches, hosts and cables)");
}
