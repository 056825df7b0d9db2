//! [`Groups`]: the number of flows of each group.

/// The groups with flows, and the number of flows of each. Flows of one group mostly come in
/// sequence, so a search begins at the last result.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    /// By number, ascending.
    all: Vec<(u32, u32)>,
    last: usize,
}

impl Groups {
    /// Iterates over the groups with flows, ascending.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.all.iter().map(|&(group, _)| group)
    }

    /// Counts one more flow.
    pub(crate) fn join(&mut self, group: u32) {
        match self.find(group) {
            Ok(at) => self.all[at].1 += 1,
            Err(at) => self.all.insert(at, (group, 1)),
        }
    }

    /// Counts one flow less, and returns whether it was the last one.
    ///
    /// # Panics
    ///
    /// Panics if the group has no flows.
    pub(crate) fn leave(&mut self, group: u32) -> bool {
        let at = self.find(group).expect("its group has flows");
        self.all[at].1 -= 1;
        let is_last = self.all[at].1 == 0;
        if is_last {
            self.all.remove(at);
        }
        is_last
    }

    fn find(&mut self, group: u32) -> Result<usize, usize> {
        if self.all.get(self.last).is_some_and(|&(last, _)| last == group) {
            return Ok(self.last);
        }
        let found = self.all.binary_search_by_key(&group, |&(group, _)| group);
        self.last = found.unwrap_or_else(|at| at);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    proptest::proptest! {
        /// The groups equal a sorted map of counts.
        #[test]
        fn groups_equal_a_map_of_counts(steps in proptest::collection::vec((0u32..6, proptest::bool::ANY), 0..100)) {
            let (mut groups, mut map) = (Groups::default(), BTreeMap::<u32, u32>::new());
            for (group, joins) in steps {
                if joins {
                    groups.join(group);
                    *map.entry(group).or_insert(0) += 1;
                } else if let Some(count) = map.get_mut(&group) {
                    *count -= 1;
                    let is_last = *count == 0;
                    map.retain(|_, &mut count| count > 0);
                    proptest::prop_assert_eq!(groups.leave(group), is_last);
                }
                proptest::prop_assert!(groups.numbers().eq(map.keys().copied()));
            }
        }
    }
}
