//! [`Catalogue`]: the models of all applications.

use super::curve::Curve;
use crate::Share;
use crate::sensitivity::Model;

/// A model in a [`Catalogue`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelId(pub(crate) u32);

/// The models of all applications. The solver handles all applications of one model together.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    models: Vec<Known>,
}

#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) curve: Curve,
    /// The floor of its share.
    pub(super) floor: f64,
}

impl Catalogue {
    /// Returns a catalogue without models.
    pub fn new() -> Self {
        Catalogue::default()
    }

    /// Adds a model. `floor` is the floor of its applications' shares. The default is the least
    /// measured share, because predictions below it are unreliable. Models with equal values and
    /// floors have one id.
    pub fn add(&mut self, model: &Model, floor: Option<Share>) -> ModelId {
        let known = Known { curve: Curve::of(model), floor: floor.unwrap_or(model.least()).get() };
        let is_same = |k: &Known| k.floor == known.floor && k.curve == known.curve;
        let index = self.models.iter().position(is_same).unwrap_or_else(|| {
            self.models.push(known);
            self.models.len() - 1
        });
        ModelId(index as u32)
    }

    /// Returns the number of different models.
    pub fn len(&self) -> usize {
        self.models.len()
    }

    /// Returns whether there are no models.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    pub(super) fn get(&self, id: ModelId) -> &Known {
        &self.models[id.0 as usize]
    }
}
