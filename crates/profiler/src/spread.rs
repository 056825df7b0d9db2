//! [`Spread`]: a geometric mean and how well it is known; and what that and [`judge`](crate::judge) go by.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The geometric mean of some values, with its 95% interval: that of the mean of their logarithms, by Student's
/// distribution. Ratios are as far from 1 if they are turned over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The geometric mean.
    pub mean: f64,
    /// Where its 95% interval begins and ends; none of one value.
    pub within: Option<(f64, f64)>,
}

impl Spread {
    /// Of values above 0; none of no values.
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

/// How many standard errors to both sides 95% are, with so many degrees of freedom (1 or more).
pub(crate) fn student(freedom: u32) -> f64 {
    StudentsT::new(0.0, 1.0, freedom.into()).expect("above 0").inverse_cdf(0.975)
}
