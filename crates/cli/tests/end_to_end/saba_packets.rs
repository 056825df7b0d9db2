//! `bandwise saba plan --engine packets`.

use crate::common::{Place, Ran};
use std::time::Duration;

/// Two jobs on the same hosts: one that only sends, one that computes half of its time.
const JOBS: &str = "\
kind = \"jobs\"
[fabric]
build = { single-switch = 4 }
link = { rate = \"56 Gbps\", delay = \"10 ns\" }
[[job]]
name = \"sends\"
instances = 4
stage = [{ pattern = \"shuffle\", bytes = \"21 GB\" }]
[[job]]
name = \"both\"
instances = 4
rounds = 4
stage = [{ compute = \"1 s\", pattern = \"shuffle\", bytes = \"7 GB\" }]
";

fn plan(place: &Place, more: &[&str]) -> serde_json::Value {
    let args = ["saba", "plan", "jobs.toml", "--engine", "packets", "--json", "o.json"];
    place.run(&[&args[..], more].concat()).good();
    place.json("o.json")
}

#[test]
fn packet_slowdowns_are_close_to_rate_slowdowns() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    let args = ["saba", "plan", "jobs.toml", "--engine", "packets", "--report", "r.html"];
    let ran = place.run(&args).good();
    for part in ["Packets beside rates", "divided by 1000", "Slowdown of each job"] {
        assert!(ran.stdout.contains(part), "{}", ran.stdout);
    }
    assert!(ran.stderr.contains("million packet-hops"), "{}", ran.stderr);
    assert!(place.read("r.html").contains("Packets beside rates"));
    let expected =
        ["fair-flows", "blocking", "fair-jobs", "saba", "saba-no-floor", "equal-weights", "homa"];
    let json = plan(&place, &["--policy", &expected.join(",")]);
    let names = |policies: &serde_json::Value| -> Vec<String> {
        let policies = policies.as_array().unwrap().iter();
        policies.map(|policy| policy["policy"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&json["policies"]), expected);
    assert_eq!(names(&json["packets"]["policies"]), expected);
    assert_eq!(json["packets"]["scale"], 1_000);
    for (packets, policy) in json["packets"]["policies"].as_array().unwrap().iter().zip(expected) {
        for (job, beyond) in packets["beyond_flow_level"].as_array().unwrap().iter().enumerate() {
            let beyond = beyond.as_f64().unwrap();
            // At flow level, Homa's receivers grant equal messages of the same sender first.
            let least = if policy == "homa" { -0.5 } else { -0.1 };
            assert!((least..0.1).contains(&beyond), "{policy}, job {job}: {beyond}");
        }
    }
}

/// Results are equal for one, two and three threads.
#[test]
fn plan_is_equal_for_any_number_of_threads() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    let scale = ["--scale", "100000", "--policy", "blocking"];
    let of = |threads| plan(&place, &[&scale[..], &["--threads", threads]].concat());
    let one = of("1");
    assert_eq!(of("2"), one);
    assert_eq!(of("3"), one);
}

#[test]
fn policies_without_a_packet_model_are_refused() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    place.write(
        "many.toml",
        "kind = \"jobs\"\n[[job]]\nworkload = \"TS\"\ncount = 16\ninstances = 2\n",
    );
    let refuse = |args: &[&str], parts: &[&str]| {
        place.run(&[&["saba", "plan"], args].concat()).refused(parts);
    };
    let packets = ["jobs.toml", "--engine", "packets"];
    refuse(
        &[&packets[..], &["--policy", "srpt"]].concat(),
        &["srpt", "allowed: fair-flows, blocking"],
    );
    refuse(&[&packets[..], &["--queues", "16"]].concat(), &["16 queues", "--queues 1 to 15"]);
    refuse(&[&packets[..], &["--scale", "0"]].concat(), &["--scale", "allowed: 1 to"]);
    refuse(&["jobs.toml", "--scale", "10"], &["--scale", "--engine packets"]);
    refuse(&["jobs.toml", "--threads", "2"], &["--threads", "--engine packets"]);
    refuse(&["jobs.toml", "--engine", "trains"], &["trains"]);
    let many = ["many.toml", "--engine", "packets", "--policy", "fair-jobs"];
    refuse(&many, &["16 jobs", "15 for data"]);
    // Of all policies, an impossible one is omitted with a note.
    let many = ["saba", "plan", "many.toml", "--engine", "packets", "--scale", "100000"];
    let ran = place.run(&[&many[..], &["--policy", "all"]].concat()).good();
    assert!(ran.stdout.contains("left out: 16 jobs"), "{}", ran.stdout);
}

#[test]
fn interrupted_packet_plan_prints_partial_results() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    let args = ["saba", "plan", "jobs.toml", "--engine", "packets", "--scale", "1"];
    let args = [&args[..], &["--json", "o.json"]].concat();
    let Ran { code, stdout, .. } = place.interrupted(&args, "sharing jobs.toml", Duration::ZERO);
    assert_eq!(code, Some(130), "{stdout}");
    assert!(stdout.contains("Packets beside rates"), "{stdout}");
    assert_eq!(place.json("o.json")["policies"][0]["took_s"][0], serde_json::Value::Null);
}
