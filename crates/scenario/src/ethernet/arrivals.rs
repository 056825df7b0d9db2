//! The flows of a scenario's generators.

use super::EthernetScenario;
use super::flow::Arrival;
use super::workload::{Generator, Part, Workload};
use bandwise_workload::Merge;
use std::num::NonZeroU32;

impl EthernetScenario {
    /// Returns a shorter scenario: loads with `1/by` of their duration or flows, and incasts with
    /// their first request.
    #[must_use]
    pub fn shortened(mut self, by: NonZeroU32) -> Self {
        if let Workload::Parts(parts) = self.workload {
            let parts = parts.into_iter().map(|part| part.shortened(by));
            self.workload = Workload::Parts(parts.collect());
        }
        self
    }

    /// Returns the flows of the scenario's generators in order of start.
    ///
    /// # Panics
    ///
    /// Panics if the workload is a list, which the caller reads and passes to
    /// [`run_with`](Self::run_with).
    pub fn arrivals(&self) -> impl Iterator<Item = Arrival> + '_ {
        let parts: &[Part] = match &self.workload {
            Workload::Parts(parts) => parts,
            Workload::List(name) => panic!("the flows of the list {name} are for `run_with`"),
        };
        let mut of_incast = 0;
        Merge::new(parts.iter().map(|part| part.generator.flows(self.seed))).map(move |merged| {
            let part = &parts[merged.part];
            let request = match &part.generator {
                Generator::Incast(incast) => {
                    of_incast += 1;
                    Some((of_incast - 1) / incast.flows_per_request())
                }
                _ => None,
            };
            Arrival { flow: merged.flow, request, class: part.class }
        })
    }

    /// Returns whether a generator makes requests.
    pub(super) fn has_requests(&self) -> bool {
        let Workload::Parts(parts) = &self.workload else { return false };
        parts.iter().any(|part| matches!(part.generator, Generator::Incast(_)))
    }

    /// Returns the approximate number of the generators' flows, for progress.
    pub fn expected_flows(&self) -> u64 {
        let Workload::Parts(parts) = &self.workload else { return 0 };
        parts.iter().map(|part| part.expected).fold(0, u64::saturating_add)
    }
}
