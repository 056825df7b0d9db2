//! The `bandwise` command: reads settings, calls the crates that do the work, prints the results.
//!
//! Every command is a file or a folder here and has the same steps: flags as clap read them
//! ([`args`]), checked settings, a call to the crate that does the work, output. Results go to
//! standard output, progress and errors to standard error. A command returns a [`failure::Failure`]
//! if it fails.

// A `Failure` may contain a large `InputError`; at most one is made, at the end of a command.
#![allow(clippy::result_large_err)]

#[cfg(not(feature = "verbs"))]
mod absent;
mod answer;
mod args;
mod bench;
mod coflows;
mod completions;
#[cfg(feature = "verbs")]
mod devices;
mod fabric;
mod failure;
mod files;
mod interrupt;
#[cfg(feature = "verbs")]
mod isolation;
mod lab;
mod machine;
mod output;
mod papers;
mod progress;
mod rperf;
mod saba;
mod sim;
mod values;
mod warned;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match args::Args::read() {
        Ok(args) => args,
        Err(error) => return failure::of_flags(&error),
    };
    match args.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
