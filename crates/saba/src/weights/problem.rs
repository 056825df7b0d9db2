//! [`Term`]: what a sum of slowdowns is made of.

use super::curve::Curve;
use super::piece::Ask;

/// Applications that are alike: each has a share between `lo` and `hi`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term<'a> {
    pub(super) curve: &'a Curve,
    pub(super) lo: f64,
    pub(super) hi: f64,
    /// How many there are.
    pub(super) count: u32,
    /// Which of the port's models it is.
    pub(super) class: u32,
    leaves: f64,
}

impl<'a> Term<'a> {
    pub(super) fn new(curve: &'a Curve, lo: f64, hi: f64, count: u32, class: u32) -> Self {
        Term { curve, lo, hi, count, class, leaves: curve.leaves(lo, hi) }
    }

    /// So many of it, between other bounds.
    pub(super) fn part(&self, lo: f64, hi: f64, count: u32) -> Self {
        Term::new(self.curve, lo, hi, count, self.class)
    }

    /// Down to this price it asks for `lo`; infinity if that is not known.
    pub(super) fn leaves(&self) -> f64 {
        self.leaves
    }

    /// What each asks for at a price.
    #[inline]
    pub(super) fn ask(&self, price: f64) -> Ask {
        if price >= self.leaves {
            Ask::just(self.lo)
        } else {
            self.curve.best(self.lo, self.hi, price)
        }
    }
}

/// Some of a term's applications, with one share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Granted {
    /// The term's number.
    pub(crate) term: u32,
    pub(crate) count: u32,
    pub(crate) share: f64,
}

/// The sum over all of a number of each term's applications.
pub(super) fn sum_of(terms: &[Term], of: impl Fn(&Term) -> f64) -> f64 {
    terms.iter().map(|term| f64::from(term.count) * of(term)).sum()
}
