//! The `bandwise` command: reads settings, calls the crates that know, prints.
//!
//! Every command is a file or a folder here and goes the same way: flags as clap read them
//! ([`args`]), settings that can't be wrong, a call to the crate that does the work, output.
//! Results go to standard output, progress and errors to standard error; how a command ends is a
//! [`failure::Failure`] or nothing.

// A `Failure` may carry an `InputError`; it is made once, at the end of a command.
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

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => return failure::of_flags(&error),
    };
    match args.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
