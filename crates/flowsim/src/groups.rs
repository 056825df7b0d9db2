//! [`Groups`]: how many flows each group has.

/// The groups that have flows, and how many. Flows of one group mostly come one after the other, so the place
/// where the last one was found is looked at first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Groups {
    /// By number, ascending.
    all: Vec<(u32, u32)>,
    last: usize,
}

impl Groups {
    /// The groups that have flows, ascending.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.all.iter().map(|&(group, _)| group)
    }

    /// One more flow.
    pub(crate) fn join(&mut self, group: u32) {
        match self.find(group) {
            Ok(at) => self.all[at].1 += 1,
            Err(at) => self.all.insert(at, (group, 1)),
        }
    }

    /// One flow less; whether it was the last one. Panics for a group without flows.
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
        /// The same as a sorted map of counts.
        #[test]
        fn as_a_map(steps in proptest::collection::vec((0u32..6, proptest::bool::ANY), 0..100)) {
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
