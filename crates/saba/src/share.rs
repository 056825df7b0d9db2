//! [`Share`]: a fraction of a link's bandwidth.

/// A fraction of a link's bandwidth: a billionth to 1, the whole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(f64);

/// Smaller values are most likely an error of units, and their inverse loses digits.
const LEAST: f64 = 1e-9;

/// The error for a number that is not a share.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("a share of {0}")]
pub struct ShareError(pub f64);

impl ShareError {
    /// The allowed values.
    pub const ALLOWED: &str = "above 0 and up to 1, such as 0.25 for a quarter of the bandwidth";
}

impl Share {
    /// The whole bandwidth.
    pub const ALL: Share = Share(1.0);

    /// The shares of the paper's profiler (Saba 4.5.1), the least first.
    pub const PROFILED: [Share; 7] =
        [Share(0.05), Share(0.1), Share(0.25), Share(0.5), Share(0.75), Share(0.9), Share::ALL];

    /// Returns the share closest to a fraction, above 0 and up to 1, that may be too small for one.
    pub fn at_least(fraction: f64) -> Self {
        Share(fraction.clamp(LEAST, 1.0))
    }

    /// Returns a share that is known to be valid.
    pub(crate) const fn known(share: f64) -> Self {
        Share(share)
    }

    /// Returns the share as a fraction.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Share {
    type Error = ShareError;
    fn try_from(share: f64) -> Result<Self, ShareError> {
        if (LEAST..=1.0).contains(&share) { Ok(Share(share)) } else { Err(ShareError(share)) }
    }
}

impl From<Share> for f64 {
    fn from(share: Share) -> f64 {
        share.0
    }
}

// No share is NaN, so all are ordered.
impl Eq for Share {}
impl Ord for Share {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for Share {
    /// Prints the share in percent.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A hundredth of a percent is finer than any measurement.
        write!(f, "{}%", (self.0 * 1e4).round() / 1e2)
    }
}
