//! [`Roster`]: the level of each application, and where each level stands.

use super::facts::Facts;
use super::merging::Merging;
use super::shares::{ModelKey, Shares};
use super::{ApplicationId, Grouping, Levels, Profile, Refused, SharedTable};
use crate::mapping::{Hierarchy, PriorityLevel, PriorityLevels};
use crate::sensitivity::Model;
use crate::weights::ModelId;
use std::collections::{BTreeMap, BTreeSet};

/// Applications that have a model.
#[derive(Debug, Clone, Default)]
pub(super) struct Roster {
    /// What each is to the solver, by its number.
    models: Vec<Option<ModelId>>,
    /// The level for connections to come.
    pub(super) levels: BTreeMap<ApplicationId, PriorityLevel>,
    /// The groups that the levels are from, where they are not shared.
    grouped: Option<PriorityLevels>,
}

impl Roster {
    pub(super) fn new(facts: &Facts, levels: &Levels, shares: &mut Shares) -> Self {
        let known = |id: &ApplicationId| Some((*id, facts.model(*id)?));
        let known: Vec<(ApplicationId, &Model)> =
            facts.applications.keys().filter_map(known).collect();
        let keys: Vec<ModelKey> = known.iter().map(|of| ModelKey::of(of.1)).collect();
        shares.know(known.iter().map(|of| of.1), &keys);
        let mut models = vec![None; facts.numbers.end()];
        for (of, key) in known.iter().zip(&keys) {
            let number = facts.numbers.of(of.0).expect("it is registered");
            models[number as usize] = Some(shares.id(key));
        }
        let mut roster = Roster { models, ..Roster::default() };
        match levels {
            Levels::Registered(grouping) => {
                // By model first, so that ids say nothing.
                let mut order: Vec<usize> = (0..known.len()).collect();
                order.sort_by(|&a, &b| keys[a].cmp(&keys[b]));
                let models: Vec<&Model> = order.iter().map(|&i| known[i].1).collect();
                let grouped = group(&models, grouping);
                let of = order.iter().zip(grouped.of()).map(|(&i, &level)| (known[i].0, level));
                roster.levels = of.collect();
                roster.grouped = Some(grouped);
            }
            Levels::Shared(table) => {
                let level = |of: &(ApplicationId, &Model)| {
                    Some((of.0, level_in(table, facts, of.0, of.1)?))
                };
                roster.levels = known.iter().filter_map(level).collect();
            }
        }
        roster
    }

    /// What the application with this number is to the solver, if it has a model.
    #[inline]
    pub(super) fn model(&self, number: u32) -> Option<ModelId> {
        self.models.get(number as usize).copied().flatten()
    }

    /// Where levels stand, given who has connections with which.
    pub(super) fn merging(&self, facts: &Facts, levels: &Levels) -> Merging {
        if let Levels::Shared(table) = levels {
            let occupied = (0..table.levels().len() as u16).map(PriorityLevel).collect();
            return Merging::new(occupied, table.hierarchy().clone());
        }
        let Some(grouped) = &self.grouped else { return Merging::default() };
        let model = |id: ApplicationId| self.model(facts.numbers.of(id)?);
        let assigned = self.levels.iter().map(|(&id, &level)| (level, id));
        let living = facts.senders.keys().map(|&(id, level)| (level, id));
        let living = living.filter(|of| model(of.1).is_some());
        let occupants: BTreeSet<(PriorityLevel, ApplicationId)> = assigned.chain(living).collect();
        // Models in their order, as sums of the same numbers in another one may differ.
        let mut members: BTreeMap<PriorityLevel, Vec<(ModelId, ApplicationId)>> = BTreeMap::new();
        for (level, id) in occupants {
            let model = model(id).expect("who has a level has a model");
            members.entry(level).or_default().push((model, id));
        }
        let point = |members: &mut Vec<(ModelId, ApplicationId)>| {
            members.sort_unstable();
            let models: Vec<&Model> = members.iter().filter_map(|of| facts.model(of.1)).collect();
            grouped.point(&models).expect("models that were grouped")
        };
        let occupied = members.keys().copied().collect();
        let points: Vec<Vec<f64>> = members.values_mut().map(point).collect();
        Merging::new(occupied, Hierarchy::of_points(&points))
    }
}

fn group(models: &[&Model], grouping: &Grouping) -> PriorityLevels {
    let Grouping { levels, coordinates, scaling, seed } = *grouping;
    PriorityLevels::group(models, levels, coordinates.basis(models), scaling, seed)
        .expect("models without coordinates are refused")
}

fn level_in(
    table: &SharedTable,
    facts: &Facts,
    application: ApplicationId,
    model: &Model,
) -> Option<PriorityLevel> {
    let profiled = match facts.applications.get(&application) {
        Some(Profile::Named(name)) => table.level_of(name),
        _ => None,
    };
    // One that was profiled later takes the nearest level.
    profiled
        .or_else(|| table.levels().nearest(model).expect("models without coordinates are refused"))
}

impl Levels {
    /// Whether a connection can have this level.
    pub(super) fn has(&self, level: PriorityLevel) -> Result<(), Refused> {
        let levels = match self {
            Levels::Registered(grouping) => grouping.levels.get(),
            Levels::Shared(table) => table.levels().len() as u16,
        };
        if level.0 < levels { Ok(()) } else { Err(Refused::NoSuchLevel { level, levels }) }
    }

    /// Whether a model has the coordinates that models are grouped by.
    pub(super) fn can_place(&self, model: &Model) -> Result<(), Refused> {
        let can = match self {
            Levels::Registered(grouping) => grouping.coordinates.basis(&[model]).has(model),
            Levels::Shared(table) => table.levels().nearest(model).is_ok(),
        };
        if can { Ok(()) } else { Err(Refused::NoCoefficients) }
    }
}
