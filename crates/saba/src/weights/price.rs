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
    /// No shares have a sum of slowdowns below this.
    pub(super) bound: f64,
}

/// Enough for any: a step in three halves the widest difference, and 60 halvings leave nothing of it.
const MOST_STEPS: u32 = 2_000;

/// Two prices, and who asks for different shares at them.
struct Bracket<'t, 'a> {
    terms: &'t [Term<'a>],
    capacity: f64,
    balance: Balance,
    /// The price at which terms ask for `balance.less`, and how much more there is than that.
    high: (f64, f64),
    /// The price at which they ask for `balance.more`, and how much less there is, as a negative.
    low: (f64, f64),
    /// Terms that ask for different shares at both.
    active: Vec<usize>,
    /// What all others ask for.
    settled: f64,
    /// What the terms of `active` ask for at the price that is tried.
    asked: Vec<f64>,
}

/// Finds the price. None where the terms' bounds leave no shares with the sum `capacity`.
pub(super) fn balance(terms: &[Term], capacity: f64) -> Option<Balance> {
    let least = sum_of(terms, |term| term.lo);
    let most = sum_of(terms, |term| term.hi);
    // Sums of bounds that meet the capacity may miss it by rounding.
    let slack = 1e-12 * capacity;
    if least > capacity + slack || most < capacity - slack {
        return None;
    }
    let mut bracket = Bracket::new(terms, capacity, capacity - least, capacity - most);
    if least < capacity && capacity < most {
        bracket.narrow();
    } else if least >= capacity {
        bracket.balance.more.clone_from(&bracket.balance.less);
    } else {
        bracket.balance.less.clone_from(&bracket.balance.more);
    }
    let bound = bracket.bound(bracket.high.0).max(bracket.bound(bracket.low.0));
    Some(Balance { bound, ..bracket.balance })
}

impl<'t, 'a> Bracket<'t, 'a> {
    /// Prices at which all have their least and their most.
    fn new(terms: &'t [Term<'a>], capacity: f64, left: f64, lacking: f64) -> Self {
        let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
        for term in terms {
            let (fall, rise) = term.curve.slopes(term.lo, term.hi);
            (high, low) = (high.max(-fall), low.min(-rise));
        }
        let balance = Balance {
            less: terms.iter().map(|term| term.lo).collect(),
            more: terms.iter().map(|term| term.hi).collect(),
            bound: f64::NEG_INFINITY,
        };
        // At the slope itself a line asks for anything; a little beyond it does not.
        let beyond = 1e-9 * (1.0 + high.abs().max(low.abs()));
        let mut bracket = Bracket {
            terms,
            capacity,
            balance,
            high: (high + beyond, left),
            low: (low - beyond, lacking),
            active: (0..terms.len()).collect(),
            settled: 0.0,
            asked: vec![0.0; terms.len()],
        };
        bracket.retire();
        bracket
    }

    /// Brings both prices together, until they are neighbours or all is given.
    fn narrow(&mut self) {
        for step in 0..MOST_STEPS {
            // Interpolation finds a place where all is smooth. Halving the widest difference finds
            // one where somebody jumps, and makes an end of everything else.
            let price = match step % 3 {
                0 | 1 => self.interpolated(),
                _ => self.halving(),
            };
            let is_between = |price: f64| self.low.0 < price && price < self.high.0;
            let middle = 0.5 * (self.low.0 + self.high.0);
            let price = if is_between(price) { price } else { middle };
            if self.active.is_empty() || !is_between(price) || self.moved_to(price) {
                return;
            }
        }
    }

    /// Moves an end of the bracket to a price. Whether just all is asked for there.
    fn moved_to(&mut self, price: f64) -> bool {
        let mut left = self.capacity - self.settled;
        for &i in &self.active {
            let term = &self.terms[i];
            // At a price between, a share is between too; rounding must not say otherwise.
            let (less, more) = (self.balance.less[i], self.balance.more[i]);
            self.asked[i] = term.curve.best(term.lo, term.hi, price).x.clamp(less, more);
            left -= f64::from(term.count) * self.asked[i];
        }
        let (side, end, other) = match left >= 0.0 {
            true => (&mut self.balance.less, &mut self.high, &mut self.low),
            false => (&mut self.balance.more, &mut self.low, &mut self.high),
        };
        for &i in &self.active {
            side[i] = self.asked[i];
        }
        *end = (price, left);
        // The Illinois rule: an end that stays counts for less, so that it moves the next time.
        other.1 *= 0.5;
        self.retire();
        let is_all = left.abs() <= 1e-14 * self.capacity;
        if is_all {
            let Balance { less, more, .. } = &mut self.balance;
            if left >= 0.0 { more.clone_from(less) } else { less.clone_from(more) }
        }
        is_all
    }

    /// Settles the terms that ask for the same at both prices, and so at all between.
    fn retire(&mut self) {
        let Balance { less, more, .. } = &self.balance;
        let (terms, settled) = (self.terms, &mut self.settled);
        self.active.retain(|&i| {
            let differs = more[i] > less[i];
            if !differs {
                *settled += f64::from(terms[i].count) * less[i];
            }
            differs
        });
    }

    /// Where a line between both ends says that just all is asked for.
    fn interpolated(&self) -> f64 {
        let ((high, left), (low, lacking)) = (self.high, self.low);
        // Far apart, prices are compared by their ratio: shares go with the root of one over them.
        if low > 0.0 && high > 16.0 * low {
            return (low * high).sqrt();
        }
        low + (high - low) * (-lacking / (left - lacking))
    }

    /// The price at which the term with the widest difference crosses its middle.
    fn halving(&self) -> f64 {
        let Balance { less, more, .. } = &self.balance;
        let width = |&i: &usize| f64::from(self.terms[i].count) * (more[i] - less[i]);
        let widest = self.active.iter().copied().max_by(|a, b| width(a).total_cmp(&width(b)));
        let Some(i) = widest else { return self.high.0 };
        let term = &self.terms[i];
        let middle = 0.5 * (less[i] + more[i]);
        let (mut low, mut high) = (self.low.0, self.high.0);
        loop {
            let price = 0.5 * (low + high);
            if !(low < price && price < high) {
                // The crossing is between these two; one of them may have been tried.
                return if high < self.high.0 { high } else { low };
            }
            let asks_more = term.curve.best(term.lo, term.hi, price).x > middle;
            *(if asks_more { &mut low } else { &mut high }) = price;
        }
    }

    /// What is below the optimum, by what all would cost at a price (weak duality).
    fn bound(&self, price: f64) -> f64 {
        let cost = |term: &Term| term.curve.best(term.lo, term.hi, price).cost;
        sum_of(self.terms, cost) - price * self.capacity
    }
}
