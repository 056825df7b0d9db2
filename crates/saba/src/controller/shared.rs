//! [`SharedTable`]: levels and their hierarchy, made ahead of time.

use super::Grouping;
use crate::mapping::{BasisError, Hierarchy, PriorityLevel, PriorityLevels};
use crate::sensitivity::Model;
use crate::table::Application;
use std::collections::BTreeMap;

/// The profiler's result for all instances of a distributed controller: the model and level of each
/// profiled application, and the hierarchy of levels (Saba 4.3.4).
#[derive(Debug, Clone)]
pub struct SharedTable {
    profiled: BTreeMap<Application, (Model, PriorityLevel)>,
    levels: PriorityLevels,
    hierarchy: Hierarchy,
}

impl SharedTable {
    /// Returns the table of these applications. The same applications give the same table.
    ///
    /// # Errors
    ///
    /// Returns a [`BasisError`] if they are grouped by coefficients and one is not a polynomial.
    pub fn new(
        profiled: BTreeMap<Application, Model>,
        grouping: &Grouping,
    ) -> Result<Self, BasisError> {
        let models: Vec<&Model> = profiled.values().collect();
        let basis = grouping.coordinates.basis(&models);
        let Grouping { levels, scaling, seed, .. } = *grouping;
        let levels = PriorityLevels::group(&models, levels, basis, scaling, seed)?;
        let of = levels.of().to_vec();
        let profiled = profiled.into_iter().zip(of);
        let profiled = profiled.map(|((name, model), level)| (name, (model, level))).collect();
        Ok(SharedTable { profiled, hierarchy: Hierarchy::new(&levels), levels })
    }

    /// Iterates over the profiled applications, with model and level.
    pub fn profiled(&self) -> impl Iterator<Item = (&Application, &Model, PriorityLevel)> {
        self.profiled.iter().map(|(name, (model, level))| (name, model, *level))
    }

    /// Returns the model and the level of a profiled application.
    pub fn known(&self, name: &Application) -> Option<(&Model, PriorityLevel)> {
        self.profiled.get(name).map(|(model, level)| (model, *level))
    }

    /// Returns the level of a profiled application, independent of later models.
    pub fn level_of(&self, name: &Application) -> Option<PriorityLevel> {
        self.known(name).map(|(_, level)| level)
    }

    /// Returns the levels.
    pub fn levels(&self) -> &PriorityLevels {
        &self.levels
    }

    /// Returns their hierarchy.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
}
