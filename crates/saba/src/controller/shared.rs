//! [`SharedTable`]: levels and their hierarchy, made ahead of time.

use super::Grouping;
use crate::mapping::{BasisError, Hierarchy, PriorityLevel, PriorityLevels};
use crate::sensitivity::Model;
use crate::table::Application;
use std::collections::BTreeMap;

/// What the profiler leaves for all instances of a distributed controller: the model and the level of
/// each application that was profiled, and how levels merge (Saba 4.3.4).
#[derive(Debug, Clone)]
pub struct SharedTable {
    profiled: BTreeMap<Application, (Model, PriorityLevel)>,
    levels: PriorityLevels,
    hierarchy: Hierarchy,
}

impl SharedTable {
    /// The table of these applications. The same ones give the same table. An error only where they
    /// are grouped by coefficients and one is no polynomial.
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

    /// Each application that was profiled, its model and its level.
    pub fn profiled(&self) -> impl Iterator<Item = (&Application, &Model, PriorityLevel)> {
        self.profiled.iter().map(|(name, (model, level))| (name, model, *level))
    }

    /// The level of an application that was profiled, whatever its model is by now.
    pub fn level_of(&self, name: &Application) -> Option<PriorityLevel> {
        self.profiled.get(name).map(|known| known.1)
    }

    /// The levels.
    pub fn levels(&self) -> &PriorityLevels {
        &self.levels
    }

    /// How they merge.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
}
