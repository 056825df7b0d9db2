//! [`Shares`]: what applications get at a port, worked out once for all ports with the same models.

use super::Settings;
use crate::sensitivity::Model;
use crate::weights::{Catalogue, ModelId, Solver};
use std::collections::BTreeMap;

/// How many shares are remembered, in all multisets of models together: 32 MB of them.
const MOST_REMEMBERED: usize = 1 << 22;

/// What was worked out. All of it can be worked out again, so what is forgotten changes no result.
#[derive(Debug, Clone, Default)]
pub(super) struct Shares {
    /// Models in the order of their keys. So the order in which they came says nothing.
    catalogue: Catalogue,
    ids: BTreeMap<ModelKey, ModelId>,
    /// By the models at a port, in order, of each the share.
    known: BTreeMap<Vec<ModelId>, Vec<f64>>,
    remembered: usize,
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
        self.known.clear();
        self.remembered = 0;
    }

    /// Of a model that was made known.
    pub(super) fn id(&self, key: &ModelKey) -> ModelId {
        self.ids[key]
    }

    /// The share of each, in their order, which is that of their ids.
    pub(super) fn of(&mut self, members: &[ModelId], settings: &Settings) -> &[f64] {
        if !self.known.contains_key(members) {
            if self.remembered + members.len() > MOST_REMEMBERED {
                self.known.clear();
                self.remembered = 0;
            }
            let Settings { part, floors, effort, .. } = *settings;
            let weights = Solver::new(&self.catalogue, part, floors, effort).weights(members);
            self.remembered += members.len();
            self.known.insert(members.to_vec(), weights.shares);
        }
        &self.known[members]
    }
}
