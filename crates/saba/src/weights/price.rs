//! The price of bandwidth at which applications ask for as much as there is.
//!
//! Shares that minimise the sum of slowdowns, all of them together being given, minimise each
//! slowdown plus a price for its share (the Lagrangian). The higher the price, the less anybody asks
//! for. What all of that costs, less the price of what there is, is below the optimum at any price,
//! also where slowdowns are not convex.

use super::bracket::Bracket;
use super::piece::Ask;
use super::problem::{Term, sum_of};

/// What terms ask for just above the price that balances and just below it.
#[derive(Debug, Clone, Default)]
pub(super) struct Balance {
    /// Of each term the share at the higher price. Together no more than there is.
    pub(super) less: Vec<f64>,
    /// Of each term the share at the lower price. Together no less than there is.
    pub(super) more: Vec<f64>,
    /// The two prices.
    pub(super) high: f64,
    pub(super) low: f64,
    /// Terms that ask for different shares at both.
    pub(super) active: Vec<usize>,
    /// What the terms of `active` ask for at the price that is tried.
    pub(super) asked: Vec<Ask>,
    /// Prices to choose the first from.
    pub(super) prices: Vec<f64>,
    /// If all is given at one price, by how much the sum of slowdowns is above the bound.
    pub(super) gap: Option<f64>,
}

impl Balance {
    /// Finds the price. False where the terms' bounds leave no shares with the sum `capacity`.
    pub(super) fn find(&mut self, terms: &[Term], capacity: f64) -> bool {
        let least = sum_of(terms, |term| term.lo);
        let most = sum_of(terms, |term| term.hi);
        // Sums of bounds that meet the capacity may miss it by rounding.
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
            // Nothing to choose.
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

    /// What no shares have a sum of slowdowns below, where these ones have `objective`.
    ///
    /// It is what all would cost at a price, less what there is at that price (weak duality). Of both
    /// prices, that which says more.
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
