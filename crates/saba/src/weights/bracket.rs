//! [`Bracket`]: two prices that converge.

use super::piece::Ask;
use super::price::Balance;
use super::problem::Term;

/// The largest loss from distributing the rest that counts as zero.
const CLOSE: f64 = 1e-13;

/// The maximum number of steps, sufficient for any problem: a step in three halves the widest
/// difference, and 60 halvings exhaust it.
const MOST_STEPS: u32 = 2_000;

/// Two converging prices.
pub(super) struct Bracket<'t, 'a, 'b> {
    terms: &'t [Term<'a>],
    capacity: f64,
    found: &'b mut Balance,
    /// The demand of the terms that are not active.
    settled: f64,
    /// The last price tried.
    tried: f64,
    /// The rest at that price.
    left: f64,
    /// The derivative of the demand by the price, negated.
    falls: f64,
    /// The difference of demands at both prices.
    width: f64,
}

impl<'t, 'a, 'b> Bracket<'t, 'a, 'b> {
    /// Returns a bracket before the first price: `left` is the capacity beyond all lower bounds,
    /// and `width` the largest demand beyond them.
    pub(super) fn new(
        terms: &'t [Term<'a>],
        capacity: f64,
        left: f64,
        width: f64,
        found: &'b mut Balance,
    ) -> Self {
        Bracket { terms, capacity, found, settled: 0.0, tried: f64::NAN, left, falls: 0.0, width }
    }

    /// Narrows the bracket until both prices are neighbours or the whole capacity is distributed.
    pub(super) fn narrow(&mut self) {
        let first = self.first();
        if self.moved_to(first) {
            return;
        }
        for step in 0..MOST_STEPS {
            // Newton's steps find the price of a smooth demand. Halving the widest difference finds
            // one at which a demand jumps, and guarantees termination.
            let price = match step % 6 {
                0..4 if self.falls > 0.0 => self.newton(),
                0..4 if self.left > 0.0 => self.leaving(),
                _ => {
                    self.end();
                    self.halving()
                }
            };
            let is_between = |of: &Self| of.found.low < price && price < of.found.high;
            let price = if is_between(self) {
                price
            } else {
                self.end();
                0.5 * (self.found.low + self.found.high)
            };
            // The loss between these prices is no more than this.
            let lost = self.width * (self.found.high - self.found.low);
            let is_between = self.found.low < price && price < self.found.high;
            if lost <= CLOSE || !is_between {
                break;
            }
            if self.moved_to(price) {
                return;
            }
        }
        self.end();
    }

    /// Moves an untried end to the steepest slope. Terms that are not active have a tried end, and
    /// equal demands at both prices.
    fn end(&mut self) {
        let Balance { high, low, active, .. } = &mut *self.found;
        if high.is_finite() && low.is_finite() {
            return;
        }
        let (steep, rise) = steepest(active.iter().map(|&i| &self.terms[i]));
        if high.is_infinite() {
            *high = steep.max(*low);
        }
        if low.is_infinite() {
            *low = rise.min(*high);
        }
    }

    /// Returns the first price. At this price, an eighth of the terms ask for equal parts of the
    /// rest beyond the least shares. Their demand is at least the whole rest, so the price is not
    /// too high. It is not far below the balancing price either. For slowdowns that are not convex,
    /// the price is a guess.
    fn first(&mut self) -> f64 {
        let takers = self.terms.len().div_ceil(8);
        let part = self.left / takers as f64;
        let asking =
            |term: &Term| -term.curve.slope((term.lo + part / f64::from(term.count)).min(term.hi));
        let prices = &mut self.found.prices;
        prices.clear();
        prices.extend(self.terms.iter().map(asking));
        *prices.select_nth_unstable_by(takers - 1, |a, b| b.total_cmp(a)).1
    }

    /// Moves an end of the bracket to a price, and returns whether the whole capacity is
    /// distributed.
    fn moved_to(&mut self, price: f64) -> bool {
        let Balance { less, more, active, asked, high, low, gap, .. } = &mut *self.found;
        let mut left = self.capacity - self.settled;
        let mut falls = 0.0;
        for &i in &*active {
            let term = &self.terms[i];
            let ask = term.ask(price);
            // Between two prices a share is between both too. Rounding must not violate that.
            asked[i] = Ask { share: ask.share.clamp(less[i], more[i]), ..ask };
            left -= f64::from(term.count) * asked[i].share;
            falls += f64::from(term.count) * ask.falls;
        }
        (self.tried, self.left, self.falls) = (price, left, falls);
        let side = if left >= 0.0 { &mut *less } else { &mut *more };
        for &i in &*active {
            side[i] = asked[i].share;
        }
        *(if left >= 0.0 { high } else { low }) = price;
        // The rest is distributed in proportion to the derivatives of the demands, if the loss (at
        // half of the price difference) is small enough.
        if falls > 0.0 && 0.5 * left * left <= CLOSE * falls {
            let mut lost = price * left;
            for &i in &*active {
                let (term, Ask { share, falls: own }) = (&self.terms[i], asked[i]);
                let x = (share + left * own / falls).clamp(term.lo, term.hi);
                lost += f64::from(term.count) * (term.curve.value(x) - term.curve.value(share));
                (less[i], more[i]) = (x, x);
            }
            *gap = Some(lost.max(0.0));
            return true;
        }
        // A term with equal demands at both prices has that demand at all between.
        self.width = 0.0;
        active.retain(|&i| {
            let differs = more[i] > less[i];
            let count = f64::from(self.terms[i].count);
            match differs {
                true => self.width += count * (more[i] - less[i]),
                false => self.settled += count * less[i],
            }
            differs
        });
        false
    }

    /// Returns a price just below the next one at which a term asks for more than its least, for
    /// demands that do not change otherwise.
    fn leaving(&self) -> f64 {
        let leaves = self.found.active.iter().map(|&i| self.terms[i].leaves());
        let next = leaves.fold(f64::NEG_INFINITY, f64::max).min(self.found.high);
        just_below(next)
    }

    /// Returns the price at which the demand equals the capacity, by linear extrapolation of
    /// shares.
    fn newton(&self) -> f64 {
        let (price, step) = (self.tried, self.left / self.falls);
        // The share of `c / x` is proportional to the root of one over the price, so a step along
        // that curve is exact. For a small step both agree.
        let stretch = 1.0 + 0.5 * step / price;
        if price > 0.0 && stretch > 0.0 { price / (stretch * stretch) } else { price - step }
    }

    /// Returns the price at which the term with the widest difference crosses its middle.
    fn halving(&self) -> f64 {
        let Balance { less, more, active, .. } = &*self.found;
        let width = |i: usize| f64::from(self.terms[i].count) * (more[i] - less[i]);
        let Some(&widest) = active.iter().max_by(|&&a, &&b| width(a).total_cmp(&width(b))) else {
            return self.found.high;
        };
        let term = &self.terms[widest];
        let middle = 0.5 * (less[widest] + more[widest]);
        let (mut low, mut high) = (self.found.low, self.found.high);
        // A term that leaves its least by a jump does so at a known price.
        let below = just_below(term.leaves());
        if low < below && below < high && term.ask(below).share > middle {
            return if term.leaves() < high { term.leaves() } else { below };
        }
        loop {
            let price = 0.5 * (low + high);
            if !(low < price && price < high) {
                // The crossing is between these two, one of which may have been tried.
                return if high < self.found.high { high } else { low };
            }
            let asks_more = term.ask(price).share > middle;
            *(if asks_more { &mut low } else { &mut high }) = price;
        }
    }
}

fn just_below(price: f64) -> f64 {
    price - 1e-14 * (1.0 + price.abs())
}

/// Returns prices at which these terms have their least, and at which they have their most.
fn steepest<'t, 'a: 't>(terms: impl Iterator<Item = &'t Term<'a>>) -> (f64, f64) {
    let (mut high, mut low) = (f64::NEG_INFINITY, f64::INFINITY);
    for term in terms {
        let (fall, rise) = term.curve.slopes(term.lo, term.hi);
        (high, low) = (high.max(-fall), low.min(-rise));
    }
    // At its slope a line has any share; slightly beyond it does not.
    let beyond = 1e-9 * (1.0 + high.abs().max(low.abs()));
    (high + beyond, low - beyond)
}
