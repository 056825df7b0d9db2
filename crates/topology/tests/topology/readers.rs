//! Valid files of each format, and ibsim's own examples.

use bandwise_input::Source;
use bandwise_topology::read::{self, FabricSpec, Format};
use bandwise_topology::{Fabric, MAX_PORTS, NodeKind, builders};
use bandwise_units::{BitRate, Time};
use std::fmt::Write;

const TWO_RACKS: &str = include_str!("../data/two-racks.ibsim");
const DISCOVERED: &str = include_str!("../data/two-racks.ibnetdiscover");
const DISCOVERED_FULL: &str = include_str!("../data/two-racks-full.ibnetdiscover");
const CHASSIS: &str = include_str!("../data/chassis.ibnetdiscover");
const EXAMPLE: &str = include_str!("../data/example.toml");

fn read(text: &str, format: Format) -> Fabric {
    let source = Source::new("f", text);
    assert_eq!(read::detect(&source), format);
    let connected = read::any(&source).and_then(|file| file.connected(&source));
    connected.unwrap_or_else(|e| panic!("{e}")).0
}

/// Returns the cables, one a line, sorted by name, so that the order of nodes has no effect.
fn cables(fabric: &Fabric) -> String {
    let cable = |l: &bandwise_topology::Link| {
        let mut ends = l.ends.map(|e| fabric.describe(e));
        ends.sort();
        format!("{} - {} {} {}", ends[0], ends[1], l.rate, l.delay)
    };
    let mut lines: Vec<String> = fabric.links().iter().map(cable).collect();
    lines.sort();
    lines.join("\n")
}

fn nodes(fabric: &Fabric) -> String {
    let mut out = String::new();
    for (node, i) in fabric.nodes().iter().zip(0u32..) {
        let kind = if node.kind == NodeKind::Host { "host" } else { "switch" };
        let ports = fabric.port_count(bandwise_topology::NodeId(i));
        writeln!(out, "{kind} {ports} {}", node.name).unwrap();
    }
    out
}

#[test]
fn toml_with_every_element_is_read() {
    let fabric = read(EXAMPLE, Format::Toml);
    insta::assert_snapshot!(nodes(&fabric), @"
    switch 12 tor
    host 1 dst
    host 2 src:a
    switch 12 tor2
    host 1 third
    ");
    insta::assert_snapshot!(cables(&fabric), @"
    dst:1 - tor:1 54.545454545 Gbps 10 ns
    src:a:2 - tor2:2 54.545454545 Gbps 10 ns
    third:1 - tor2:1 54.545454545 Gbps 1 us
    tor2:12 - tor:12 100 Gbps 5 ns
    ");
}

#[test]
fn toml_shapes_are_built() {
    let (rate, delay) = (BitRate::from_gbps(40), Time::from_ns(10));
    for (build, fabric) in [
        ("\"back-to-back\"", builders::back_to_back(rate, delay)),
        ("{ single-switch = 7 }", builders::single_switch(7, rate, delay)),
        ("{ fat-tree = 4 }", builders::fat_tree(4, rate, delay)),
        (
            "{ leaf-spine = { leaves = 4, spines = 2, hosts = 8 } }",
            builders::leaf_spine(4, 2, 8, rate, delay),
        ),
    ] {
        let text = format!("[fabric]\nbuild = {build}\nlink = {{ rate = \"40 Gbps\" }}\n");
        assert_eq!(read(&text, Format::Toml), fabric.unwrap());
    }
}

#[test]
fn fabric_table_of_a_larger_document_is_read() {
    #[derive(serde::Deserialize)]
    struct Scenario {
        seed: u64,
        fabric: FabricSpec,
    }
    let text = format!("seed = 7\n{EXAMPLE}");
    let source = Source::new("s.toml", &text);
    let scenario: Scenario = source.toml().unwrap();
    assert_eq!(scenario.seed, 7);
    assert_eq!(scenario.fabric.resolve(&source, MAX_PORTS).unwrap(), read(EXAMPLE, Format::Toml));
    let wrong = text.replace("tor:1\"", "tor:13\"");
    let source = Source::new("s.toml", &wrong);
    let error = source.toml::<Scenario>().unwrap().fabric.resolve(&source, MAX_PORTS).unwrap_err();
    assert_eq!(error.line(), 12, "{error}");
}

#[test]
fn toml_cables_may_be_listed_as_link() {
    let text = "[[fabric.host]]\nname = \"a\"\n[[fabric.host]]\nname = \"b\"\n\
                [[fabric.link]]\nfrom = \"a\"\nto = \"b:1\"\nrate = \"1 Gbps\"\n";
    assert_eq!(cables(&read(text, Format::Toml)), "a:1 - b:1 1 Gbps 10 ns");
    let host_to_host = "[fabric]\nlink = { rate = \"1 Gbps\" }\n[[fabric.host]]\nname = \"a\"\n\
                        [[fabric.host]]\nname = \"b\"\nport = \"a\"\n";
    assert_eq!(read(host_to_host, Format::Toml), read(text, Format::Toml));
}

#[test]
fn netlist_is_read() {
    let fabric = read(TWO_RACKS, Format::Ibsim);
    insta::assert_snapshot!(nodes(&fabric), @"
    switch 8 rack 0: leaf
    switch 8 rack 1: leaf
    switch 8 spine
    host 2 node00 HCA-1
    host 1 node01
    host 1 node10
    host 2 node11
    ");
    insta::assert_snapshot!(cables(&fabric), @"
    node00 HCA-1:1 - rack 0: leaf:1 32 Gbps 10 ns
    node01:1 - rack 0: leaf:2 32 Gbps 10 ns
    node10:1 - rack 1: leaf:1 32 Gbps 10 ns
    node11:1 - rack 1: leaf:2 8 Gbps 10 ns
    node11:2 - rack 1: leaf:3 2 Gbps 10 ns
    rack 0: leaf:7 - spine:1 48 Gbps 10 ns
    rack 0: leaf:8 - spine:2 48 Gbps 10 ns
    rack 1: leaf:7 - spine:3 48 Gbps 10 ns
    rack 1: leaf:8 - spine:4 48 Gbps 10 ns
    ");
}

#[test]
fn ibnetdiscover_output_equals_the_netlist() {
    let fabric = read(DISCOVERED, Format::Ibnetdiscover);
    assert_eq!(fabric, read(DISCOVERED_FULL, Format::Ibnetdiscover));
    // The cables and rates are those of our reader of the netlist. The two hosts with one
    // description are named by their ids, which ibnetdiscover derives from GUIDs.
    let same_ids = |text: String| {
        let text = text.replace("H-0002c903000b0003", "node01");
        let mut lines: Vec<_> = text
            .replace("H-0002c903000b0005", "node10")
            .lines()
            .map(|l| {
                let (ends, speed) = l
                    .split_once(' ')
                    .map(|_| l.rsplitn(5, ' ').collect::<Vec<_>>())
                    .map(|words| (words[4].to_owned(), words[..4].join(" ")))
                    .unwrap();
                let mut ends: Vec<_> = ends.split(" - ").map(str::to_owned).collect();
                ends.sort();
                format!("{} {speed}", ends.join(" - "))
            })
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(same_ids(cables(&fabric)), same_ids(cables(&read(TWO_RACKS, Format::Ibsim))));
}

#[test]
fn ibnetdiscover_chassis_router_and_aggregation_node_are_read() {
    let warnings = read::any(&Source::new("f", CHASSIS)).unwrap().warnings;
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let expected =
        ["f:51: 1 aggregation node (SHARP) left out", "f:57: 1 router counted as a host"];
    assert_eq!(warnings, expected);
    let fabric = read(CHASSIS, Format::Ibnetdiscover);
    insta::assert_snapshot!(nodes(&fabric), @r#"
    switch 36 MF0;big:CS7520/S1/U1
    switch 36 MF0;big:CS7520/L1/U1
    switch 41 Quantum Mellanox Technologies
    host 1 compute-0-1 mlx5_0
    host 1 compute-0-2 "x" mlx5_0
    host 1 router
    "#);
    insta::assert_snapshot!(cables(&fabric), @r#"
    MF0;big:CS7520/L1/U1:1 - compute-0-1 mlx5_0:1 54.545454545 Gbps 10 ns
    MF0;big:CS7520/L1/U1:19 - MF0;big:CS7520/S1/U1:1 100 Gbps 10 ns
    MF0;big:CS7520/L1/U1:2 - compute-0-2 "x" mlx5_0:1 40 Gbps 10 ns
    MF0;big:CS7520/S1/U1:2 - Quantum Mellanox Technologies:41 100 Gbps 10 ns
    Quantum Mellanox Technologies:1 - router:1 200 Gbps 10 ns
    "#);
}

#[test]
fn netlists_go_beyond_ibsim() {
    let one_sided = "Switch 4 \"s\"\n[1] \"a\"[1] 4x FDR\n[2] \"b\" 12xQDR # remark w=9\n\
                     [3] \"c\" # bandwise rate 30000003 bps delay 4 ps\n[4] \"d\" w=8 s=0x2\r\n\
                     Hca 1 \"a\"\nHca 1 \"b\" # just a remark\nCa 2 \"c\"\nRt 1 \"d\"\n";
    insta::assert_snapshot!(cables(&read(one_sided, Format::Ibsim)), @"
    a:1 - s:1 54.545454545 Gbps 10 ns
    b:1 - s:2 96 Gbps 10 ns
    c:1 - s:3 30.000003 Mbps 4 ps
    d:1 - s:4 48 Gbps 10 ns
    ");
    let routers = |text: &str| read::any(&Source::new("f", text)).unwrap().warnings[0].to_string();
    assert_eq!(routers(one_sided), "f:9: 1 router counted as a host");
    let two = one_sided.replace("Ca 2 \"c\"", "Rt 2 \"c\"");
    assert_eq!(routers(&two), "f:8: 2 routers counted as hosts");
    let defaults = "width=11\nspeed = 6 # QDR or DDR\nSwitch 2 \"s\"\n[1] \"a\"[1] s=2\n[2] \"b\"\n\
                    width=2\nHca 1 \"a\"\n[1] \"s\"[1]\nHca 1 \"b\"\n[1] \"s\"[2]\n";
    insta::assert_snapshot!(cables(&read(defaults, Format::Ibsim)), @"
    a:1 - s:1 16 Gbps 10 ns
    b:1 - s:2 32 Gbps 10 ns
    ");
}

/// A dump of ibnetdiscover without its comments has the form of a netlist without speeds.
#[test]
fn netlist_without_any_speed_is_read_with_a_warning() {
    let bare = "Switch 36 \"leaf1\"\n[1] \"host01\"[1]\n[2] \"host02\"[1]\n\
                Ca 1 \"host01\"\n[1] \"leaf1\"[1]\nCa 1 \"host02\"\n[1] \"leaf1\"[2]\n";
    let warnings = |text: &str| {
        let file = read::any(&Source::new("f", text)).unwrap();
        file.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    // 4 lanes of 2.5 Gbps with 8 data bits in 10 are 8 Gbps.
    insta::assert_snapshot!(cables(&read(bare, Format::Ibsim)), @"
    host01:1 - leaf1:1 8 Gbps 10 ns
    host02:1 - leaf1:2 8 Gbps 10 ns
    ");
    insta::assert_snapshot!(warnings(bare), @"f:2: no line has a speed: 4xSDR, ibsim's default, 8 Gbps, is assumed (allowed: `width=2` and `speed=4` (4xQDR) in a line above, `4xEDR` at the end of each link's line, or the whole output of ibnetdiscover with its comments)");
    // The speed of one link says nothing of the other one.
    let link = "\"leaf1\"[2]";
    let other = "\"leaf1\"[1]";
    for end in ["s=1", "w=2", "4xSDR", "# bandwise rate 8 Gbps delay 10 ns"] {
        let one = bare.replace(link, &format!("{link} {end}"));
        let message = "f:2: 2 port lines of links without a speed: 4xSDR, ibsim's default";
        assert!(warnings(&one).starts_with(message), "{end}: {}", warnings(&one));
        assert_eq!(warnings(&one.replace(other, &format!("{other} {end}"))), "", "{end}");
    }
    for line in ["speed=1", "width=2"] {
        assert_eq!(warnings(&format!("{line}\n{bare}")), "", "{line}");
    }
    assert_ne!(warnings(&bare.replace(link, &format!("{link} lid 3 # a remark"))), "");
}

/// The examples that Debian ships in ibsim-utils. They are not copied into this repository.
#[test]
fn ibsim_examples_are_read() {
    let folder = std::path::Path::new("/usr/share/doc/ibsim-utils/net-examples");
    if !folder.exists() {
        println!("SKIP examples of ibsim: ibsim-utils is not installed");
        return;
    }
    let mut counts = String::new();
    let mut names: Vec<_> = folder.read_dir().unwrap().map(|f| f.unwrap().path()).collect();
    names.sort();
    for path in names.iter().filter(|p| p.file_name().unwrap() != "examples.README") {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let fabric = read(&text, Format::Ibsim);
        let (hosts, switches, links) =
            (fabric.hosts().len(), fabric.switches().len(), fabric.links().len());
        writeln!(counts, "{name}: {hosts} hosts, {switches} switches, {links} links").unwrap();
    }
    insta::assert_snapshot!(counts, @"
    net: 2 hosts, 2 switches, 4 links
    net.1: 2 hosts, 1 switches, 2 links
    net.2sw2path: 2 hosts, 2 switches, 4 links
    net.2sw2path4hca: 4 hosts, 2 switches, 6 links
    net.2sw2path4hca2port: 2 hosts, 2 switches, 6 links
    ");
}
