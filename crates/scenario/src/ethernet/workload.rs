//! [`Workload`]: where flows come from.

use bandwise_units::Bytes;
use bandwise_workload::{Flow, Incast, Permutation, Poisson};

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

impl Workload {
    /// Sizes of flows, and how many there are of each, about: of each distribution a number of
    /// quantiles. None where a list has the flows.
    pub(super) fn sizes(&self) -> Vec<(Bytes, f64)> {
        match self {
            Workload::Parts(parts) => parts.iter().flat_map(Part::sizes).collect(),
            Workload::List(_) => Vec::new(),
        }
    }
}

/// Sizes that stand for a distribution.
const QUANTILES: u32 = 4096;

impl Part {
    fn sizes(&self) -> Vec<(Bytes, f64)> {
        let sizes = match &self.generator {
            Generator::Poisson(poisson) => poisson.sizes(),
            Generator::Permutation(permutation) => permutation.sizes(),
            Generator::Incast(incast) => {
                return vec![(incast.bytes_per_flow(), self.expected as f64)];
            }
        };
        let each = self.expected as f64 / f64::from(QUANTILES);
        let quantile = |n: u32| sizes.quantile((f64::from(n) + 0.5) / f64::from(QUANTILES));
        (0..QUANTILES).map(|n| (quantile(n), each)).collect()
    }

    /// For a quick look: a `by`th of the load's flows, or the first request.
    pub(super) fn shortened(self, by: u32) -> Self {
        let expected = self.expected / u64::from(by);
        let generator = match self.generator {
            Generator::Poisson(poisson) => Generator::Poisson(poisson.shortened(by)),
            Generator::Incast(incast) => Generator::Incast(incast.once()),
            Generator::Permutation(permutation) => Generator::Permutation(permutation),
        };
        Part { generator, expected, ..self }
    }
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
    /// Returns the number of hosts among which it makes flows.
    pub fn hosts(&self) -> u32 {
        match self {
            Generator::Poisson(poisson) => poisson.hosts(),
            Generator::Incast(incast) => incast.hosts(),
            Generator::Permutation(permutation) => permutation.hosts(),
        }
    }

    /// Its flows. The number of the part is that of its kind, so that they stay the same beside
    /// others.
    pub(super) fn flows(&self, seed: u64) -> Box<dyn Iterator<Item = Flow>> {
        match self {
            Generator::Poisson(poisson) => Box::new(poisson.flows(seed, 0)),
            Generator::Incast(incast) => Box::new(incast.flows(seed, 1)),
            Generator::Permutation(permutation) => Box::new(permutation.flows(seed, 2)),
        }
    }
}
