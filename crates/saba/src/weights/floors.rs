//! [`Floors`]: lower bounds of shares.

use crate::Share;

/// The rules for the floors of a port.
///
/// An application's own floor comes with its model ([`Catalogue::add`](super::Catalogue::add)), if
/// `of_models` is set, and is at least `least`, so that no application starves. If the floors of a
/// port exceed its capacity, all are lowered by one factor, so that they take `kept` of it. All
/// applications are then below their measured range, in which only equal weights need no model.
/// `kept` is the distance to those: with equal floors, no application gets less than `kept` of an
/// equal share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floors {
    /// The least share of any application.
    pub least: Share,
    /// True if the floors of models count.
    pub of_models: bool,
    /// The fraction of the capacity that floors take if they do not fit.
    pub kept: Share,
}

impl Default for Floors {
    /// At least a thousandth and the measured range; half of the capacity if floors do not fit.
    fn default() -> Self {
        Floors { least: Share::known(0.001), of_models: true, kept: Share::known(0.5) }
    }
}

impl Floors {
    /// Returns the factor on all floors with sum `sum`, for `capacity` to share.
    pub(super) fn factor(&self, sum: f64, capacity: f64) -> f64 {
        // Twenty times 5% is slightly more than 1 in floating point.
        let fits = sum <= capacity * (1.0 + 1e-9);
        if fits { (capacity / sum).min(1.0) } else { self.kept.get() * capacity / sum }
    }
}
