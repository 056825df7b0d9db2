//! [`Solver`]: the weights of one port after the other.

use super::bounding::{EXACT, Effort, minimise};
use super::problem::Term;
use super::{Catalogue, Floors, ModelId};
use crate::Share;

/// How close weights are to the optimum of eq. 4.2 with its floors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Guarantee {
    /// No weights have a lower sum of slowdowns, but for rounding (1e-10 of it).
    Exact,
    /// No weights have a sum that is lower by more than this.
    Within(f64),
}

/// The weights of a port.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The share of each application, in the order in which they were given. Together they are what
    /// was to be shared.
    pub shares: Vec<f64>,
    /// The sum of the slowdowns that models give for these shares, measured there or not.
    pub slowdowns: f64,
    /// How close that is to the least.
    pub guarantee: Guarantee,
}

/// Finds weights for the ports of a network.
#[derive(Debug, Clone)]
pub struct Solver<'c> {
    catalogue: &'c Catalogue,
    capacity: Share,
    floors: Floors,
    effort: Effort,
}

impl<'c> Solver<'c> {
    /// A solver for ports of which `capacity` is to be shared (`C_Saba` in Saba 4.3.1).
    pub fn new(catalogue: &'c Catalogue, capacity: Share, floors: Floors, effort: Effort) -> Self {
        Solver { catalogue, capacity, floors, effort }
    }

    /// The weights of a port through which these applications send; none for no application.
    ///
    /// Applications of one model may get different shares, where a little for each would help none;
    /// then the later ones get more.
    pub fn weights(&mut self, members: &[ModelId]) -> Weights {
        if members.is_empty() {
            return Weights { shares: Vec::new(), slowdowns: 0.0, guarantee: Guarantee::Exact };
        }
        let capacity = self.capacity.get();
        let mut order: Vec<u32> = (0..members.len() as u32).collect();
        order.sort_by_key(|&i| members[i as usize]);
        let classes: Vec<&[u32]> =
            order.chunk_by(|&a, &b| members[a as usize] == members[b as usize]).collect();
        let terms = self.terms(&classes, members);
        let found = minimise(terms, capacity, self.effort).expect("floors were made to fit");
        // Parts of a class may have been told apart, so they are not in order.
        let mut granted = found.granted;
        granted.sort_by(|a, b| a.term.cmp(&b.term).then(a.share.total_cmp(&b.share)));
        let mut shares = vec![0.0; members.len()];
        let given = granted.iter().flat_map(|g| std::iter::repeat_n(g.share, g.count as usize));
        for (&member, share) in order.iter().zip(given) {
            shares[member as usize] = share;
        }
        let gap = found.objective - found.bound;
        let is_exact = gap <= EXACT * found.objective.abs().max(1.0);
        let guarantee = if is_exact { Guarantee::Exact } else { Guarantee::Within(gap) };
        Weights { shares, slowdowns: found.objective, guarantee }
    }

    /// A term for each application by itself, in the order given; for SLSQP.
    #[cfg(feature = "baseline")]
    pub(super) fn each(&self, members: &[ModelId]) -> Vec<Term<'c>> {
        let all: Vec<u32> = (0..members.len() as u32).collect();
        self.terms(&all.chunks(1).collect::<Vec<_>>(), members)
    }

    /// What is to be shared.
    #[cfg(feature = "baseline")]
    pub(super) fn capacity(&self) -> f64 {
        self.capacity.get()
    }

    fn terms(&self, classes: &[&[u32]], members: &[ModelId]) -> Vec<Term<'c>> {
        let capacity = self.capacity.get();
        let known = |class: &[u32]| self.catalogue.get(members[class[0] as usize]);
        let floor = |class: &[u32]| known(class).floor.max(self.floors.least.get());
        let sum: f64 = classes.iter().map(|class| class.len() as f64 * floor(class)).sum();
        let factor = self.floors.factor(sum, capacity);
        let taken = factor * sum;
        let term = |(number, class): (usize, &&[u32])| {
            let lo = factor * floor(class);
            // What is left if all others have their floor; rounding may leave less than that.
            let hi = (capacity - taken + lo).clamp(lo, 1.0);
            let (count, curve) = (class.len() as u32, &known(class).curve);
            Term { curve, lo, hi, count, class: number as u32 }
        };
        classes.iter().enumerate().map(term).collect()
    }
}

/// Equal weights: what a port does that knows of no sensitivity. Nothing is guaranteed of their sum of
/// slowdowns, and no floor is looked at.
pub fn equal(catalogue: &Catalogue, capacity: Share, members: &[ModelId]) -> Weights {
    let share = capacity.get() / members.len().max(1) as f64;
    let slowdowns = members.iter().map(|&id| catalogue.get(id).curve.value(share)).sum();
    let guarantee = Guarantee::Within(f64::INFINITY);
    Weights { shares: vec![share; members.len()], slowdowns, guarantee }
}
