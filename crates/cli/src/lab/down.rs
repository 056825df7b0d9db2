//! `bandwise lab down`.

use super::name::NameFlag;
use crate::answer::{Answer, Stats};
use crate::failure::Failure;
use crate::output::{Json, note};
use bandwise_lab::{down, needs_root};
use serde::Serialize;

/// Flags of `bandwise lab down`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Removes only the namespaces that `bandwise lab up` made. Does nothing if there is no such lab.

Examples:
  bandwise lab down
  bandwise lab down --name rack2 --force --json")]
pub(crate) struct Flags {
    /// Remove the lab even if commands run there; they continue without a network
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    name: NameFlag,
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Removes the lab.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        needs_root()?;
        let lab = &self.name.name;
        let removed = down(lab, self.force)?;
        for namespace in removed.iter().flat_map(|removed| &removed.foreign) {
            note(format_args!("{namespace}: was not created for this lab, and is not removed"));
        }
        outputs.answer(&DownAnswer {
            schema: 1,
            lab,
            namespaces: removed.as_ref().map(|removed| removed.namespaces),
            foreign: removed.map_or(Vec::new(), |removed| removed.foreign),
            stats: Stats::HERE,
        })
    }
}

/// The removal of a lab.
#[derive(Serialize)]
struct DownAnswer<'a> {
    schema: u32,
    lab: &'a str,
    /// The number of removed namespaces; `None` if there was no lab.
    namespaces: Option<usize>,
    /// Namespaces with a name of the lab that were not created for it, and stay.
    foreign: Vec<String>,
    stats: Stats,
}

impl Answer for DownAnswer<'_> {
    fn text(&self) -> String {
        let DownAnswer { lab, namespaces, .. } = self;
        match namespaces {
            Some(namespaces) => format!("{lab}: {namespaces} namespaces removed\n"),
            None => format!("there is no lab {lab:?}\n"),
        }
    }
}
