//! Branch and bound, where the price alone leaves a gap.
//!
//! At the balancing price all but one application have a share that they would ask for. If that one
//! has too, the shares are optimal. If not, either it has no more than it has now, or no less: each
//! half brings its slowdown closer to what the price can see. Applications that are alike are told
//! apart by their order alone, so a half says how many of them have no more, and how many no less.

use super::fill::{Filled, Split, fill};
use super::price::Balance;
use super::problem::{Granted, Term};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How much to work for the last bit of the optimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// How many times to halve the problem at most; nothing is halved that is optimal already.
    pub halvings: u32,
    /// The gap that is no longer worth halving, as a part of the sum of slowdowns.
    pub gap: f64,
}

impl Default for Effort {
    /// Enough for the optimum in nearly all small ports, and a millisecond or so in others.
    fn default() -> Self {
        Effort { halvings: 200, gap: EXACT }
    }
}

impl Effort {
    /// No halving: what the price gives, and the bound that comes with it. At a port with many
    /// applications it is close, as at most one of them has not what it asks for.
    pub const LEAST: Effort = Effort { halvings: 0, gap: EXACT };
}

/// A gap this small, as a part of the sum, is rounding.
pub(super) const EXACT: f64 = 1e-10;

/// The best shares that were found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// By class.
    pub(super) granted: Vec<Granted>,
    pub(super) objective: f64,
    /// No shares have a sum of slowdowns below this.
    pub(super) bound: f64,
}

/// A part of the problem, with its bound.
struct Node<'a> {
    terms: Vec<Term<'a>>,
    bound: f64,
    split: Split,
    /// Of two with one bound the older goes first, so that runs are alike.
    number: u32,
}

/// The memory of a search, for the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct Search {
    balance: Balance,
}

impl Search {
    /// The shares of the terms with the least sum of slowdowns. None where bounds leave none.
    pub(super) fn minimise<'a>(
        &mut self,
        terms: Vec<Term<'a>>,
        capacity: f64,
        effort: Effort,
    ) -> Option<Found> {
        let mut number = 0;
        let balance = &mut self.balance;
        let mut best: Option<Found> = None;
        let mut open = BinaryHeap::new();
        // What parts that are not looked at any more could still hold.
        let mut closed = f64::INFINITY;
        let mut look_at = |terms: Vec<Term<'a>>, above: f64, best: &mut Option<Found>| {
            if !balance.find(&terms, capacity) {
                return None;
            }
            let Filled { granted, objective, split } = fill(&terms, capacity, balance);
            // A part's optimum is no better than the whole's.
            let bound = balance.bound(&terms, capacity, objective).max(above).min(objective);
            if best.as_ref().is_none_or(|best| objective < best.objective) {
                let by_class = |g: Granted| Granted { term: terms[g.term].class as usize, ..g };
                let granted = granted.into_iter().map(by_class).collect();
                *best = Some(Found { granted, objective, bound: f64::NEG_INFINITY });
            }
            number += 1;
            Some(match split {
                Some(split) => Ok(Node { terms, bound, split, number }),
                None => Err(bound),
            })
        };
        match look_at(terms, f64::NEG_INFINITY, &mut best)? {
            Ok(node) => open.push(node),
            Err(bound) => closed = bound,
        }
        let mut halvings = 0;
        while let Some(node) = open.pop() {
            let incumbent = best.as_ref().map_or(f64::INFINITY, |best| best.objective);
            let worth = effort.gap.max(EXACT) * incumbent.abs().max(1.0);
            if halvings == effort.halvings || node.bound >= incumbent - worth {
                // The bounds of all others are no lower.
                closed = closed.min(node.bound);
                break;
            }
            halvings += 1;
            for half in halves(&node) {
                match look_at(half, node.bound, &mut best) {
                    Some(Ok(node)) => open.push(node),
                    Some(Err(bound)) => closed = closed.min(bound),
                    None => {}
                }
            }
        }
        best.map(|best| Found { bound: closed.min(best.objective), ..best })
    }
}

/// Both halves of a part: the application that is split, and those of its term with less, have no more
/// than its share; or it and those with more have no less.
fn halves<'a>(node: &Node<'a>) -> [Vec<Term<'a>>; 2] {
    let Split { term, share, higher } = node.split;
    let whole = node.terms[term];
    let half = |bounded: Term<'a>| {
        let mut terms = node.terms.clone();
        terms[term] = bounded;
        let others = whole.count - bounded.count;
        if others > 0 {
            terms.push(whole.part((whole.lo, whole.hi), others));
        }
        terms
    };
    [
        half(whole.part((whole.lo, share), whole.count - higher)),
        half(whole.part((share, whole.hi), higher + 1)),
    ]
}

impl Ord for Node<'_> {
    /// The lowest bound is the greatest, and then the oldest.
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
