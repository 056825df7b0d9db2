//! Refusals and their messages.

use crate::try_read;
use bandwise_scenario::jobs::Overrides;

#[track_caller]
fn error(text: &str) -> String {
    try_read(text, Overrides::default()).expect_err("this should be refused").to_string()
}

fn job(keys: &str) -> String {
    error(&format!("[[job]]\n{keys}\n"))
}

#[test]
fn incomplete_or_contradictory_jobs_are_refused() {
    insta::assert_snapshot!(error("[queues]\nqueues = 8\n"), @"jobs.toml:1: no jobs (allowed: one [[job]] or more)");
    insta::assert_snapshot!(job("instances = 8"), @"jobs.toml:2: no work, or several kinds of work, for this job (allowed: one of `workload`, `times` and `stage`, or a `model` alone)");
    insta::assert_snapshot!(job("workload = \"LR\"\nstage = [{ compute = \"1 s\" }]"), @"jobs.toml:2: no work, or several kinds of work, for this job (allowed: one of `workload`, `times` and `stage`, or a `model` alone)");
    insta::assert_snapshot!(job("workload = \"XX\""), @r#"jobs.toml:3: unknown workload "XX" (allowed: LR, RF, GBT, SVM, NI, NW, PR, SQL, WC, TS, or the synthetic W1 to W20)"#);
    let beyond = "[synthetic]\ncount = 3\n[[job]]\nworkload = \"W4\"\n";
    insta::assert_snapshot!(error(beyond), @r#"jobs.toml:5: unknown workload "W4" (allowed: LR, RF, GBT, SVM, NI, NW, PR, SQL, WC, TS, or the synthetic W1 to W3)"#);
    insta::assert_snapshot!(error("[run]\ngrain = \"100 s\"\n[[job]]\nworkload = \"W1\"\n"), @"jobs.toml:3: grain can't be 100 s (allowed: 0 ps to 60 s)");
    insta::assert_snapshot!(error("[synthetic]\ncount = 0\n[[job]]\nworkload = \"W1\"\n"), @"jobs.toml:3: count can't be 0 (allowed: 1 to 1000)");
    insta::assert_snapshot!(job("workload = \"LR\"\ncolour = 1"), @"jobs.toml:4: unknown field `colour` (allowed: one of `name`, `workload`, `model`, `times`, `measured-at`, `stage`, `rounds`, `instances`, `data`, `count`, `start`, `weight`, `hosts`)");
    insta::assert_snapshot!(job("stage = [{ }]"), @"jobs.toml:3: a stage that does nothing (allowed: `compute`, `bytes`, or both)");
    insta::assert_snapshot!(job("stage = [{ bytes = \"1 MB\" }]"), @"jobs.toml:3: `bytes` without a `pattern` (allowed: a `pattern` besides)");
    insta::assert_snapshot!(job("stage = [{ bytes = \"1 MB\", pattern = \"star\" }]"), @r#"jobs.toml:3: unknown pattern "star" (allowed: "shuffle", "broadcast", "chain", "ring-all-reduce", "tree-all-reduce", { partition-aggregate = 1 }, { parameter-server = 1 } or { bulk-synchronous = 2 })"#);
    insta::assert_snapshot!(job("stage = [{ bytes = \"1 MB\", pattern = { parameter-server = 0 } }]"), @"jobs.toml:3: parameter-server = 0 (allowed: 1 or more)");
    insta::assert_snapshot!(job("stage = [{ bytes = \"1 MB\", pattern = \"shuffle\", overlap = 1.5 }]"), @"jobs.toml:3: overlap can't be 1.5 (allowed: 0 to 1)");
    insta::assert_snapshot!(error("[[job]]\nworkload = \"LR\"\n[[job]]\nworkload = \"LR\"\n"), @r#"jobs.toml:4: two jobs called "LR" (allowed: a unique name, or `count` for identical jobs)"#);
}

/// A job needs a duration above zero, within the range of picoseconds.
#[test]
fn zero_and_excessive_durations_are_refused() {
    insta::assert_snapshot!(job("instances = 1\nstage = [{ bytes = \"1 MB\", pattern = \"shuffle\" }]"), @"jobs.toml:2: a job that takes no time (allowed: stages that compute or send)");
    insta::assert_snapshot!(job("rounds = 1000000\nstage = [{ compute = \"86400 s\" }]"), @"jobs.toml:2: with 2.8 Gbps for each instance it takes longer than 8640000 s (allowed: fewer rounds, less computing, fewer bytes, or a larger `part` of links)");
}

#[test]
fn invalid_times_are_refused() {
    insta::assert_snapshot!(job("times = { \"50%\" = \"2 s\", \"25%\" = \"4 s\", \"10%\" = \"9 s\" }"), @r#"jobs.toml:3: no sample with all of the bandwidth (allowed: times at 3 parts of the bandwidth or more, one of them "100%", which the others are compared with)"#);
    insta::assert_snapshot!(job("times = { \"100%\" = \"2 s\", \"25%\" = \"4 s\" }"), @r#"jobs.toml:3: samples with 2 shares of the bandwidth (allowed: times at 3 parts of the bandwidth or more, one of them "100%", which the others are compared with)"#);
    insta::assert_snapshot!(job("times = { \"100%\" = \"0 s\", \"50%\" = \"2 s\", \"25%\" = \"4 s\" }"), @"jobs.toml:3: a job that takes 0 s (allowed: a time above 0, up to 86400 s)");
    insta::assert_snapshot!(job("times = { \"130%\" = \"1 s\", \"100%\" = \"2 s\", \"25%\" = \"4 s\" }"), @r#"jobs.toml:3: "130%" is no part of the bandwidth (allowed: a percentage above 0%, up to "100%")"#);
    insta::assert_snapshot!(job("times = { \"1.3\" = \"1 s\", \"100%\" = \"2 s\", \"25%\" = \"4 s\" }"), @r#"jobs.toml:3: "1.3" is no part of the bandwidth (allowed: a percentage above 0%, up to "100%")"#);
    insta::assert_snapshot!(job("times = { \"50%\" = \"1 s\", \"100%\" = \"2 s\", \"50.0%\" = \"4 s\" }"), @"jobs.toml:3: 50.0% of the bandwidth twice (allowed: each part once)");
    insta::assert_snapshot!(job("times = { \"50%\" = \"soon\", \"100%\" = \"2 s\", \"5%\" = \"4 s\" }"), @r#"jobs.toml:3: "soon" does not start with a decimal number such as 1.5 (allowed: a time such as "120 s")"#);
    let at = |rate: &str| {
        job(&format!(
            "measured-at = \"{rate}\"\ntimes = {{ \"100%\" = \"1 s\", \"50%\" = \"2 s\", \"25%\" = \"4 s\" }}"
        ))
    };
    insta::assert_snapshot!(at("0 bps"), @"jobs.toml:3: measured-at can't be 0 bps (allowed: 1 Mbps to 100 Tbps)");
    insta::assert_snapshot!(at("56"), @r#"jobs.toml:3: "56" needs a unit: bps, kbps, Mbps, Gbps or Tbps (or bit/s) (allowed: a rate such as "10 Gbps")"#);
    insta::assert_snapshot!(job("workload = \"LR\"\nmeasured-at = \"10 Gbps\""), @"jobs.toml:4: `measured-at` for a job without measured times (allowed: `times`, or a `model` alone, besides)");
}

#[test]
fn invalid_placements_are_refused() {
    insta::assert_snapshot!(job("workload = \"LR\"\ninstances = 33"), @"jobs.toml:4: 33 instances on 32 hosts (allowed: 1 to 32: no host has two instances of a job)");
    insta::assert_snapshot!(job("workload = \"LR\"\ninstances = 0"), @"jobs.toml:4: instances can't be 0 (allowed: 1 to 32)");
    let times =
        "times = { \"100%\" = \"100 s\", \"50%\" = \"150 s\", \"25%\" = \"250 s\" }\ninstances = 1";
    insta::assert_snapshot!(job(times), @"jobs.toml:4: one instance, which sends nothing, of a job whose times depend on the bandwidth (allowed: 2 instances or more)");
    insta::assert_snapshot!(job("workload = \"LR\"\nhosts = [\"h0\", \"h0\"]"), @"jobs.toml:4: two instances on h0 (allowed: a host for each instance)");
    insta::assert_snapshot!(job("workload = \"LR\"\nhosts = [\"h0\", \"x1\"]"), @r#"jobs.toml:4: there is no host "x1" (allowed: one of 32 hosts; near is "h1")"#);
    insta::assert_snapshot!(job("workload = \"LR\"\nhosts = [\"h0\", \"h1\"]\ninstances = 3"), @"jobs.toml:4: 2 hosts for 3 instances (allowed: one host for each instance)");
    insta::assert_snapshot!(job("workload = \"LR\"\nhosts = [\"h0\", \"h1\"]\ncount = 2"), @"jobs.toml:4: hosts of several jobs that are alike (allowed: `hosts` without `count`, in a [[job]] each)");
    insta::assert_snapshot!(job("workload = \"LR\"\ninstances = 32\ncount = 17"), @"jobs.toml:2: 32 instances of LR-17, and 0 hosts with fewer than 16 jobs (allowed: fewer jobs or instances, more hosts, or a larger placement.jobs-per-host)");
    insta::assert_snapshot!(job("workload = \"LR\"\ncount = 0"), @"jobs.toml:4: count can't be 0 (allowed: 1 to 100000)");
    insta::assert_snapshot!(job("workload = \"LR\"\ndata = -1"), @"jobs.toml:4: data can't be -1 (allowed: 0.001 to 1000)");
}

#[test]
fn invalid_queues_are_refused() {
    let queues = |keys: &str| error(&format!("[queues]\n{keys}\n[[job]]\nworkload = \"LR\"\n"));
    insta::assert_snapshot!(queues("queues = 17"), @"jobs.toml:3: queues can't be 17 (allowed: 1 to 16)");
    insta::assert_snapshot!(queues("levels = 0"), @"jobs.toml:3: levels can't be 0 (allowed: 1 to 16)");
    insta::assert_snapshot!(queues("part = 1.3"), @"jobs.toml:3: a part of 1.3 of each link (allowed: 0.001 to 1)");
    insta::assert_snapshot!(error(""), @"jobs.toml:1: no jobs (allowed: one [[job]] or more)");
    insta::assert_snapshot!(error("fabric-file = \"f.toml\"\n[[job]]\nworkload = \"LR\"\n"), @"jobs.toml:2: f.toml: no such file (allowed: a text file that exists, by its path from the scenario's folder)");
    let two = "[fabric]\nbuild = { single-switch = 4 }\nlink = { rate = \"1 Gbps\" }\n[[job]]\nworkload = \"LR\"\ninstances = 5\n";
    insta::assert_snapshot!(error(two), @"jobs.toml:7: 5 instances on 4 hosts (allowed: 1 to 4: no host has two instances of a job)");
}
