//! `bandwise saba profile`: runs that are written down, and what they come to. On real links it is looked at by
//! tests/lab/profile.sh.

use crate::common::{Place, Ran};
use std::time::{Duration, Instant};

/// Runs with each share, as many as given: seconds.
fn journal(runs: &[(f64, &[f64])]) -> String {
    let head =
        r#"{"profile":1,"application":"LR","command":["true"],"links":"links limited by true"}"#;
    let line = |share: f64, seconds: f64| {
        let ns = (seconds * 1e9) as u64;
        format!(r#"{{"share":{share},"purpose":"sample","time_ns":{ns},"outcome":"success"}}"#)
    };
    let lines = runs.iter().flat_map(|&(share, all)| all.iter().map(move |&s| line(share, s)));
    [head.to_owned()].into_iter().chain(lines).map(|line| line + "\n").collect()
}

/// A journal with all runs, so that none is made.
fn made(place: &Place, runs: &[(f64, &[f64])], more: &[&str]) -> Ran {
    place.write("LR.profile", journal(runs));
    profile(
        place,
        &[&["--at", "25,50,100", "--repeat", "2", "--warmup", "0"], more].concat(),
        &["true"],
    )
}

fn profile(place: &Place, flags: &[&str], command: &[&str]) -> Ran {
    let before = ["saba", "profile", "--app", "LR", "--limit", "true"];
    place.run(&[&before, flags, &["--"], command].concat())
}

const STEADY: [(f64, &[f64]); 3] =
    [(0.25, &[39.8, 40.2]), (0.5, &[20.1, 19.9]), (1.0, &[10.0, 10.1])];

#[test]
fn profile_adds_models_to_the_table() {
    let place = Place::new();
    place.write(
        "t.toml",
        "[[application]]\nname = \"PR\"\nsamples = [{ share = 1, time = \"1 s\" }, \
                           { share = 0.5, time = \"2 s\" }, { share = 0.1, time = \"3 s\" }]\n",
    );
    let more = ["--table", "t.toml", "--nodes", "8", "--dataset", "3 GB", "--json", "a.json"];
    let ran = made(&place, &STEADY, &more);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let row = ["25%", "2", "40", "s", "39.8", "s", "40.2", "s", "3.98"];
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(
        ran.stdout.lines().any(|line| words(line).starts_with(&row.map(str::to_owned))),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.ends_with("The models of LR are in t.toml.\n"), "{}", ran.stdout);
    let table = place.read("t.toml");
    for part in ["\"PR\"", "\"LR\"", "nodes = 8", "dataset = \"3 GB\"", "time = \"39.8 s\""] {
        assert!(table.contains(part), "{table}");
    }
    let json = place.json("a.json");
    assert_eq!((&json["verdict"]["is"], &json["table"]), (&"enough".into(), &"t.toml".into()));
    assert_eq!(json["runs"].as_array().unwrap().len(), 6);
    // Recorded runs are not repeated, and the journal is unchanged.
    assert_eq!(place.read("LR.profile"), journal(&STEADY));
    // Its own output is what the planner reads.
    place.write("jobs.toml", "kind = \"jobs\"\n[[job]]\nmodel = \"LR\"\n[[job]]\nmodel = \"PR\"\n");
    let planned =
        place.run(&["saba", "plan", "jobs.toml", "--models", "t.toml", "--policy", "saba"]);
    assert_eq!(planned.code, Some(0), "{planned:?}");
}

#[test]
fn noisy_runs_give_no_model() {
    let place = Place::new();
    let noisy: [(f64, &[f64]); 3] =
        [(0.25, &[30.0, 50.0]), (0.5, &[15.0, 25.0]), (1.0, &[8.0, 12.0])];
    let ran = made(&place, &noisy, &["--table", "t.csv", "--report", "r.html"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("no model: samples are too noisy"), "{}", ran.stderr);
    assert!(ran.stderr.contains("would do"), "{}", ran.stderr);
    assert!(ran.stdout.contains("25%"), "what was measured is shown: {}", ran.stdout);
    assert!(place.read("r.html").contains("There is no model of it"));
    assert!(!place.files().contains(&"t.csv".to_owned()));
}

#[test]
fn finished_profile_runs_are_not_repeated() {
    let place = Place::new();
    let flags = ["--at", "25,50,100", "--repeat", "1", "--table", "t.csv"];
    // One line a run, with the share of its environment.
    let command = ["sh", "-c", "echo $BANDWISE_SHARE >>shares; echo heard"];
    let ran = profile(&place, &flags, &command);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("each share was run once"), "{}", ran.stdout);
    let mut shares: Vec<String> = place.read("shares").lines().map(str::to_owned).collect();
    assert_eq!(shares[0], "1", "to warm up");
    shares.sort();
    assert_eq!(shares, ["0.25", "0.5", "1", "1"]);
    assert_eq!(place.read("LR.profile").lines().count(), 5);
    assert_eq!(place.read("LR.profile.out").matches("heard").count(), 4);
    assert_eq!(place.read("t.csv").lines().count(), 4);
    // A truncated line means one run to repeat.
    let whole = place.read("LR.profile");
    place.write("LR.profile", &whole[..whole.len() - 9]);
    assert_eq!(profile(&place, &flags, &command).code, Some(0));
    assert_eq!(place.read("shares").lines().count(), 5);
    assert_eq!(place.read("LR.profile").lines().count(), 5);
    // Further repetitions extend the recorded ones.
    let more = ["--at", "25,50,100", "--repeat", "2"];
    profile(&place, &more, &command);
    assert_eq!(place.read("shares").lines().count(), 8);
    // Another command is another profile.
    let other = profile(&place, &flags, &["true"]);
    other.refused(&["LR.profile: is of another command", "allowed: true"]);
}

#[test]
fn failed_profile_runs_are_retried_and_reported() {
    let place = Place::new();
    let flags = ["--at", "25,50,100", "--repeat", "1", "--warmup", "0", "--attempts", "2"];
    let command = ["sh", "-c", "echo; test $BANDWISE_SHARE != 0.5"];
    let ran = profile(&place, &[&flags[..], &["--table", "t.csv"]].concat(), &command);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("no model: samples with 2 shares"), "{}", ran.stderr);
    assert_eq!(ran.stdout.matches("ended with code 1").count(), 2, "{}", ran.stdout);
    assert!(ran.stdout.contains("1 run failed each time"), "{}", ran.stdout);
    assert!(!place.files().contains(&"t.csv".to_owned()));
    // With enough other samples there is a model, and the failure is still reported.
    let place = Place::new();
    let flags = ["--at", "25,50,75,100", "--repeat", "1", "--warmup", "0", "--attempts", "1"];
    let ran = profile(&place, &flags, &command);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("Failed runs"), "{}", ran.stdout);
}

/// A command that ends by itself after a minute.
const LONG: [&str; 3] = ["sh", "-c", "echo begun; sleep 60 & wait"];

#[test]
fn timed_out_run_is_ended_with_its_processes() {
    let place = Place::new();
    let flags = ["--at", "25,50,100", "--repeat", "1", "--attempts", "1", "--timeout", "20 ms"];
    let ran = profile(&place, &flags, &LONG);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stdout.matches("took longer than --timeout").count(), 4, "{}", ran.stdout);
}

#[test]
fn interrupted_profile_restores_links() {
    let place = Place::new();
    let flags =
        ["saba", "profile", "--app", "LR", "--limit", "echo $BANDWISE_SHARE >>limits", "--"];
    let ran = place.interrupted(
        &[&flags[..], &LONG].concat(),
        "profiling LR",
        Duration::from_millis(300),
    );
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert_eq!(place.read("limits"), "1\n1\n", "limited for the run, and restored");
    assert_eq!(place.read("LR.profile").lines().count(), 1, "no run was made");
}

#[test]
fn interrupted_profile_waits_for_no_program_that_ignores_signals() {
    let place = Place::new();
    let flags = ["saba", "profile", "--app", "LR", "--limit", "true", "--", "sh", "-c"];
    let deaf = "trap '' INT TERM; : >deaf; while [ -e deaf ]; do sleep 0.05; done";
    let ran = place.signalled(&[&flags[..], &[deaf]].concat(), "TERM", "deaf");
    assert_eq!(ran.code, Some(130), "{ran:?}");
}

#[test]
fn interrupted_profile_waits_for_no_slow_limit() {
    let place = Place::new();
    let slow = "echo began $BANDWISE_SHARE >>limits; while [ -e limits -a ! -e go ]; do sleep 0.05; done; \
                echo ended $BANDWISE_SHARE >>limits";
    let flags = ["saba", "profile", "--app", "LR", "--at", "25,50,100", "--limit", slow];
    let ran = place.signalled(&[&flags[..], &["--", "touch", "ran"]].concat(), "INT", "limits");
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.stderr.contains("which still runs and restores them"), "{ran:?}");
    // The restoring command runs on to its end.
    place.write("go", "");
    let until = Instant::now() + Duration::from_secs(10);
    while !place.read("limits").ends_with("ended 1\n") && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    let limits = place.read("limits");
    assert!(limits.ends_with("began 1\nended 1\n"), "{limits}");
    assert_eq!(limits.matches("ended").count(), 1, "the limiting command was ended: {limits}");
    assert!(!place.files().contains(&"ran".to_owned()));
}

#[test]
fn invalid_profile_flags_are_refused_before_any_run() {
    let cases: [(&[&str], &str); 10] = [
        (&["--at", "5,10"], "--at: 100% is not among them"),
        (&["--at", "5,100"], "--at: 2 shares"),
        (&["--at", "5,5,50,100"], "--at: 5% twice"),
        (&["--at", "0,50,100"], "--at can't be \"0\""),
        (&["--at", "5,50,101"], "--at can't be \"101\""),
        (&["--repeat", "0"], "--repeat can't be \"0\""),
        (&["--dataset", "much"], "--dataset can't be \"much\""),
        (&["--table", "t.txt"], "--table t.txt: TOML or CSV?"),
        (&["--table", "bad.csv"], "bad.csv:2: "),
        (&["--journal", "bad.csv"], "bad.csv:1: "),
    ];
    for (flags, wanted) in cases {
        let place = Place::new();
        place.write("bad.csv", "application,share,time_s\nLR,2,1\n");
        profile(&place, flags, &["touch", "ran"]).refused(&[wanted, "allowed"]);
        assert!(!place.files().contains(&"ran".to_owned()));
    }
    let place = Place::new();
    let ran = profile(&place, &[], &["./no-such-program"]);
    ran.refused(&["./no-such-program: can't be run", "allowed"]);
    let both =
        place.run(&["saba", "profile", "--app", "LR", "--lab", "a", "--limit", "b", "--", "true"]);
    assert_eq!(both.code, Some(2));
    // `--device` needs `--rate` and excludes `--lab`; `--rate` needs `--device`.
    for (flags, wanted) in [
        (&["--device", "eth0"][..], "--rate"),
        (&["--rate", "1Gbit", "--limit", "true"], "--limit"),
        (&["--rate", "1Gbit"], "--device"),
        (&["--device", "eth0", "--rate", "1Gbit", "--limit", "true"], "--limit"),
        (&["--device", "eth0", "--rate", "fast"], "--rate can't be \"fast\""),
        (&["--device", "eth0", "--rate", "1kbit"], "1 Mbps to 1 Tbps"),
        (&[], "--device"),
    ] {
        let all = [&["saba", "profile", "--app", "LR"], flags, &["--", "true"]].concat();
        place.run(&all).refused(&[wanted]);
    }
    let failing =
        ["saba", "profile", "--app", "LR", "--limit", "echo no such nic >&2; exit 3", "--", "true"];
    let ran = place.run(&failing);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("no such nic"), "{}", ran.stderr);
}
