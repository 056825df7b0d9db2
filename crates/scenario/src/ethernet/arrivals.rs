//! The flows of a scenario's generators.

use super::EthernetScenario;
use super::flow::Arrival;
use super::workload::{Generator, Part, Workload};
use bandwise_workload::Merge;

impl EthernetScenario {
    /// For a quick look: of a load flows start for a `by`th of the time, and of an incast there is
    /// the first request.
    #[must_use]
    pub fn shortened(mut self, by: u32) -> Self {
        if let Workload::Parts(parts) = self.workload {
            let parts = parts.into_iter().map(|part| part.shortened(by));
            self.workload = Workload::Parts(parts.collect());
        }
        self
    }

    /// The flows of its generators in order of start, one after the other; none where a list has
    /// them.
    pub fn arrivals(&self) -> impl Iterator<Item = Arrival> + '_ {
        let parts: &[Part] = match &self.workload {
            Workload::Parts(parts) => parts,
            Workload::List(_) => &[],
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

    /// Whether some of its flows belong to requests.
    pub(super) fn has_requests(&self) -> bool {
        let Workload::Parts(parts) = &self.workload else { return false };
        parts.iter().any(|part| matches!(part.generator, Generator::Incast(_)))
    }

    /// How many flows its generators will make, about: for showing how far a run is.
    pub fn expected_flows(&self) -> u64 {
        let Workload::Parts(parts) = &self.workload else { return 0 };
        parts.iter().map(|part| part.expected).fold(0, u64::saturating_add)
    }
}
