//! Stand-ins for commands that this program was built without.

use crate::failure::Failure;
use std::ffi::OsString;

/// Arguments of a command that needs the feature `verbs`. All arguments are accepted, so that the
/// error names the missing feature and not an argument.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Flags {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

impl Flags {
    /// Refuses the command.
    pub(crate) fn run(self) -> Result<(), Failure> {
        Err(Failure::without("verbs"))
    }
}
