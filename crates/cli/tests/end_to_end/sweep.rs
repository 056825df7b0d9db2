//! `bandwise sim run` of a file with a sweep.

use crate::common::Place;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Four points of a few milliseconds each.
const SWEEP: &str = "kind = \"ethernet\"\ntitle = \"Two loads\"\n\
    [fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"10 Gbps\", delay = \"1 us\" }\n\
    [workload]\npoisson = { flows = 200, sizes = { fixed = \"20 KB\" } }\n\
    [sweep]\nworkload.poisson.load = [0.3, 0.6]\nrun.seed = [1, 2]\n";

fn sweep() -> Place {
    let place = Place::new();
    place.write("s.toml", SWEEP);
    place
}

#[test]
fn sweep_point_equals_a_single_run() {
    let place = sweep();
    let (base, _) = SWEEP.split_once("[sweep]").unwrap();
    let alone = base.replace("flows = 200,", "load = 0.6, flows = 200,");
    place.write("one.toml", alone);
    place.run(&["sim", "run", "one.toml", "--seed", "2", "--json", "one.json"]).good();
    let ran = place.run(&["sim", "run", "s.toml", "--json", "s.json", "--csv", "s.csv"]).good();
    let (one, all) = (place.json("one.json"), place.json("s.json"));
    let measured = |json: &serde_json::Value, case: &str, metric: &str| {
        let rows = json["rows"].as_array().unwrap();
        let row = rows.iter().find(|row| row["case"] == case && row["metric"] == metric);
        row.unwrap_or_else(|| panic!("{case}, {metric}"))["measured"].clone()
    };
    for metric in ["average slowdown", "average FCT", "FCT p99"] {
        let of_point = measured(&all, "load 0.6, seed 2", metric);
        assert_eq!(of_point, measured(&one, "all flows", metric), "{metric}");
    }
    assert_eq!(all["points"][3]["at"]["workload.poisson.load"], "0.6");
    assert_eq!(all["points"][3]["packet_hops"], one["stats"]["packet_hops"]);
    assert_eq!(all["stats"]["points"], 4);
    assert!(ran.stdout.starts_with("Two loads\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n4 points, 800 flows, bandwise "), "{}", ran.stdout);
    let csv = place.read("s.csv");
    assert!(
        csv.starts_with("workload.poisson.load,run.seed,stop,flows,average slowdown,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 5);
}

#[test]
fn sweep_is_equal_for_any_number_of_threads() {
    let place = sweep();
    let run = |threads: &str| {
        let outputs = ["--json", "s.json", "--csv", "s.csv", "--report", "s.html"];
        let args = ["sim", "run", "s.toml", "--threads", threads];
        let text = place.run(&[&args[..], &outputs].concat()).good().stdout;
        (text, place.read("s.json"), place.read("s.csv"), place.read("s.html"))
    };
    assert_eq!(run("1"), run("2"));
}

#[test]
fn resume_skips_finished_points() {
    let place = sweep();
    let run = |more: &[&str]| {
        place.run(&[&["sim", "run", "s.toml", "--json", "-", "--resume", "kept"], more].concat())
    };
    let first = run(&[]).good();
    let kept = || {
        let entries = std::fs::read_dir(place.path().join("kept")).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let paths = kept();
    assert_eq!(paths.len(), 4);
    // One point is missing, and another one is truncated.
    std::fs::remove_file(&paths[0]).unwrap();
    let whole = std::fs::read_to_string(&paths[1]).unwrap();
    std::fs::write(&paths[1], &whole[..whole.len() / 2]).unwrap();
    let second = run(&["--threads", "2"]).good();
    assert_eq!(first.stdout, second.stdout);
    assert!(second.stderr.contains("2 of them were there already"), "{}", second.stderr);
    assert!(second.stderr.contains("the point is run again"), "{}", second.stderr);
    assert_eq!(kept(), paths);
    // Another scenario has points of its own.
    place.write("s.toml", SWEEP.replace("20 KB", "21 KB"));
    let third = run(&[]).good();
    assert!(!third.stderr.contains("already"), "{}", third.stderr);
    assert_eq!(kept().len(), 8);
}

#[test]
fn resume_ignores_points_of_another_build() {
    let place = sweep();
    // The same program with one byte appended.
    let other = place.path().join("other");
    let mut program = std::fs::read(env!("CARGO_BIN_EXE_bandwise")).unwrap();
    program.push(0);
    std::fs::write(&other, program).unwrap();
    let permissions = std::fs::metadata(env!("CARGO_BIN_EXE_bandwise")).unwrap().permissions();
    std::fs::set_permissions(&other, permissions).unwrap();
    let args = ["sim", "run", "s.toml", "--resume", "kept"];
    place.run(&args).good();
    let by_other = || {
        let output = Command::new(&other).args(args).current_dir(place.path()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(!by_other().contains("already"));
    assert!(by_other().contains("4 of them were there already"));
    assert_eq!(std::fs::read_dir(place.path().join("kept")).unwrap().count(), 8);
}

#[test]
fn interrupted_sweep_resumes() {
    let place = Place::new();
    // The second point does not end within the test.
    let text = SWEEP.replace("[0.3, 0.6]", "[0.3]").replace("run.seed", "workload.poisson.flows");
    let text = text.replace("flows = 200, ", "").replace("[1, 2]", "[200, 4_000_000]");
    place.write("s.toml", &text);
    let args = ["sim", "run", "s.toml", "--threads", "1", "--resume", "kept"];
    let child = Command::new(env!("CARGO_BIN_EXE_bandwise"))
        .args(args)
        .current_dir(place.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let is_kept =
        || std::fs::read_dir(place.path().join("kept")).is_ok_and(|mut d| d.next().is_some());
    for _ in 0..1_000 {
        if is_kept() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let text_of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text_of(&output.stderr));
    let stdout = text_of(&output.stdout);
    assert!(stdout.contains("Partial: 1 of 2 points are missing. 1 points, 200 flows"), "{stdout}");
    // With shorter remaining points the sweep ends.
    place.write("s.toml", text.replace("4_000_000", "300"));
    let ran = place.run(&args).good();
    assert!(ran.stderr.contains("1 of them were there already"), "{}", ran.stderr);
    place.run(&["sim", "run", "s.toml", "--json", "whole.json"]).good();
    place.run(&[&args[..], &["--json", "resumed.json"]].concat()).good();
    assert_eq!(place.read("whole.json"), place.read("resumed.json"));
}

#[test]
fn changed_flow_list_invalidates_resumed_points() {
    let place = Place::new();
    place.write(
        "s.toml",
        "kind = \"ethernet\"\n[fabric]\nbuild = { single-switch = 3 }\nlink = { rate = \"10 Gbps\", delay = \"1 us\" }\n\
         [workload]\nflows = \"l.csv\"\n[sweep]\ntransport.kind = [\"irn\", \"roce\"]\n",
    );
    place.write("l.csv", "start_ns,src,dst,bytes\n0,0,1,1000\n");
    let args = ["sim", "run", "s.toml", "--resume", "kept"];
    let first = place.run(&args).good();
    assert!(first.stdout.contains("2 points, 2 flows"), "{}", first.stdout);
    assert!(place.run(&args).good().stderr.contains("2 of them were there already"));
    place.write("l.csv", "start_ns,src,dst,bytes\n0,0,1,1000\n0,0,2,1000\n");
    let third = place.run(&args).good();
    assert!(third.stdout.contains("2 points, 4 flows"), "{}", third.stdout);
    assert!(!third.stderr.contains("already"), "{}", third.stderr);
}

#[test]
fn flags_that_do_not_apply_are_refused() {
    let place = sweep();
    place.write("one.toml", "kind = \"ethernet\"\n[transport]\nkind = \"irn\"\n");
    let refused = |args: &[&str], message: &[&str]| {
        place.run(&[&["sim", "run"], args].concat()).refused(message);
    };
    refused(&["s.toml", "--seed", "3"], &["--seed: the file sweeps over run.seed"]);
    refused(&["s.toml", "--flow-results", "f.csv"], &["--flow-results: s.toml has a [sweep]"]);
    refused(&["s.toml", "--flows", "-"], &["--flows: a list that every point of a sweep reads"]);
    refused(&["s.toml", "--resume", "s.toml"], &["--resume s.toml: ", "a folder that exists"]);
    refused(&["s.toml", "--csv", "s.toml"], &["--csv s.toml: the file is used twice"]);
    refused(&["s.toml", "--csv", "s.parquet"], &["--csv s.parquet: is not written as Parquet"]);
    refused(&["one.toml", "--resume", "kept"], &["--resume: one.toml is a single run"]);
    refused(&["one.toml", "--csv", "c.csv"], &["--csv: one.toml is a single run"]);
    assert_eq!(place.files(), ["one.toml", "s.toml"]);
}

#[test]
fn sweep_report_has_the_plots() {
    let place = sweep();
    place.write("one.toml", SWEEP.split_once("[sweep]").unwrap().0);
    place.run(&["sim", "run", "s.toml", "--report", "s.html"]).good();
    place.run(&["sim", "run", "one.toml", "--report", "one.html"]).good();
    let (page, one) = (place.read("s.html"), place.read("one.html"));
    for id in ["average-slowdown", "average-FCT", "FCT-p99"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    assert!(one.contains("id=\"slowdown\"") && one.contains("Flow completion time"));
}
