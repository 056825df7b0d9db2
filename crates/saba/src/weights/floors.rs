//! [`Floors`]: what nobody goes below.

use crate::Share;

/// How floors fit together at a port.
///
/// An application's own floor comes with its model ([`Catalogue::add`](super::Catalogue::add)), if
/// `of_models` says that it counts, and is at least `least`, so that nobody starves. Where the floors of a port add up to more than it has to
/// share, all are lowered by one factor, so that they take `kept` of it. Then everybody is below what
/// was measured, and only equal weights would need no model at all; `kept` says how much of the way
/// there to go. With floors that are alike, nobody gets less than `kept` of an equal share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floors {
    /// The least share of any application.
    pub least: Share,
    /// Whether the floors of models count.
    pub of_models: bool,
    /// The part of what is shared that floors take where they don't fit.
    pub kept: Share,
}

impl Default for Floors {
    /// A thousandth at least, and what was measured; half where floors don't fit.
    fn default() -> Self {
        Floors { least: Share::known(0.001), of_models: true, kept: Share::known(0.5) }
    }
}

impl Floors {
    /// The factor on all floors, whose sum is `sum`, where there is `capacity` to share.
    pub(super) fn factor(&self, sum: f64, capacity: f64) -> f64 {
        // Twenty times 5% is a little more than 1.
        let fits = sum <= capacity * (1.0 + 1e-9);
        if fits { (capacity / sum).min(1.0) } else { self.kept.get() * capacity / sum }
    }
}
