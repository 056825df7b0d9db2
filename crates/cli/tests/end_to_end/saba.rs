//! `bandwise saba` and `bandwise coflows`.

use crate::common::Place;

/// Two jobs on the same hosts: one that only sends, one that computes half of its time.
const JOBS: &str = "\
kind = \"jobs\"
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
fn plan_predicts_slowdowns_of_two_jobs() {
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
    // rest while the other computes again. The other is 1 s late then, and continues alone.
    let fair = &json["policies"][0];
    assert_eq!(fair["policy"], "fair-flows");
    let took = |i: usize| fair["took_s"][i].as_f64().unwrap();
    assert!((took(0) - 4.0).abs() < 1e-3, "{fair}");
    assert!((took(1) - 9.0).abs() < 1e-3, "{fair}");
    // The verdict is the first three lines.
    let verdict: Vec<&str> = (0..3).map(|i| json["answer"][i].as_str().unwrap()).collect();
    assert!(ran.stdout.starts_with(&format!("{}\n\n", verdict.join("\n"))), "{}", ran.stdout);
    let begins = ["Do: ", "Gain: ", "Limit: "];
    assert!(verdict.iter().zip(begins).all(|(line, begin)| line.starts_with(begin)), "{verdict:?}");
    let names: Vec<&str> = json["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["policy"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["fair-flows", "blocking", "fair-jobs", "saba", "equal-weights"]);
    assert!(names.contains(&json["recommended"].as_str().unwrap()), "{}", json["recommended"]);
    let again = place.run(&["saba", "plan", "jobs.toml", "--json"]).good();
    assert_eq!(again.stdout, place.read("o.json"));
}

/// Times count as those of the fabric's own links, and the answer says so.
#[test]
fn plan_states_the_links_of_measured_times() {
    let place = Place::new();
    let job = |keys: &str| {
        format!(
            "kind = \"jobs\"\n[fabric]\nbuild = {{ single-switch = 4 }}\nlink = {{ rate = \"25 Gbps\" }}\n\
             [[job]]\nname = \"etl\"\ninstances = 4\n{keys}\
             times = {{ \"100%\" = \"40 s\", \"50%\" = \"60 s\", \"25%\" = \"100 s\" }}\n"
        )
    };
    place.write("own.toml", job(""));
    let args = ["saba", "plan", "own.toml", "--policy", "fair-flows", "--json", "o.json"];
    let ran = place.run(&args).good();
    let said =
        "Times of etl count as measured with links of 25 Gbps, because the hosts here have 25 Gbps";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    let etl = &place.json("o.json")["jobs"][0];
    assert!((etl["alone_s"].as_f64().unwrap() - 40.0).abs() < 0.01, "{etl}");
    assert_eq!(etl["measured_at_bps"], 25_000_000_000u64);
    assert_eq!(etl["measured_at_by"], "host-link");
    // 20 s of 40 s are communication at 100 Gbps, which take four times as long at 25 Gbps.
    place.write("other.toml", job("measured-at = \"100 Gbps\"\n"));
    let args = ["saba", "plan", "other.toml", "--policy", "fair-flows", "--json", "o.json"];
    let ran = place.run(&args).good();
    let said = "Times of etl were measured with links of 100 Gbps (`measured-at`); the hosts here have 25 Gbps.";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    let etl = &place.json("o.json")["jobs"][0];
    assert!((etl["alone_s"].as_f64().unwrap() - 100.0).abs() < 0.01, "{etl}");
    assert_eq!(etl["measured_at_by"], "key");
}

/// The text has a summary of the configuration, and the JSON has all ports.
#[test]
fn plan_reports_levels_and_port_weights() {
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
    // A job's predicted share is its queue's part of the weights.
    let share = json["jobs"][0]["saba"]["share"].as_f64().unwrap();
    assert!((share - 255.0 / (255.0 + weight(0))).abs() < 1e-5, "{share}");
    assert_eq!(json["jobs"][0]["equal"]["share"], 0.5);
    assert_eq!(json["jobs"][0]["equal"]["predicted_slowdown"], 2.0);
    assert_eq!(json["jobs"][0]["equal"]["extrapolated"], false);
}

#[test]
fn plan_reads_jobs_from_standard_input_on_another_fabric() {
    let place = Place::new();
    place.write(
        "f.toml",
        "[fabric]\nbuild = { single-switch = 8 }\nlink = { rate = \"100 Gbps\" }\n",
    );
    let args = ["saba", "plan", "-", "--fabric", "f.toml", "--policy", "fair-jobs", "--json"];
    let ran = place
        .run_with(&args, b"kind = \"jobs\"\n[[job]]\nworkload = \"TS\"\ninstances = 4\n")
        .good();
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["settings"]["hosts"], 8);
    let policies: Vec<_> = json["policies"].as_array().unwrap().iter().collect();
    let names: Vec<_> = policies.iter().map(|policy| policy["policy"].as_str().unwrap()).collect();
    // Speedups need the baseline too.
    assert_eq!(names, ["fair-flows", "fair-jobs"]);
}

#[test]
fn plan_report_has_all_sections() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    place.run(&["saba", "plan", "jobs.toml", "--report", "r.html"]).good();
    let page = place.read("r.html");
    for part in [
        "How should these jobs share the fabric?",
        "Speedup of each application",
        "Sources of Saba&#39;s gain",
        "Slowdown by share of bandwidth",
        "Computing and sending over time",
        "To configure: queues and weights of ports",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn invalid_plan_arguments_are_refused() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    place.write("none.toml", "kind = \"jobs\"\n[[job]]\nname = \"x\"\n");
    let refuse = |args: &[&str], parts: &[&str]| {
        place.run(&[&["saba", "plan"], args].concat()).refused(parts);
    };
    refuse(&["none.toml"], &["none.toml:2", "`workload`, `times` and `stage`, or a `model` alone"]);
    refuse(&["missing.toml"], &["missing.toml"]);
    refuse(&["jobs.toml", "--queues", "17"], &["--queues"]);
    refuse(&["jobs.toml", "--policy", "best"], &["unknown policy", "fair-flows"]);
    refuse(&["jobs.toml", "--report", "jobs.toml"], &["used twice"]);
    refuse(&["-", "--fabric", "-"], &["standard input"]);
    assert_eq!(place.files(), ["jobs.toml", "none.toml"]);
}

/// The gain of queues times the gain of weights is Saba's gain, with floors and without.
#[test]
fn gain_is_the_product_of_queues_and_weights() {
    let place = Place::new();
    place.write("jobs.toml", JOBS);
    let args = ["saba", "plan", "jobs.toml", "--policy", "all", "--json", "o.json"];
    let ran = place.run(&args).good();
    assert!(ran.stdout.contains("Sources of Saba's gain"), "{}", ran.stdout);
    let json = place.json("o.json");
    let gains = json["gains"].as_array().unwrap();
    let names: Vec<_> = gains.iter().map(|gain| gain["policy"].as_str().unwrap()).collect();
    assert_eq!(names, ["saba", "saba-no-floor", "saba-unlimited"]);
    for gain in gains {
        let number = |key: &str| gain[key].as_f64().unwrap();
        let product = number("speedup_by_queues") * number("speedup_by_weights");
        assert!((product - number("speedup")).abs() < 1e-4, "{gain}");
        let of = |name: &serde_json::Value| {
            let all = json["summary"].as_array().unwrap();
            let found = all.iter().find(|summary| summary["policy"] == *name).unwrap();
            found["geometric_mean_speedup"].as_f64().unwrap()
        };
        assert_eq!(number("speedup"), of(&gain["policy"]));
        assert_eq!(number("speedup_by_queues"), of(&gain["same_queues"]));
    }
}

/// With more jobs than queues, impossible policies are omitted with a note, or refused if named.
#[test]
fn impossible_policies_are_refused() {
    let place = Place::new();
    let job = "kind = \"jobs\"\n[[job]]\nname = \"j\"\ninstances = 2\nstage = [{ compute = \"1 s\" }]\ncount = 300\n";
    place.write("jobs.toml", format!("{job}[placement]\njobs-per-host = 100\n"));
    let ran = place.run(&["saba", "plan", "jobs.toml", "--policy", "all", "--json"]).good();
    let json = ran.json();
    let summaries = json["summary"].as_array().unwrap();
    let names: Vec<_> = summaries.iter().map(|of| of["policy"].as_str().unwrap()).collect();
    assert!(names.contains(&"saba") && !names.contains(&"saba-unlimited"), "{names:?}");
    let left_out = "left out: saba-unlimited needs a queue for each job, and 300 jobs are too many";
    assert_eq!(json["warnings"][0], left_out);
    let args = ["saba", "plan", "jobs.toml", "--policy", "saba,saba-unlimited"];
    place.run(&args).refused(&["--policy saba-unlimited", "300 jobs", "up to 256"]);
}

/// Measured applications, as a platform team stores them.
const MODELS: &str = "\
[[application]]
name = \"sort\"
nodes = 2
dataset = \"300 GB\"
measured = \"2022-03-01\"
samples = [
    { share = 1, time = \"100 s\" },
    { share = 0.75, time = \"110 s\" },
    { share = 0.5, time = \"150 s\" },
]
";

/// Jobs with a model of that table, and one of another.
const OF_TABLE: &str = "\
kind = \"jobs\"
models = \"models.toml\"
[fabric]
build = { single-switch = 8 }
link = { rate = \"56 Gbps\" }
[[job]]
model = \"sort\"
instances = 8
count = 3
[[job]]
workload = \"LR\"
";

#[test]
fn saved_models_reproduce_the_plan() {
    let place = Place::new();
    place.write("models.toml", MODELS);
    place.write("jobs.toml", OF_TABLE);
    let plan = |flags: &[&str]| {
        place.run(&[&["saba", "plan", "jobs.toml", "--policy", "saba"], flags].concat()).good()
    };
    plan(&["--json", "first.json", "--save-models", "saved.toml"]);
    let toml = place.read("saved.toml");
    for part in ["\"LR\"", "nodes = 8", "\"sort\"", "nodes = 2", "\"300 GB\"", "2022-03-01"] {
        assert!(toml.contains(part), "no {part} in {toml}");
    }
    // The CSV form has the same models and results.
    plan(&["--models", "saved.toml", "--save-models", "saved.csv"]);
    plan(&["--models", "saved.csv", "--json", "again.json"]);
    assert_eq!(place.read("first.json"), place.read("again.json"));
    let json = place.json("first.json");
    assert_eq!(json["jobs"][0]["name"], "sort-1");
    assert_eq!(json["jobs"][0]["application"], "sort");
    let models = json["models"].as_array().unwrap();
    let sort = &models[1];
    assert_eq!(sort["application"], "sort");
    assert_eq!((&sort["nodes"], &sort["measured"]), (&2.into(), &"2022-03-01".into()));
    assert_eq!(sort["slowdowns"][0], serde_json::json!([0.5, 1.5]));
}

/// Four times the nodes, and a quarter of a link where half was measured.
#[test]
fn doubtful_models_give_warnings_in_all_outputs() {
    let place = Place::new();
    place.write("models.toml", MODELS);
    place.write("jobs.toml", OF_TABLE);
    let args = ["saba", "plan", "jobs.toml", "--policy", "saba", "--json", "o.json"];
    let text = place.run(&[&args[..], &["--report", "r.html"]].concat()).good().stdout;
    let json = place.json("o.json");
    let warnings: Vec<_> =
        json["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    let nodes = "the model of sort, for sort-1, sort-2, sort-3: used with 4.00 times the nodes";
    assert!(warnings.iter().any(|warning| warning.starts_with(nodes)), "{warnings:?}");
    let guess = "of the bandwidth, measured down to 50%: the model extrapolates there";
    assert!(warnings.iter().any(|warning| warning.contains(guess)), "{warnings:?}");
    let page = place.read("r.html");
    for warning in &warnings {
        assert!(text.contains(&format!("Warning: {warning}.")), "{text}");
    }
    assert!(page.contains(nodes) && page.contains(guess));
    assert!(page.contains(&format!("There are {} warnings", warnings.len())));
}

/// Noise in place of a model: a line through it explains little.
#[test]
fn low_r_squared_gives_a_warning() {
    let place = Place::new();
    let times =
        [("100%", 100), ("90%", 190), ("75%", 101), ("50%", 195), ("25%", 102), ("10%", 120)];
    let times: Vec<_> = times.iter().map(|(part, s)| format!("\"{part}\" = \"{s} s\"")).collect();
    let job = format!(
        "kind = \"jobs\"\n[[job]]\nname = \"noisy\"\ntimes = {{ {} }}\n[model]\nkind = \"polynomial\"\ndegree = 1\n",
        times.join(", ")
    );
    place.write("jobs.toml", job);
    let ran = place.run(&["saba", "plan", "jobs.toml", "--policy", "saba", "--json"]).good();
    let warnings = ran.json()["warnings"].to_string();
    let little = "the model of noisy, for noisy: the model explains little of its samples";
    assert!(warnings.contains(little), "{warnings}");
}

/// Each mistake in a table, or in a job that names it, is reported with file, line and allowed values.
#[test]
fn invalid_models_and_fabrics_are_refused() {
    let place = Place::new();
    let refuse = |models: &str, jobs: &str, parts: &[&str]| {
        place.write("models.toml", models);
        place.write("jobs.toml", jobs);
        place.run(&["saba", "plan", "jobs.toml"]).refused(parts);
    };
    let with = |text: &str, from: &str, to: &str| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    };
    let table = |from: &str, to: &str, parts: &[&str]| {
        refuse(&with(MODELS, from, to), OF_TABLE, parts);
    };
    table("share = 1,", "share = 0.9,", &["models.toml:6", "no sample with all", "share of 1"]);
    let two = "    { share = 0.75, time = \"110 s\" },\n";
    table(two, "", &["models.toml:6", "2 shares", "3 different shares or more"]);
    table("110 s", "0 s", &["models.toml:8", "a time of 0", "above 0"]);
    table("0.75", "1.3", &["models.toml:8", "a share of 1.3", "up to 1"]);
    table("nodes = 2", "nodes = 0", &["models.toml:3", "0 nodes", "from 1 on"]);
    let csv = "application,share,time_s\nsort,1,100\nsort,1.3,120\nsort,0.5,150\n";
    refuse(csv, OF_TABLE, &["models.toml:3", "a share of 1.3", "up to 1"]);
    let jobs = |from: &str, to: &str, parts: &[&str]| {
        refuse(MODELS, &with(OF_TABLE, from, to), parts);
    };
    let other = ["jobs.toml:7", "models.toml has no model of \"sorts\"", "applications: \"sort\""];
    jobs("\"sort\"", "\"sorts\"", &other);
    let unused =
        ["jobs.toml:2", "models.toml, and no job that names one", "applications: \"sort\""];
    jobs("model = \"sort\"", "workload = \"TS\"", &unused);
    jobs("models = \"models.toml\"\n", "", &["jobs.toml:6", "no table of models", "--models"]);
    jobs("instances = 8", "instances = 9", &["jobs.toml:8", "9 instances on 8 hosts", "1 to 8"]);
    let stage = "name = \"sort\"\nstage = [{ compute = \"1 s\" }]";
    jobs(
        "workload = \"LR\"",
        stage,
        &["jobs.toml:11", "\"sort\" has a different model in an earlier job", "a name"],
    );
    jobs("models.toml", "none.toml", &["jobs.toml:2", "none.toml"]);
    place.write("models.toml", "application = []\n");
    place.run(&["saba", "plan", "jobs.toml", "--models", "models.toml"]).refused(&[
        "models.toml:1",
        "without applications",
        "one [[application]]",
    ]);
}

/// Two pairs of hosts, each with a cable.
#[test]
fn hosts_that_cannot_reach_each_other_are_refused() {
    let place = Place::new();
    let apart = "[fabric]\nlink = { rate = \"1 Gbps\" }\n\
                 [[fabric.host]]\nname = \"a\"\n[[fabric.host]]\nname = \"b\"\n\
                 [[fabric.host]]\nname = \"c\"\n[[fabric.host]]\nname = \"d\"\n\
                 [[fabric.cable]]\nfrom = \"a\"\nto = \"b\"\n\
                 [[fabric.cable]]\nfrom = \"c\"\nto = \"d\"\n";
    let job = "kind = \"jobs\"\n[[job]]\nworkload = \"TS\"\ninstances = 2\n";
    let (kind, rest) = job.split_once('\n').unwrap();
    place.write("both.toml", format!("{kind}\n{apart}{rest}"));
    let expected = ["can't reach each other", "allowed: a path of switches"];
    place.run(&["saba", "plan", "both.toml"]).refused(&[&["both.toml:"], &expected[..]].concat());
    place.write("apart.toml", apart);
    place.write("jobs.toml", job);
    place
        .run(&["saba", "plan", "jobs.toml", "--fabric", "apart.toml"])
        .refused(&[&["apart.toml:"], &expected[..]].concat());
}

#[test]
fn invalid_model_flags_are_refused() {
    let place = Place::new();
    place.write("jobs.toml", "kind = \"jobs\"\n[[job]]\nworkload = \"TS\"\n");
    let refuse = |flags: &[&str], parts: &[&str]| {
        place.run(&[&["saba", "plan", "jobs.toml"], flags].concat()).refused(parts);
    };
    refuse(&["--save-models", "m.json"], &["--save-models", ".toml or .csv"]);
    refuse(&["--save-models", "jobs.toml"], &["used twice"]);
    refuse(&["--models", "none.csv"], &["none.csv"]);
    place.run(&["saba", "plan", "-", "--models", "-"]).refused(&["--models", "standard input"]);
    assert_eq!(place.files(), ["jobs.toml"]);
}

/// Two coflows over one port each: 1 s and 2 s alone. Fair sharing ends them at 2 and 3 s, all orders by
/// size at 1 and 3 s.
#[test]
fn coflow_trace_times_match_hand_computed_values() {
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
        // Times have six digits.
        assert!((second - 3.0 / first).abs() < 1e-5, "{scheduler}");
    }
    place.run(&["coflows", "t.txt", "--rate", "0 Gbps"]).refused(&["--rate"]);
    place.write("bad.txt", "3 1\n1 0 1 9 1 2:125\n");
    place.run(&["coflows", "bad.txt"]).refused(&["bad.txt:2"]);
}
