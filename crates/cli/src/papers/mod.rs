//! `bandwise papers`: the evaluations of papers.

mod answer;
mod claim_row;
mod list;
mod name;
mod report;
mod run;
mod text;

#[cfg(feature = "verbs")]
pub(crate) use claim_row::ClaimRow;
#[cfg(feature = "verbs")]
pub(crate) use report::claims as claims_table;

use crate::failure::Failure;

/// Commands for papers.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  bandwise papers list
  bandwise papers run rperf --quick --report report.html")]
pub(crate) enum Command {
    /// List the papers and their figures and tables
    List(list::Flags),
    /// Run a paper, or one figure or table of it
    Run(run::Flags),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::List(flags) => flags.run(),
            Command::Run(flags) => flags.run(),
        }
    }
}
