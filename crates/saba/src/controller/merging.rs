//! [`Merging`]: the places of the levels in use.

use crate::mapping::{Hierarchy, PriorityLevel};

/// The levels in use, and their hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Merging {
    /// The levels in order. The hierarchy counts them from 0; this is a level's place.
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
    /// Returns these levels, in the order of the hierarchy.
    pub(super) fn new(occupied: Vec<PriorityLevel>, hierarchy: Hierarchy) -> Self {
        let end = occupied.last().map_or(0, |last| usize::from(last.0) + 1);
        let mut places = vec![None; end];
        for (place, level) in (0..).zip(&occupied) {
            places[usize::from(level.0)] = Some(place);
        }
        Merging { occupied, places, hierarchy }
    }

    /// Returns the number of places.
    pub(super) fn len(&self) -> usize {
        self.occupied.len()
    }

    /// Returns the place of a level in use.
    #[inline]
    pub(super) fn place(&self, level: PriorityLevel) -> Option<u16> {
        self.places.get(usize::from(level.0)).copied().flatten()
    }

    /// Returns the level at a place.
    pub(super) fn level(&self, place: PriorityLevel) -> PriorityLevel {
        self.occupied[usize::from(place.0)]
    }

    /// Returns the hierarchy of places.
    pub(super) fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }
}
