//! [`Term`]: a summand of the sum of slowdowns.

use super::curve::Curve;
use super::piece::Ask;

/// Equal applications, each with a share between `lo` and `hi`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term<'a> {
    pub(super) curve: &'a Curve,
    pub(super) lo: f64,
    pub(super) hi: f64,
    /// The number of applications.
    pub(super) count: u32,
    /// The port's model.
    pub(super) class: u32,
    leaves: f64,
}

impl<'a> Term<'a> {
    pub(super) fn new(curve: &'a Curve, lo: f64, hi: f64, count: u32, class: u32) -> Self {
        Term { curve, lo, hi, count, class, leaves: curve.leaves(lo, hi) }
    }

    /// Returns `count` of the applications, with other bounds.
    pub(super) fn part(&self, lo: f64, hi: f64, count: u32) -> Self {
        Term::new(self.curve, lo, hi, count, self.class)
    }

    /// Returns the lowest price at which the term asks for `lo`, or infinity if it is not
    /// known.
    pub(super) fn leaves(&self) -> f64 {
        self.leaves
    }

    /// Returns the demand of each at a price.
    #[inline]
    pub(super) fn ask(&self, price: f64) -> Ask {
        if price >= self.leaves {
            Ask::just(self.lo)
        } else {
            self.curve.best(self.lo, self.hi, price)
        }
    }
}

/// Applications of a term with one share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Granted {
    /// The term's number.
    pub(crate) term: u32,
    pub(crate) count: u32,
    pub(crate) share: f64,
}

/// Returns the sum over all applications of a number of each term.
pub(super) fn sum_of(terms: &[Term], of: impl Fn(&Term) -> f64) -> f64 {
    terms.iter().map(|term| f64::from(term.count) * of(term)).sum()
}
