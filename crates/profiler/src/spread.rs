//! [`Spread`]: a geometric mean with its confidence interval, and Student's distribution for it and
//! for [`judge`](crate::judge).

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The geometric mean of values, with its 95% interval: that of the mean of their logarithms, by
/// Student's distribution. Inverted ratios have the inverted interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The geometric mean.
    pub mean: f64,
    /// The ends of its 95% interval, or `None` for a single value.
    pub within: Option<(f64, f64)>,
}

impl Spread {
    /// Returns the spread of values above 0, or `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Spread> {
        let count = values.len() as f64;
        let logs = || values.iter().map(|value| value.ln());
        let mean = logs().sum::<f64>() / count;
        let freedom = values.len().checked_sub(1)? as u32;
        let within = (freedom > 0).then(|| {
            let squares: f64 = logs().map(|log| (log - mean).powi(2)).sum();
            let reach = student(freedom) * (squares / f64::from(freedom) / count).sqrt();
            ((mean - reach).exp(), (mean + reach).exp())
        });
        Some(Spread { mean: mean.exp(), within })
    }
}

/// Returns half the 95% interval in standard errors, for `freedom` degrees of freedom (1 or more).
pub(crate) fn student(freedom: u32) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.into()).expect("above 0").inverse_cdf(0.975)
}
