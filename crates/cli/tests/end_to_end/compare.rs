//! `bandwise saba compare`: programs that run on nothing, beside controllers of a network in memory.

use crate::common::{Place, Ran};

const TABLE: &str = "application,share,time_s\nLR,1,132\nLR,0.5,260\nLR,0.25,447\n\
    PR,1,100\nPR,0.5,110\nPR,0.25,131\n";
const CONFIG: &str = "table = \"table.csv\"\nstore = \"store\"\nlisten = \"unix:socket\"\n\
    recording = \"recording\"\n[simulated.fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"1 Gbps\" }\n";

fn place() -> Place {
    let place = Place::new();
    place.write("c.toml", CONFIG);
    place.write("table.csv", TABLE);
    place
}

fn compare(place: &Place, flags: &[&str]) -> Ran {
    place.run(&[&["saba", "compare", "--config", "c.toml"], flags].concat())
}

/// Returns the files that are left at the end; a controller leaves none.
fn left(place: &Place) -> Vec<String> {
    let files = place.files();
    files.into_iter().filter(|name| name.starts_with('.') || name == "socket").collect()
}

/// A program that records whether a controller answers at its endpoint, and which programs run.
fn looks(name: &str) -> String {
    let asks = format!("{} saba status --config c.toml", env!("CARGO_BIN_EXE_bandwise"));
    let socket = "${SABA_CONTROLLER#unix:}";
    format!("{name}=test {socket} -ef socket && {asks} >>shown 2>&1; echo {name} $? >>seen; exit 0")
}

#[test]
fn compare_runs_programs_alone_and_together_under_three_sharings() {
    let place = place();
    let (lr, pr) = (looks("LR"), looks("PR"));
    let flags = ["--rounds", "2", "--app", &lr, "--app", &pr];
    let more = ["--json", "a.json", "--report", "a.html"];
    let ran = compare(&place, &[&flags[..], &more].concat()).good();
    for part in ["Slowdown by sharing", "geometric mean", "over equal weights", "All runs"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    for over in ["Saba against no controller: ", "Saba against equal weights: "] {
        assert_eq!(ran.stdout.matches(over).count(), 1, "{}", ran.stdout);
        assert!(place.read("a.html").contains(over));
    }
    // The table has three shares of each application.
    for name in ["LR", "PR"] {
        let doubt = format!("saba: warning: model of {name}: the model was learned from 3 shares");
        assert_eq!(ran.stderr.matches(&doubt).count(), 1, "{ran:?}");
    }
    // No controller answers in runs alone and in uncontrolled runs. One answers in the two other runs.
    for name in ["LR", "PR"] {
        let seen = place.read("seen");
        let count =
            |code: &str| seen.lines().filter(|line| *line == format!("{name} {code}")).count();
        assert_eq!((count("0"), count("1")), (4, 4), "{seen}");
    }
    let json = place.json("a.json");
    let runs = json["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2 * (2 + 3));
    let together = |of: &str| {
        let is = |run: &&serde_json::Value| run["shared_by"] == of;
        runs.iter().filter(is).map(|run| run["programs"].as_array().unwrap().len()).sum::<usize>()
    };
    assert_eq!(["uncontrolled", "equal", "saba"].map(together), [4, 4, 4]);
    assert_eq!(json["gains"][1]["rounds"].as_array().unwrap().len(), 2);
    // The settings of the controllers, from their recordings.
    let recording = place.read("recording");
    for weights in ["equal-queues", "sensitivity"] {
        let weighting = format!("\"weighting\":\"{weights}\"");
        assert_eq!(recording.matches(&weighting).count(), 2, "{weights}");
    }
    let replayed = place.run(&["saba", "replay", "recording", "--orders"]).good();
    assert!(replayed.stdout.ends_with("all outputs are those of the recording\n"), "{replayed:?}");
    let json = place.run(&["saba", "replay", "recording", "--orders", "--json"]).good().json();
    let file = &json["files"][0];
    assert!(json["differs"].is_null() && file["inputs"].as_u64() > Some(0), "{json}");
    let events = file["events"].as_array().unwrap();
    assert_eq!(replayed.stdout.matches(" s  line ").count(), events.len());
    assert_eq!(left(&place), [""; 0]);
    assert!(!place.files().contains(&"store".to_owned()), "the operator's store is not used");
}

#[test]
fn gains_equal_ratios_of_run_times() {
    let place = place();
    let flags = ["--rounds", "1", "--app", "LR=true", "--app", "PR=true", "--json", "a.json"];
    let ran = compare(&place, &flags).good();
    assert_eq!(ran.stdout.matches("one round shows no significance").count(), 2, "{}", ran.stdout);
    let json = place.json("a.json");
    let seconds = |shared: Option<&str>, name: &str| {
        let runs = json["runs"].as_array().unwrap().iter();
        let mut of = runs
            .filter(|run| run["shared_by"].as_str() == shared)
            .flat_map(|run| run["programs"].as_array().unwrap());
        of.find(|of| of["application"] == name).unwrap()["time_s"].as_f64().unwrap()
    };
    let product = |shared| seconds(shared, "LR") * seconds(shared, "PR");
    for (at, over) in ["uncontrolled", "equal"].iter().enumerate() {
        let gain = (product(Some(over)) / product(Some("saba"))).sqrt();
        let mean = json["gains"][at]["gain"]["mean"].as_f64().unwrap();
        assert!((mean / gain - 1.0).abs() < 1e-9, "{mean} {gain}");
        assert_eq!(json["gains"][at]["shown"], "unknown");
    }
    let slowdown = (product(Some("saba")) / product(None)).sqrt();
    let mean = json["slowdowns"][2]["all"]["mean"].as_f64().unwrap();
    assert!((mean / slowdown - 1.0).abs() < 1e-9, "{mean} {slowdown}");
}

#[test]
fn failed_runs_are_repeated_and_incomplete_rounds_are_dropped() {
    let place = place();
    let flaky = "PR=echo run >>runs; test $(wc -l <runs) -gt 1";
    let ran = compare(&place, &["--rounds", "1", "--app", "LR=true", "--app", flaky]).good();
    assert_eq!(ran.stdout.matches("ended with code 1").count(), 1, "{}", ran.stdout);
    assert_eq!(place.read("runs").lines().count(), 1 + 4);
    let flags = ["--rounds", "1", "--attempts", "1", "--app", "LR=true", "--app", "PR=exit 3"];
    let ran = compare(&place, &flags);
    assert!(ran.code == Some(1) && ran.stderr.contains("no round is whole"), "{ran:?}");
    assert_eq!(ran.stdout.matches("ended with code 3").count(), 4, "{}", ran.stdout);
    assert!(ran.stdout.contains("4 runs failed each time"), "{}", ran.stdout);
    assert_eq!(left(&place), [""; 0]);
}

#[test]
fn programs_start_after_the_ready_command_succeeds() {
    let place = place();
    // The command fails the first time, and checks the controller's socket.
    let ready = "test -S ${SABA_CONTROLLER#unix:} && echo asked >>order; \
        test $(tail -n 2 order | grep -c asked) = 2";
    let flags = ["--rounds", "1", "--app", "LR=echo ran >>order", "--app", "PR=true"];
    compare(&place, &[&flags[..], &["--ready", ready, "--json", "a.json"]].concat()).good();
    let order = place.read("order");
    let count = |what: &str| order.matches(what).count();
    assert_eq!((count("asked\nasked\nran\n"), count("asked"), count("ran")), (2, 4, 4), "{order}");
    assert_eq!(place.json("a.json")["ready"], ready);
}

#[test]
fn interrupt_while_waiting_for_ready_runs_no_program() {
    let place = place();
    let ready = "echo $$ >>shells; kill -INT $PPID; sleep 60 & wait";
    let ran = compare(&place, &["--app", "LR=true", "--app", "PR=true", "--ready", ready]);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert_eq!(place.read("shells").lines().count(), 1);
    assert!(all_ended(&place) && left(&place).is_empty());
}

/// A program that ends after a minute unless it is ended earlier.
const LONG: &str = "LR=echo $$ >>shells; sleep 60 & wait";

/// Checks that no process of those shells still runs.
fn all_ended(place: &Place) -> bool {
    let runs = |shell: &str| std::path::Path::new("/proc").join(shell).exists();
    !place.read("shells").lines().any(runs)
}

#[test]
fn a_run_that_takes_too_long_is_ended() {
    let place = place();
    let flags = ["--rounds", "1", "--attempts", "1", "--timeout", "200 ms", "--app", LONG];
    let ran = compare(&place, &[&flags[..], &["--app", "PR=true"]].concat());
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stdout.matches("took longer than --timeout").count(), 4, "{}", ran.stdout);
    assert!(all_ended(&place) && left(&place).is_empty());
}

#[test]
fn interrupt_ends_started_programs() {
    let place = place();
    // In a run with a controller the program itself interrupts bandwise.
    let asks = "LR=test -S socket || exit 0; echo $$ >>shells; kill -INT $PPID; sleep 60 & wait";
    let ran = compare(&place, &["--app", asks, "--app", "PR=true", "--json", "a.json"]);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.stdout.contains("All runs"), "{}", ran.stdout);
    assert!(place.json("a.json")["left"].as_u64().unwrap() > 20, "{}", place.read("a.json"));
    assert_eq!(place.read("shells").lines().count(), 1);
    assert!(all_ended(&place) && left(&place).is_empty());
}

#[test]
fn invalid_comparison_is_refused_before_any_run() {
    let two = ["--app", "LR=touch ran", "--app", "PR=touch ran"];
    let cases: [(&[&str], &str); 9] = [
        (&two[..2], "--app: a comparison needs several programs"),
        (&["--app", "LR=true", "--app", "XX=true"], "--app XX: is not in the sensitivity table"),
        (&["--app", "LR=true", "--app", "LR=true"], "--app LR: twice"),
        (&["--app", "LR=true", "--app", "PR"], "--app can't be \"PR\""),
        (&["--app", "LR=true", "--app", "PR= "], "--app can't be \"PR= \""),
        (&[&two[..], &["--rounds", "0"]].concat(), "--rounds can't be \"0\""),
        (&[&two[..], &["--report", "table.csv"]].concat(), "the file is used twice"),
        (&[&two[..], &["--ready", " "]].concat(), "--ready can't be \" \""),
        (&[&two[..], &["--output", "none/out"]].concat(), "--output none/out: "),
    ];
    for (flags, wanted) in cases {
        let place = place();
        compare(&place, flags).refused(&[wanted, "allowed"]);
        assert_eq!(place.files(), ["c.toml", "table.csv"]);
    }
    assert_eq!(compare(&place(), &[]).code, Some(2));
    let place = place();
    place.write("c.toml", CONFIG.replace("single-switch = 2", "single-switch = 0"));
    compare(&place, &two).refused(&["c.toml:6: ", "allowed"]);
    // A missing port is reported before long programs run.
    let port = "[[port]]\nfrom = \"a\"\nto = \"b\"\ndevice = \"bandwise-none\"\nrate = \"1Gbit\"\n";
    place.write("c.toml", CONFIG.split("[sim").next().unwrap().to_owned() + port);
    let ran = compare(&place, &two);
    assert!(ran.code == Some(1) && ran.stderr.contains("a to b can't be read"), "{ran:?}");
    assert!(!place.files().contains(&"ran".to_owned()));
}
