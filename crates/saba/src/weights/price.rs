//! The price of bandwidth at which the demand equals the capacity.
//!
//! Shares that minimise the sum of slowdowns, with a given total, minimise each slowdown plus a
//! price for its share (the Lagrangian). The higher the price, the lower the demand. The cost of
//! all demands, less the price of the capacity, is below the optimum at any price, also for
//! slowdowns that are not convex.

use super::bracket::Bracket;
use super::piece::Ask;
use super::problem::{Term, sum_of};

/// The demands just above and just below the balancing price.
#[derive(Debug, Clone, Default)]
pub(super) struct Balance {
    /// The share of each term at the higher price. Their sum is at most the capacity.
    pub(super) less: Vec<f64>,
    /// The share of each term at the lower price. Their sum is at least the capacity.
    pub(super) more: Vec<f64>,
    /// The two prices.
    pub(super) high: f64,
    pub(super) low: f64,
    /// The terms with different demands at both.
    pub(super) active: Vec<usize>,
    /// The demands of the `active` terms at the price that is tried.
    pub(super) asked: Vec<Ask>,
    /// The candidates for the first price.
    pub(super) prices: Vec<f64>,
    /// The excess of the sum of slowdowns over the bound, if one price distributes the whole
    /// capacity.
    pub(super) gap: Option<f64>,
}

impl Balance {
    /// Finds the price, and returns `false` if the bounds allow no shares with sum `capacity`.
    pub(super) fn find(&mut self, terms: &[Term], capacity: f64) -> bool {
        let least = sum_of(terms, |term| term.lo);
        let most = sum_of(terms, |term| term.hi);
        // Sums of bounds may miss the capacity by rounding.
        let slack = 1e-12 * capacity;
        if least > capacity + slack || most < capacity - slack {
            return false;
        }
        self.less.clear();
        self.less.extend(terms.iter().map(|term| term.lo));
        self.more.clear();
        self.more.extend(terms.iter().map(|term| term.hi));
        self.asked.clear();
        self.asked.resize(terms.len(), Ask::just(0.0));
        self.gap = None;
        self.active.clear();
        self.active.extend(0..terms.len());
        (self.high, self.low) = (f64::INFINITY, f64::NEG_INFINITY);
        if least >= capacity {
            // All shares are determined.
            self.more.clone_from(&self.less);
            self.gap = Some(0.0);
        } else if most <= capacity {
            self.less.clone_from(&self.more);
            self.gap = Some(0.0);
        } else {
            let left = capacity - least;
            Bracket::new(terms, capacity, left, most - least, self).narrow();
        }
        true
    }

    /// Returns a lower bound of the sum of slowdowns; `objective` is the sum at the current
    /// shares. The bound is the cost of all demands at a price, less the cost of the capacity
    /// (weak duality), at the price with the higher bound.
    pub(super) fn bound(&self, terms: &[Term], capacity: f64, objective: f64) -> f64 {
        if let Some(gap) = self.gap {
            return objective - gap;
        }
        let at = |price: f64, shares: &[f64]| {
            let cost = |(term, &x): (&Term, &f64)| {
                f64::from(term.count) * (term.curve.value(x) + price * x)
            };
            terms.iter().zip(shares).map(cost).sum::<f64>() - price * capacity
        };
        at(self.high, &self.less).max(at(self.low, &self.more))
    }
}
