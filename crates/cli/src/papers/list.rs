//! `bandwise papers list`.

use crate::failure::Failure;
use crate::output::Json;
use bandwise_papers::{PAPERS, Paper};
use serde_json::{Value, json};

/// Flags of `bandwise papers list`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bandwise papers list
  bandwise papers list --json")]
pub struct Flags {
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Prints the list.
    pub fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        let json = json!({ "schema": 1, "papers": PAPERS.iter().map(object).collect::<Vec<_>>() });
        let text: Vec<String> = PAPERS.iter().map(paragraph).collect();
        outputs.emit(&text.join("\n"), &json)
    }
}

fn paragraph(paper: &Paper) -> String {
    let width = paper.items.iter().map(|(item, _)| item.len()).max().unwrap_or(0);
    let items = paper.items.iter().map(|(item, what)| format!("  {item:width$}  {what}\n"));
    format!("{}: {}\n{}", paper.name, paper.title, items.collect::<String>())
}

fn object(paper: &Paper) -> Value {
    let items = paper.items.iter().map(|(item, what)| json!({ "item": item, "what": what }));
    json!({ "paper": paper.name, "title": paper.title, "items": items.collect::<Vec<_>>() })
}
