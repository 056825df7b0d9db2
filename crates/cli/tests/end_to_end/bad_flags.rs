//! Flags that can't be used: exit code 2, and nothing written.

use crate::common::{BACK_TO_BACK, Place, fixture};

#[test]
fn missing_fabric_flag_suggests_rperf_client() {
    let ran = Place::new().run(&["rperf", "--to", "h0"]);
    ran.refused(&[
        "neither --fabric nor a command",
        "allowed: --fabric FILE",
        "bandwise rperf client",
    ]);
}

#[test]
fn invalid_rperf_values_are_refused() {
    let place = Place::new();
    place.write("f.toml", BACK_TO_BACK);
    for (flags, message) in [
        (&["--to", "h9"][..], &["<flags>:1: there is no host \"h9\"", "allowed: ", "--to h9"][..]),
        (&["--to", "h0", "--from", "h0"], &["\"h0\" sends to itself", "allowed: "]),
        (
            &["--to", "h0", "--size", "-64"],
            &["error: --size can't be \"-64\"\n  allowed: up to 1 GiB"],
        ),
        (
            &["--to", "h0", "--size", "64 parsecs"],
            &["--size ", "64 parsecs", "needs another unit", "4 KiB"],
        ),
        (&["--to", "h0", "--size", "2GiB"], &["--size can't be \"2GiB\"\n  allowed: up to 1 GiB"]),
        (&["--to", "h0", "--samples", "0"], &["--samples ", "\n  allowed: 1 to 1000000000"]),
        (&["--to", "h0", "--samples", "-5"], &["\"-5\"\n  allowed: 1 to 1000000000"]),
        (&["--to", "h0", "--sl", "16"], &["error: --sl can't be \"16\"\n  allowed: 0 to 15"]),
        (
            &["--to", "h0", "--seed", "x"],
            &["--seed can't be \"x\"\n  allowed: 0 to 18446744073709551615"],
        ),
        (
            &["--to", "h0", "--size", "-4 KiB"],
            &["--size can't be \"-4 KiB\"", "allowed: up to 1 GiB"],
        ),
        (&["--to", "h0", "--duration", "-1s"], &["\"-1s\" is negative", "allowed: 1 us to 3600 s"]),
        (&["--to", "h0", "--from", "h1", "--background", "h1,h1"], &["allowed: "]),
        (&["--to", "h0", "--duration", "0 s"], &["allowed: 1 us to 3600 s"]),
        (&["--to", "h0", "--method", "guess"], &["\"guess\"\n  allowed: rperf, ping-pong"]),
        (&["--to", "h0", "--scheduling", "lifo"], &["\"lifo\"\n  allowed: fcfs, age, round-robin"]),
        (&["--to", "h0", "--method", "bulk", "--samples", "9"], &["bulk does not use `samples`"]),
        (&["--to", "h0", "--background", "h1"], &["has no host without another task", "--from"]),
        (&["--to", "h0", "--from", "h1", "--background", "h5"], &["there is no host \"h5\""]),
        (
            &["--to", "h0", "--from", "h1", "--background", "h1"],
            &["\"h1\" measures", "loopback", "allowed: other hosts"],
        ),
        (&["--from", "h0"], &["f.toml has no [[flow]]", "allowed: --to HOST"]),
        (&["--samples", "9"], &["f.toml has no [[flow]]", "allowed: --to HOST"]),
        (&["--to", "h0", "--nonsense"], &["--nonsense", "Usage: "]),
        (&[], &["f.toml has no [[flow]]", "allowed: "]),
    ] {
        let args = [&["rperf", "--fabric", "f.toml", "--json", "o.json"], flags].concat();
        place.run(&args).refused(message);
        assert_eq!(place.files(), ["f.toml"], "{flags:?} wrote something");
    }
}

#[test]
fn flags_of_a_flow_need_a_destination() {
    let place = Place::new();
    let flow = "[[flow]]\nfrom = \"h1\"\nto = \"h0\"\nmethod = \"rperf\"\n";
    place.write("f.toml", format!("kind = \"infiniband\"\n{BACK_TO_BACK}{flow}"));
    for flags in [
        &["--samples", "9"][..],
        &["--size", "64"],
        &["--from", "h0"],
        &["--method", "rperf"],
        &["--sl", "0"],
        &["--compare"],
        &["--background", "h1"],
    ] {
        let message = format!("error: {} does not apply to the flows of f.toml", flags[0]);
        let allowed = "allowed: --to HOST (with --from HOST), which replaces the file's flows";
        place
            .run(&[&["rperf", "--fabric", "f.toml"], flags].concat())
            .refused(&[&message, allowed]);
    }
}

#[test]
fn ambiguous_host_description_is_refused() {
    let fabric = fixture("two-racks.ibnetdiscover");
    let args = ["rperf", "--fabric", &fabric, "--from", "node11", "--to", "twin"];
    let message = "there is no host \"twin\": 2 hosts have this description";
    let allowed = "allowed: \"H-0002c903000b0005\", \"H-0002c903000b0003\"";
    Place::new().run(&args).refused(&[message, allowed]);
    let args = [&args[..5], &["--to", "node00 HCA-1", "--background", "twin"]].concat();
    Place::new().run(&args).refused(&[message, allowed]);
}

#[test]
fn unknown_papers_and_items_are_refused() {
    let place = Place::new();
    let run = |what| place.run(&["papers", "run", what, "--json", "o.json"]);
    run("nature").refused(&["there is no paper \"nature\"", "allowed: rperf"]);
    run("rperf/fig99").refused(&["no item \"fig99\"", "allowed: ", "fig7a"]);
    run("rperf/").refused(&["no item \"\"", "fig4"]);
    place.run(&["papers", "run", "rperf/fig4", "--threads", "0"]).refused(&["allowed: 1 to 1024"]);
    assert!(place.files().is_empty());
}

#[test]
fn outputs_are_checked_before_the_run() {
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
fn missing_command_prints_help() {
    let ran = Place::new().run(&[]).refused(&["Usage: bandwise", "papers", "Exit codes"]);
    assert!(ran.stderr.contains("Examples"), "{}", ran.stderr);
}

#[test]
fn help_of_every_command_has_examples() {
    for command in [
        &[][..],
        &["rperf"],
        &["papers"],
        &["fabric"],
        &["papers", "run"],
        &["papers", "list"],
        &["fabric", "show"],
        &["fabric", "convert"],
        &["sim"],
        &["sim", "run"],
        &["bench"],
        &["completions"],
    ] {
        let ran = Place::new().run(&[command, &["--help"]].concat()).good();
        assert!(ran.stdout.contains("Examples:"), "{command:?}: {}", ran.stdout);
        let longest = ran.stdout.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(100), "{command:?} has a line of {longest:?}");
    }
}
