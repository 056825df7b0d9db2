//! `bandwise rperf`.

use crate::common::{BACK_TO_BACK, Place, Ran, fixture};
use std::time::Duration;

/// A scenario of seven switches in a ring with a host each, and more text.
pub(crate) fn ring(rest: &str) -> String {
    let mut text =
        "kind = \"infiniband\"\n[fabric]\nlink = { rate = \"54.545454545 Gbps\", delay = \"10 ns\" }\n".to_owned();
    for i in 0..7 {
        text += &format!("[[fabric.switch]]\nname = \"s{i}\"\nports = 5\n");
        text += &format!("[[fabric.host]]\nname = \"h{i}\"\nport = \"s{i}:1\"\n");
    }
    for i in 0..7 {
        text += &format!("[[fabric.cable]]\nfrom = \"s{i}:2\"\nto = \"s{}:3\"\n", (i + 1) % 7);
    }
    text + rest
}

/// Every host sends three switches on, through buffers of one packet each.
fn deadlock() -> String {
    let mut text = ring("[switch]\nbuffer = \"8 KiB\"\n[run]\nallow-credit-loops = true\n");
    for i in 0..7 {
        text += &format!("[[flow]]\nfrom = \"h{i}\"\nto = \"h{}\"\n", (i + 3) % 7);
        text += "method = \"bulk\"\nbuffer = \"1 MiB\"\n";
    }
    text
}

/// Two more hosts, at the first switch, whose traffic the deadlock does not touch.
const BYSTANDERS: &str = "
[[fabric.host]]\nname = \"a\"\nport = \"s0:4\"
[[fabric.host]]\nname = \"b\"\nport = \"s0:5\"
[[flow]]\nfrom = \"a\"\nto = \"b\"\nmethod = \"bulk\"\n";

const LOOP: &str = "s0:2 -> s1:2 -> s2:2 -> s3:2 -> s4:2 -> s5:2 -> s6:2 -> s0:2";

#[test]
fn measures_back_to_back() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    let args = ["rperf", "--fabric", "f.toml", "--to", "h0", "--samples", "500", "--seed", "3"];
    let ran = place.run(&args).good();
    for message in
        ["round-trip time of 64 B on SL0 from h1 to h0", "p99.99", "measured", "truth", "error"]
            .into_iter()
            .chain(["\nnegative         0\n", "\nzero  "])
    {
        assert!(ran.stdout.contains(message), "no {message:?} in {}", ran.stdout);
    }
    assert!(ran.stdout.contains("seed 3, bandwise "), "{}", ran.stdout);

    let json = place.run(&[&args[..], &["--json", "-"]].concat()).good().json();
    assert_eq!(json["stop"], "complete");
    let latency = &json["flows"][0]["latency"];
    assert_eq!(
        (&latency["direction"], &latency["measured"]["count"]),
        (&"round trip".into(), &500.into())
    );
    // RPerf's error at zero load: at most 10 ns at the median.
    assert!(latency["error"]["p50_ns"].as_f64().unwrap().abs() <= 10.0, "{latency}");
    // 24 ns of cable each way.
    assert!(latency["truth"]["p50_ns"].as_f64().unwrap() >= 48.0, "{latency}");
}

#[test]
fn same_seed_same_bytes() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    let run = |seed| {
        let args = ["rperf", "--fabric", "f.toml", "--to", "h0", "--samples", "300", "--json", "-"];
        place.run(&[&args[..], &["--seed", seed]].concat()).good().stdout
    };
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1"), run("2"));
}

#[test]
fn rperf_measures_on_ibsim_and_ibnetdiscover_files() {
    for (file, from, to) in [
        ("two-racks.ibsim", "node10", "node00 HCA-1"),
        ("two-racks.ibnetdiscover", "node11", "node00 HCA-1"),
    ] {
        let args = ["rperf", "--fabric", &fixture(file), "--from", from, "--to", to];
        let args = [&args[..], &["--samples", "200", "--size", "4 KiB", "--json"]].concat();
        let json = Place::new().run(&args).good().json();
        let flow = &json["flows"][0];
        assert_eq!((&flow["from"], &flow["bytes"]), (&from.into(), &4096.into()), "{file}");
        assert_eq!(flow["latency"]["measured"]["count"], 200, "{file}");
    }
}

#[test]
fn background_traffic_raises_latency_and_is_reported() {
    let place = Place::new();
    place.write(
        "f.toml",
        "[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"54.545454545 Gbps\" }\n",
    );
    let median = |flags: &[&str]| {
        let args =
            ["rperf", "--fabric", "f.toml", "--from", "h3", "--to", "h0", "--samples", "300"];
        let json = place.run(&[&args[..], &["--json", "-"], flags].concat()).good().json();
        let flows = json["flows"].as_array().unwrap().clone();
        (flows[0]["latency"]["measured"]["p50_ns"].as_f64().unwrap(), flows)
    };
    let (alone, flows) = median(&[]);
    assert_eq!(flows.len(), 1);
    let (beside, flows) = median(&["--background", "h1,h2", "--background-size", "2048"]);
    assert!(beside > 3.0 * alone, "{alone} {beside}");
    let total: f64 = flows[1..].iter().map(|f| f["bandwidth"]["gbps"].as_f64().unwrap()).sum();
    assert!(flows.len() == 3 && total > 30.0, "{total}");
    let (fair, _) = median(&["--background", "h1,h2", "--scheduling", "round-robin"]);
    assert!(fair < beside, "{fair} {beside}");
}

#[test]
fn compare_reports_all_methods_with_their_error() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    let args = ["rperf", "--fabric", "f.toml", "--to", "h0", "--compare", "--samples", "300"];
    let args = [&args[..], &["--json", "c.json", "--report", "c.html"]].concat();
    let ran = place.run(&args).good();
    for message in ["rperf", "ping-pong", "post-poll", "truth", "error"] {
        assert!(ran.stdout.contains(message), "no {message:?} in {}", ran.stdout);
    }
    let json = place.json("c.json");
    for flow in json["flows"].as_array().unwrap() {
        let latency = &flow["latency"];
        let count = |what: &str| latency[what]["count"].as_u64();
        // Every sample has a truth of its own.
        assert_eq!([count("measured"), count("truth"), count("error")], [Some(300); 3], "{flow}");
        // Twice the cable of 24 ns, and nothing else between the ports.
        assert_eq!(latency["truth"]["p50_ns"], 48.0, "{flow}");
    }
    assert!(!ran.stdout.contains("rperf's run"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("Not all took"), "{}", ran.stdout);
    let short = [&args[..6], &["--duration", "200 us"]].concat();
    let ran_short = place.run(&short).good();
    let few = "Not all took the 10000 samples wanted; a longer duration";
    let words = ran_short.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(few), "{}", ran_short.stdout);
    let methods: Vec<&str> =
        json["flows"].as_array().unwrap().iter().map(|f| f["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["rperf", "ping-pong", "post-poll"]);
    let html = place.read("c.html");
    assert!(
        html.contains("bandwise rperf --fabric f.toml --to h0 --compare --samples 300 --seed 1")
    );
    assert!(html.contains("back-to-back"), "the scenario is part of the report");
}

#[test]
fn run_without_samples_suggests_a_longer_duration() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    let args = ["rperf", "--fabric", "f.toml", "--to", "h0", "--duration", "1 us"];
    for (flags, names) in
        [(&[][..], "rperf h1->h0"), (&["--compare"], "rperf, ping-pong, post-poll")]
    {
        let ran = place.run(&[&args[..], flags].concat());
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        let message = format!(
            "error: no sample within 1 us: {names}\n  needed: a longer duration, such as '1 ms'"
        );
        assert!(ran.stderr.contains(&message), "{ran:#?}");
        let blank = ran.stdout.lines().chain(ran.stderr.lines()).any(|line| line.trim().is_empty());
        assert!(!blank && ran.stdout.starts_with("No sample: "), "{ran:#?}");
    }
    // The results of other flows are kept.
    let flows = "[run]\nduration = \"1 us\"\n[[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"rperf\"\n\
                 [[flow]]\nfrom = \"h0\"\nto = \"h1\"\nmethod = \"bulk\"\n";
    place.write("f.toml", format!("kind = \"infiniband\"\n{BACK_TO_BACK}{flows}"));
    let ran = place.run(&["rperf", "--fabric", "f.toml", "--json", "o.json"]);
    assert!(ran.code == Some(1) && ran.stdout.starts_with("Bandwidth\n"), "{ran:#?}");
    assert!(place.json("o.json")["flows"][0]["latency"].is_null());
}

#[test]
fn default_duration_is_the_files_else_50_ms() {
    let place = Place::new();
    let flow = "[[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"bulk\"\n";
    let window_s = |run: &str, flags: &[&str]| {
        place.write("f.toml", format!("kind = \"infiniband\"\n{BACK_TO_BACK}{run}{flow}"));
        let args = [&["rperf", "--fabric", "f.toml", "--json", "-"], flags].concat();
        place.run(&args).good().json()["flows"][0]["bandwidth"]["window_s"].as_f64().unwrap()
    };
    let (to, own) = (["--to", "h0", "--method", "bulk"], "[run]\nduration = \"3 ms\"\n");
    assert_eq!([window_s("", &[]), window_s("", &to)], [0.05, 0.05]);
    assert_eq!([window_s(own, &[]), window_s(own, &to)], [0.003, 0.003]);
    let given = ["--duration", "2 ms"];
    assert_eq!(window_s(own, &given), 0.002);
    assert_eq!(window_s(own, &[&to[..], &given].concat()), 0.002);
    let help = place.run(&["rperf", "--help"]).good().stdout;
    assert!(help.contains("[default: the file's, else 50 ms]"), "{help}");
}

#[test]
fn numbers_have_six_digits() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    let args = ["rperf", "--fabric", "f.toml", "--to", "h0", "--samples", "500", "--json", "-"];
    fn check(value: &serde_json::Value) {
        match value {
            serde_json::Value::Number(n) if n.is_f64() => {
                let digits = n.to_string().chars().filter(char::is_ascii_digit).collect::<String>();
                assert!(digits.trim_matches('0').len() <= 6, "{n}");
            }
            serde_json::Value::Array(values) => values.iter().for_each(check),
            serde_json::Value::Object(map) => map.values().for_each(check),
            _ => {}
        }
    }
    check(&place.run(&args).good().json());
    check(&place.run(&["bench", "--duration", "1 ms", "--runs", "1", "--json"]).good().json());
}

#[test]
fn bulk_flow_reports_bandwidth() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    let args = ["rperf", "--fabric", "f.toml", "--to", "h0", "--method", "bulk", "--size", "1 MiB"];
    let ran = place.run(&[&args[..], &["--duration", "2 ms"]].concat()).good();
    assert!(ran.stdout.contains("Gbps") && ran.stdout.contains("bulk h1->h0"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("round-trip"), "{}", ran.stdout);
}

#[test]
fn runs_the_flows_of_the_file() {
    let place = Place::new();
    let flow = "[[flow]]\nname = \"lsg\"\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"closed-loop\"\n";
    place.write(
        "f.toml",
        format!("kind = \"infiniband\"\ntitle = \"mine\"\n{BACK_TO_BACK}{flow}samples = 100\n"),
    );
    let ran = place.run(&["rperf", "--fabric", "f.toml"]).good();
    assert!(ran.stdout.contains("lsg: round-trip time") && ran.stdout.contains("mine: 2 hosts"));
    let other = ["rperf", "--fabric", "f.toml", "--to", "h1", "--samples", "50"];
    let ran = place.run(&other).good();
    assert!(!ran.stdout.contains("lsg") && ran.stderr.contains("left out"), "{ran:?}");
}

#[test]
fn reads_standard_input() {
    let args = ["rperf", "--fabric", "-", "--to", "h0", "--samples", "50"];
    Place::new().run_with(&args, BACK_TO_BACK.as_bytes()).good();
}

#[track_caller]
fn deadlocks(text: String) {
    let place = Place::new();
    place.write("f.toml", text);
    let ran = place.run(&["rperf", "--fabric", "f.toml", "--json", "o.json"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    // The loop may be reported from any of its ports on.
    let message = ran.stderr.split("forever: ").nth(1).unwrap().split(" (").next().unwrap();
    let ports: Vec<&str> = message.split(" -> ").collect();
    let mut rotated = ports[..ports.len() - 1].to_vec();
    let first = rotated.iter().position(|&p| p == "s0:2").expect("s0:2 is part of the loop");
    rotated.rotate_left(first);
    rotated.push("s0:2");
    assert_eq!(rotated.join(" -> "), LOOP, "{message}");
    let json = place.json("o.json");
    assert_eq!(json["stop"], "deadlock");
    assert_eq!(json["deadlock"].as_array().unwrap().len(), 7);
}

#[test]
fn a_deadlock_names_its_ports_in_order() {
    deadlocks(deadlock() + BYSTANDERS);
}

#[test]
fn deadlock_of_all_flows_is_reported() {
    deadlocks(deadlock());
}

#[test]
#[cfg(unix)]
fn interrupted_rperf_prints_partial_results() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    let args = ["rperf", "--fabric", "f.toml", "--to", "h0", "--samples", "1000000000"];
    let args = [&args[..], &["--duration", "3000 s", "--json", "o.json"]].concat();
    let some = Duration::from_millis(300);
    let Ran { code, stdout, .. } = place.interrupted(&args, "measuring on f.toml", some);
    assert_eq!(code, Some(130), "{stdout}");
    assert!(stdout.contains("of 1000000000 samples.\n"), "{stdout}");
    assert!(stdout.contains("Partial: interrupted") && stdout.contains("p99.9"), "{stdout}");
    assert_eq!(place.json("o.json")["stop"], "interrupted");
}

/// The RPerf paper's hosts on a link of 400 Gbps.
#[test]
fn impossible_round_trip_fails_and_names_the_loopback() {
    let place = Place::new();
    place.write(
        "f.toml",
        "kind = \"infiniband\"\n[fabric]\nbuild = { single-switch = 2 }\n\
         link = { rate = \"400 Gbps\", delay = \"10 ns\" }\n[device]\npreset = \"connectx4-56g\"\n",
    );
    let args = ["rperf", "--fabric", "f.toml", "--from", "h1", "--to", "h0", "--size", "4 KiB"];
    let outputs = ["--samples", "500", "--json", "a.json", "--report", "r.html"];
    let ran = place.run(&[&args[..], &outputs].concat());
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    // Neither the text nor the page has it as an answer.
    let none = "No result: rperf h1->h0: the median round trip of";
    assert!(ran.stdout.contains(none), "{}", ran.stdout);
    let page = place.read("r.html");
    assert!(page.contains(&none.replace('>', "&gt;")), "{page}");
    assert!(!page.contains("ns at the median") && !page.contains("us at the median"));
    for part in [
        "is below the 440 ns of cables and switches: the method does not hold here",
        "The loopback of 56.25 Gbps is slower than the link of 400 Gbps",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {ran:#?}");
    }
    let json = place.json("a.json");
    assert_eq!(json["settings"]["device"]["preset"], "connectx4-56g");
    assert_eq!(json["flows"][0]["limit"]["part"], "pcie");
    assert!(!json["implausible"].as_array().unwrap().is_empty());
}

#[test]
fn hosts_of_several_generations_are_told_apart() {
    let place = Place::new();
    place.write(
        "f.toml",
        "kind = \"infiniband\"\n[fabric]\nbuild = { single-switch = 4 }\n\
         link = { rate = \"400 Gbps\", delay = \"10 ns\" }\n\
         [[node]]\nname = \"h3\"\ndevice = { preset = \"connectx5-edr\" }\n",
    );
    let args = ["rperf", "--fabric", "f.toml", "--from", "h1", "--to", "h3", "--method", "bulk"];
    let ran = place.run(&[&args[..], &["--duration", "1 ms", "--json", "a.json"]].concat()).good();
    // 126.03 Gbps x 256 of 280 B.
    for part in [
        "Hosts h0, h1, h2: connectx7-ndr (",
        "Hosts h3: connectx5-edr (",
        "PCIe of h3 limits a flow over the link of 400 Gbps to 115.23 Gbps of payload.",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let settings = &place.json("a.json")["settings"];
    assert_eq!(settings["device"]["preset"], "connectx7-ndr");
    assert_eq!(settings["other_devices"][0]["preset"], "connectx5-edr");
    assert_eq!(settings["other_devices"][0]["nodes"][0], "h3");
    assert_eq!(settings["other_switches"], serde_json::Value::Null);
    assert_eq!(place.json("a.json")["flows"][0]["limit"]["host"], "h3");
}

/// 8 B atomics of 64 queue pairs: a core handles one in 70 ns, 0.91 Gbps. Those that it has posted before
/// are completed in the first millisecond too.
#[test]
fn more_than_the_limit_is_told() {
    let place = Place::new();
    let file = "kind = \"infiniband\"\n[fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"100 Gbps\" }\n\
                [[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"bulk\"\n";
    place.write("a.toml", format!("{file}opcode = \"atomic\"\nbytes = \"8 B\"\nqps = 64\n"));
    let ran = place.run(&["rperf", "--fabric", "a.toml", "--duration", "1 ms"]).good();
    let told = "more than its limit: the measurement is too short for an average.";
    assert!(ran.stdout.replace('\n', " ").contains(told), "{}", ran.stdout);
    // A long message at a low rate goes out at once.
    place.write("r.toml", format!("{file}bytes = \"64 MiB\"\nrate = \"1 Gbps\"\n"));
    let ran = place.run(&["rperf", "--fabric", "r.toml"]).good();
    let text = ran.stdout.replace('\n', " ");
    assert!(text.contains(told) && text.contains("`rate` starts a message each"), "{text}");
}
