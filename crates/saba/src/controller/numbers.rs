//! [`Numbers`] and [`Marks`]: small numbers for ids, for vectors in place of maps.

use std::collections::BTreeMap;

/// A number for each id in use, from 0 upwards without large gaps. Numbers depend on the order of
/// events, so no result may depend on them.
#[derive(Debug, Clone)]
pub(super) struct Numbers<K> {
    of: BTreeMap<K, u32>,
    ids: Vec<K>,
    free: Vec<u32>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Numbers { of: BTreeMap::new(), ids: Vec::new(), free: Vec::new() }
    }
}

impl<K: Ord + Clone> Numbers<K> {
    /// Returns the number of an id, and assigns one if needed.
    pub(super) fn give(&mut self, id: K) -> u32 {
        if let Some(&number) = self.of.get(&id) {
            return number;
        }
        let number = match self.free.pop() {
            Some(number) => {
                self.ids[number as usize] = id.clone();
                number
            }
            None => {
                self.ids.push(id.clone());
                (self.ids.len() - 1) as u32
            }
        };
        self.of.insert(id, number);
        number
    }

    /// Returns the number of an id that has one.
    pub(super) fn of(&self, id: &K) -> Option<u32> {
        self.of.get(id).copied()
    }

    /// Returns the id that has a number, or had it last.
    pub(super) fn id(&self, number: u32) -> &K {
        &self.ids[number as usize]
    }

    /// Releases an id. Another one may get its number.
    pub(super) fn release(&mut self, id: &K) {
        self.free.extend(self.of.remove(id));
    }

    /// Iterates over all ids with a number, in order, with the numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (&K, u32)> {
        self.of.iter().map(|(id, number)| (id, *number))
    }
}

/// A set of numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    is_marked: Vec<bool>,
    marked: Vec<u32>,
}

impl Marks {
    pub(super) fn insert(&mut self, number: u32) {
        let at = number as usize;
        if at >= self.is_marked.len() {
            self.is_marked.resize(at + 1, false);
        }
        if !self.is_marked[at] {
            self.is_marked[at] = true;
            self.marked.push(number);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.marked.is_empty()
    }

    /// Removes all numbers, in the order of insertion.
    pub(super) fn take(&mut self) -> Vec<u32> {
        let marked = std::mem::take(&mut self.marked);
        for &number in &marked {
            self.is_marked[number as usize] = false;
        }
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        /// Numbers equal a map: no two ids have one number, none changes while its id is in use,
        /// and there are no more numbers than ids that were in use at one time.
        #[test]
        fn each_id_has_a_number_of_its_own(done in prop::collection::vec((0u64..12, any::<bool>()), 0..80)) {
            let (mut numbers, mut given, mut most) = (Numbers::default(), BTreeMap::new(), 0);
            for (id, give) in done {
                if give {
                    let number = numbers.give(id);
                    prop_assert_eq!(*given.entry(id).or_insert(number), number);
                } else {
                    numbers.release(&id);
                    given.remove(&id);
                }
                most = most.max(given.len());
                prop_assert_eq!(given.values().collect::<BTreeSet<_>>().len(), given.len());
                for id in 0..12 {
                    prop_assert_eq!(numbers.of(&id), given.get(&id).copied());
                }
                prop_assert!(given.iter().all(|(&id, &number)| *numbers.id(number) == id));
            }
            prop_assert!(numbers.all().eq(given.iter().map(|(id, number)| (id, *number))));
            prop_assert_eq!(numbers.ids.len(), most);
        }

        #[test]
        fn marks_equal_a_set(rounds in prop::collection::vec(prop::collection::vec(0u32..20, 0..30), 0..4)) {
            let mut marks = Marks::default();
            for round in rounds {
                round.iter().for_each(|&number| marks.insert(number));
                prop_assert_eq!(marks.is_empty(), round.is_empty());
                let taken = marks.take();
                let set: BTreeSet<u32> = round.into_iter().collect();
                prop_assert_eq!(taken.len(), set.len());
                prop_assert_eq!(taken.into_iter().collect::<BTreeSet<_>>(), set);
                prop_assert!(marks.is_empty());
            }
        }
    }
}
