//! [`Ids`]: a set of ids that takes little memory if they ascend.

use std::collections::BTreeMap;

/// A set of numbers, as ranges without gaps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ids {
    /// The first number of each range, with its last.
    ranges: BTreeMap<u64, u64>,
}

impl Ids {
    pub(super) fn contains(&self, id: u64) -> bool {
        self.ranges.range(..=id).next_back().is_some_and(|(_, &last)| id <= last)
    }

    /// Adds an id, and returns whether it is new.
    pub(super) fn insert(&mut self, id: u64) -> bool {
        if self.contains(id) {
            return false;
        }
        // Adjacent ranges are merged.
        let after = id.checked_add(1).and_then(|next| self.ranges.remove(&next));
        let last = after.unwrap_or(id);
        match self.ranges.range_mut(..id).next_back() {
            Some((_, before)) if *before + 1 == id => *before = last,
            _ => {
                self.ranges.insert(id, last);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_are_one_range() {
        let mut ids = Ids::default();
        for id in [4, 2, 0, 3, u64::MAX, 1] {
            assert!(ids.insert(id) && !ids.insert(id));
        }
        assert_eq!(ids.ranges, BTreeMap::from([(0, 4), (u64::MAX, u64::MAX)]));
    }

    proptest! {
        #[test]
        fn ids_equal_a_set(added in prop::collection::vec(0u64..40, 0..60)) {
            let (mut ids, mut set) = (Ids::default(), BTreeSet::new());
            for id in added {
                prop_assert_eq!(ids.insert(id), set.insert(id));
                prop_assert!((0..41).all(|id| ids.contains(id) == set.contains(&id)));
                let breaks = set.iter().filter(|&&id| !set.contains(&(id + 1))).count();
                prop_assert_eq!(ids.ranges.len(), breaks);
            }
        }
    }
}
