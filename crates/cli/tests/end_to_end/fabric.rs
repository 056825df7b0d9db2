//! `bandwise fabric`.

use crate::common::{BACK_TO_BACK, Place, fixture};
use std::process::Command;

#[test]
fn fabric_show_reports_counts_and_rates() {
    let ran = Place::new().run(&["fabric", "show", &fixture("two-racks.ibsim")]).good();
    for message in
        ["hosts         4", "switches      3", "longest path  4 links", "48 Gbps", "none"]
    {
        assert!(ran.stdout.contains(message), "no {message:?} in {}", ran.stdout);
    }
}

#[test]
fn json_lists_hosts_links_and_paths() {
    let ran = Place::new().run(&["fabric", "show", &fixture("two-racks.ibsim"), "--json"]).good();
    let json = ran.json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["hosts"].as_array().unwrap().len(), 4);
    assert_eq!(json["links"].as_array().unwrap().len(), 9);
    assert_eq!(json["longest_path"].as_array().unwrap().len(), 4);
    assert!(json["credit_loop"].is_null());
}

#[test]
fn shows_a_credit_loop_in_order() {
    let place = Place::new();
    place.write("ring.toml", crate::rperf::ring(""));
    let ran = place.run(&["fabric", "show", "ring.toml"]).good();
    let circle = ["s0:2", "s1:2", "s2:2", "s3:2", "s4:2", "s5:2", "s6:2", "s0:2"];
    let lines: Vec<&str> = ran.stdout.lines().map(str::trim).collect();
    assert!(lines.windows(circle.len()).any(|w| w == circle), "{}", ran.stdout);
    let json = place.run(&["fabric", "show", "ring.toml", "--json", "-"]).good().json();
    assert_eq!(json["credit_loop"], serde_json::json!(circle[..7]));
}

#[test]
fn fabric_show_accepts_a_scenario() {
    let place = Place::new();
    place.write(
        "s.toml",
        format!("kind = \"infiniband\"\ntitle = \"x\"\n{BACK_TO_BACK}[run]\nseed = 7\n"),
    );
    let ran = place.run(&["fabric", "show", "s.toml"]).good();
    assert!(ran.stdout.contains("hosts         2"), "{}", ran.stdout);
}

#[test]
fn scenario_without_a_fabric_of_its_own_is_named() {
    let place = Place::new();
    place.write("e.toml", "kind = \"ethernet\"\n[workload]\npoisson = { flows = 10 }\n");
    place
        .run(&["fabric", "show", "e.toml"])
        .refused(&["e.toml:1: a scenario without a fabric", "a file with [fabric]"]);
    place.write("i.toml", "kind = \"infiniband\"\nfabric-file = \"f.txt\"\n");
    place
        .run(&["fabric", "show", "i.toml"])
        .refused(&["i.toml:2: the fabric of this scenario is in f.txt", "that file"]);
}

#[test]
fn toml_and_ibsim_conversions_round_trip() {
    let place = Place::new();
    for file in ["two-racks.ibsim", "two-racks.ibnetdiscover", "example.toml"] {
        let toml = place.run(&["fabric", "convert", &fixture(file), "--to", "toml"]).good();
        place.write("1.toml", &toml.stdout);
        let ibsim = place.run(&["fabric", "convert", "1.toml", "--to", "ibsim"]).good();
        place.write("2.net", &ibsim.stdout);
        let again = place.run(&["fabric", "convert", "2.net", "--to", "toml"]).good();
        assert_eq!(again.stdout, toml.stdout, "{file}");
    }
}

#[test]
fn reads_standard_input() {
    let ran = Place::new().run_with(&["fabric", "show", "-"], BACK_TO_BACK.as_bytes()).good();
    assert!(ran.stdout.contains("longest path  1 link,"), "{}", ran.stdout);
    let ran = Place::new().run_with(&["fabric", "show", "-"], b"[fabric]\nbild = 1\n");
    ran.refused(&["<stdin>:2: "]);
}

#[test]
fn routing_a_large_fabric_is_announced_at_a_terminal() {
    let place = Place::new();
    let fabric =
        |k| format!("[fabric]\nbuild = {{ fat-tree = {k} }}\nlink = {{ rate = \"1 Gbps\" }}\n");
    let args = ["rperf", "--fabric", "f.toml", "--to", "h1", "--samples", "1"];
    let message = "routing 5488 hosts over 980 switches …";
    // `script` gives its command a terminal.
    let command = format!("{} {}", env!("CARGO_BIN_EXE_bandwise"), args.join(" "));
    let at_terminal = || {
        let mut script = Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).current_dir(place.path());
        script.output().ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    place.write("f.toml", fabric(28));
    assert!(!place.run(&args).good().stderr.contains("routing"));
    if let Some(printed) = at_terminal() {
        assert!(printed.contains(message), "{printed}");
    }
    place.write("f.toml", fabric(4));
    assert!(at_terminal().is_none_or(|printed| !printed.contains("routing")));
}

/// Refusals before a device is needed. `tests/ib` has the others.
#[test]
fn bad_weights_are_refused() {
    let place = Place::new();
    let refused = |args: &str, message: &[&str]| {
        let args: Vec<&str> = ["fabric", "weights"].into_iter().chain(args.split(' ')).collect();
        place.run(&args).refused(message);
    };
    for weight in ["1", "16=1", "1=0", "1=256", "1=x", "3-1=1"] {
        refused(&format!("s1:3 {weight}"), &["a service level and a weight from 1 to 255"]);
    }
    refused("s1:3 1=1 1,2=2", &["SL 1 has two weights", "one for each service level"]);
    refused("s1:3 9=1", &["SL 9 is not one of --sls", "allowed: 1, 2, 3, 4, 5, 6, 7, 8"]);
    refused("s1:3 1=1 2=1 3=1 --lanes 1,2", &["3 weights", "up to 2"]);
    refused("--lanes 0-3", &["virtual lane 0 belongs to other traffic"]);
    refused("--lanes 15", &["--lanes can't be", "1 to 14"]);
    refused("--sls 1,2,1", &["service level 1 is listed twice"]);
    refused("--device mlx5_0:x", &["--device can't be", "mlx5_0:1"]);
    refused("s1:3 --plan", &["--plan without anything to write"]);
    refused("s1:3 1=1 --clear", &["cannot be used with"]);
    refused("--plan", &["<NODE:PORT>"]);
    refused("--from a", &["--to"]);
}

/// A dump of one switch and two hosts; `rail` tells GUIDs and names of two rails apart.
fn rail(rail: u8) -> String {
    let switch = format!("b8cef60300aa00{rail:02}");
    let mut text =
        format!("Switch\t40 \"S-{switch}\"\t# \"tor{rail}\" enhanced port 0 lid 9 lmc 0\n");
    for host in 0..2 {
        let guid = format!("b8cef603{rail:02}bb00{host:02}");
        let (port, name) = (host + 1, format!("n{host} mlx5_{rail}"));
        text += &format!("[{port}]\t\"H-{guid}\"[1]\t# \"{name}\" lid 1{host} 4xHDR\n");
    }
    for host in 0..2 {
        let guid = format!("b8cef603{rail:02}bb00{host:02}");
        let (port, name) = (host + 1, format!("n{host} mlx5_{rail}"));
        text += &format!("\nCa\t1 \"H-{guid}\"\t# \"{name}\"\n");
        text += &format!(
            "[1]\t\"S-{switch}\"[{port}]\t# lid 1{host} lmc 0 \"tor{rail}\" lid 9 4xHDR\n"
        );
    }
    text
}

#[test]
fn warnings_of_a_dump_are_printed_and_in_the_json() {
    let place = Place::new();
    place.write("f.txt", format!("[root@head ~]# ibnetdiscover\n{}", rail(0)));
    let ran = place.run(&["fabric", "show", "f.txt"]).good();
    assert!(ran.stderr.contains("warning: f.txt:1: 1 shell prompt skipped"), "{}", ran.stderr);
    let json = place.run(&["fabric", "show", "f.txt", "--json"]).good().json();
    assert_eq!(json["warnings"], serde_json::json!(["f.txt:1: 1 shell prompt skipped"]));
    let measure = ["rperf", "--fabric", "f.txt", "--from", "n0 mlx5_0", "--to", "n1 mlx5_0"];
    let outputs = ["--samples", "100", "--json", "o.json", "--report", "r.html"];
    let ran = place.run(&[&measure[..], &outputs].concat()).good();
    assert!(ran.stderr.contains("1 shell prompt skipped"), "{}", ran.stderr);
    assert_eq!(place.json("o.json")["warnings"], json["warnings"]);
    let page = place.read("r.html");
    assert!(page.contains("There is 1 warning, in the notes."));
    assert!(page.contains("Warning: f.txt:1: 1 shell prompt skipped."));
}

#[test]
fn rails_are_shown_and_measured_apart() {
    let place = Place::new();
    place.write("f.txt", rail(0) + "\n" + &rail(1));
    let ran = place.run(&["fabric", "show", "f.txt"]).good();
    for line in
        ["hosts         4", "links         4", "parts         2, without a path between them"]
    {
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
    let json = place.run(&["fabric", "show", "f.txt", "--json"]).good().json();
    assert_eq!((&json["parts"], json["hosts"].as_array().unwrap().len()), (&2.into(), 4));
    let from = |from: &str| {
        let measure = ["rperf", "--fabric", "f.txt", "--samples", "100", "--to", "n1 mlx5_1"];
        place.run(&[&measure[..], &["--from", from]].concat())
    };
    from("n0 mlx5_1").good();
    let apart = "hosts \"n1 mlx5_1\" and \"n0 mlx5_0\" can't reach each other";
    from("n0 mlx5_0").refused(&[apart, ": the file has 2 parts", "allowed: hosts of one part"]);
    // One adapter of the server is at the receiver's rail.
    let ran = from("n0").good();
    assert!(ran.stdout.contains("from n0 mlx5_1 to n1 mlx5_1"), "{}", ran.stdout);
    place.run(&["fabric", "convert", "f.txt", "--to", "toml"]).refused(&["can't reach each other"]);
}

/// Servers with an adapter at each of two rails: a flow is within one rail, and names of servers alone
/// don't say in which.
#[test]
fn scenarios_take_the_part_of_their_hosts() {
    let place = Place::new();
    place.write("f.txt", rail(0) + "\n" + &rail(1));
    let flows = |ends: &[(&str, &str)]| {
        let mut text = "kind = \"infiniband\"\nfabric-file = \"f.txt\"\n".to_owned();
        for (from, to) in ends {
            text += &format!("[[flow]]\nmethod = \"bulk\"\nfrom = {from:?}\nto = {to:?}\n");
        }
        place.write("s.toml", text);
        place.run(&["sim", "run", "s.toml"])
    };
    flows(&[("n0 mlx5_1", "n1 mlx5_1")]).good();
    flows(&[("n0", "n1 mlx5_1"), ("n1", "n0 mlx5_1")]).good();
    flows(&[("n0", "n1")]).refused(&[
        "f.txt",
        "\"n0\" has 2 adapters",
        "allowed: one of them: \"n0 mlx5_0\", \"n0 mlx5_1\"",
    ]);
    flows(&[("n0 mlx5_0", "n1"), ("n0 mlx5_1", "n1")])
        .refused(&["hosts \"n0 mlx5_0\" and \"n0 mlx5_1\" can't reach each other"]);
    flows(&[("n0 mlx5_0", "n2 mlx5_0")]).refused(&["s.toml:6: ", "there is no host \"n2 mlx5_0\""]);
    let job = |hosts: &str| {
        let stage = "stage = [{ pattern = \"shuffle\", bytes = \"1 MB\" }]";
        let text = format!(
            "kind = \"jobs\"\nfabric-file = \"f.txt\"\n[[job]]\nname = \"j\"\n{hosts}\n{stage}\n"
        );
        place.write("j.toml", text);
        place.run(&["saba", "plan", "j.toml"])
    };
    job("hosts = [\"n0 mlx5_1\", \"n1 mlx5_1\"]").good();
    job("instances = 2").refused(&["can't reach each other: the file has 2 parts"]);
    let plan = |hosts: &str| {
        let text = place.read("j.toml").replace("fabric-file = \"f.txt\"\n", "");
        place.write("k.toml", text.replace("instances = 2", hosts));
        place.run(&["saba", "plan", "k.toml", "--fabric", "f.txt"])
    };
    plan("hosts = [\"n0 mlx5_1\", \"n1 mlx5_1\"]").good();
    plan("instances = 2").refused(&["f.txt:", "can't reach each other: the file has 2 parts"]);
}

/// A dump of a switch with hosts of these names.
fn rack(names: &[&str]) -> String {
    let switch = "b8cef60300aa0000";
    let mut text = format!("Switch\t40 \"S-{switch}\"\t# \"tor\" enhanced port 0 lid 9 lmc 0\n");
    for (host, name) in names.iter().enumerate() {
        let port = host + 1;
        text += &format!(
            "[{port}]\t\"H-b8cef60300bb00{host:02}\"[1]\t# \"{name}\" lid 1{host} 4xHDR\n"
        );
    }
    for (host, name) in names.iter().enumerate() {
        let port = host + 1;
        text += &format!("\nCa\t1 \"H-b8cef60300bb00{host:02}\"\t# \"{name}\"\n");
        text += &format!("[1]\t\"S-{switch}\"[{port}]\t# lid 1{host} lmc 0 \"tor\" lid 9 4xHDR\n");
    }
    text
}

const QUESTION: &str = "4 hosts: are these 2 servers with 2 adapters each? Rails are not modelled: each \
                        adapter counts as a host of its own";

#[test]
fn adapters_of_one_server_are_told_where_the_file_names_no_hosts() {
    let place = Place::new();
    place.write("f.txt", rack(&["n0 mlx5_0", "n0 mlx5_1", "n1 mlx5_0", "n1 mlx5_1"]));
    let ran = place.run(&["fabric", "show", "f.txt"]).good();
    assert!(ran.stderr.contains(&format!("warning: {QUESTION}\n")), "{}", ran.stderr);
    let json = place.run(&["fabric", "show", "f.txt", "--json"]).good().json();
    assert_eq!(json["warnings"], serde_json::json!([QUESTION]));
    let numbers = serde_json::json!({
        "adapters": 4, "servers": 2, "fewest_of_a_server": 2, "most_of_a_server": 2
    });
    assert_eq!(json["adapters"], numbers);
    // A plan with random hosts, and one whose hosts the file names.
    let plan = |hosts: &str| {
        let text = format!(
            "kind = \"jobs\"\nfabric-file = \"f.txt\"\n[[job]]\nname = \"j\"\ninstances = 2\n{hosts}\
             stage = [{{ pattern = \"shuffle\", bytes = \"1 MB\" }}]\n"
        );
        place.write("j.toml", text);
        let ran = place.run(&["saba", "plan", "j.toml", "--policy", "fair-flows", "--json"]);
        ran.good().json()["warnings"].to_string()
    };
    assert!(plan("").contains(QUESTION), "{}", plan(""));
    assert_eq!(plan("hosts = [\"n0 mlx5_0\", \"n1 mlx5_0\"]\n"), "[]");
    let ethernet =
        "kind = \"ethernet\"\nfabric-file = \"f.txt\"\n[workload]\npoisson = { flows = 10 }\n";
    place.write("e.toml", ethernet);
    let ran = place.run(&["sim", "run", "e.toml", "--json", "o.json"]).good();
    assert!(ran.stderr.contains(QUESTION), "{}", ran.stderr);
    assert_eq!(place.json("o.json")["warnings"], serde_json::json!([QUESTION]));
}

#[test]
fn server_names_stand_for_their_only_adapter() {
    let place = Place::new();
    place.write("f.txt", rack(&["n0 HCA-1", "n1 mlx5_0", "n1 mlx5_1", "n2 HCA-1"]));
    let run = |from: &str, to: &str| {
        place.run(&["rperf", "--fabric", "f.txt", "--samples", "100", "--from", from, "--to", to])
    };
    run("n0", "n2").good();
    run("n0 HCA-1", "n2").good();
    run("n1", "n0").refused(&["\"n1\" has 2 adapters", "\"n1 mlx5_0\", \"n1 mlx5_1\""]);
    run("n3", "n0").refused(&["there is no host \"n3\""]);
}

/// The same names in flow lists, incasts, ports to trace, and models of nodes.
#[test]
fn server_names_stand_for_adapters_everywhere() {
    let place = Place::new();
    place.write("f.txt", rack(&["n0 HCA-1", "n1 mlx5_0", "n1 mlx5_1", "n2 HCA-1"]));
    let ethernet = |workload: &str| {
        place.write(
            "e.toml",
            format!("kind = \"ethernet\"\nfabric-file = \"f.txt\"\n[workload]\n{workload}\n"),
        );
    };
    ethernet("flows = \"l.csv\"");
    place.write("l.csv", "start_ns,src,dst,bytes\n0,n0,n2 HCA-1,1000\n5,n1 mlx5_1,n2,1000\n");
    let args = ["sim", "run", "e.toml", "--flow-results", "r.csv", "--trace", "t.pcapng"];
    place.run(&[&args[..], &["--trace-port", "n2"]].concat()).good();
    let rows = place.read("r.csv");
    assert!(rows.contains(",0,3,1000,") && rows.contains(",2,3,1000,"), "{rows}");
    place.write("l.csv", "start_ns,src,dst,bytes\n0,n1,n2,1000\n");
    place.run(&["sim", "run", "e.toml"]).refused(&["l.csv:2: src is \"n1\"", "or their names"]);
    ethernet("incast = { senders = 2, bytes = \"10 KB\", receiver = \"n2\" }");
    place.run(&["sim", "run", "e.toml"]).good();
    ethernet("incast = { senders = 2, bytes = \"10 KB\", receiver = \"n1\" }");
    place.run(&["sim", "run", "e.toml"]).refused(&["e.toml:4: ", "\"n1\" has 2 adapters"]);
    let node = |name: &str| {
        let text = format!(
            "kind = \"infiniband\"\nfabric-file = \"f.txt\"\n[[node]]\nname = {name:?}\ndevice = {{ mtu = 1024 }}\n\
             [[flow]]\nfrom = \"n0\"\nto = \"n2\"\nmethod = \"bulk\"\n"
        );
        place.write("i.toml", text);
        place.run(&["sim", "run", "i.toml"])
    };
    node("n0").good();
    node("n1").refused(&["i.toml:4: ", "\"n1\" has 2 adapters"]);
}

#[test]
fn inputs_of_another_command_are_named() {
    let place = Place::new();
    place.write("f.txt", rail(0));
    let named = ["f.txt:1: this is a fabric", "names this file as `fabric-file`", "rperf --fabric"];
    place.run(&["sim", "run", "f.txt"]).refused(&named);
    place.run(&["saba", "plan", "f.txt"]).refused(&named);
    place.write("t.txt", "150 526\n1 0 1 22 1 65:1.0\n2 10833 2 104 132 1 140:48.0\n");
    place.write("s.toml", "kind = \"ethernet\"\n");
    let named = ["t.txt:1: this looks like a coflow trace", "`bandwise coflows` with this file"];
    place.run(&["sim", "run", "s.toml", "--flows", "t.txt"]).refused(&named);
}

#[test]
fn files_of_other_tools_are_named() {
    let place = Place::new();
    place.write(
        "links.txt",
        "CA: n0 HCA-1:\n  0x0c  5  1[  ] ==( 4X  25 Gbps Active/  LinkUp)==>  1  1[  ] \"s\" ( )\n",
    );
    let named =
        ["this looks like the output of `iblinkinfo`", "allowed: the output of `ibnetdiscover`"];
    place.run(&["fabric", "show", "links.txt"]).refused(&named);
    place.run(&["rperf", "--fabric", "links.txt", "--from", "a", "--to", "b"]).refused(&named);
    place.run(&["sim", "run", "links.txt"]).refused(&named);
    place.write("flow.txt", "1\n0 1 3 100 5000 2.0\n");
    place.write("s.toml", "kind = \"ethernet\"\n[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"100 Gbps\" }\n");
    let flows = ["this looks like a flow file of ns-3", "allowed: a flow list with the header"];
    place.run(&["sim", "run", "s.toml", "--flows", "flow.txt"]).refused(&flows);
    // A binary file, as a list and as a scenario.
    place.write("rank.et", b"\x05\x0a\x03\x30\x2e\x31\x12\x0eCOMM_COLL_NODE\x18\xff\xfe\x00");
    let trace = ["this looks like a Chakra trace", "allowed: a flow list with the header"];
    place.run(&["sim", "run", "s.toml", "--flows", "rank.et"]).refused(&trace);
    place.run(&["sim", "run", "rank.et"]).refused(&trace);
}
