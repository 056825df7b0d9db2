//! [`Workload`]: where flows come from.

use super::NetworkScenario;
use super::run::Arrival;
use bandwise_workload::{Flow, Incast, Merge, Permutation, Poisson};

/// Where flows come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Workload {
    /// From generators, whose flows are merged.
    Parts(Vec<Part>),
    /// From a list in the file of that name, as the document has it. Whoever runs the scenario reads
    /// it, flow by flow.
    List(String),
}

/// A generator of flows, and about how many there will be.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The generator.
    pub generator: Generator,
    /// How many flows it makes, about.
    pub expected: u64,
    /// The traffic class of its flows.
    pub class: u8,
}

/// What makes flows.
#[derive(Debug, Clone, PartialEq)]
pub enum Generator {
    /// A load.
    Poisson(Poisson),
    /// Requests to one host.
    Incast(Incast),
    /// Each host to one other.
    Permutation(Permutation),
}

impl Generator {
    /// Its flows. The number of the part is that of its kind, so that they stay the same beside
    /// others.
    fn flows(&self, seed: u64) -> Box<dyn Iterator<Item = Flow>> {
        match self {
            Generator::Poisson(poisson) => Box::new(poisson.flows(seed, 0)),
            Generator::Incast(incast) => Box::new(incast.flows(seed, 1)),
            Generator::Permutation(permutation) => Box::new(permutation.flows(seed, 2)),
        }
    }
}

impl NetworkScenario {
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

    /// How many flows its generators will make, about: for showing how far a run is.
    pub fn expected_flows(&self) -> u64 {
        let Workload::Parts(parts) = &self.workload else { return 0 };
        parts.iter().map(|part| part.expected).fold(0, u64::saturating_add)
    }
}
