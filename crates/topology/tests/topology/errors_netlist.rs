//! Error messages for mistakes in netlists and in the output of ibnetdiscover.

use bandwise_input::Source;
use bandwise_topology::read;

const NET: &str = "Switch 4 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1] w=2\n\
                   Hca 1 \"a\"\n[1] \"s\"[1]\nHca 2 \"b\"\n[1] \"s\"[2]\n";
const DISCOVERED: &str = include_str!("../data/two-racks.ibnetdiscover");

fn replaced(good: &str, replace: &str, by: &str) -> String {
    assert!(good.contains(replace), "{replace}");
    let text = good.replacen(replace, by, 1);
    read::any(&Source::new("f.net", &text)).expect_err("this must be refused").to_string()
}

fn net(replace: &str, by: &str) -> String {
    replaced(NET, replace, by)
}

fn discovered(replace: &str, by: &str) -> String {
    replaced(DISCOVERED, replace, by)
}

#[test]
fn invalid_nodes_are_refused() {
    insta::assert_snapshot!(net("Hca 2 \"b\"", "Hca 2 \"a\""), @r#"f.net:6: two nodes have the name "a" (allowed: a name that no other host or switch has)"#);
    insta::assert_snapshot!(net("Switch 4", "Switch 0"), @"f.net:1: a node can't have 0 ports (allowed: 1 to 254 ports)");
    insta::assert_snapshot!(net("Switch 4", "Switch 255"), @r#"f.net:1: "s" can't have 255 ports (allowed: 1 to 254 ports)"#);
    insta::assert_snapshot!(net("Switch 4", "Switch 99999999999999999999999"), @r#"f.net:1: "s" can't have 18446744073709551615 ports (allowed: 1 to 254 ports)"#);
    insta::assert_snapshot!(net("Switch 4 \"s\"", "Switch \"s\""), @r#"f.net:1: a node without its number of ports (allowed: a node such as Switch 8 "sw1", with Switch, Ca, Hca or Rt)"#);
    insta::assert_snapshot!(net("Hca 2 \"b\"", "Hca 2 b"), @r#"f.net:6: a node without a name in quotes (allowed: a node such as Switch 8 "sw1", with Switch, Ca, Hca or Rt)"#);
    insta::assert_snapshot!(net("Hca 2 \"b\"", "Hca 2 \"b\" fast"), @r#"f.net:6: "fast" after the node's name (allowed: nothing, or a comment that begins with #)"#);
    insta::assert_snapshot!(net("Hca 2 \"b\"", "Hca 2 \" \""), @r#"f.net:6: " " can't be the name of a node (allowed: one or more characters, none of them a control character or U+FFFD, without a space at the beginning or end)"#);
    insta::assert_snapshot!(net("[1] \"s\"[2]\n", "Hca 1 \"c\"\n"), @r#"f.net:7: host "c" has no link (allowed: a link to a switch or to another host)"#);
    let switches = "Switch 4 \"s\"\n[1] \"t\"[1]\nSwitch 4 \"t\"\n";
    insta::assert_snapshot!(replaced(switches, "", ""), @"f.net:1: the fabric has no host (allowed: at least one host)");
}

#[test]
fn more_nodes_than_a_subnet_holds_are_refused() {
    let nodes = |n| (0..n).map(|i| format!("Switch 2 \"s{i}\"\n")).collect::<String>();
    // Lines after the first node too many are not read.
    let text = nodes(65_001) + "Switch without a number\n";
    let error = read::any(&Source::new("f.net", &text)).expect_err("this must be refused");
    insta::assert_snapshot!(error, @"f.net:65001: more than 65000 nodes (allowed: up to 65000 nodes)");
}

#[test]
fn node_line_is_found_by_name() {
    let line = |text: &str, name: &str| {
        let source = Source::new("f", text);
        read::node_line(&source, name).map(|at| source.error(at, "").line())
    };
    assert_eq!((line(NET, "s"), line(NET, "b"), line(NET, "c")), (Some(1), Some(6), None));
    // Ports of other switches name it before its own line.
    let at = DISCOVERED.lines().position(|l| l.starts_with("Switch") && l.contains("\"spine\""));
    assert!(DISCOVERED.lines().position(|l| l.contains("\"spine\"")) < at);
    assert_eq!(line(DISCOVERED, "spine"), at.map(|n| n + 1));
    assert_eq!(line("[fabric]\nbuild = \"back-to-back\"\n", "h0"), None);
}

#[test]
fn invalid_ports_are_refused() {
    insta::assert_snapshot!(net("[2] \"b\"", "[1] \"b\""), @r#"f.net:3: port 1 of "s" is already connected in line 2 (allowed: one link a port)"#);
    insta::assert_snapshot!(net("[2] \"b\"", "[5] \"b\""), @r#"f.net:3: "s" has no port 5 (allowed: ports 1 to 4)"#);
    insta::assert_snapshot!(net("[2] \"b\"", "[0] \"b\""), @r#"f.net:3: "s" has no port 0 (allowed: ports 1 to 4)"#);
    insta::assert_snapshot!(net("[2] \"b\"", "[] \"b\""), @r#"f.net:3: a port line without a port number (allowed: a port such as [1] "sw1"[3])"#);
    insta::assert_snapshot!(net("[2] \"b\"", "[2] b"), @r#"f.net:3: a port line without the far node in quotes (allowed: a port such as [1] "sw1"[3])"#);
    insta::assert_snapshot!(net("[2] \"b\"[1]", "[2] \"b\"[x]"), @r#"f.net:3: a far port that is not a number (allowed: a port such as [1] "sw1"[3])"#);
    insta::assert_snapshot!(net("[2] \"b\"[1]", "[2] \"b\"[3]"), @r#"f.net:3: "b" has no port 3 (allowed: ports 1 to 2)"#);
    insta::assert_snapshot!(net("[2] \"b\"[1]", "[2] \"c\"[1]"), @r#"f.net:3: there is no node "c" in this file (allowed: a node that has a Switch, Ca, Hca or Rt line of its own)"#);
    insta::assert_snapshot!(net("[2] \"b\"[1]", "[2] \"b\"[2]"), @r#"f.net:7: this link ends at port 2 of "s", which line 3 connects to port 2 of "b" (allowed: the same two ports in both lines of a link)"#);
    insta::assert_snapshot!(net("[2] \"b\"[1]", "[2] \"s\"[3]"), @"f.net:3: s:2 is connected to its own node at s:3 (allowed: a link between two different nodes)");
    insta::assert_snapshot!(net("Switch 4 \"s\"\n", ""), @r#"f.net:1: a port before any node (allowed: a node such as Switch 8 "sw1", with Switch, Ca, Hca or Rt)"#);
    // Both lines name the same far port, which has no line of its own.
    let twice = "Switch 2 \"s\"\n[1] \"a\"\nSwitch 2 \"t\"\n[1] \"a\"\nHca 1 \"a\"\n";
    insta::assert_snapshot!(replaced(twice, "", ""), @"f.net:4: port a:1 is already connected to s:1 (allowed: one link a port)");
}

#[test]
fn invalid_speeds_are_refused() {
    insta::assert_snapshot!(net("w=2", "w=8"), @"f.net:7: this link allows the widths 8 at one end and 2 at the other (allowed: a width that both ends allow)");
    insta::assert_snapshot!(net("w=2", "s=6"), @"f.net:7: this link allows the speeds 6 at one end and 1 at the other (allowed: a speed that both ends allow)");
    insta::assert_snapshot!(net("w=2", "w=16"), @r#"f.net:3: no link width "16" (allowed: a sum of 1 (1x), 2 (4x), 4 (8x) and 8 (12x))"#);
    insta::assert_snapshot!(net("w=2", "s=0"), @r#"f.net:3: no link speed "0" (allowed: a sum of 1 (SDR), 2 (DDR) and 4 (QDR))"#);
    insta::assert_snapshot!(net("w=2", "v=3"), @r#"f.net:3: "v=3" after a port (allowed: w= with a sum of 1 (1x), 2 (4x), 4 (8x) and 8 (12x), s= with a sum of 1 (SDR), 2 (DDR) and 4 (QDR), or 1x, 2x, 4x, 8x or 12x of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, such as 4xFDR)"#);
    insta::assert_snapshot!(net("w=2", "4x ???"), @r#"f.net:3: "4x???" after a port (allowed: w= with a sum of 1 (1x), 2 (4x), 4 (8x) and 8 (12x), s= with a sum of 1 (SDR), 2 (DDR) and 4 (QDR), or 1x, 2x, 4x, 8x or 12x of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, such as 4xFDR)"#);
    insta::assert_snapshot!(net("w=2", "# bandwise rate 0 bps delay 1 ns"), @r#"f.net:3: the link between s:2 and b:1 has a rate of 0 bps (allowed: at least 10 Mbps, such as "100 Gbps")"#);
    insta::assert_snapshot!(net("w=2", "# bandwise rate 1 Gbps delay 2 s"), @r#"f.net:3: the link between s:2 and b:1 has a delay of 2 s (allowed: up to 1 s, such as "10 ns")"#);
    insta::assert_snapshot!(net("w=2", "# bandwise rate 3 delay 1 ns"), @r#"f.net:3: "3" needs a unit: bps, kbps, Mbps, Gbps or Tbps (or bit/s) (allowed: # bandwise rate 10 Gbps delay 5 ns)"#);
    insta::assert_snapshot!(net("w=2", "# bandwise rate 3 Gbps"), @"f.net:3: a rate without a delay (allowed: # bandwise rate 10 Gbps delay 5 ns)");
    insta::assert_snapshot!(net("Switch 4 \"s\"", "width=0\nSwitch 4 \"s\""), @r#"f.net:1: no link width "0" (allowed: a sum of 1 (1x), 2 (4x), 4 (8x) and 8 (12x))"#);
    let differ = NET.replacen("\"s\"[2]", "\"s\"[2] 4xEDR", 1);
    insta::assert_snapshot!(replaced(&differ, "w=2", "4xFDR"), @"f.net:7: this link has the rate 54.545454545 Gbps at one end and 100 Gbps at the other (allowed: the same rate in both lines of a link)");
}

#[test]
fn invalid_directives_are_refused() {
    for line in
        ["include \"other.net\"", "do \"Link\"", "module \"m\"", "@[1] \"x\"", "Swich 4 \"s\""]
    {
        let message = net("Hca 1 \"a\"", &format!("{line}\nHca 1 \"a\""));
        println!("{message}");
        assert!(message.starts_with("f.net:4: "), "{message}");
        assert!(message.contains("(allowed: Switch, Hca, Ca and Rt lines"), "{message}");
    }
    insta::assert_snapshot!(net("Hca 1 \"a\"", "include \"x\""), @"f.net:4: `include` is not supported: put all nodes into one file (allowed: Switch, Hca, Ca and Rt lines, [port] lines, comments after #, width=, speed=, and switchguid=, caguid=, hcaguids=, rtguid=, vendid=, devid=, sysimgguid= and pdebug=, which have no effect here)");
}

#[test]
fn invalid_ibnetdiscover_output_is_refused() {
    let port = "[7]\t\"S-0002c903000a0002\"[1]\t\t# \"spine\" lid 0 12xDDR\n";
    insta::assert_snapshot!(discovered(port, ""), @r#"f.net:22: the link to port 7 of "S-0002c903000a0000" is not in the lines of "S-0002c903000a0000" (allowed: a line for each end of a link, as ibnetdiscover prints them)"#);
    insta::assert_snapshot!(discovered(port, &port.replace("12xDDR", "4x???")), @r#"f.net:34: "4x???": this ibnetdiscover is older than the link's speed (allowed: the output of a newer ibnetdiscover (infiniband-diags), which knows the speed)"#);
    insta::assert_snapshot!(discovered(port, &port.replace("12xDDR", "12xQDX")), @r#"f.net:34: "12xQDX" is not a link speed (allowed: 1x, 2x, 4x, 8x or 12x of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, such as 4xFDR)"#);
    insta::assert_snapshot!(discovered(port, &port.replace("12xDDR", "")), @r#"f.net:34: a port line without `# "description" lid N SPEED` at its end (allowed: 1x, 2x, 4x, 8x or 12x of SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, such as 4xFDR)"#);
    insta::assert_snapshot!(discovered(port, &port.replace("[1]", "[2]")), @r#"f.net:22: this link ends at port 7 of "S-0002c903000a0000", which line 34 connects to port 2 of "S-0002c903000a0002" (allowed: the same two ports in both lines of a link)"#);
    insta::assert_snapshot!(discovered(port, &port.replace("a0002", "a0009")), @r#"f.net:34: there is no node "S-0002c903000a0009" in this file; is the file cut off after its last node, "node00 HCA-1"? (allowed: the whole output of ibnetdiscover)"#);
    insta::assert_snapshot!(discovered("devid=0x0", "width=3"), @"f.net:7: not a line that ibnetdiscover prints (allowed: Switch, Ca and Rt lines, [port] lines, comments after #, Chassis lines, and vendid=, devid=, sysimgguid=, switchguid=, caguid= and rtguid=)");
}
