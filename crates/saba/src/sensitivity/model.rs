//! [`Model`]: the slowdown of an application by its share of the bandwidth.

use super::{Degree, FitError, Monotone, Point, Polynomial, Prediction, Samples};
use crate::Share;

/// The kind of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Kind {
    /// A [`Monotone`] model. The default, because it never predicts that less bandwidth is faster.
    /// For applications that compute and send in stages, omitted samples are some twenty times
    /// closer to it than to polynomials. For LR, which is nearly a line, a parabola is closer
    /// (`tests/saba/default_model.rs`).
    #[default]
    Monotone,
    /// A [`Polynomial`] of a degree, as published.
    Polynomial(Degree),
}

/// The sensitivity model of an application: its slowdown by its share of the bandwidth (Saba 4.2).
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// A polynomial in the share (eq. 4.1).
    Polynomial(Polynomial),
    /// A curve in which less bandwidth is never faster.
    Monotone(Monotone),
}

impl Model {
    /// Fits a model.
    ///
    /// # Errors
    ///
    /// Returns a [`FitError`] if a polynomial's degree needs more shares.
    pub fn fit(samples: &Samples, kind: Kind) -> Result<Self, FitError> {
        match kind {
            Kind::Monotone => Ok(Model::Monotone(Monotone::fit(samples))),
            Kind::Polynomial(degree) => Polynomial::fit(samples, degree).map(Model::Polynomial),
        }
    }

    /// Returns the kind with which the model was fitted.
    pub fn kind(&self) -> Kind {
        match self {
            Model::Polynomial(p) => Kind::Polynomial(p.degree()),
            Model::Monotone(_) => Kind::Monotone,
        }
    }

    /// Returns the number of different shares that a fit of this kind needs: the coefficients of a polynomial, and the
    /// fewest samples of a [`Monotone`] model, which goes through all that fall.
    pub fn least_shares(&self) -> usize {
        match self {
            Model::Polynomial(p) => usize::from(p.degree().get()) + 1,
            Model::Monotone(_) => Samples::LEAST_SHARES,
        }
    }

    /// Returns the least measured share. The largest is always the whole bandwidth.
    pub fn least(&self) -> Share {
        match self {
            Model::Polynomial(p) => p.least(),
            Model::Monotone(m) => m.least(),
        }
    }

    /// Returns the slowdown at a share, and whether that is within the measured range.
    pub fn predict(&self, share: Share) -> Prediction {
        let (slowdown, least) = (self.value(share.get()), self.least());
        match share >= least {
            true => Prediction::Measured { slowdown },
            false => Prediction::Extrapolated { slowdown, least },
        }
    }

    /// Returns the value at a share above 0, in the measured range or not.
    pub(crate) fn value(&self, b: f64) -> f64 {
        match self {
            Model::Polynomial(p) => p.value(b),
            Model::Monotone(m) => m.value(b),
        }
    }

    /// Returns R², the fraction of the variance of slowdowns that the model explains (Saba 4.2.2):
    /// at most 1, and below 0 if their mean is a better prediction. The samples may differ from
    /// those of the fit, for example in the number of nodes. Each run counts as its share's mean.
    /// Equal slowdowns give 1 if the model meets them, and minus infinity if not.
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
            // An exact fit still has rounding errors.
            false if missed < 1e-18 => 1.0,
            false => f64::NEG_INFINITY,
        }
    }
}
