//! Branch and bound, where the price alone leaves a gap.
//!
//! At the balancing price all but one application have a share that they would ask for. If that one
//! has too, the shares are optimal. If not, either it has no more than it has now, or no less: each
//! half brings its slowdown closer to what the price can see. Applications that are alike are told
//! apart by their order alone, so a half says how many of them have no more, and how many no less.

use super::fill::{Split, fill};
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

/// How good the best shares are that were found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
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
    /// The shares of the part that was looked at last.
    looked: Vec<Granted>,
    /// The best shares that were found.
    best: Vec<Granted>,
}

impl Search {
    /// The shares of the terms with the least sum of slowdowns, which [`granted`](Search::granted) has
    /// then. None where bounds leave none.
    pub(super) fn minimise(
        &mut self,
        terms: &[Term],
        capacity: f64,
        effort: Effort,
    ) -> Option<Found> {
        let (mut found, split) = self.look_at(terms, capacity, f64::NEG_INFINITY)?;
        std::mem::swap(&mut self.looked, &mut self.best);
        let Some(split) = split else { return Some(found) };
        let worth = |found: Found| effort.gap.max(EXACT) * found.objective.abs().max(1.0);
        let mut number = 0;
        let mut open = BinaryHeap::new();
        open.push(Node { terms: terms.to_vec(), bound: found.bound, split, number });
        // What parts that are not looked at any more could still hold.
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
                let Some((half, split)) = self.look_at(&terms, capacity, node.bound) else {
                    continue;
                };
                if half.objective < found.objective {
                    found.objective = half.objective;
                    std::mem::swap(&mut self.looked, &mut self.best);
                }
                number += 1;
                match split {
                    Some(split) => open.push(Node { terms, bound: half.bound, split, number }),
                    None => closed = closed.min(half.bound),
                }
            }
        }
        found.bound = closed.min(found.objective);
        // Parts of a class may have been told apart, so they are not in order.
        self.best.sort_by(|a, b| a.term.cmp(&b.term).then(a.share.total_cmp(&b.share)));
        Some(found)
    }

    /// Who has which share, by class and then by share, after a search that found some.
    pub(super) fn granted(&self) -> &[Granted] {
        &self.best
    }

    /// The shares of a part of which nothing is below `above`, in `looked`, and what to split if they
    /// may not be the best.
    fn look_at(
        &mut self,
        terms: &[Term],
        capacity: f64,
        above: f64,
    ) -> Option<(Found, Option<Split>)> {
        if !self.balance.find(terms, capacity) {
            return None;
        }
        let (objective, split) = fill(terms, capacity, &self.balance, &mut self.looked);
        // A part's optimum is no better than the whole's.
        let bound = self.balance.bound(terms, capacity, objective).max(above).min(objective);
        for granted in &mut self.looked {
            granted.term = terms[granted.term as usize].class;
        }
        Some((Found { objective, bound }, split))
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
