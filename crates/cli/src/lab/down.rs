//! `bandwise lab down`.

use super::namespaces::{self, Identity};
use super::record::{Made, Record, lock};
use super::{NameFlag, root};
use crate::failure::Failure;
use crate::output::{note, print};
use anyhow::{Result, bail};

/// Flags of `bandwise lab down`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Takes away what `bandwise lab up` made and nothing else; where there is nothing, nothing is done.

Examples:
  bandwise lab down
  bandwise lab down --name rack2 --force")]
pub struct Flags {
    /// Even if commands still run there. They go on, without a network
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    name: NameFlag,
}

impl Flags {
    /// Takes the lab away.
    pub fn run(self) -> Result<(), Failure> {
        root::needs_root()?;
        let _locked = lock()?;
        let name = &self.name.name;
        match Record::find(name)? {
            None => print(&format!("there is no lab {name:?}\n")),
            Some(record) => {
                let gone = take(record, self.force)?;
                print(&format!("{name}: {gone} namespaces taken away\n"))
            }
        }
    }
}

/// Takes away what a record says was made, and says how many namespaces. What is there under a name and was not
/// made for this lab stays.
pub fn take(record: Record, force: bool) -> Result<usize> {
    let mut ours = Vec::new();
    for made in &record.namespaces {
        match is_ours(made)? {
            Some(true) => ours.push(made),
            Some(false) => {
                note(format_args!("{}: was made by somebody else, and stays", made.name))
            }
            None => {}
        }
    }
    let mut busy = Vec::new();
    for made in ours.iter().filter(|_| !force) {
        let processes = namespaces::processes(&made.name)?;
        busy.extend(processes.iter().map(|pid| format!("{} ({})", program(*pid), pid)));
    }
    if !busy.is_empty() {
        bail!("commands still run there: {}; end them, or give --force", busy.join(", "));
    }
    // The switch was made last: with it all links go.
    for made in ours.iter().rev() {
        namespaces::delete(&made.name)?;
    }
    let gone = ours.len();
    record.remove()?;
    Ok(gone)
}

/// Whether what is there under a name was made for this lab; none where nothing is.
fn is_ours(made: &Made) -> Result<Option<bool>> {
    let Some(there) = Identity::of(&made.name)? else { return Ok(None) };
    Ok(Some(match made.identity {
        Some(identity) => identity == there,
        // We were ended between making it and seeing it, so nothing was put into it.
        None => namespaces::is_bare(&made.name)? && namespaces::processes(&made.name)?.is_empty(),
    }))
}

/// What a process calls itself.
fn program(pid: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm"));
    name.map_or_else(|_| "?".to_owned(), |name| name.trim().to_owned())
}
