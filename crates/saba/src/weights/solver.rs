//! [`Solver`]: the weights of one port after the other.

use super::bounding::{EXACT, Effort, Quality, Search};
use super::problem::{Granted, Term};
use super::{Catalogue, Floors, ModelId};
use crate::Share;

/// The distance of weights from the optimum of eq. 4.2 with its floors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Guarantee {
    /// The weights are optimal except for rounding (1e-10 of the sum).
    Exact,
    /// No weights have a sum that is lower by more than this.
    Within(f64),
}

/// The weights of a port.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The share of each application, in the given order. Their sum is the capacity.
    pub shares: Vec<f64>,
    /// The sum of the predicted slowdowns at these shares, extrapolated or not.
    pub slowdowns: f64,
    /// The distance from the optimum.
    pub guarantee: Guarantee,
}

/// A solver for the ports of a network.
#[derive(Debug, Clone)]
pub struct Solver<'c> {
    catalogue: &'c Catalogue,
    capacity: Share,
    floors: Floors,
    effort: Effort,
    search: Search,
    /// The class of each model of the catalogue at this port, or `NONE`.
    class_of: Vec<u32>,
    classes: Vec<(ModelId, u32)>,
    terms: Vec<Term<'c>>,
}

/// The class of a model that is not at this port.
const NONE: u32 = u32::MAX;

impl<'c> Solver<'c> {
    /// Returns a solver for ports of which `capacity` is shared (`C_Saba` in Saba 4.3.1).
    pub fn new(catalogue: &'c Catalogue, capacity: Share, floors: Floors, effort: Effort) -> Self {
        let class_of = vec![NONE; catalogue.len()];
        let (search, classes, terms) = (Search::default(), Vec::new(), Vec::new());
        Solver { catalogue, capacity, floors, effort, search, class_of, classes, terms }
    }

    /// Returns the weights of a port with these applications, or no weights without applications.
    ///
    /// Applications of one model may get different shares, if a little for each would help none.
    /// Later ones then get more.
    pub fn weights(&mut self, members: &[ModelId]) -> Weights {
        if members.is_empty() {
            return Weights { shares: Vec::new(), slowdowns: 0.0, guarantee: Guarantee::Exact };
        }
        let classes = self.classes(members);
        let found = self.solve(&classes, self.capacity.get());
        let granted = self.search.granted();
        let class_of = |id: &ModelId| self.class_of[id.0 as usize] as usize;
        let shares = if granted.len() == classes.len() {
            members.iter().map(|id| granted[class_of(id)].share).collect()
        } else {
            let mut granted = granted.to_vec();
            // The index of each class's next share.
            let is_first = |&i: &usize| i == 0 || granted[i - 1].term < granted[i].term;
            let mut next: Vec<usize> = (0..granted.len()).filter(is_first).collect();
            let give = |id: &ModelId| {
                let next = &mut next[class_of(id)];
                if granted[*next].count == 0 {
                    *next += 1;
                }
                granted[*next].count -= 1;
                granted[*next].share
            };
            members.iter().map(give).collect()
        };
        for class in &classes {
            self.class_of[class.0.0 as usize] = NONE;
        }
        self.classes = classes;
        let gap = found.objective - found.bound;
        let is_exact = gap <= EXACT * found.objective.abs().max(1.0);
        let guarantee = if is_exact { Guarantee::Exact } else { Guarantee::Within(gap) };
        Weights { shares, slowdowns: found.objective, guarantee }
    }

    /// Returns the shares of this capacity for these numbers of applications by model. Each model
    /// has at least one share, with the number of applications that get it, in the order of models
    /// and then by share.
    pub(crate) fn granted(&mut self, classes: &[(ModelId, u32)], capacity: f64) -> &[Granted] {
        self.solve(classes, capacity);
        self.search.granted()
    }

    fn solve(&mut self, classes: &[(ModelId, u32)], capacity: f64) -> Quality {
        let mut terms = std::mem::take(&mut self.terms);
        self.terms(classes, capacity, &mut terms);
        let found = self.search.minimise(&terms, capacity, self.effort);
        self.terms = terms;
        found.expect("floors were made to fit")
    }

    /// Returns the models at a port with their numbers of applications, in the order of first
    /// occurrence.
    fn classes(&mut self, members: &[ModelId]) -> Vec<(ModelId, u32)> {
        let mut classes = std::mem::take(&mut self.classes);
        classes.clear();
        for &id in members {
            let class = &mut self.class_of[id.0 as usize];
            if *class == NONE {
                *class = classes.len() as u32;
                classes.push((id, 0));
            }
            classes[*class as usize].1 += 1;
        }
        classes
    }

    /// Returns a term for each application, in the given order; for SLSQP.
    #[cfg(feature = "baseline")]
    pub(super) fn each(&self, members: &[ModelId]) -> Vec<Term<'c>> {
        let mut terms = Vec::new();
        let classes: Vec<(ModelId, u32)> = members.iter().map(|&id| (id, 1)).collect();
        self.terms(&classes, self.capacity.get(), &mut terms);
        terms
    }

    /// Returns the capacity that is shared.
    #[cfg(feature = "baseline")]
    pub(super) fn capacity(&self) -> f64 {
        self.capacity.get()
    }

    fn terms(&self, classes: &[(ModelId, u32)], capacity: f64, terms: &mut Vec<Term<'c>>) {
        let least = self.floors.least.get();
        let floor = |id: ModelId| match self.floors.of_models {
            true => self.catalogue.get(id).floor.max(least),
            false => least,
        };
        let sum: f64 = classes.iter().map(|&(id, count)| f64::from(count) * floor(id)).sum();
        let factor = self.floors.factor(sum, capacity);
        // The rest beyond all floors.
        let left = (capacity - factor * sum).max(0.0);
        let term = |(class, &(id, count)): (usize, &(ModelId, u32))| {
            let lo = factor * floor(id);
            let curve = &self.catalogue.get(id).curve;
            Term::new(curve, lo, (lo + left).min(1.0), count, class as u32)
        };
        terms.clear();
        terms.extend(classes.iter().enumerate().map(term));
    }
}

/// Returns equal weights, as for a port without knowledge of sensitivities. The sum of slowdowns
/// has no guarantee, and floors are ignored.
pub fn equal(catalogue: &Catalogue, capacity: Share, members: &[ModelId]) -> Weights {
    let share = capacity.get() / members.len().max(1) as f64;
    let slowdowns = members.iter().map(|&id| catalogue.get(id).curve.value(share)).sum();
    let guarantee = Guarantee::Within(f64::INFINITY);
    Weights { shares: vec![share; members.len()], slowdowns, guarantee }
}
