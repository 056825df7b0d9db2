//! `bandwise sim run` of a file with a `[sweep]`: all its points in parallel, in one table.

mod csv;
mod json;
mod point;
mod report;
mod run;
mod store;
mod table;

pub(super) use run::run;

use super::list::FlowFile;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Outputs;
use bandwise_scenario::ethernet::Study;
use std::path::PathBuf;
use store::Store;

/// What to run, and where the results go.
pub(super) struct Settings {
    /// The file, as it was called.
    pub(super) name: String,
    /// What is in it.
    pub(super) text: String,
    pub(super) study: Study,
    /// The list that a point's flows come from, if they come from one.
    pub(super) lists: Vec<Option<FlowFile>>,
    /// 0 for one a core.
    pub(super) threads: usize,
    /// Where finished points are kept, if anywhere.
    pub(super) store: Option<Store>,
    pub(super) outputs: Outputs,
}

impl Settings {
    /// Refuses what can't be done with several points.
    pub(super) fn check(
        mut self,
        resume: Option<PathBuf>,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let of_single_runs = [
            (self.outputs.wants_rows(), "--flow-results"),
            (self.outputs.wants_trace(), "--trace"),
        ];
        if let Some((_, flag)) = of_single_runs.into_iter().find(|(given, _)| *given) {
            let message = format!("{flag}: {} has a [sweep]", self.name);
            return Err(Failure::usage(message, "a file without one"));
        }
        for list in self.lists.iter().flatten() {
            if !list.can_be_read_again() {
                let message = "--flows: a list that every point of a sweep reads";
                return Err(Failure::usage(message, "a file"));
            }
        }
        // Most sweeps over a list have the same one at every point.
        if let Some(list) = self.lists.iter().flatten().next() {
            list.count(interrupt)?;
        }
        self.store = resume.map(Store::open).transpose()?;
        Ok(self)
    }
}
