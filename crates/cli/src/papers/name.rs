//! The name of a run.

use bandwise_papers::{Options, Paper};

/// Returns the name of a paper or of one of its items, as the command line has it.
pub(super) fn name(paper: &Paper, options: &Options) -> String {
    match &options.item {
        Some(item) => format!("{}/{item}", paper.name),
        None => paper.name.to_owned(),
    }
}
