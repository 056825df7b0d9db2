//! [`Basis`]: the coordinates of models.

use crate::Share;
use crate::sensitivity::{Model, Monotone, Polynomial};

/// The coordinates in which distances of models are measured, by Euclidean distance.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// The coefficients of polynomials, as published (Saba 4.3.3.1); coefficients above the degree
    /// are 0. They emphasise the higher powers, which have the least information about the
    /// slowdown. So two fits of one curve with different noise may be far apart.
    Coefficients,
    /// The slowdowns at these shares, of models of any kind. All are in one unit, and models are
    /// near if their predictions are.
    Slowdowns(Vec<Share>),
}

/// The scaling of distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// The coordinates as they are, as published.
    #[default]
    None,
    /// Each coordinate divided by its standard deviation over all models, so that all count
    /// equally.
    Deviation,
}

/// The error for a model without coordinates in a basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("model {index} is no polynomial, and has no coefficients")]
pub struct BasisError {
    /// The index of the model, counted from 0.
    pub index: usize,
}

impl Basis {
    /// Returns the slowdowns at those shares of the profiler down to which all models were
    /// measured. At other shares, measurements would be compared with extrapolations.
    pub fn measured(models: &[&Model]) -> Self {
        let least = models.iter().map(|model| model.least()).max().unwrap_or(Share::ALL);
        let mut shares = Share::PROFILED.to_vec();
        shares.retain(|&share| share >= least);
        if shares.len() < 2 {
            shares = vec![least, Share::ALL];
            shares.dedup();
        }
        Basis::Slowdowns(shares)
    }

    /// Returns whether a model has these coordinates.
    pub(crate) fn has(&self, model: &Model) -> bool {
        matches!((self, model), (Basis::Slowdowns(_), _) | (_, Model::Polynomial(_)))
    }

    /// Returns the coordinates of models, all of one length.
    pub(super) fn points(&self, models: &[&Model]) -> Result<Vec<Vec<f64>>, BasisError> {
        let point = |(index, model): (usize, &&Model)| match (self, model) {
            (Basis::Coefficients, Model::Polynomial(p)) => Ok(p.coefficients().to_vec()),
            (Basis::Coefficients, Model::Monotone(_)) => Err(BasisError { index }),
            (Basis::Slowdowns(shares), model) => {
                Ok(shares.iter().map(|share| model.value(share.get())).collect())
            }
        };
        models.iter().enumerate().map(point).collect()
    }

    /// Returns the model with these coordinates; for slowdowns, the nearest monotone one. `least`
    /// is the least share down to which all models behind it were measured.
    pub(super) fn model(&self, point: &[f64], least: Share) -> Model {
        match self {
            Basis::Coefficients => {
                let mut coefficients = [0.0; 4];
                coefficients.copy_from_slice(&point[..4]);
                let polynomial = Polynomial::new(coefficients, least);
                Model::Polynomial(polynomial.expect("means of numbers are numbers"))
            }
            Basis::Slowdowns(shares) => {
                let mut knots: Vec<(Share, f64)> =
                    shares.iter().copied().zip(point.iter().copied()).collect();
                // A curve has two ends.
                if knots.len() < 2 {
                    knots = vec![(Share::known(0.5), 1.0), (Share::ALL, 1.0)];
                }
                Model::Monotone(Monotone::nearest(knots))
            }
        }
    }
}

impl Scaling {
    /// Returns the factor of each coordinate.
    pub(super) fn factors(self, points: &[Vec<f64>]) -> Vec<f64> {
        let width = points.first().map_or(0, Vec::len);
        let deviation = |k: usize| {
            let n = points.len() as f64;
            let mean = points.iter().map(|p| p[k]).sum::<f64>() / n;
            let variance = points.iter().map(|p| (p[k] - mean) * (p[k] - mean)).sum::<f64>() / n;
            variance.sqrt()
        };
        let factor = |k| match self {
            Scaling::None => 1.0,
            // A coordinate with one value for all models distinguishes none.
            Scaling::Deviation => {
                Some(deviation(k)).filter(|d| *d > 1e-12).map_or(0.0, |d| 1.0 / d)
            }
        };
        (0..width).map(factor).collect()
    }
}
