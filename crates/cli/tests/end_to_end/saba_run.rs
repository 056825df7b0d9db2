//! `bandwise saba run`: the command runs without a controller too, and ends as it does. tests/lab/preload.sh tests the
//! marks and connections of programs.

use crate::common::{Place, Ran, signal};
use crate::running::Controller;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// No library: whether one has been built is not asked here.
fn run(place: &Place, flags: &[&str], command: &[&str]) -> Ran {
    let here = ["saba", "run", "--app", "LR", "--controller", "unix:nobody"];
    place.run(&[&here[..], flags, &["--"], command].concat())
}

#[test]
fn command_runs_without_a_controller_and_keeps_its_exit_code() {
    let place = Place::new();
    let ran = run(&place, &[], &["sh", "-c", "echo out; exit 7"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(7), "out\n"));
    assert!(ran.stderr.contains("saba: no controller answers: unix:/"), "{ran:?}");
    assert!(ran.stderr.contains("/nobody: No such file or directory"), "{ran:?}");
    assert!(ran.stderr.contains("; the command runs without a mark"), "{ran:?}");
    assert_eq!(run(&place, &[], &["sh", "-c", "kill -KILL $$"]).code, Some(128 + 9));
    let ran = run(&place, &[], &["./none"]);
    assert!(ran.code == Some(127) && ran.stderr.contains("error: ./none: No such file"), "{ran:?}");
    place.write("text", "no program");
    assert_eq!(run(&place, &[], &["./text"]).code, Some(126));
    assert_eq!(run(&place, &[], &["true"]).code, Some(0));
}

#[test]
fn signal_during_the_registration_ends_at_once_and_runs_nothing() {
    for (name, addresses) in [("INT", 1), ("TERM", 1), ("HUP", 3)] {
        let place = Place::new();
        place.write("lib.so", "");
        // A listener that accepts connections and never answers.
        let deaf = UnixListener::bind(place.path().join("deaf")).unwrap();
        let controller = vec!["unix:deaf"; addresses].join(",");
        let flags = ["saba", "run", "--app", "LR", "--preload", "lib.so", "--controller"];
        let child = Command::new(env!("CARGO_BIN_EXE_bandwise"))
            .args([&flags[..], &[&controller, "--", "touch", "ran"]].concat())
            .current_dir(place.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _asked = deaf.accept().unwrap();
        let began = Instant::now();
        signal(&child, name);
        let ended = child.wait_with_output().unwrap();
        assert!(began.elapsed() < Duration::from_secs(1), "{name}: {:?}", began.elapsed());
        assert_eq!(ended.status.code(), Some(130), "{name}");
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(said, "interrupted: the command was not run\n", "{name}");
        assert_eq!(place.files(), ["deaf", "lib.so"], "{name}");
    }
}

#[test]
fn environment_has_the_registration() {
    let place = Place::new();
    place.write("hosts", "10.0.0.1 h1\n");
    place.write("lib.so", "");
    let flags =
        ["--job", "noon", "--nodes", "4", "--dataset", "1 GB", "--host", "h1", "--hosts", "hosts"];
    let files = ["--ca-file", "hosts", "--certificate-file", "hosts", "--key-file", "hosts"];
    let flags = [&flags[..], &files, &["--preload", "lib.so", "--json", "run.json"]].concat();
    let ran =
        run(&place, &flags, &["sh", "-c", "env | grep -E '^(SABA|LD_PRELOAD|NCCL|UCX)' | sort"]);
    let here = place.path().canonicalize().unwrap();
    let wanted = format!(
        "LD_PRELOAD={0}/lib.so\nSABA_APP=LR\nSABA_CA_FILE={0}/hosts\nSABA_CERTIFICATE_FILE={0}/hosts\n\
         SABA_CONTROLLER=unix:{0}/nobody\nSABA_DATASET=1 GB\nSABA_HOST=h1\nSABA_HOSTS={0}/hosts\n\
         SABA_JOB=noon\nSABA_KEY_FILE={0}/hosts\nSABA_NODES=4\n",
        here.display()
    );
    assert_eq!(ran.stdout, wanted, "{ran:?}");
    let answer = place.json("run.json");
    assert_eq!(
        (&answer["job"], &answer["mark"], &answer["exit_code"]),
        (&"noon".into(), &().into(), &0.into())
    );
}

#[test]
fn command_has_no_blocked_signals() {
    let ran = run(&Place::new(), &[], &["grep", "SigBlk", "/proc/self/status"]);
    assert_eq!(ran.stdout, "SigBlk:\t0000000000000000\n", "{ran:?}");
}

#[test]
fn invalid_run_flags_are_refused_before_the_command_runs() {
    let place = Place::new();
    place.write("open", "word");
    let long = "x".repeat(257);
    let https = ["--controller", "unix:nobody,https://c1:7470"];
    let cases: [(&[&str], &str); 15] = [
        (&["--controller", "somewhere"], "unix:PATH, http://HOST:PORT or https://HOST:PORT"),
        (&["--controller", "unix:a,"], "several with commas between"),
        (&https, "without SABA_CA_FILE"),
        (&[&https[..], &["--ca-file", "open"]].concat(), "the file has no certificate"),
        (&["--ca-file", "none"], "--ca-file none: can't be read"),
        (&["--key-file", "none"], "--key-file none: can't be read"),
        (&["--job", ""], "1 to 256 bytes"),
        (&["--job", &long], "1 to 256 bytes"),
        (&["--nodes", "0"], "1 to 4294967295"),
        (&["--hosts", "none"], "--hosts none: can't be read"),
        (&["--token-file", "none"], "--token-file none: can't be read"),
        (&["--token-file", "open"], "everyone can read the token (mode "),
        (&["--token-file", "."], "--token-file .: is a folder"),
        (&["--hosts", "/dev/zero"], "--hosts /dev/zero: is a device"),
        (&["--preload", "none.so"], "--preload can't be none.so"),
    ];
    for (flags, reason) in cases {
        // The last of two flags would count, if two were allowed.
        let here: &[&str] = &["saba", "run", "--app", "LR"];
        let ran = place.run(&[here, flags, &["--", "touch", "ran"]].concat());
        ran.refused(&[reason, "allowed"]);
    }
    // To read a pipe without a writer would block.
    nix::unistd::mkfifo(&place.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(place.run(&["saba", "run", "--app", "LR", "--", "./pipe"]).code, Some(126));
    std::fs::remove_file(place.path().join("pipe")).unwrap();
    place
        .run(&["saba", "run", "--app", "", "--", "touch", "ran"])
        .refused(&["a name of the table"]);
    assert_eq!(place.run(&["saba", "run", "--app", "LR"]).code, Some(2));
    assert_eq!(place.files(), ["open"]);
}

/// An application that was measured on 2 hosts and with 1 GB, one whose samples no model explains, and one with samples that
/// any model explains.
const TABLE: &str = "application,share,time_s,nodes,dataset\nLR,1,132,2,1 GB\nLR,0.75,172\n\
    LR,0.5,260\nLR,0.25,447\nnoise,1,100\nnoise,0.75,100\nnoise,0.5,200\nnoise,0.25,100\n\
    few,1,100\nfew,0.5,150\nfew,0.25,200\n";
const SETTINGS: &str = "table = \"table.csv\"\nstore = \"store\"\nlisten = \"unix:socket\"\n\
    [simulated.fabric]\nbuild = { single-switch = 2 }\nlink = { rate = \"40 Gbps\" }\n";

#[test]
fn doubts_about_the_model_are_shown_by_run_and_status() {
    let place = Place::new();
    place.write("c.toml", SETTINGS);
    place.write("table.csv", TABLE);
    let _controller = Controller::start(&place);
    let run = |app: &str, size: &[&str], status: &[&str]| {
        let run = ["saba", "run", "--app", app, "--host", "h0", "--controller", "unix:socket"];
        let own = ["--json", "run.json", "--", env!("CARGO_BIN_EXE_bandwise")];
        let command = ["saba", "status", "--config", "c.toml"];
        place.run(&[&run[..], size, &own, &command, status].concat()).good()
    };
    let far = ["--nodes", "18", "--dataset", "50 GB"];
    let ran = run("LR", &far, &[]);
    let doubts = ["used with 9.00 times the nodes", "used with 50.000 times the data"];
    for doubt in doubts {
        assert!(ran.stderr.contains(&format!("saba: warning: model of LR: {doubt}")), "{ran:?}");
        assert!(
            ran.stdout.contains(&format!("Warning: model of LR, application 0: {doubt}")),
            "{ran:?}"
        );
    }
    let is_all = |found: &serde_json::Value| {
        let found = found.as_array().unwrap().iter().map(|doubt| doubt.as_str().unwrap());
        found.zip(doubts).filter(|(found, doubt)| found.starts_with(doubt)).count() == 2
    };
    assert!(is_all(&place.json("run.json")["doubts"]));
    let status = run("LR", &far, &["--json"]).json();
    assert!(is_all(&status["applications"][0]["doubts"]), "{status}");

    let ran = run("LR", &["--nodes", "4", "--dataset", "2 GB"], &[]);
    assert!(!ran.stderr.contains("warning") && !ran.stdout.contains("Warning"), "{ran:?}");
    assert_eq!(place.json("run.json")["doubts"], serde_json::json!([]));
    for (app, doubt) in [
        ("noise", "the model explains little of its samples: R² is 0.33"),
        ("few", "the model was learned from 3 shares of the bandwidth"),
    ] {
        let ran = run(app, &[], &[]);
        assert!(ran.stderr.contains(doubt) && ran.stdout.contains(doubt), "{ran:?}");
    }
}

#[test]
fn tokens_on_an_open_network_are_warned_of() {
    let place = Place::new();
    place.write("token", "secret\n");
    std::fs::set_permissions(
        place.path().join("token"),
        std::os::unix::fs::PermissionsExt::from_mode(0o600),
    )
    .unwrap();
    let warning = "warning: the token can be read on the network, as http://";
    for (controller, warns) in [
        ("http://127.0.0.1:1", false),
        ("http://localhost:1,http://[::1]:1", false),
        ("unix:nobody", false),
        ("unix:nobody,http://192.0.2.1:1", true),
    ] {
        let flags = ["--controller", controller, "--token-file", "token"];
        let ran =
            place.run(&[&["saba", "run", "--app", "LR"], &flags[..], &["--", "true"]].concat());
        assert_eq!(ran.stderr.contains(warning), warns, "{controller}: {ran:?}");
        let without =
            place.run(&[&["saba", "run", "--app", "LR"], &flags[..2], &["--", "true"]].concat());
        assert!(!without.stderr.contains(warning), "{without:?}");
    }
}
