//! Branch and bound, for problems in which the price alone leaves a gap.
//!
//! At the balancing price all applications but one have a share that is their demand at some
//! price. If the share of the remaining application is such a demand too, all shares are optimal.
//! If not, its optimal share is either no more than now, or no less. Each half brings its
//! slowdown closer to the bound by price. Equal applications are distinguished by order only. So
//! a half states how many of them have no more, and how many no less.

use super::fill::{Split, fill};
use super::price::Balance;
use super::problem::{Granted, Term};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The effort for the last part of the optimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// The maximum number of halvings. Optimal problems are not halved.
    pub halvings: u32,
    /// The gap at which the search ends, as a fraction of the sum of slowdowns.
    pub gap: f64,
}

impl Default for Effort {
    /// Enough for the optimum in nearly all small ports, and about a millisecond in others.
    fn default() -> Self {
        Effort { halvings: 200, gap: EXACT }
    }
}

impl Effort {
    /// No halving: the shares by price, with their bound. At a port with many applications the
    /// bound is close, because at most one of them does not have the share that it asks for.
    pub const LEAST: Effort = Effort { halvings: 0, gap: EXACT };
}

/// The gap that counts as rounding, as a fraction of the sum.
pub(super) const EXACT: f64 = 1e-10;

/// The quality of the best shares found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quality {
    pub(super) objective: f64,
    /// The lower bound of the sum of slowdowns.
    pub(super) bound: f64,
}

/// A part of the problem, with its bound.
struct Node<'a> {
    terms: Vec<Term<'a>>,
    bound: f64,
    split: Split,
    /// The order of creation, which breaks ties between bounds, so that runs are reproducible.
    number: u32,
}

/// The buffers of a search, for reuse.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    balance: Balance,
    /// The shares of the last part.
    solved: Vec<Granted>,
    /// The best shares so far.
    best: Vec<Granted>,
}

impl Search {
    /// Finds the shares of the terms with the least sum of slowdowns, which
    /// [`granted`](Search::granted) then returns. Returns `None` if the bounds allow no shares.
    pub(super) fn minimise(
        &mut self,
        terms: &[Term],
        capacity: f64,
        effort: Effort,
    ) -> Option<Quality> {
        let (mut found, split) = self.solve_part(terms, capacity, f64::NEG_INFINITY)?;
        std::mem::swap(&mut self.solved, &mut self.best);
        let Some(split) = split else { return Some(found) };
        let worth = |found: Quality| effort.gap.max(EXACT) * found.objective.abs().max(1.0);
        let mut number = 0;
        let mut open = BinaryHeap::new();
        open.push(Node { terms: terms.to_vec(), bound: found.bound, split, number });
        // The lower bound over parts that are not searched further.
        let mut closed = f64::INFINITY;
        let mut halvings = 0;
        while let Some(node) = open.pop() {
            if halvings == effort.halvings || node.bound >= found.objective - worth(found) {
                // The bounds of all others are no lower.
                closed = closed.min(node.bound);
                break;
            }
            halvings += 1;
            for terms in halves(&node) {
                let Some((half, split)) = self.solve_part(&terms, capacity, node.bound) else {
                    continue;
                };
                if half.objective < found.objective {
                    found.objective = half.objective;
                    std::mem::swap(&mut self.solved, &mut self.best);
                }
                number += 1;
                match split {
                    Some(split) => open.push(Node { terms, bound: half.bound, split, number }),
                    None => closed = closed.min(half.bound),
                }
            }
        }
        found.bound = closed.min(found.objective);
        // Parts of a class may have been split, so they are not in order.
        self.best.sort_by(|a, b| a.term.cmp(&b.term).then(a.share.total_cmp(&b.share)));
        Some(found)
    }

    /// Returns the shares, by class and then by share, after a successful search.
    pub(super) fn granted(&self) -> &[Granted] {
        &self.best
    }

    /// Computes the shares of a part into `solved`. The bound of the part is at least `above`.
    /// Returns the application to split if the shares may not be optimal.
    fn solve_part(
        &mut self,
        terms: &[Term],
        capacity: f64,
        above: f64,
    ) -> Option<(Quality, Option<Split>)> {
        if !self.balance.find(terms, capacity) {
            return None;
        }
        let (objective, split) = fill(terms, capacity, &self.balance, &mut self.solved);
        // A part's optimum is no better than the whole's.
        let bound = self.balance.bound(terms, capacity, objective).max(above).min(objective);
        for granted in &mut self.solved {
            granted.term = terms[granted.term as usize].class;
        }
        Some((Quality { objective, bound }, split))
    }
}

/// Returns both halves of a part. In the first, the split application and those of its term with
/// less have no more than its share. In the second, the split application and those with more
/// have no less.
fn halves<'a>(node: &Node<'a>) -> [Vec<Term<'a>>; 2] {
    let Split { term, share, higher } = node.split;
    let whole = node.terms[term];
    let half = |bounded: Term<'a>| {
        let mut terms = node.terms.clone();
        terms[term] = bounded;
        let others = whole.count - bounded.count;
        if others > 0 {
            terms.push(whole.part(whole.lo, whole.hi, others));
        }
        terms
    };
    [
        half(whole.part(whole.lo, share, whole.count - higher)),
        half(whole.part(share, whole.hi, higher + 1)),
    ]
}

impl Ord for Node<'_> {
    /// The part with the lowest bound is the greatest, then the oldest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.number.cmp(&self.number))
    }
}
impl PartialOrd for Node<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Node<'_> {}
