//! [`Shares`]: what applications get at a port, worked out once for all ports with the same models.

use super::Settings;
use crate::sensitivity::Model;
use crate::weights::{Catalogue, Granted, ModelId, Solver};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// How many shares and models are remembered, in all multisets of models together: 64 MB at most.
const MOST_REMEMBERED: usize = 1 << 22;

/// What was worked out. All of it can be worked out again, so what is forgotten changes no result.
#[derive(Debug, Clone, Default)]
pub(super) struct Shares {
    /// Models in the order of their keys. So the order in which they came says nothing.
    catalogue: Catalogue,
    ids: BTreeMap<ModelKey, ModelId>,
    known: Known,
}

/// What is known, by a digest of what it is of: comparing that alone takes longer than most ports do.
/// Of two with one digest the later is remembered.
#[derive(Debug, Clone, Default)]
struct Known {
    of: BTreeMap<u64, Place>,
    /// One after the other: what is known is of these,
    classes: Vec<(ModelId, u32)>,
    /// and is this.
    granted: Vec<Granted>,
}

/// Where a part of both begins, and how long it is.
#[derive(Debug, Clone, Copy)]
struct Place {
    classes: (u32, u32),
    granted: (u32, u32),
}

fn part<T>(all: &[T], (from, len): (u32, u32)) -> &[T] {
    &all[from as usize..(from + len) as usize]
}

/// The digest of who is at a port (FNV-1a, by words).
fn digest(classes: &[(ModelId, u32)]) -> u64 {
    let word = |of: &(ModelId, u32)| u64::from(of.0.0) << 32 | u64::from(of.1);
    let step =
        |digest: u64, word: u64| (digest ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
    classes.iter().map(word).fold(0xcbf2_9ce4_8422_2325, step)
}

/// Works out ports one after the other.
pub(super) struct PortShares<'s> {
    solver: Solver<'s>,
    known: &'s mut Known,
}

/// What a model is, as numbers that have an order; equal for equal models.
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
                // Degrees are above it.
                [0.0].into_iter().chain(knots).collect()
            }
        };
        // 0 and -0 are equal.
        ModelKey(numbers.into_iter().map(|x| (x + 0.0).to_bits()).collect())
    }
}

impl Shares {
    /// Makes these models known. Forgets others, if most of what is known is of no use.
    pub(super) fn know<'m>(&mut self, models: impl Iterator<Item = &'m Model>, keys: &[ModelKey]) {
        let used: BTreeMap<&ModelKey, &Model> = keys.iter().zip(models).collect();
        let are_known = used.keys().all(|key| self.ids.contains_key(*key));
        // Some that come and go don't cost what is known of the others.
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

    /// How many models are known.
    pub(super) fn models(&self) -> usize {
        self.catalogue.len()
    }

    /// Of a model that was made known.
    pub(super) fn id(&self, key: &ModelKey) -> ModelId {
        self.ids[key]
    }

    /// For the ports of one time.
    pub(super) fn of_ports(&mut self, settings: &Settings) -> PortShares<'_> {
        let Settings { part, floors, effort, .. } = *settings;
        let solver = Solver::new(&self.catalogue, part, floors, effort);
        PortShares { solver, known: &mut self.known }
    }
}

impl PortShares<'_> {
    /// What applications get at a port, of which so many have each model, in the order of the models:
    /// of each model at least one share, and how many get it, by share. It is put into `granted`.
    pub(super) fn of(&mut self, classes: &[(ModelId, u32)], granted: &mut Vec<Granted>) {
        let Known { of, classes: all, granted: remembered } = &mut *self.known;
        if remembered.len() + all.len() > MOST_REMEMBERED {
            of.clear();
            all.clear();
            remembered.clear();
        }
        granted.clear();
        let entry = of.entry(digest(classes));
        if let Entry::Occupied(known) = &entry
            && part(all, known.get().classes) == classes
        {
            granted.extend_from_slice(part(remembered, known.get().granted));
            return;
        }
        granted.extend_from_slice(self.solver.granted(classes));
        let place = Place {
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
