//! [`Polynomial`]: the published model of sensitivity (Saba 4.2.1, eq. 4.1).

use super::{Samples, least_squares};
use crate::Share;

/// The degree of a polynomial, 1 to 3: those that the paper evaluates (Saba 4.2.2). The seven shares
/// that it measures leave little to a higher one but noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degree(u8);

impl Degree {
    /// A line.
    pub const ONE: Degree = Degree(1);
    /// A parabola.
    pub const TWO: Degree = Degree(2);
    /// What the paper's main results use.
    pub const THREE: Degree = Degree(3);

    /// The degree as a number.
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

/// Why there is no such polynomial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// No degree that is fitted here.
    #[error("a polynomial of degree {0}")]
    Degree(u8),
    /// Many polynomials go through the samples.
    #[error("a polynomial of degree {degree} through samples at {shares} shares")]
    TooFewShares {
        /// The degree.
        degree: u8,
        /// How many different shares were measured.
        shares: usize,
    },
}

impl FitError {
    /// What would be allowed instead.
    pub fn allowed(&self) -> String {
        match self {
            Self::Degree(_) => "a degree of 1, 2 or 3".into(),
            Self::TooFewShares { degree, .. } => {
                format!("samples at {} shares or more, or a lower degree", degree + 1)
            }
        }
    }
}

/// A slowdown as `c0 + c1 b + c2 b^2 + c3 b^3`, where `b` is the share.
///
/// Nothing makes it fall as the share rises: the cubic of a real application often claims that less
/// bandwidth is faster, and below the least share measured it goes where it likes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polynomial {
    /// Those above the degree are 0.
    coefficients: [f64; 4],
    degree: Degree,
    least: Share,
}

impl Polynomial {
    /// The polynomial with the least squared error over all runs.
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

    /// A polynomial that is known from elsewhere, `c0` first, and the least share that it was
    /// measured at. None for coefficients that are no numbers.
    pub fn new(coefficients: [f64; 4], least: Share) -> Option<Self> {
        if !coefficients.iter().all(|c| c.is_finite()) {
            return None;
        }
        let highest = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
        Some(Polynomial { coefficients, degree: Degree(highest.max(1) as u8), least })
    }

    /// `c0` to `c3`, in slowdown by power of the share.
    pub fn coefficients(&self) -> [f64; 4] {
        self.coefficients
    }

    /// The degree it was fitted with.
    pub fn degree(&self) -> Degree {
        self.degree
    }

    /// The least share that was measured.
    pub fn least(&self) -> Share {
        self.least
    }

    /// Its value at a share, measured there or not.
    pub(crate) fn value(&self, b: f64) -> f64 {
        let [c0, c1, c2, c3] = self.coefficients;
        c0 + b * (c1 + b * (c2 + b * c3))
    }

    /// The largest piece of the measured range in which more bandwidth is said to be slower, if there
    /// is one: its ends.
    pub fn rises(&self) -> Option<(Share, Share)> {
        let [_, c1, c2, c3] = self.coefficients;
        let slope = |b: f64| c1 + b * (2.0 * c2 + b * 3.0 * c3);
        let mut ends = vec![self.least.get(), 1.0];
        ends.extend(crate::roots::quadratic(3.0 * c3, 2.0 * c2, c1));
        ends.retain(|b| (self.least.get()..=1.0).contains(b));
        ends.sort_by(f64::total_cmp);
        let rising = ends.windows(2).filter(|ends| slope(0.5 * (ends[0] + ends[1])) > 0.0);
        let widest = rising.max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
        // Narrower than this it is rounding.
        let widest = widest.filter(|ends| ends[1] - ends[0] > 1e-9);
        widest.map(|ends| (Share::known(ends[0]), Share::known(ends[1])))
    }
}

/// Fits in the variable that runs from -1 to 1 over the measured range, where powers are least alike,
/// and expands.
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
        // The squares of several runs add up as their number times that of their mean, and a
        // constant. R² is over the same points.
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
    fn where_a_cubic_rises() {
        let cubic = |c| Polynomial::new(c, Share::known(0.05)).unwrap();
        assert_eq!(cubic([2.0, -1.0, 0.0, 0.0]).rises(), None);
        // (b - 0.3)(b - 0.6) is negative between its roots, so minus its integral rises there.
        let (from, to) = cubic([3.0, -0.18, 0.45, -1.0 / 3.0]).rises().unwrap();
        assert!((from.get() - 0.3).abs() < 1e-12 && (to.get() - 0.6).abs() < 1e-12);
        // Below the measured range nobody claimed anything.
        assert_eq!(cubic([0.0, 0.01, -1.0, 0.0]).rises(), None);
    }
}
