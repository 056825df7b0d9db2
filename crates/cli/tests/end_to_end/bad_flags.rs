//! Flags that can't be used: exit code 2, and nothing written.

use crate::common::{BACK_TO_BACK, Place};

#[test]
fn without_a_fabric_there_is_no_device_yet() {
    let ran = Place::new().run(&["rperf", "--to", "h0"]);
    ran.refused(&["measuring on a device is not built yet: give --fabric", "allowed: "]);
}

#[test]
fn values_of_rperf() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    for (flags, said) in [
        (&["--to", "h9"][..], &["<flags>:1: there is no host \"h9\"", "allowed: ", "--to h9"][..]),
        (&["--to", "h0", "--from", "h0"], &["\"h0\" sends to itself", "allowed: "]),
        (&["--to", "h0", "--size", "-64"], &["a size is not negative", "4 KiB"]),
        (&["--to", "h0", "--size", "64 parsecs"], &["64 parsecs", "4 KiB"]),
        (&["--to", "h0", "--size", "2 GiB"], &["2 GiB", "allowed: "]),
        (&["--to", "h0", "--samples", "0"], &["0 is not in 1..=1000000000"]),
        (&["--to", "h0", "--samples", "-5"], &["-5 is not in 1..=1000000000"]),
        (&["--to", "h0", "--sl", "16"], &["16 is not in 0..=15"]),
        (&["--to", "h0", "--duration", "0 s"], &["1 us to 3600 s"]),
        (&["--to", "h0", "--method", "guess"], &["guess", "possible values: rperf, ping-pong"]),
        (&["--to", "h0", "--scheduling", "lifo"], &["lifo", "possible values: fcfs, round-robin"]),
        (&["--to", "h0", "--method", "bulk", "--samples", "9"], &["bulk does not use `samples`"]),
        (&["--to", "h0", "--background", "h1"], &["has something to do", "--from"]),
        (&["--to", "h0", "--from", "h1", "--background", "h1,h5"], &["there is no host \"h5\""]),
        (&["--from", "h0"], &["--to"]),
        (&["--samples", "9"], &["--to"]),
        (&[], &["f.toml has no [[flow]]", "allowed: "]),
    ] {
        let args = [&["rperf", "--fabric", "f.toml", "--json", "o.json"], flags].concat();
        place.run(&args).refused(said);
        assert_eq!(place.files(), ["f.toml"], "{flags:?} wrote something");
    }
}

#[test]
fn papers_and_items() {
    let place = Place::new();
    let run = |what| place.run(&["papers", "run", what, "--json", "o.json"]);
    run("nature").refused(&["there is no paper \"nature\"", "allowed: rperf"]);
    run("rperf/fig99").refused(&["no item \"fig99\"", "allowed: ", "fig7a"]);
    run("rperf/").refused(&["no item \"\"", "fig4"]);
    place.run(&["papers", "run", "rperf/fig4", "--threads", "0"]).refused(&["0 is not in 1..="]);
    assert!(place.files().is_empty());
}

#[test]
fn outputs_are_checked_before_the_work() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    let run = |flags: &[&str]| place.run(&[&["papers", "run", "rperf"], flags].concat());
    run(&["--json", "no/o.json"]).refused(&["--json no/o.json: there is no folder no", "allowed:"]);
    run(&["--report", "no/o.html"]).refused(&["--report no/o.html: there is no folder no"]);
    run(&["--report", "."]).refused(&["--report .: is a folder"]);
    run(&["--report", "-"]).refused(&["--report -: needs a file"]);
    run(&["--json", "o", "--report", "./o"]).refused(&["the file is used twice"]);
    let input = ["rperf", "--fabric", "f.toml", "--to", "h0", "--json", "./f.toml"];
    place.run(&input).refused(&["--json ./f.toml: the file is used twice"]);
    assert_eq!(place.read("f.toml"), BACK_TO_BACK);
    assert_eq!(place.files(), ["f.toml"]);
}

#[test]
fn no_command_prints_help() {
    let ran = Place::new().run(&[]).refused(&["Usage: bandwise", "papers", "Exit codes"]);
    assert!(ran.stderr.contains("Examples"), "{}", ran.stderr);
}

#[test]
fn every_command_explains_itself_with_examples() {
    for command in [
        &["rperf"][..],
        &["papers", "run"],
        &["papers", "list"],
        &["fabric", "show"],
        &["fabric", "convert"],
        &["bench"],
        &["completions"],
    ] {
        let ran = Place::new().run(&[command, &["--help"]].concat()).good();
        assert!(ran.stdout.contains("Examples:"), "{command:?}: {}", ran.stdout);
        let longest = ran.stdout.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{command:?} has a line of {longest:?}");
    }
}
