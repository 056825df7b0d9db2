//! Stand-ins for commands that this program was built without.

use crate::failure::Failure;
use crate::output::print;
use std::ffi::OsString;

/// The help of a command that needs the feature `verbs`.
const HELP: &str = "\
This program was built without the feature `verbs`, which the command needs. A program that has it
is built by:
  cargo build --release -p bandwise-cli --features verbs";

/// Arguments of a command that needs the feature `verbs`. All arguments are accepted, so that the
/// error names the missing feature and not an argument.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Flags {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Flags {
    /// Refuses the command, or prints that it is missing if help is wanted.
    pub(crate) fn run(self) -> Result<(), Failure> {
        // clap answers `--help` only as the first argument: further ones are values here.
        let wants_help = self.arguments.iter().any(|of| of == "--help" || of == "-h");
        if wants_help { print(&format!("{HELP}\n")) } else { Err(Failure::without("verbs")) }
    }
}
