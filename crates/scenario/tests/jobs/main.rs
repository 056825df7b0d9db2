//! Sharing scenarios: what their text means, and what is refused.

mod builder;
mod doubts;
mod errors;
mod findings;
mod jobs;
mod never_panics;
mod outlook;
mod packets;
mod runs;
mod timelines;

use bandwise_input::{InputError, Source};
use bandwise_scenario::jobs::{Comparison, JobsExperiment, JobsScenario, Overrides, SharingPolicy};
use bandwise_scenario::{File, Parsed, Progress};
use std::ops::ControlFlow;

/// All patterns of communication, as documents have them.
const PATTERNS: [&str; 8] = [
    "\"shuffle\"",
    "\"broadcast\"",
    "\"chain\"",
    "\"ring-all-reduce\"",
    "\"tree-all-reduce\"",
    "{ partition-aggregate = 2 }",
    "{ parameter-server = 1 }",
    "{ bulk-synchronous = 3 }",
];

fn no_files(_: &str) -> Result<File, String> {
    Err("no such file".into())
}

/// Reads a document whose kind is added.
fn try_read(text: &str, overrides: Overrides) -> Result<Parsed<JobsScenario>, InputError> {
    let text = format!("kind = \"jobs\"\n{text}");
    JobsScenario::from_toml(&Source::new("jobs.toml", &text), overrides, no_files)
}

#[track_caller]
fn parsed(text: &str) -> Parsed<JobsScenario> {
    try_read(text, Overrides::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn scenario(text: &str) -> JobsScenario {
    parsed(text).scenario
}

fn go_on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Runs the jobs under several policies.
fn compare(scenario: &JobsScenario, policies: &[SharingPolicy]) -> Comparison {
    let experiment = JobsExperiment::new(scenario.clone(), policies.to_vec());
    experiment.expect("policies that fit").compare(&mut go_on)
}
