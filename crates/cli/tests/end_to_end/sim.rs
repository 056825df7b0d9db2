//! `bandwise sim run`.

use crate::common::Place;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The first line of every file here.
const KIND: &str = "kind = \"ethernet\"\n";

/// Three hosts at a switch; flows are given elsewhere.
const THREE: &str = "kind = \"ethernet\"\n[fabric]\nbuild = { single-switch = 3 }\n\
                     link = { rate = \"40 Gbps\", delay = \"2 us\" }\n";

/// 1082 B on the wire take 216.4 ns, 146 B 29.2 ns; each flow crosses two links of 2 us.
const LIST: &str = "start_ns,src,dst,bytes\n0,0,2,1000\n0,1,2,1000\n100000.5,0,1,64\n";

const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/irn/default.toml");

fn three() -> Place {
    let place = Place::new();
    place.write("n.toml", THREE);
    place.write("l.csv", LIST);
    place
}

#[test]
fn completion_times_of_a_flow_list_match_hand_computed_values() {
    let place = three();
    let args = ["sim", "run", "n.toml", "--flows", "l.csv", "--json", "o.json"];
    let ran = place.run(&[&args[..], &["--flow-results", "fct.csv"]].concat()).good();
    assert!(ran.stdout.contains("Flow completion time\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("n.toml: 3 hosts, 1 switch.\nIRN without PFC"), "{}", ran.stdout);
    assert!(ran.stderr.contains("million packet-hops/s"), "{}", ran.stderr);
    assert_eq!(
        place.read("fct.csv"),
        "flow,start_ns,src,dst,bytes,fct_ns,slowdown\n\
         0,0,0,2,1000,4432.8,1.000000\n\
         1,0,1,2,1000,4649.2,1.048818\n\
         2,100000.5,0,1,64,4058.4,1.000000\n"
    );
    let json = place.json("o.json");
    assert_eq!((json["schema"].as_u64(), json["stop"].as_str()), (Some(1), Some("complete")));
    assert_eq!(json["title"], "n.toml");
    assert_eq!(json["settings"]["transport"], "irn");
    assert_eq!(json["settings"]["congestion_control"], serde_json::json!({ "kind": "none" }));
    assert!(json["settings"]["ecn"].is_null());
    let row = |metric: &str| {
        let rows = json["rows"].as_array().unwrap();
        let is_it = |row: &&serde_json::Value| {
            row["case"] == "all flows" && row["metric"] == metric && row["samples"] == 3
        };
        rows.iter().find(is_it).unwrap_or_else(|| panic!("{metric}"))["measured"].as_f64()
    };
    assert_eq!(row("average slowdown"), Some(1.01627));
    assert_eq!(row("FCT p50"), Some(4.4328));
    assert_eq!(row("FCT p99"), Some(4.6492));
    let stats = &json["stats"];
    assert_eq!(
        (stats["flows_started"].as_u64(), stats["flows_finished"].as_u64()),
        (Some(3), Some(3))
    );
    // A packet and its acknowledgement each, over two links.
    assert_eq!(
        (stats["packets_delivered"].as_u64(), stats["packet_hops"].as_u64()),
        (Some(6), Some(12))
    );
    assert!(stats["peak_rss_bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 20));
}

#[test]
fn json_has_the_congestion_control_parameters() {
    let place = Place::new();
    let text = "kind = \"ethernet\"\n[workload]\npoisson = { flows = 3 }\n[congestion-control]\nkind = \"dcqcn\"\n\
                dcqcn = { gain = 0.5, clamp-target = true, cnp-interval = \"4 us\" }\n";
    place.write("n.toml", text);
    let json = place.run(&["sim", "run", "n.toml", "--json", "-"]).good().json();
    let expected = serde_json::json!({
        "kind": "dcqcn", "gain": 0.5, "alpha_timer": "55 us", "increase_timer": "55 us",
        "byte_counter": "10000000 B", "fast_recovery": 5, "additive_increase": "40 Mbps",
        "hyper_increase": "400 Mbps", "min_rate": "40 Mbps", "clamp_target": true,
        "back_off": 1.0, "cnp_interval": "4 us",
    });
    assert_eq!(json["settings"]["congestion_control"], expected);
    let ecn = serde_json::json!({ "kmin": "5000 B", "kmax": "200000 B", "pmax": 0.01 });
    assert_eq!(json["settings"]["ecn"], ecn);
}

#[test]
fn equal_seeds_give_equal_json_except_times() {
    let place = Place::new();
    place.write("n.toml", "kind = \"ethernet\"\n[workload]\npoisson = { duration = \"300 us\" }\n");
    let json = || {
        let mut json = place.run(&["sim", "run", "n.toml", "--json", "--seed", "5"]).good().json();
        let stats = json["stats"].as_object_mut().unwrap();
        for of_the_machine in
            ["wall_s", "cpu_s", "packet_hops_per_s", "packet_hops_per_cpu_s", "peak_rss_bytes"]
        {
            stats.remove(of_the_machine).unwrap();
        }
        json
    };
    let first = json();
    assert_eq!(first.to_string(), json().to_string());
    assert_eq!(first["stats"]["seed"], 5);
    let other = place.run(&["sim", "run", "n.toml", "--json"]).good().json();
    assert_ne!(other["rows"], first["rows"]);
}

/// Uniform from 1001 to 5000 bytes, and with packets of 1000 B from 1000001 to 5000000.
#[test]
fn mean_flow_of_a_size_file_is_stated() {
    let place = Place::new();
    place.write("s.cdf", "1000 0\n5000 1\n");
    let run = |unit: &str| {
        let sizes = format!("sizes = {{ cdf = \"s.cdf\"{unit} }}");
        let text =
            format!("kind = \"ethernet\"\n[workload]\npoisson = {{ {sizes}, flows = 20 }}\n");
        place.write("s.toml", text);
        let ran = place.run(&["sim", "run", "s.toml", "--json", "o.json"]).good();
        (ran.stdout, place.json("o.json")["settings"]["flow_sizes"].clone())
    };
    let (text, json) = run("");
    assert!(text.contains("\nMean flow: 3.0 kB (poisson).\n"), "{text}");
    assert_eq!(json, serde_json::json!([{ "generator": "poisson", "mean_bytes": 3000.5 }]));
    let (text, json) = run(", unit = \"1000 B\"");
    assert!(text.contains("\nMean flow: 3.0 MB (poisson).\n"), "{text}");
    // A list replaces the workload: flows of 1000, 1000 and 64 B have a mean of 688 B.
    place.write("l.csv", LIST);
    let args = ["sim", "run", "s.toml", "--flows", "l.csv", "--json", "o.json"];
    let listed = place.run(&args).good().stdout;
    assert!(listed.contains("\nMean flow: 688 B (flow list).\n"), "{listed}");
    let sizes = place.json("o.json")["settings"]["flow_sizes"].clone();
    assert_eq!(sizes, serde_json::json!([{ "generator": "flow list", "mean_bytes": 688.0 }]));
    // JSON has six digits of 3000000.5.
    assert_eq!(json[0]["mean_bytes"], 3_000_000.0);
}

#[test]
fn files_are_found_from_the_scenario() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("sub")).unwrap();
    place.write("sub/three.toml", THREE.strip_prefix(KIND).unwrap());
    place.write("sub/l.csv", LIST);
    place.write("sub/s.cdf", "100 0\n1000 1\n");
    place.write(
        "sub/a.toml",
        "kind = \"ethernet\"\nfabric-file = \"three.toml\"\n[workload]\nflows = \"l.csv\"\n",
    );
    let ran = place.run(&["sim", "run", "sub/a.toml", "--json"]).good().json();
    assert_eq!(ran["stats"]["flows_finished"], 3);
    let cdf =
        "kind = \"ethernet\"\n[workload]\npoisson = { sizes = { cdf = \"s.cdf\" }, flows = 100 }\n";
    place.write("sub/b.toml", cdf);
    let ran = place.run(&["sim", "run", "sub/b.toml", "--json"]).good().json();
    assert_eq!(ran["stats"]["flows_finished"], 100);
    place.write("sub/c.toml", cdf.replace("s.cdf", "t.cdf"));
    place.run(&["sim", "run", "sub/c.toml"]).refused(&["sub/c.toml:3: t.cdf: ", "No such file"]);
    // A list in place of the scenario's.
    let ran = place.run_with(
        &["sim", "run", "sub/a.toml", "--flows", "-", "--json"],
        b"start_ns,src,dst,bytes\n0,0,1,1\n",
    );
    assert_eq!(ran.good().json()["stats"]["flows_finished"], 1);
    let both = place.run(&["sim", "run", "-", "--flows", "-"]);
    both.refused(&["standard input is the scenario already", "allowed: "]);
}

#[test]
fn invalid_flow_lists_are_refused() {
    let place = three();
    let long = format!("0,{}\n", "1".repeat(5000));
    for (lines, message) in [
        ("0,0,0,1000\n", "l.csv:2: a flow from host 0 to itself"),
        ("0,0,3,1000\n", "l.csv:2: dst is \"3\""),
        ("0,0,1,0\n", "l.csv:2: bytes is \"0\""),
        ("0,0,1,9223372036854775808\n", "l.csv:2: bytes is \"9223372036854775808\""),
        ("5,0,1,10\n4,1,2,10\n", "l.csv:3: a flow that starts at 4 ns after one"),
        ("0,0,1\n", "l.csv:2: 3 values in a line"),
        (&long, "l.csv:2: a line of more than 4 KiB"),
        ("0,0,1,\u{0}\n", "l.csv:2: this is not text"),
    ] {
        place.write("l.csv", format!("start_ns,src,dst,bytes\n{lines}"));
        let args = ["sim", "run", "n.toml", "--flows", "l.csv", "--json", "o.json"];
        let args = [&args[..], &["--flow-results", "f.csv"]].concat();
        place.run(&args).refused(&[message, "allowed: "]);
        assert_eq!(place.files(), ["l.csv", "n.toml"], "something was written");
    }
    place.write("l.csv", "0,0,1,10\n");
    let args = ["sim", "run", "n.toml", "--flows", "l.csv"];
    place
        .run(&args)
        .refused(&["l.csv:1: a flow list without its header", "start_ns,src,dst,bytes"]);
    place.write("l.csv", "");
    place.run(&args).refused(&["l.csv:1: a flow list without a line"]);
    place.write("l.csv", b"start_ns,src,dst,bytes\n\xff\n");
    place.run(&args).refused(&["l.csv:2: this is not UTF-8"]);
    place.run(&["sim", "run", "n.toml", "--flows", "no.csv"]).refused(&["no.csv: can't be read"]);
    place.run(&["sim", "run", "n.toml", "--flows", "."]).refused(&["error: .: is a folder"]);
}

#[test]
fn invalid_scenarios_are_refused() {
    let place = Place::new();
    for (text, message) in [
        (
            "kind = \"ethernet\"\n[fabric]\nbuild = { fat-tree = 5 }\nlink = { rate = \"40 Gbps\" }\n",
            "n.toml:3: ",
        ),
        (
            "kind = \"ethernet\"\n[switch]\nbuffer = \"1000 B\"\n",
            "n.toml:3: a buffer of 1000 B can't hold a packet",
        ),
        ("kind = \"ethernet\"\n[transport]\nknd = \"irn\"\n", "n.toml:3: unknown field `knd`"),
        ("kind = \"ethernet\"\n[workload]\nflows = \"no.csv\"\n", "no.csv: can't be read"),
    ] {
        place.write("n.toml", text);
        place.run(&["sim", "run", "n.toml", "--json", "o.json"]).refused(&[message, "allowed: "]);
        assert_eq!(place.files(), ["n.toml"]);
    }
}

#[test]
fn unwise_settings_give_warnings() {
    let place = three();
    place.write("l.csv", "start_ns,src,dst,bytes\n");
    let args = ["sim", "run", "n.toml", "--flows", "l.csv", "--json"];
    let ran = place.run(&args).good();
    assert!(ran.stderr.contains("warning: l.csv:1: a list without a flow"), "{}", ran.stderr);
    assert_eq!(ran.json()["stats"]["flows_started"], 0);
    place
        .write("n.toml", "kind = \"ethernet\"\n[workload]\npoisson = { load = 1.5, flows = 50 }\n");
    let ran = place.run(&["sim", "run", "n.toml"]).good();
    assert!(ran.stderr.contains("warning: n.toml:3: a load of 1.5 is 162%"), "{}", ran.stderr);
    place.write("n.toml", format!("{THREE}[switch]\npfc = {{ xoff = \"239 KB\" }}\n"));
    let ran = place.run_with(&["sim", "run", "n.toml", "--flows", "-"], LIST.as_bytes()).good();
    assert!(ran.stderr.contains("dropped in spite of PFC"), "{}", ran.stderr);
    // All flows of the list start before the warm-up ends. So do those of a sweep's points.
    place.write("n.toml", format!("{THREE}[run]\nwarmup = \"1 s\"\n"));
    let message = "warning: no flow counts: all 3 started before warmup = \"1 s\" was over";
    let ran = place.run_with(&["sim", "run", "n.toml", "--flows", "-"], LIST.as_bytes()).good();
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    let sweep = "[workload]\npoisson = { flows = 9 }\n[sweep]\nrun.warmup = [\"0 s\", \"1 s\"]\n";
    place.write("n.toml", format!("{THREE}{sweep}"));
    let ran = place.run(&["sim", "run", "n.toml"]).good();
    let message = "warning: warmup 1 s: no flow counts: all 9 started before warmup = \"1 s\"";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
}

#[test]
fn flows_that_never_arrive_are_a_failure() {
    let place = Place::new();
    place.write(
        "n.toml",
        "kind = \"ethernet\"\n[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"40 Gbps\" }\n\
         [switch]\nbuffer = \"1100 B\"\npfc = false\n\
         [transport]\nkind = \"roce\"\ntimeout = false\nacks = \"on-completion\"\n\
         [workload]\nincast = { senders = 3, bytes = \"6 kB\" }\n",
    );
    let ran = place.run(&["sim", "run", "n.toml"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stdout.contains("Partial: no event is pending"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n2 of 3 flows finished, "), "{}", ran.stdout);
    assert!(ran.stderr.contains("flows have not arrived"), "{}", ran.stderr);
}

#[test]
fn a_deadlock_is_a_failure_that_names_its_ports() {
    let place = Place::new();
    let ring = include_str!("../../../scenario/tests/ethernet/ring.toml");
    let rest = "[switch]\nbuffer = \"60 KB\"\npfc = true\n[transport]\nkind = \"roce\"\n";
    place.write("n.toml", format!("{KIND}{ring}{rest}"));
    let flow = |host: u32| format!("0,{host},{},10000000\n", (host + 4) % 10);
    let list: String = (0..10).map(flow).collect();
    place.write("l.csv", format!("start_ns,src,dst,bytes\n{list}"));
    let ran = place.run(&["sim", "run", "n.toml", "--flows", "l.csv", "--json", "o.json"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stdout.contains("Partial: ended by a deadlock"), "{}", ran.stdout);
    assert!(ran.stderr.contains("s0:3 -> s1:3 -> s2:3 -> s3:3 -> s4:3 -> s0:3"), "{}", ran.stderr);
    let json = place.json("o.json");
    assert_eq!(json["stop"], "deadlock");
    assert_eq!(json["deadlock"], serde_json::json!(["s0:3", "s1:3", "s2:3", "s3:3", "s4:3"]));
}

#[test]
fn port_results_have_one_row_a_port() {
    let place = Place::new();
    place.write(
        "n.toml",
        "kind = \"ethernet\"\n[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"40 Gbps\" }\n\
         [switch]\npfc = { xoff = \"200 KB\", xon = \"10 KB\" }\n\
         [transport]\nkind = \"roce\"\n[workload]\nincast = { senders = 3, bytes = \"3 MB\" }\n\
         [run]\npause-storm = \"50 us\"\n",
    );
    let args = ["sim", "run", "n.toml", "--port-results", "p.csv", "--json"];
    let ran = place.run(&args).good();
    let json = ran.json();
    let csv = place.read("p.csv");
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines[0].len(), 12);
    assert_eq!(lines.len(), 1 + 8, "{csv}");
    let column = |name: &str| {
        let place = lines[0].iter().position(|&column| column == name).unwrap();
        lines[1..].iter().map(|line| line[place].parse::<u64>().unwrap()).sum::<u64>()
    };
    assert_eq!(column("sent"), json["stats"]["packet_hops"]);
    assert_eq!(column("pauses_sent"), json["stats"]["pauses"]);
    assert_eq!(column("pauses_received"), json["stats"]["pauses"]);
    assert_eq!(json["ports"].as_array().unwrap().len(), 8);
    assert_eq!(json["pause_storms"].as_array().unwrap().len(), 3);
    let message = "warning: pause storm: h";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    let same = place.run(&["sim", "run", "n.toml", "--port-results", "n.toml"]);
    same.refused(&["--port-results n.toml: the file is used twice"]);
}

#[test]
fn outputs_must_be_distinct_files() {
    let place = three();
    let run = |more: &[&str]| {
        let args = ["sim", "run", "n.toml", "--flows", "l.csv"];
        place.run(&[&args[..], more].concat())
    };
    run(&["--flow-results", "l.csv"]).refused(&["--flow-results l.csv: the file is used twice"]);
    run(&["--flow-results", "a", "--json", "a"]).refused(&["the file is used twice"]);
    run(&["--flow-results", "-"]).refused(&["--flow-results -: needs a file"]);
    run(&["--flow-results", "no/a.csv"]).refused(&["there is no folder no"]);
    assert_eq!(place.read("l.csv"), LIST);
    run(&["--flow-results", "/dev/null"]).good();
    if std::path::Path::new("/dev/full").exists() {
        let ran = run(&["--flow-results", "/dev/full"]);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert!(ran.stderr.contains("writing /dev/full"), "{}", ran.stderr);
    }
}

#[test]
fn interrupted_simulation_writes_partial_results() {
    let place = Place::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bandwise"))
        .args(["sim", "run", "-", "--flow-results", "fct.csv", "--json", "o.json"])
        .current_dir(place.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = b"kind = \"ethernet\"\n[workload]\npoisson = { duration = \"100 s\" }\n";
    child.stdin.take().unwrap().write_all(text).unwrap();
    // The signal handler is installed before the input is read.
    std::thread::sleep(Duration::from_millis(700));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{stderr}");
    assert!(stdout.contains("Partial: interrupted"), "{stdout}");
    assert_eq!(place.json("o.json")["stop"], "interrupted");
    assert_eq!(place.files(), ["fct.csv", "o.json"]);
    let finished = place.json("o.json")["stats"]["flows_finished"].as_u64().unwrap();
    assert_eq!(place.read("fct.csv").lines().count() as u64, finished + 1);
}

#[test]
fn default_case_of_the_papers_folder_runs() {
    let place = Place::new();
    let short = std::fs::read_to_string(DEFAULT).unwrap().replace("10 ms\" }", "200 us\" }");
    place.write("n.toml", short);
    let ran = place.run(&["sim", "run", "n.toml"]).good();
    for message in
        ["single packet", "above 1 MB", "Slowdown", "54 hosts, 45 switches", "packets dropped"]
    {
        assert!(ran.stdout.contains(message), "no {message:?} in {}", ran.stdout);
    }
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}
