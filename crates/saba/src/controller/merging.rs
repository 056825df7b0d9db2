//! [`Merging`]: where the levels stand that somebody has.

use crate::mapping::{Hierarchy, PriorityLevel};

/// Levels that somebody has, and how they merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Merging {
    /// In their order; the hierarchy counts them from 0, which is a level's place.
    occupied: Vec<PriorityLevel>,
    /// The place of each level.
    places: Vec<Option<u16>>,
    hierarchy: Hierarchy,
}

impl Default for Merging {
    fn default() -> Self {
        Merging::new(Vec::new(), Hierarchy::of_points(&[]))
    }
}

impl Merging {
    /// These levels, in their order, as the hierarchy has them.
    pub(super) fn new(occupied: Vec<PriorityLevel>, hierarchy: Hierarchy) -> Self {
        let end = occupied.last().map_or(0, |last| usize::from(last.0) + 1);
        let mut places = vec![None; end];
        for (place, level) in (0..).zip(&occupied) {
            places[usize::from(level.0)] = Some(place);
        }
        Merging { occupied, places, hierarchy }
    }

    /// How many places there are.
    pub(super) fn len(&self) -> usize {
        self.occupied.len()
    }

    /// The place of a level that somebody has.
    #[inline]
    pub(super) fn place(&self, level: PriorityLevel) -> Option<u16> {
        self.places.get(usize::from(level.0)).copied().flatten()
    }

    /// The level at a place.
    pub(super) fn level(&self, place: PriorityLevel) -> PriorityLevel {
        self.occupied[usize::from(place.0)]
    }

    /// How levels merge, by place.
    pub(super) fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
}
