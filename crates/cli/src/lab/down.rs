//! `bandwise lab down`.

use super::name::NameFlag;
use crate::failure::Failure;
use crate::output::{note, print};
use bandwise_lab::{down, needs_root};

/// Flags of `bandwise lab down`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Removes only the namespaces that `bandwise lab up` made. Does nothing if there is no such lab.

Examples:
  bandwise lab down
  bandwise lab down --name rack2 --force")]
pub(crate) struct Flags {
    /// Remove the lab even if commands run there; they continue without a network
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    name: NameFlag,
}

impl Flags {
    /// Removes the lab.
    pub(crate) fn run(self) -> Result<(), Failure> {
        needs_root()?;
        let name = &self.name.name;
        let Some(removed) = down(name, self.force)? else {
            return print(&format!("there is no lab {name:?}\n"));
        };
        for namespace in &removed.foreign {
            note(format_args!("{namespace}: was not created for this lab, and is not removed"));
        }
        print(&format!("{name}: {} namespaces removed\n", removed.namespaces))
    }
}
