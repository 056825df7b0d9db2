//! [`Prediction`]: a slowdown, and whether it is within the measured range.

use crate::Share;

/// A model's prediction at a share. The caller has to handle extrapolation, because models of
/// sensitivity are unreliable there.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub enum Prediction {
    /// The share is within the measured range.
    Measured {
        /// The ratio of the completion time to that with the whole bandwidth.
        slowdown: f64,
    },
    /// The share is below the measured range.
    Extrapolated {
        /// The model's value. A polynomial continues; a monotone model gives the maximum for a
        /// fixed amount of data.
        slowdown: f64,
        /// The least measured share.
        least: Share,
    },
}

impl Prediction {
    /// Returns the slowdown, if it is within the measured range.
    pub fn measured(self) -> Option<f64> {
        match self {
            Prediction::Measured { slowdown } => Some(slowdown),
            Prediction::Extrapolated { .. } => None,
        }
    }

    /// Returns the slowdown, also if it is extrapolated.
    pub fn even_extrapolated(self) -> f64 {
        match self {
            Prediction::Measured { slowdown } | Prediction::Extrapolated { slowdown, .. } => {
                slowdown
            }
        }
    }

    /// Returns whether it is within the measured range.
    pub fn is_measured(self) -> bool {
        self.measured().is_some()
    }
}
