//! [`Workload`]: the source of flows.

use bandwise_units::Bytes;
use bandwise_workload::{Flow, Incast, Permutation, Poisson};
use std::num::NonZeroU32;

/// The source of a scenario's flows.
#[derive(Debug, Clone, PartialEq)]
pub enum Workload {
    /// Generators, whose flows are merged.
    Parts(Vec<Part>),
    /// The name of a file with a list of flows, as the document states it. The caller of the run
    /// reads the file, flow by flow.
    List(String),
}

/// A generator of flows.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Generator.
    pub generator: Generator,
    /// Approximate number of flows.
    pub expected: u64,
    /// Traffic class of its flows.
    pub class: u8,
}

impl Workload {
    /// Returns the sizes of flows, with the approximate number of flows of each. A distribution is
    /// represented by quantiles; a list has no sizes.
    pub(super) fn sizes(&self) -> Vec<(Bytes, f64)> {
        match self {
            Workload::Parts(parts) => parts.iter().flat_map(Part::sizes).collect(),
            Workload::List(_) => Vec::new(),
        }
    }
}

/// Number of quantiles that represent a distribution.
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

    /// Returns a shorter part: `1/by` of a load's duration or flows, or an incast's first
    /// request.
    pub(super) fn shortened(self, by: NonZeroU32) -> Self {
        let expected = self.expected / u64::from(by.get());
        let generator = match self.generator {
            Generator::Poisson(poisson) => Generator::Poisson(poisson.shortened(by)),
            Generator::Incast(incast) => Generator::Incast(incast.once()),
            Generator::Permutation(permutation) => Generator::Permutation(permutation),
        };
        Part { generator, expected, ..self }
    }
}

/// A generator of flows.
#[derive(Debug, Clone, PartialEq)]
pub enum Generator {
    /// A load of random arrivals.
    Poisson(Poisson),
    /// Requests to one host.
    Incast(Incast),
    /// A flow from each host to another one.
    Permutation(Permutation),
}

impl Generator {
    /// Returns the number of hosts for which the generator was made.
    pub fn hosts(&self) -> u32 {
        match self {
            Generator::Poisson(poisson) => poisson.hosts(),
            Generator::Incast(incast) => incast.hosts(),
            Generator::Permutation(permutation) => permutation.hosts(),
        }
    }

    /// Returns the generator's flows. Random streams are numbered by kind, so that flows stay the
    /// same beside other parts.
    pub(super) fn flows(&self, seed: u64) -> Box<dyn Iterator<Item = Flow>> {
        match self {
            Generator::Poisson(poisson) => Box::new(poisson.flows(seed, 0)),
            Generator::Incast(incast) => Box::new(incast.flows(seed, 1)),
            Generator::Permutation(permutation) => Box::new(permutation.flows(seed, 2)),
        }
    }
}
