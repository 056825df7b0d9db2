//! [`Model`]: what a share of the bandwidth does to an application.

use super::{Degree, FitError, Monotone, Point, Polynomial, Prediction, Samples};
use crate::Share;

/// What to make of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Kind {
    /// A [`Monotone`] model. The default, as it never claims that less bandwidth is faster. Where
    /// applications compute and send in stages, samples that were left out are some twenty times
    /// closer to it than to polynomials; of LR, which is nearly a line, a parabola is closer
    /// (`tests/saba/default_model.rs`).
    #[default]
    Monotone,
    /// A [`Polynomial`] of a degree, as published.
    Polynomial(Degree),
}

/// The slowdown of an application by its share of the bandwidth: its sensitivity model (Saba 4.2).
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// A polynomial in the share (eq. 4.1).
    Polynomial(Polynomial),
    /// A curve in which less bandwidth is never faster.
    Monotone(Monotone),
}

impl Model {
    /// Fits a model. Only a polynomial can fail, where its degree asks for more shares.
    pub fn fit(samples: &Samples, kind: Kind) -> Result<Self, FitError> {
        match kind {
            Kind::Monotone => Ok(Model::Monotone(Monotone::fit(samples))),
            Kind::Polynomial(degree) => Polynomial::fit(samples, degree).map(Model::Polynomial),
        }
    }

    /// What it was fitted as.
    pub fn kind(&self) -> Kind {
        match self {
            Model::Polynomial(p) => Kind::Polynomial(p.degree()),
            Model::Monotone(_) => Kind::Monotone,
        }
    }

    /// The least share that was measured; the largest is always all of the bandwidth.
    pub fn least(&self) -> Share {
        match self {
            Model::Polynomial(p) => p.least(),
            Model::Monotone(m) => m.least(),
        }
    }

    /// The slowdown with a share of the bandwidth, and whether it was measured around there.
    pub fn predict(&self, share: Share) -> Prediction {
        let (slowdown, least) = (self.value(share.get()), self.least());
        match share >= least {
            true => Prediction::Measured { slowdown },
            false => Prediction::Extrapolated { slowdown, least },
        }
    }

    /// Its value at a share above 0, measured there or not.
    pub(crate) fn value(&self, b: f64) -> f64 {
        match self {
            Model::Polynomial(p) => p.value(b),
            Model::Monotone(m) => m.value(b),
        }
    }

    /// The share of the variance of slowdowns that the model explains, R² (Saba 4.2.2): at most 1, and
    /// below 0 where their mean would say more. The samples may be others than it was fitted to, such
    /// as those of more nodes. Each run counts as its share's mean; slowdowns that are all the same
    /// give 1 if they are met, and minus infinity if not.
    pub fn r_squared(&self, samples: &Samples) -> f64 {
        let sum = |of: &dyn Fn(&Point) -> f64| -> f64 {
            samples.points().iter().map(|p| f64::from(p.runs) * of(p)).sum()
        };
        let mean = sum(&|p| p.slowdown) / sum(&|_| 1.0);
        let total = sum(&|p| (p.slowdown - mean) * (p.slowdown - mean));
        let missed = sum(&|p| {
            let error = p.slowdown - self.value(p.share.get());
            error * error
        });
        match total > 0.0 {
            true => 1.0 - missed / total,
            // A fit is off by rounding even where it is exact.
            false if missed < 1e-18 => 1.0,
            false => f64::NEG_INFINITY,
        }
    }
}
