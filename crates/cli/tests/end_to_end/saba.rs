//! `bandwise saba` and `bandwise coflows`.

use crate::common::Place;

/// Two jobs on the same hosts: one that only sends, one that computes half of its time.
const JOBS: &str = "\
[fabric]
build = { single-switch = 4 }
link = { rate = \"8 Gbps\", delay = \"10 ns\" }
[[job]]
name = \"sends\"
instances = 4
stage = [{ pattern = \"shuffle\", bytes = \"3 GB\" }]
[[job]]
name = \"both\"
instances = 4
rounds = 4
stage = [{ compute = \"1 s\", pattern = \"shuffle\", bytes = \"1 GB\" }]
";

#[test]
fn a_plan_for_two_jobs() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    let ran = place.run(&["saba", "plan", "jobs.toml", "--json", "o.json"]).good();
    assert!(ran.stdout.contains("Slowdown of each job"), "{}", ran.stdout);
    assert!(ran.stdout.contains("2 jobs on 4 hosts"), "{}", ran.stdout);
    let json = place.json("o.json");
    assert_eq!(json["schema"], 1);
    assert_eq!(json["settings"]["baseline"], "fair-flows");
    let alone = |i: usize| json["jobs"][i]["alone_s"].as_f64().unwrap();
    assert!((alone(0) - 3.0).abs() < 1e-6 && (alone(1) - 8.0).abs() < 1e-6);
    // The first job sends 1 GB while the other computes, 1 GB in the 2 s in which each has half, and the
    // rest while the other computes again. That one is behind by 1 s then, and goes on alone.
    let fair = &json["policies"][0];
    assert_eq!(fair["policy"], "fair-flows");
    let took = |i: usize| fair["took_s"][i].as_f64().unwrap();
    assert!((took(0) - 4.0).abs() < 1e-3, "{fair}");
    assert!((took(1) - 9.0).abs() < 1e-3, "{fair}");
    assert!(json["answer"][0].as_str().unwrap().starts_with("With saba in place of fair-flows"));
    assert!(json["answer"][1].as_str().unwrap().contains("mean slowdown"));
    let again = place.run(&["saba", "plan", "jobs.toml", "--json"]).good();
    assert_eq!(again.stdout, place.read("o.json"));
}

/// What is to be configured, as text for people and as a whole for programs.
#[test]
fn the_table_to_configure() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    let args = ["saba", "plan", "jobs.toml", "--policy", "saba", "--json", "o.json"];
    let text = place.run(&args).good().stdout;
    let configure = "To configure: the level of each application";
    assert!(text.contains(configure) && text.contains("all 8"), "{text}");
    let json = place.json("o.json");
    let levels = json["configuration"]["levels"].as_array().unwrap();
    let level = |i: usize| levels[i]["level"].as_u64().unwrap();
    assert_eq!(levels[0]["job"], "sends");
    assert_eq!((level(0), level(1)), (1, 0));
    // Each host's port, and the switch's to it: one kind, as both jobs are everywhere.
    let ports = json["configuration"]["ports"].as_array().unwrap();
    let names: Vec<_> = ports
        .iter()
        .map(|port| format!("{}:{}", port["node"].as_str().unwrap(), port["port"]))
        .collect();
    assert_eq!(names.len(), 8);
    assert!(names.contains(&"h0:1".to_owned()) && names.contains(&"switch:4".to_owned()));
    assert_eq!(ports[0]["queue_of_level"], serde_json::json!({ "0": 0, "1": 1 }));
    let weights = ports[0]["weights"].as_array().unwrap();
    let weight = |i: usize| weights[i].as_f64().unwrap();
    assert!(weight(1) == 255.0 && weight(0) < 255.0, "{weights:?}");
    // What a job is promised is its queue's part of the weights.
    let share = json["jobs"][0]["saba"]["share"].as_f64().unwrap();
    assert!((share - 255.0 / (255.0 + weight(0))).abs() < 1e-5, "{share}");
    assert_eq!(json["jobs"][0]["equal"]["share"], 0.5);
    assert_eq!(json["jobs"][0]["equal"]["predicted_slowdown"], 2.0);
    assert_eq!(json["jobs"][0]["equal"]["extrapolated"], false);
}

#[test]
fn jobs_from_standard_input_on_another_fabric() {
    let place = Place::new();
    place.write(
        "f.toml",
        "[fabric]\nbuild = { single-switch = 8 }\nlink = { rate = \"100 Gbps\" }\n",
    );
    let args = ["saba", "plan", "-", "--fabric", "f.toml", "--policy", "fair-jobs", "--json"];
    let ran = place.run_with(&args, b"[[job]]\nworkload = \"TS\"\ninstances = 4\n").good();
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["settings"]["hosts"], 8);
    let policies: Vec<_> = json["policies"].as_array().unwrap().iter().collect();
    let names: Vec<_> = policies.iter().map(|policy| policy["policy"].as_str().unwrap()).collect();
    // Speedups need the baseline too.
    assert_eq!(names, ["fair-flows", "fair-jobs"]);
}

#[test]
fn a_report_of_a_plan() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    place.run(&["saba", "plan", "jobs.toml", "--report", "r.html"]).good();
    let page = place.read("r.html");
    for part in ["How should these jobs share the fabric?", "What less bandwidth costs"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn what_a_plan_refuses() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    place.write("none.toml", "[[job]]\nname = \"x\"\n");
    let refuse = |args: &[&str], parts: &[&str]| {
        place.run(&[&["saba", "plan"], args].concat()).refused(parts);
    };
    refuse(&["none.toml"], &["none.toml:1", "`workload`, `times` and `stage`"]);
    refuse(&["missing.toml"], &["missing.toml"]);
    refuse(&["jobs.toml", "--queues", "17"], &["--queues"]);
    refuse(&["jobs.toml", "--policy", "best"], &["unknown policy", "fair-flows"]);
    refuse(&["jobs.toml", "--report", "jobs.toml"], &["used twice"]);
    refuse(&["-", "--fabric", "-"], &["standard input"]);
    assert_eq!(place.files(), ["jobs.toml", "none.toml"]);
}

/// Two coflows over one port each: 1 s and 2 s alone. Fair sharing ends them at 2 and 3 s, all orders by
/// size at 1 and 3 s.
#[test]
fn coflows_of_a_trace() {
    let place = Place::new();
    place.write("t.txt", "3 2\n1 0 1 1 1 2:125\n2 0 1 1 1 3:250\n");
    let ran = place.run(&["coflows", "t.txt", "--json", "o.json"]).good();
    assert!(
        ran.stdout.contains("2 coflows, 2 flows, 3 ports of 1 Gbps (t.txt)."),
        "{}",
        ran.stdout
    );
    let json = place.json("o.json");
    for scheduler in json["schedulers"].as_array().unwrap() {
        let times: Vec<f64> = scheduler["times_s"]
            .as_array()
            .unwrap()
            .iter()
            .map(|time| time.as_f64().unwrap())
            .collect();
        let first = if scheduler["scheduler"] == "fair" { 2.0 } else { 1.0 };
        // A megabyte of the trace is 2^20 bytes or 10^6: either way their ratio is this.
        let second = times[1] / times[0];
        assert!((second - 3.0 / first).abs() < 1e-4, "{scheduler}");
    }
    place.run(&["coflows", "t.txt", "--rate", "0 Gbps"]).refused(&["--rate"]);
    place.write("bad.txt", "3 1\n1 0 1 9 1 2:125\n");
    place.run(&["coflows", "bad.txt"]).refused(&["bad.txt:2"]);
}
