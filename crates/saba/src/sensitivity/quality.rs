//! [`Quality`]: the trust in a model for a use.

use super::{Model, Samples, Setting};
use crate::Share;
use std::fmt;

/// The conditions of a model's measurement and of its use.
#[derive(Debug, Clone, Copy)]
pub struct Conditions<'a> {
    /// The conditions of the measurement.
    pub measured: &'a Setting,
    /// The conditions of the use.
    pub used: &'a Setting,
}

/// A reason to doubt a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// The model explains little of its own samples. None of the paper's models does so (Saba
    /// 4.2.2).
    LowRSquared {
        /// The R².
        r_squared: f64,
    },
    /// The samples have no more different shares than the model needs, so it can't miss them by its shape: a test for
    /// lack of fit has as many degrees of freedom as there are shares beyond the model's parameters.
    FewShares {
        /// The number of different shares.
        shares: usize,
    },
    /// The model predicts that more bandwidth is slower between two shares.
    Rises {
        /// The lower share.
        from: Share,
        /// The upper share.
        to: Share,
    },
    /// The number of nodes differs much from the measurement. Beyond three times as many, models
    /// explain less than half, and sharing by them can hurt. The fewest nodes in the paper are
    /// half of the measured ones (Saba 4.2.2, 4.6.3).
    Nodes {
        /// The ratio of nodes to the measured ones.
        times: f64,
    },
    /// The dataset is more than ten times, or less than a tenth, of the measured one. Within that
    /// range models explain more than half (Saba 4.2.2).
    Dataset {
        /// The ratio of data to the measured ones.
        times: f64,
    },
    /// The share is below the measured range, where predictions are guesses.
    Extrapolated {
        /// The share of the use.
        share: Share,
        /// The least measured share.
        least: Share,
    },
}

/// The R² below which a model explains less than half of the measurements (Saba 4.2.2).
const LOW_R_SQUARED: f64 = 0.5;

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::LowRSquared { r_squared } => write!(
                f,
                "the model explains little of its samples: R² is {r_squared:.2}, below {LOW_R_SQUARED}"
            ),
            Warning::FewShares { shares } => write!(
                f,
                "the model was learned from {shares} shares of the bandwidth, no more than it needs: none is \
                 left to test it, and its R² says nothing"
            ),
            Warning::Rises { from, to } => {
                write!(
                    f,
                    "the model predicts longer times with more bandwidth, from {from} to {to}"
                )
            }
            Warning::Nodes { times } => write!(
                f,
                "used with {times:.2} times the nodes that it was measured on: outside of 0.5 to 3 \
                 times, sharing by the model can hurt"
            ),
            Warning::Dataset { times } => write!(
                f,
                "used with {times:.0$} times the data that it was measured on: nothing is known beyond \
                 0.1 to 10 times",
                decimals(*times)
            ),
            Warning::Extrapolated { share, least } => write!(
                f,
                "used for {share} of the bandwidth, measured down to {least}: the model extrapolates \
                 there"
            ),
        }
    }
}

/// Returns the decimals of a ratio: three, or as many as its first digit that is not 0 needs.
fn decimals(times: f64) -> usize {
    let zeros = std::iter::successors(Some(times), |left| Some(left * 10.0));
    zeros.take(MOST_DECIMALS).take_while(|left| *left < 0.9995).count().max(3)
}

/// The most decimals of a ratio.
const MOST_DECIMALS: usize = 18;

/// The trust in a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// R² over the samples of the fit.
    pub r_squared: f64,
    /// The reasons for doubt.
    pub warnings: Vec<Warning>,
}

impl Quality {
    /// Returns the quality of a model of `samples`; with `conditions`, also its quality for this
    /// use.
    pub fn of(model: &Model, samples: &Samples, conditions: Option<Conditions>) -> Self {
        let r_squared = model.r_squared(samples);
        let mut warnings = Vec::new();
        if r_squared < LOW_R_SQUARED {
            warnings.push(Warning::LowRSquared { r_squared });
        }
        let shares = samples.points().len();
        if shares <= model.least_shares() {
            warnings.push(Warning::FewShares { shares });
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
    /// Returns the warnings on the differences. Unknown values give none.
    pub fn warnings(self) -> Vec<Warning> {
        let nodes = |setting: &Setting| setting.nodes.map(|n| f64::from(n.get()));
        let nodes = nodes(self.used).zip(nodes(self.measured)).map(|(used, had)| used / had);
        let dataset = self.used.dataset.as_ref().zip(self.measured.dataset.as_ref());
        let dataset = dataset.and_then(|(used, had)| used.times(had));
        let far = |times: &f64, least: f64, most: f64| !(least..=most).contains(times);
        let nodes =
            nodes.filter(|times| far(times, 0.5, 3.0)).map(|times| Warning::Nodes { times });
        // 0.1 times a number is not exactly its tenth.
        let dataset = dataset
            .filter(|times| far(times, 0.1 - 1e-9, 10.0 + 1e-9))
            .map(|times| Warning::Dataset { times });
        nodes.into_iter().chain(dataset).collect()
    }
}
