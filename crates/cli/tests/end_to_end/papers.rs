//! `bandwise papers`.

use crate::common::{Place, Ran};
use serde_json::Value;
use std::time::Duration;

#[test]
fn lists_papers_with_their_items() {
    let ran = Place::new().run(&["papers", "list"]).good();
    assert!(ran.stdout.starts_with("rperf: ") && ran.stdout.contains("\n  fig7a "));
    let json = Place::new().run(&["papers", "list", "--json"]).good().json();
    assert_eq!(json["papers"][0]["paper"], "rperf");
    assert_eq!(json["papers"][0]["items"][0]["item"], "fig4");
}

#[test]
fn paper_run_prints_measured_and_published_values() {
    let ran = Place::new().run(&["papers", "run", "rperf/fig4", "--quick"]).good();
    for message in [
        "rperf fig4",
        "published",
        "ours",
        "published values agree",
        "agrees within 15",
        "seed 1, quick",
    ] {
        assert!(ran.stdout.contains(message), "no {message:?} in {}", ran.stdout);
    }
    assert!(ran.stderr.contains("million packet-hops/s"), "{}", ran.stderr);
}

#[test]
fn json_has_the_documented_keys() {
    let ran = Place::new().run(&["papers", "run", "rperf/fig4", "--quick", "--json", "-"]).good();
    let json = ran.json();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut top = keys(&json);
    top.sort();
    assert_eq!(top, ["rows", "schema", "stats"]);
    assert_eq!(json["schema"], 1);
    let rows = json["rows"].as_array().unwrap();
    assert!(rows.len() > 8);
    for row in rows {
        let mut expected = [
            "paper",
            "item",
            "case",
            "metric",
            "unit",
            "published",
            "measured",
            "tolerance",
            "agrees",
        ];
        expected.sort_unstable();
        let mut found = keys(row);
        let optional = ["bound", "by_floor", "repeats", "derived"];
        found.retain(|key| !optional.contains(&key.as_str()));
        found.sort();
        assert_eq!(found, expected);
        assert_eq!((&row["paper"], &row["item"]), (&"rperf".into(), &"fig4".into()));
        assert!(row["measured"].is_f64() || row["measured"].is_u64());
        assert_eq!(row["published"].is_null(), row["agrees"].is_null());
    }
    assert!(rows.iter().any(|row| row["agrees"].is_boolean()));
    // "At most 30ns" is a bound, and repeats what the tails and medians say.
    let bound = rows.iter().find(|row| row["case"] == "direct: most").unwrap();
    assert_eq!((&bound["bound"], &bound["tolerance"]), (&"most".into(), &Value::Null));
    assert_eq!(bound["derived"], "47 - 20 rounded up");
    let stats = &json["stats"];
    assert_eq!((&stats["seed"], &stats["quick"]), (&1.into(), &true.into()));
    for key in ["runs", "packets_delivered", "packet_hops", "events", "simulated_s"] {
        assert!(stats[key].as_f64().unwrap() > 0.0, "{key}");
    }
    for of_the_machine in ["wall_s", "packet_hops_per_s", "peak_rss_bytes"] {
        assert!(stats[of_the_machine].is_null());
    }
}

/// Figure 11 has the runs of two claims about round-robin over two hops, one of them without figure 10.
#[test]
fn claims_name_their_fabric() {
    let ran = Place::new().run(&["papers", "run", "rperf/fig11", "--quick"]).good();
    assert!(ran.stdout.contains("over two hops, round-robin is"), "{}", ran.stdout);
    let args = ["papers", "run", "rperf/fig11", "--quick", "--json", "-"];
    let json = Place::new().run(&args).good().json();
    let claims = json["stats"]["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 1);
    assert_eq!(
        (&claims[0]["section"], &claims[0]["fabric"]),
        (&"VIII-B".into(), &"56 Gbps".into())
    );
    assert!(claims[0]["holds"].is_boolean());
}

#[test]
fn same_seed_same_bytes_on_any_number_of_threads() {
    let place = Place::new();
    let run = |threads: &str, seed: &str, name: &str| {
        let (json, html) = (format!("{name}.json"), format!("{name}.html"));
        let args = ["papers", "run", "rperf/fig4", "--quick", "--threads", threads, "--seed", seed];
        place.run(&[&args[..], &["--json", &json, "--report", &html]].concat()).good();
        (place.read(&json), place.read(&html))
    };
    let one = run("1", "7", "one");
    assert_eq!(one, run("2", "7", "two"));
    assert_ne!(one, run("2", "8", "other"));
    assert!(one.1.contains("bandwise papers run rperf/fig4 --quick --seed 7"));
    assert_eq!(place.files().len(), 6, "nothing else is left behind");
}

#[test]
#[cfg(unix)]
fn interrupted_paper_run_keeps_finished_cases() {
    let place = Place::new();
    let args = ["papers", "run", "rperf", "--json", "o.json", "--report", "o.html"];
    let Ran { code, stdout, stderr } = place.interrupted(&args, "running rperf", Duration::ZERO);
    assert_eq!(code, Some(130), "{stderr}");
    assert!(stderr.contains("interrupted: the results are partial"), "{stderr}");
    let unfinished = place.json("o.json")["stats"]["unfinished"].as_array().unwrap().len();
    assert!(stdout.contains(&format!("Partial: {unfinished} cases were not finished")), "{stdout}");
    assert!(place.read("o.html").contains("The run was interrupted. Not finished: "));
}

/// A paper of network scenarios has the same rows, and the paper's claims.
#[test]
fn ethernet_paper_has_rows_claims_and_answer() {
    let place = Place::new();
    let run = |threads: &str| {
        let args = ["papers", "run", "irn/fig1", "--quick", "--threads", threads];
        let outputs = ["--json", "fig1.json", "--report", "fig1.html"];
        let text = place.run(&[&args[..], &outputs].concat()).good().stdout;
        (text, place.read("fig1.json"), place.read("fig1.html"))
    };
    let (text, json, page) = run("1");
    assert_eq!((text.clone(), json.clone(), page.clone()), run("2"));
    let json: Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    let row = |case: &str| rows.iter().find(|row| row["case"] == case).unwrap();
    let least = row("RoCE+PFC over IRN: least");
    assert_eq!((&least["paper"], &least["item"]), (&"irn".into(), &"fig1".into()));
    assert_eq!(least["published"], 2.8);
    assert!(least["agrees"].is_boolean() && least["tolerance"].is_null());
    assert_eq!(
        (&row("IRN")["metric"], &row("IRN")["unit"]),
        (&"average slowdown".into(), &"x".into())
    );
    let claim = &json["stats"]["claims"][0];
    assert_eq!(claim["section"], "4.2");
    assert!(claim["holds"].is_boolean());
    assert!(text.contains("What the paper claims"), "{text}");
    // The answer comes first, with a note on quick runs. The three metrics stand below one heading.
    let answer = page.split("id=\"section-answer\"").nth(1).unwrap();
    let answer = answer.split("</section>").next().unwrap();
    assert!(answer.contains("claims of the paper hold in our runs"), "{answer}");
    assert!(answer.contains("This was a quick run"), "{answer}");
    assert_eq!(page.matches("<h2>Figure 1: IRN and RoCE</h2>").count(), 1);
    for metric in ["average slowdown", "average FCT", "99% FCT"] {
        assert!(page.contains(&format!("<h3>{metric}</h3>")), "{metric}");
    }
}

/// Two flows on a link: ours beside the slides' matrix, and a verdict for each pair with its numbers.
#[test]
fn flows_that_share_a_link_are_judged() {
    let place = Place::new();
    let run = |what: &str, threads: &str| {
        let args = ["papers", "run", what, "--quick", "--threads", threads];
        let outputs = ["--json", "out.json", "--report", "out.html"];
        let text = place.run(&[&args[..], &outputs].concat()).good().stdout;
        (text, place.read("out.json"), place.read("out.html"))
    };
    let (text, json, page) = run("isolation/elephants", "1");
    assert_eq!((text.clone(), json.clone(), page.clone()), run("isolation/elephants", "2"));
    let json: Value = serde_json::from_str(&json).unwrap();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 36);
    assert!(rows.iter().all(|row| row["published"].is_f64() || row["published"].is_u64()));
    let cell = |case: &str| rows.iter().find(|row| row["case"] == case).unwrap();
    assert_eq!(cell("WRITE 1 GB over SEND 1 MB")["published"], 1.41);
    assert_eq!(cell("WRITE 1 MB over WRITE 1 MB")["agrees"], true);
    assert!(text.contains("Of the matrix 20 cells are of equal sizes"), "{text}");
    assert!(page.contains("Elephant vs. Elephant: 1 GB over 1 MB"));
    let (text, json, page) = run("isolation/polling", "2");
    let json: Value = serde_json::from_str(&json).unwrap();
    let claims = json["stats"]["claims"].as_array().unwrap();
    let verdicts = claims.iter().filter(|claim| claim["section"] == "At A First Glance");
    let words = ["fair: ", "unfair: ", "depends on CPU: "];
    let mut count = 0;
    for verdict in verdicts {
        let numbers = verdict["numbers"].as_str().unwrap();
        assert!(words.iter().any(|word| numbers.starts_with(word)), "{numbers}");
        assert!(page.contains(numbers.split("; ").next().unwrap()), "{numbers}");
        count += 1;
    }
    assert_eq!(count, 2, "those that this item has the runs for");
    assert!(text.contains("1 MB vs. 1 GB: depends on CPU"), "{text}");
}

#[test]
fn closed_stdout_is_no_failure() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_bandwise"))
        .args(["papers", "list"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}
