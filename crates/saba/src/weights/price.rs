//! The price of bandwidth at which applications ask for as much as there is.
//!
//! Shares that minimise the sum of slowdowns, all of them together being given, minimise each
//! slowdown plus a price for its share (the Lagrangian). The higher the price, the less anybody asks
//! for. What all of that costs, less the price of what there is, is below the optimum at any price,
//! also where slowdowns are not convex.

use super::problem::{Term, sum_of};

/// What terms ask for just above the price that balances and just below it.
#[derive(Debug, Clone, Default)]
pub(super) struct Balance {
    /// Of each term the share at the higher price. Together no more than there is.
    pub(super) less: Vec<f64>,
    /// Of each term the share at the lower price. Together no less than there is.
    pub(super) more: Vec<f64>,
    /// The two prices.
    high: f64,
    low: f64,
    /// Terms that ask for different shares at both.
    active: Vec<usize>,
    /// What the terms of `active` ask for at the price that is tried.
    asked: Vec<f64>,
}

/// Enough for any: a step in three halves the widest difference, and 60 halvings leave nothing of it.
const MOST_STEPS: u32 = 2_000;

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
        self.asked.resize(terms.len(), 0.0);
        self.active.clear();
        self.active.extend(0..terms.len());
        (self.high, self.low) = (f64::INFINITY, f64::NEG_INFINITY);
        if least >= capacity {
            self.more.clone_from(&self.less);
        } else if most <= capacity {
            self.less.clone_from(&self.more);
        } else {
            let mut bracket = Bracket {
                terms,
                capacity,
                settled: 0.0,
                left: capacity - least,
                lacking: capacity - most,
                found: self,
            };
            bracket.narrow();
        }
        true
    }

    /// What no shares have a sum of slowdowns below: what all would cost at a price, less what there
    /// is at that price (weak duality). Of both prices, that which says more.
    pub(super) fn bound(&self, terms: &[Term], capacity: f64) -> f64 {
        let at = |price: f64, shares: &[f64]| {
            let cost = |(term, &x): (&Term, &f64)| {
                f64::from(term.count) * (term.curve.value(x) + price * x)
            };
            terms.iter().zip(shares).map(cost).sum::<f64>() - price * capacity
        };
        // An end that was never tried is where all have their least, or their most, at any price.
        let high = if self.high.is_finite() { self.high } else { steepest(terms.iter()).0 };
        let low = if self.low.is_finite() { self.low } else { steepest(terms.iter()).1 };
        match self.less == self.more {
            // All bounds that leave nothing to choose.
            true if !self.high.is_finite() && !self.low.is_finite() => at(0.0, &self.less),
            _ => at(high, &self.less).max(at(low, &self.more)),
        }
    }
}

/// Two prices on their way to each other.
struct Bracket<'t, 'a, 'b> {
    terms: &'t [Term<'a>],
    capacity: f64,
    found: &'b mut Balance,
    /// What the terms that are not active ask for.
    settled: f64,
    /// How much more there is than is asked for at the higher price.
    left: f64,
    /// How much less there is than is asked for at the lower price, as a negative.
    lacking: f64,
}

impl Bracket<'_, '_, '_> {
    /// Brings both prices together, until they are neighbours or all is given.
    fn narrow(&mut self) {
        if self.moved_to(self.first()) {
            return;
        }
        // An end that has not been tried is where the steepest slope is.
        let (high, low) = steepest(self.found.active.iter().map(|&i| &self.terms[i]));
        if self.found.high.is_infinite() {
            self.found.high = high;
        }
        if self.found.low.is_infinite() {
            self.found.low = low;
        }
        for step in 0..MOST_STEPS {
            // Interpolation finds a place where all is smooth. Halving the widest difference finds
            // one where somebody jumps, and makes an end of everything else.
            let price = match step % 3 {
                0 | 1 => self.interpolated(),
                _ => self.halving(),
            };
            let is_between = |price: f64| self.found.low < price && price < self.found.high;
            let middle = 0.5 * (self.found.low + self.found.high);
            let price = if is_between(price) { price } else { middle };
            if self.found.active.is_empty() || !is_between(price) || self.moved_to(price) {
                return;
            }
        }
    }

    /// A price to begin with: the highest at which some term, if it were alone, would ask for all.
    /// Where slowdowns are convex, it is too low, and not by much.
    fn first(&self) -> f64 {
        let alone = |term: &Term| {
            let x = term.lo + self.left / f64::from(term.count);
            -term.curve.slope(x.min(term.hi))
        };
        self.terms.iter().map(alone).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Moves an end of the bracket to a price. Whether just all is asked for there.
    fn moved_to(&mut self, price: f64) -> bool {
        let Balance { less, more, active, asked, high, low } = &mut *self.found;
        let mut left = self.capacity - self.settled;
        for &i in &*active {
            let term = &self.terms[i];
            asked[i] = if less[i] == term.lo && term.curve.stays(term.lo, term.hi, price) {
                term.lo
            } else {
                // At a price between, a share is between too; rounding must not say otherwise.
                term.curve.best(term.lo, term.hi, price).clamp(less[i], more[i])
            };
            left -= f64::from(term.count) * asked[i];
        }
        // The Illinois rule: an end that stays counts for less, so that it moves the next time.
        let side = if left >= 0.0 {
            (*high, self.left, self.lacking) = (price, left, 0.5 * self.lacking);
            &mut *less
        } else {
            (*low, self.lacking, self.left) = (price, left, 0.5 * self.left);
            &mut *more
        };
        for &i in &*active {
            side[i] = asked[i];
        }
        if left.abs() <= 1e-14 * self.capacity {
            if left >= 0.0 {
                more.clone_from(less)
            } else {
                less.clone_from(more)
            }
            return true;
        }
        // Who asks for the same at both prices asks for that at all between.
        active.retain(|&i| {
            let differs = more[i] > less[i];
            if !differs {
                self.settled += f64::from(self.terms[i].count) * less[i];
            }
            differs
        });
        false
    }

    /// Where a line between both ends says that just all is asked for.
    fn interpolated(&self) -> f64 {
        let part = -self.lacking / (self.left - self.lacking);
        let (high, low) = (self.found.high, self.found.low);
        if low > 0.0 {
            // Of `c / x` the share is the root of `c` over the price. That line is straight.
            let (few, many) = (1.0 / high.sqrt(), 1.0 / low.sqrt());
            let root = many + (few - many) * part;
            return 1.0 / (root * root);
        }
        low + (high - low) * part
    }

    /// The price at which the term with the widest difference crosses its middle.
    fn halving(&self) -> f64 {
        let Balance { less, more, active, .. } = &*self.found;
        let width = |i: usize| f64::from(self.terms[i].count) * (more[i] - less[i]);
        let Some(&widest) = active.iter().max_by(|&&a, &&b| width(a).total_cmp(&width(b))) else {
            return self.found.high;
        };
        let term = &self.terms[widest];
        let middle = 0.5 * (less[widest] + more[widest]);
        let (mut low, mut high) = (self.found.low, self.found.high);
        loop {
            let price = 0.5 * (low + high);
            if !(low < price && price < high) {
                // The crossing is between these two; one of them may have been tried.
                return if high < self.found.high { high } else { low };
            }
            let asks_more = term.curve.best(term.lo, term.hi, price) > middle;
            *(if asks_more { &mut low } else { &mut high }) = price;
        }
    }
}

/// Prices at which these terms have their least, and at which they have their most.
fn steepest<'t, 'a: 't>(terms: impl Iterator<Item = &'t Term<'a>>) -> (f64, f64) {
    let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
    for term in terms {
        let (fall, rise) = term.curve.slopes(term.lo, term.hi);
        (high, low) = (high.max(-fall), low.min(-rise));
    }
    // At the slope itself a line asks for anything; a little beyond it does not.
    let beyond = 1e-9 * (1.0 + high.abs().max(low.abs()));
    (high + beyond, low - beyond)
}
