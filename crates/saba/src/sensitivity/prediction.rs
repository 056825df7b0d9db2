//! [`Prediction`]: a slowdown, and whether anything like it was measured.

use crate::Share;

/// What a model says of a share. Whoever wants the number has to say what becomes of those that were
/// never measured: extrapolation is how models of sensitivity go wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub enum Prediction {
    /// The share lies between two that were measured, or is one of them.
    Measured {
        /// Completion time over completion time with all of the bandwidth.
        slowdown: f64,
    },
    /// The share is less than any that was measured.
    Extrapolated {
        /// What the model gives there. A polynomial goes on as it is; a monotone model gives the most
        /// that a fixed amount of data can take.
        slowdown: f64,
        /// The least share that was measured.
        least: Share,
    },
}

impl Prediction {
    /// The slowdown, where it was measured around the share.
    pub fn measured(self) -> Option<f64> {
        match self {
            Prediction::Measured { slowdown } => Some(slowdown),
            Prediction::Extrapolated { .. } => None,
        }
    }

    /// The slowdown, extrapolated or not.
    pub fn even_extrapolated(self) -> f64 {
        match self {
            Prediction::Measured { slowdown } | Prediction::Extrapolated { slowdown, .. } => {
                slowdown
            }
        }
    }

    /// Whether it was measured around the share.
    pub fn is_measured(self) -> bool {
        self.measured().is_some()
    }
}
