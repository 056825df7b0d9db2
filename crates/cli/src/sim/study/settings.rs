//! [`StudySettings`].

use super::store::Store;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Outputs;
use crate::sim::list::FlowFile;
use bandwise_scenario::ethernet::Study;
use std::path::PathBuf;

/// A sweep to run, and the places of its results.
pub(crate) struct StudySettings {
    /// Name of the file.
    pub name: String,
    /// Text of the file.
    pub text: String,
    /// The points.
    pub study: Study,
    /// The list of flows of each point; `None` if the scenario has its flows.
    pub lists: Vec<Option<FlowFile>>,
    /// Points that run at the same time.
    pub threads: usize,
    /// Folder of finished points.
    pub store: Option<Store>,
    /// Places of the results.
    pub outputs: Outputs,
}

impl StudySettings {
    /// Refuses outputs that a sweep doesn't have, and opens the folder of finished points.
    pub(crate) fn check(
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
        // Most sweeps over a list use the same list at every point.
        if let Some(list) = self.lists.iter().flatten().next() {
            list.count(interrupt)?;
        }
        self.store = resume.map(Store::open).transpose()?;
        Ok(self)
    }
}
