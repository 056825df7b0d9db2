//! [`Roster`]: the level of each application, and the point of each level.

use super::facts::Facts;
use super::merging::Merging;
use super::shares::{ModelKey, Shares};
use super::{ApplicationId, Grouping, Levels, Profile, Refused, SharedTable, Tenant};
use crate::mapping::{Hierarchy, PriorityLevel, PriorityLevels};
use crate::sensitivity::Model;
use crate::weights::ModelId;
use std::collections::{BTreeMap, BTreeSet};

/// The applications with a model.
#[derive(Debug, Clone, Default)]
pub(super) struct Roster {
    /// The solver's model, by number of the kind.
    models: Vec<Option<ModelId>>,
    /// The place of each kind's tenant among those with a model.
    tenants: Vec<u32>,
    /// The number of these tenants.
    tenant_count: usize,
    /// The level of further connections, by application.
    pub(super) levels: BTreeMap<ApplicationId, PriorityLevel>,
    /// The groups of the levels, unless they come from a shared table.
    grouped: Option<PriorityLevels>,
}

impl Roster {
    pub(super) fn new(facts: &Facts, levels: &Levels, shares: &mut Shares) -> Self {
        let kinds = facts.kinds.all();
        let kinds: Vec<(u32, &Model)> =
            kinds.filter_map(|(kind, profile)| Some((kind, facts.model(profile)?))).collect();
        let keys: Vec<ModelKey> = kinds.iter().map(|of| ModelKey::of(of.1)).collect();
        shares.know(kinds.iter().map(|of| of.1), &keys);
        let mut roster = Roster { models: vec![None; facts.kinds.end()], ..Roster::default() };
        let mut of_kind: Vec<Option<&Model>> = vec![None; facts.kinds.end()];
        for (&(kind, model), key) in kinds.iter().zip(&keys) {
            roster.models[kind as usize] = Some(shares.id(key));
            of_kind[kind as usize] = Some(model);
        }
        let tenants: BTreeSet<&Tenant> = kinds.iter().map(|of| facts.kinds.tenant(of.0)).collect();
        let places: BTreeMap<&Tenant, u32> = tenants.into_iter().zip(0..).collect();
        roster.tenants = vec![0; facts.kinds.end()];
        for &(kind, _) in &kinds {
            roster.tenants[kind as usize] = places[facts.kinds.tenant(kind)];
        }
        roster.tenant_count = places.len();
        match levels {
            Levels::Registered(grouping) => {
                // The model is the first key, so that ids have no influence.
                let known = |(&id, &kind): (&ApplicationId, &u32)| {
                    Some((roster.model(kind)?, id, of_kind[kind as usize]?))
                };
                let mut known: Vec<(ModelId, ApplicationId, &Model)> =
                    facts.applications.iter().filter_map(known).collect();
                known.sort_unstable_by_key(|of| (of.0, of.1));
                let models: Vec<&Model> = known.iter().map(|of| of.2).collect();
                let grouped = group(&models, grouping);
                let of = known.iter().zip(grouped.of()).map(|(of, &level)| (of.1, level));
                roster.levels = of.collect();
                roster.grouped = Some(grouped);
            }
            Levels::Shared(table) => {
                let mut level = vec![None; facts.kinds.end()];
                for &(kind, model) in &kinds {
                    level[kind as usize] = level_in(table, facts.kinds.profile(kind), model);
                }
                let of = facts.applications.iter();
                let of = of.filter_map(|(&id, &kind)| Some((id, level[kind as usize]?)));
                roster.levels = of.collect();
            }
        }
        roster
    }

    /// Returns the solver's model of a kind, if it has one.
    #[inline]
    pub(super) fn model(&self, kind: u32) -> Option<ModelId> {
        self.models.get(kind as usize).copied().flatten()
    }

    /// Returns the place of a tenant among those with a model, of a kind that has one. Places are in
    /// the order of names.
    #[inline]
    pub(super) fn tenant(&self, kind: u32) -> u32 {
        self.tenants[kind as usize]
    }

    /// Returns the number of tenants with a model.
    pub(super) fn tenants(&self) -> usize {
        self.tenant_count
    }

    /// Returns the hierarchy of the levels in use.
    pub(super) fn merging(&self, facts: &Facts, levels: &Levels) -> Merging {
        if let Levels::Shared(table) = levels {
            let occupied = (0..table.levels().len() as u16).map(PriorityLevel).collect();
            return Merging::new(occupied, table.hierarchy().clone());
        }
        let Some(grouped) = &self.grouped else { return Merging::default() };
        // The solver's model of an application, and the number of its kind.
        let known = |id: &ApplicationId| {
            let kind = *facts.applications.get(id)?;
            Some((self.model(kind)?, kind))
        };
        let assigned = self.levels.iter().map(|(&id, &level)| (level, id));
        let living = facts.senders.keys().map(|&(id, level)| (level, id));
        let occupants: BTreeSet<(PriorityLevel, ApplicationId)> = assigned.chain(living).collect();
        // Models are in a fixed order, because sums in another order may differ.
        let mut members: BTreeMap<PriorityLevel, Vec<(ModelId, u32)>> = BTreeMap::new();
        for (level, id) in occupants {
            if let Some(known) = known(&id) {
                members.entry(level).or_default().push(known);
            }
        }
        let point = |members: &mut Vec<(ModelId, u32)>| {
            members.sort_unstable();
            let model = |of: &(ModelId, u32)| facts.model(facts.kinds.profile(of.1));
            let models: Vec<&Model> = members.iter().filter_map(model).collect();
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

fn level_in(table: &SharedTable, profile: &Profile, model: &Model) -> Option<PriorityLevel> {
    let profiled = match profile {
        Profile::Named(name) => table.level_of(name),
        Profile::Model(_) => None,
    };
    // An application that was profiled later gets the nearest level.
    profiled
        .or_else(|| table.levels().nearest(model).expect("models without coordinates are refused"))
}

impl Levels {
    /// Checks that a connection can have this level.
    pub(super) fn has(&self, level: PriorityLevel) -> Result<(), Refused> {
        let levels = match self {
            Levels::Registered(grouping) => grouping.levels.get(),
            Levels::Shared(table) => table.levels().len() as u16,
        };
        if level.0 < levels { Ok(()) } else { Err(Refused::NoSuchLevel { level, levels }) }
    }

    /// Checks that a model has the coordinates of the grouping.
    pub(super) fn can_place(&self, model: &Model) -> Result<(), Refused> {
        let can = match self {
            Levels::Registered(grouping) => grouping.coordinates.basis(&[model]).has(model),
            Levels::Shared(table) => table.levels().nearest(model).is_ok(),
        };
        if can { Ok(()) } else { Err(Refused::NoCoefficients) }
    }
}
