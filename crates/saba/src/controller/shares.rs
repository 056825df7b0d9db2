//! [`Shares`]: the shares at a port, computed once for all ports with the same models.

use super::Settings;
use crate::sensitivity::Model;
use crate::weights::{Catalogue, Granted, ModelId, Solver};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The maximum number of cached shares and models, over all multisets of models: 64 MB.
const MOST_REMEMBERED: usize = 1 << 22;

/// The cache. All entries can be recomputed, so evictions change no result.
#[derive(Debug, Clone, Default)]
pub(super) struct Shares {
    /// The models in the order of their keys, so that the order of arrival has no influence.
    catalogue: Catalogue,
    ids: BTreeMap<ModelKey, ModelId>,
    known: Known,
}

/// The results by digest, because a comparison takes longer than the computation for most ports.
/// The cache has the later one of two results with one digest.
#[derive(Debug, Clone, Default)]
struct Known {
    of: BTreeMap<u64, CacheEntry>,
    /// The multisets of models, one after the other.
    classes: Vec<(ModelId, u32)>,
    /// Their results, one after the other.
    granted: Vec<Granted>,
}

/// The capacity of an entry, and its start and length in `classes` and in `granted`.
#[derive(Debug, Clone, Copy)]
struct CacheEntry {
    capacity: f64,
    classes: (u32, u32),
    granted: (u32, u32),
}

fn part<T>(all: &[T], (from, len): (u32, u32)) -> &[T] {
    &all[from as usize..(from + len) as usize]
}

/// Returns the digest of a capacity and the models that share it (FNV-1a, by words).
fn digest(classes: &[(ModelId, u32)], capacity: f64) -> u64 {
    let word = |of: &(ModelId, u32)| u64::from(of.0.0) << 32 | u64::from(of.1);
    let step =
        |digest: u64, word: u64| (digest ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    let begin = step(0xcbf2_9ce4_8422_2325, capacity.to_bits());
    classes.iter().map(word).fold(begin, step)
}

/// The computation of one port after the other.
pub(super) struct PortShares<'s> {
    solver: Solver<'s>,
    known: &'s mut Known,
}

/// An ordered key of a model, equal for equal models.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ModelKey(Vec<u64>);

impl ModelKey {
    pub(super) fn of(model: &Model) -> Self {
        let least = model.least().get();
        let numbers: Vec<f64> = match model {
            Model::Polynomial(p) => {
                let degree = f64::from(p.degree().get());
                [degree, least].into_iter().chain(p.coefficients()).collect()
            }
            Model::Monotone(m) => {
                let knots = m.knots().iter().flat_map(|knot| [knot.0.get(), knot.1]);
                // Keys of polynomials have their degree, above 0, in this place.
                [0.0].into_iter().chain(knots).collect()
            }
        };
        // 0 and -0 are equal.
        ModelKey(numbers.into_iter().map(|x| (x + 0.0).to_bits()).collect())
    }
}

impl Shares {
    /// Adds models. Drops others if most of the cache is of no use.
    pub(super) fn know<'m>(&mut self, models: impl Iterator<Item = &'m Model>, keys: &[ModelKey]) {
        let used: BTreeMap<&ModelKey, &Model> = keys.iter().zip(models).collect();
        let are_known = used.keys().all(|key| self.ids.contains_key(*key));
        // Temporary models do not evict the results of the others.
        if are_known && self.ids.len() <= 2 * used.len() + 64 {
            return;
        }
        let mut catalogue = Catalogue::new();
        self.ids = used
            .into_iter()
            .map(|(key, model)| (key.clone(), catalogue.add(model, None)))
            .collect();
        self.catalogue = catalogue;
        self.known = Known::default();
    }

    /// Returns the number of known models.
    pub(super) fn models(&self) -> usize {
        self.catalogue.len()
    }

    /// Returns the id of a known model.
    pub(super) fn id(&self, key: &ModelKey) -> ModelId {
        self.ids[key]
    }

    /// Returns the computation for the ports of one instant.
    pub(super) fn of_ports(&mut self, settings: &Settings) -> PortShares<'_> {
        let Settings { part, floors, effort, .. } = *settings;
        let solver = Solver::new(&self.catalogue, part, floors, effort);
        PortShares { solver, known: &mut self.known }
    }
}

impl PortShares<'_> {
    /// Computes the shares of a capacity, up to a whole port, for these numbers of applications by
    /// model, in the order of models. For each model `granted` has at least one share, with the
    /// number of applications that get it, by share.
    pub(super) fn of(
        &mut self,
        classes: &[(ModelId, u32)],
        capacity: f64,
        granted: &mut Vec<Granted>,
    ) {
        let Known { of, classes: all, granted: remembered } = &mut *self.known;
        if remembered.len() + all.len() > MOST_REMEMBERED {
            of.clear();
            all.clear();
            remembered.clear();
        }
        granted.clear();
        let entry = of.entry(digest(classes, capacity));
        if let Entry::Occupied(known) = &entry
            && known.get().capacity == capacity
            && part(all, known.get().classes) == classes
        {
            granted.extend_from_slice(part(remembered, known.get().granted));
            return;
        }
        granted.extend_from_slice(self.solver.granted(classes, capacity));
        let place = CacheEntry {
            capacity,
            classes: (all.len() as u32, classes.len() as u32),
            granted: (remembered.len() as u32, granted.len() as u32),
        };
        match entry {
            Entry::Occupied(mut other) => *other.get_mut() = place,
            Entry::Vacant(free) => {
                free.insert(place);
            }
        }
        all.extend_from_slice(classes);
        remembered.extend_from_slice(granted);
    }
}
