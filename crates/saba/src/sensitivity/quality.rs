//! [`Quality`]: how far to trust a model, given what it is used for.

use super::{Model, Samples, Setting};
use crate::Share;
use std::fmt;

/// What a model was measured on beside what it is used for.
#[derive(Debug, Clone, Copy)]
pub struct Conditions<'a> {
    /// What it was measured on.
    pub measured: &'a Setting,
    /// What it is used for.
    pub used: &'a Setting,
}

/// Something that makes a model doubtful.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// The model explains little of its own samples. Of the paper's models none does so (Saba 4.2.2).
    LowRSquared {
        /// Its R².
        r_squared: f64,
    },
    /// The model says that more bandwidth is slower between these two shares.
    Rises {
        /// From this share.
        from: Share,
        /// To this one.
        to: Share,
    },
    /// It is used with many more or fewer nodes than it was measured on. Beyond three times as many
    /// models explain less than half, and sharing by them can hurt; the fewest in the paper are half
    /// (Saba 4.2.2, 4.6.3).
    Nodes {
        /// As many times the nodes measured.
        times: f64,
    },
    /// It is used with a dataset of more than ten times, or less than a tenth, of the one measured; up
    /// to there models explain more than half (Saba 4.2.2).
    Dataset {
        /// As many times the data measured.
        times: f64,
    },
    /// It is used for less bandwidth than was measured: what it says there is no more than a guess.
    Extrapolated {
        /// The share that it is used for.
        share: Share,
        /// The least share that was measured.
        least: Share,
    },
}

/// Below this R² a model explains less than half of what was measured (Saba 4.2.2).
const LOW_R_SQUARED: f64 = 0.5;

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::LowRSquared { r_squared } => write!(
                f,
                "the model explains little of its samples: R² is {r_squared:.2}, below {LOW_R_SQUARED}"
            ),
            Warning::Rises { from, to } => {
                write!(f, "the model says that more bandwidth is slower, from {from} to {to}")
            }
            Warning::Nodes { times } => write!(
                f,
                "used with {times:.2} times the nodes that it was measured on: outside of 0.5 to 3 \
                 times, sharing by the model can hurt"
            ),
            Warning::Dataset { times } => write!(
                f,
                "used with {times:.3} times the data that it was measured on: nothing is known beyond \
                 0.1 to 10 times"
            ),
            Warning::Extrapolated { share, least } => write!(
                f,
                "used for {share} of the bandwidth, measured down to {least}: what it says there is \
                 a guess"
            ),
        }
    }
}

/// How far a model can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// R² over the samples it was fitted to.
    pub r_squared: f64,
    /// What speaks against it, if anything does.
    pub warnings: Vec<Warning>,
}

impl Quality {
    /// The quality of a model of `samples`; with `conditions`, of its use too.
    pub fn of(model: &Model, samples: &Samples, conditions: Option<Conditions>) -> Self {
        let r_squared = model.r_squared(samples);
        let mut warnings = Vec::new();
        if r_squared < LOW_R_SQUARED {
            warnings.push(Warning::LowRSquared { r_squared });
        }
        if let Model::Polynomial(polynomial) = model
            && let Some((from, to)) = polynomial.rises()
        {
            warnings.push(Warning::Rises { from, to });
        }
        warnings.extend(conditions.into_iter().flat_map(Conditions::warnings));
        Quality { r_squared, warnings }
    }
}

impl Conditions<'_> {
    /// How far apart both are. Nothing is said of what one of them leaves open.
    pub fn warnings(self) -> Vec<Warning> {
        let nodes = |setting: &Setting| setting.nodes.map(|n| f64::from(n.get()));
        let nodes = nodes(self.used).zip(nodes(self.measured)).map(|(used, had)| used / had);
        let dataset = self.used.dataset.as_ref().zip(self.measured.dataset.as_ref());
        let dataset = dataset.and_then(|(used, had)| used.times(had));
        let far = |times: &f64, least: f64, most: f64| !(least..=most).contains(times);
        let nodes =
            nodes.filter(|times| far(times, 0.5, 3.0)).map(|times| Warning::Nodes { times });
        // 0.1 times something is not exactly a tenth of it.
        let dataset = dataset
            .filter(|times| far(times, 0.1 - 1e-9, 10.0 + 1e-9))
            .map(|times| Warning::Dataset { times });
        nodes.into_iter().chain(dataset).collect()
    }
}
