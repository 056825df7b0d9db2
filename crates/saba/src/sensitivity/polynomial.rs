//! [`Polynomial`]: the published model of sensitivity (Saba 4.2.1, eq. 4.1).

use super::{Samples, least_squares};
use crate::Share;

/// The degree of a polynomial, 1 to 3, as evaluated by the paper (Saba 4.2.2). With its seven
/// measured shares, higher degrees would mainly fit noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degree(u8);

impl Degree {
    /// A line.
    pub const ONE: Degree = Degree(1);
    /// A parabola.
    pub const TWO: Degree = Degree(2);
    /// A cubic, which the paper's main results use.
    pub const THREE: Degree = Degree(3);

    /// Returns the degree as a number.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl TryFrom<u8> for Degree {
    type Error = FitError;
    fn try_from(degree: u8) -> Result<Self, FitError> {
        if (1..=3).contains(&degree) { Ok(Degree(degree)) } else { Err(FitError::Degree(degree)) }
    }
}

/// The reasons for which a polynomial cannot be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// A degree out of range.
    #[error("a polynomial of degree {0}")]
    Degree(u8),
    /// Too few shares, so that many polynomials fit the samples.
    #[error("a polynomial of degree {degree} through samples at {shares} shares")]
    TooFewShares {
        /// The degree.
        degree: u8,
        /// The number of different shares.
        shares: usize,
    },
}

impl FitError {
    /// Returns the allowed values.
    pub fn allowed(&self) -> String {
        match self {
            Self::Degree(_) => "a degree of 1, 2 or 3".into(),
            Self::TooFewShares { degree, .. } => {
                format!("samples at {} shares or more, or a lower degree", degree + 1)
            }
        }
    }
}

/// A slowdown as `c0 + c1 b + c2 b^2 + c3 b^3`, with the share `b`.
///
/// The slowdown need not fall as the share rises. The cubic of a real application often predicts
/// that less bandwidth is faster, and is unbounded below the least measured share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polynomial {
    /// Coefficients above the degree are 0.
    coefficients: [f64; 4],
    degree: Degree,
    least: Share,
}

impl Polynomial {
    /// Fits the polynomial with the least squared error over all runs.
    ///
    /// # Errors
    ///
    /// Returns a [`FitError`] if there are too few shares for the degree.
    pub fn fit(samples: &Samples, degree: Degree) -> Result<Self, FitError> {
        let shares = samples.points().len();
        let error = FitError::TooFewShares { degree: degree.0, shares };
        if shares <= usize::from(degree.0) {
            return Err(error);
        }
        let coefficients = match degree.0 {
            1 => fit::<2>(samples),
            2 => fit::<3>(samples),
            _ => fit::<4>(samples),
        };
        let coefficients = coefficients.ok_or(error)?;
        Ok(Polynomial { coefficients, degree, least: samples.least() })
    }

    /// Returns a polynomial with given coefficients, `c0` first, and its least measured share.
    /// Returns `None` if a coefficient is not finite.
    pub fn new(coefficients: [f64; 4], least: Share) -> Option<Self> {
        if !coefficients.iter().all(|c| c.is_finite()) {
            return None;
        }
        let highest = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        Some(Polynomial { coefficients, degree: Degree(highest.max(1) as u8), least })
    }

    /// Returns `c0` to `c3`, in slowdown by power of the share.
    pub fn coefficients(&self) -> [f64; 4] {
        self.coefficients
    }

    /// Returns the degree of the fit.
    pub fn degree(&self) -> Degree {
        self.degree
    }

    /// Returns the least measured share.
    pub fn least(&self) -> Share {
        self.least
    }

    /// Returns the value at a share, in the measured range or not.
    pub(crate) fn value(&self, b: f64) -> f64 {
        let [c0, c1, c2, c3] = self.coefficients;
        c0 + b * (c1 + b * (c2 + b * c3))
    }

    /// Returns the ends of the widest interval of the measured range in which more bandwidth is
    /// predicted to be slower, if there is one.
    pub fn rises(&self) -> Option<(Share, Share)> {
        let [_, c1, c2, c3] = self.coefficients;
        let slope = |b: f64| c1 + b * (2.0 * c2 + b * 3.0 * c3);
        let mut ends = vec![self.least.get(), 1.0];
        ends.extend(crate::roots::quadratic(3.0 * c3, 2.0 * c2, c1));
        ends.retain(|b| (self.least.get()..=1.0).contains(b));
        ends.sort_by(f64::total_cmp);
        let rising = ends.windows(2).filter(|ends| slope(0.5 * (ends[0] + ends[1])) > 0.0);
        let widest = rising.max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
        // A narrower interval is a rounding error.
        let widest = widest.filter(|ends| ends[1] - ends[0] > 1e-9);
        widest.map(|ends| (Share::known(ends[0]), Share::known(ends[1])))
    }
}

/// Fits in a variable from -1 to 1 over the measured range, in which powers are least alike, and
/// expands the result.
fn fit<const K: usize>(samples: &Samples) -> Option<[f64; 4]> {
    let (middle, half) = (0.5 + 0.5 * samples.least().get(), 0.5 - 0.5 * samples.least().get());
    let mut rows = Vec::new();
    let mut slowdowns = Vec::new();
    for point in samples.points() {
        let t = (point.share.get() - middle) / half;
        let mut row = [1.0; K];
        for k in 1..K {
            row[k] = row[k - 1] * t;
        }
        // The squared errors of several runs equal their number times the squared error of their
        // mean, plus a constant. R² uses the same points.
        let weight = f64::from(point.runs).sqrt();
        rows.push(row.map(|x| x * weight));
        slowdowns.push(point.slowdown * weight);
    }
    let scaled = least_squares::solve(rows, slowdowns)?;
    // Horner's scheme on polynomials: p := p (b - middle) / half + next.
    let mut p = [0.0; 4];
    for &next in scaled.iter().rev() {
        let mut q = [0.0; 4];
        for k in 0..4 {
            q[k] -= p[k] * middle / half;
            if k > 0 {
                q[k] += p[k - 1] / half;
            }
        }
        q[0] += next;
        p = q;
    }
    Some(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rising_interval_of_a_cubic_is_found() {
        let cubic = |c| Polynomial::new(c, Share::known(0.05)).unwrap();
        assert_eq!(cubic([2.0, -1.0, 0.0, 0.0]).rises(), None);
        // (b - 0.3)(b - 0.6) is negative between its roots, so minus its integral rises there.
        let (from, to) = cubic([3.0, -0.18, 0.45, -1.0 / 3.0]).rises().unwrap();
        assert!((from.get() - 0.3).abs() < 1e-12 && (to.get() - 0.6).abs() < 1e-12);
        // The rise is below the measured range.
        assert_eq!(cubic([0.0, 0.01, -1.0, 0.0]).rises(), None);
    }
}
