//! `bandwise papers list`.

use crate::answer::Answer;
use crate::failure::Failure;
use crate::output::Json;
use bandwise_papers::{PAPERS, Paper};
use serde::Serialize;

/// Flags of `bandwise papers list`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bandwise papers list
  bandwise papers list --json")]
pub(crate) struct Flags {
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Prints the list.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        outputs
            .answer(&ListAnswer { schema: 1, papers: PAPERS.iter().map(PaperRow::from).collect() })
    }
}

/// The papers and their items.
#[derive(Serialize)]
struct ListAnswer {
    schema: u32,
    papers: Vec<PaperRow>,
}

/// A paper.
#[derive(Serialize)]
struct PaperRow {
    paper: &'static str,
    title: &'static str,
    items: Vec<ItemRow>,
}

/// A figure or table of a paper.
#[derive(Serialize)]
struct ItemRow {
    item: &'static str,
    what: &'static str,
}

impl Answer for ListAnswer {
    fn text(&self) -> String {
        self.papers.iter().map(paragraph).collect::<Vec<_>>().join("\n")
    }
}

impl From<&Paper> for PaperRow {
    fn from(paper: &Paper) -> Self {
        let item = |&(item, what): &(&'static str, &'static str)| ItemRow { item, what };
        let items = paper.items.iter().map(item).collect();
        PaperRow { paper: paper.name, title: paper.title, items }
    }
}

fn paragraph(paper: &PaperRow) -> String {
    let width = paper.items.iter().map(|of| of.item.len()).max().unwrap_or(0);
    let items = paper.items.iter().map(|of| format!("  {:width$}  {}\n", of.item, of.what));
    format!("{}: {}\n{}", paper.paper, paper.title, items.collect::<String>())
}
