//! Sets of sources with waiting packets. A switch of up to 64 inputs has one word a set. In a larger
//! one that word is the set of the groups of 64 sources that are not empty, and the sources of each
//! group are a word elsewhere.

use super::super::features::Features;
use crate::base::bits::ones;
use std::marker::PhantomData;

/// Number of sources in a word.
const GROUP: u32 = u64::BITS;

/// The words of groups, of all sets. A set is given by its own word and by the queue of its first
/// source.
#[derive(Debug)]
pub(super) struct Sources<F: Features> {
    /// Members by group, in the order of the queues. Empty if no set has more than a word.
    groups: Vec<u64>,
    features: PhantomData<F>,
}

impl<F: Features> Sources<F> {
    /// Returns the number of queues of a set of `inputs` sources, used or not.
    pub(super) const fn places(inputs: usize) -> usize {
        if inputs <= GROUP as usize { inputs } else { inputs.next_multiple_of(GROUP as usize) }
    }

    /// Creates empty sets, each with this number of places.
    pub(super) fn new(sets: usize, places: usize) -> Self {
        let groups = if places <= GROUP as usize { 0 } else { sets * places / GROUP as usize };
        assert!(F::LARGE_SWITCHES || groups == 0, "a set of sources is a word");
        Sources { groups: vec![0; groups], features: PhantomData }
    }

    #[inline]
    fn is_one_word(&self) -> bool {
        !F::LARGE_SWITCHES || self.groups.is_empty()
    }

    #[inline]
    pub(super) fn insert(&mut self, set: &mut u64, queues: u32, source: u32) {
        if self.is_one_word() {
            *set |= 1 << source;
        } else {
            self.groups[((queues + source) / GROUP) as usize] |= 1 << (source % GROUP);
            *set |= 1 << (source / GROUP);
        }
    }

    /// Removes a source if `is_empty`.
    #[inline]
    pub(super) fn remove(&mut self, set: &mut u64, queues: u32, source: u32, is_empty: bool) {
        if self.is_one_word() {
            *set &= !(u64::from(is_empty) << source);
        } else {
            let group = &mut self.groups[((queues + source) / GROUP) as usize];
            *group &= !(u64::from(is_empty) << (source % GROUP));
            *set &= !(u64::from(*group == 0) << (source / GROUP));
        }
    }

    pub(super) fn contains(&self, set: u64, queues: u32, source: u32) -> bool {
        match self.is_one_word() {
            true => set >> source & 1 == 1,
            false => self.groups[((queues + source) / GROUP) as usize] >> (source % GROUP) & 1 == 1,
        }
    }

    /// Returns the first member from `start` on, cyclically. The set is not empty.
    #[inline]
    pub(super) fn next(&self, set: u64, queues: u32, start: u32) -> u32 {
        if self.is_one_word() {
            first_from(set, start)
        } else {
            self.next_of_many(set, queues, start)
        }
    }

    fn next_of_many(&self, set: u64, queues: u32, start: u32) -> u32 {
        let first = start / GROUP;
        let members = |group: u32| self.groups[(queues / GROUP + group) as usize];
        if set >> first & 1 == 1 {
            let rest = members(first) >> (start % GROUP);
            if rest != 0 {
                return start + rest.trailing_zeros();
            }
        }
        let group = first_from(set, first + 1);
        group * GROUP + members(group).trailing_zeros()
    }

    /// Calls `visit` with the queue of each member.
    #[inline]
    pub(super) fn for_each(&self, set: u64, queues: u32, mut visit: impl FnMut(usize)) {
        for first in ones(set) {
            if self.is_one_word() {
                visit(queues as usize + first);
            } else {
                let group = queues as usize / GROUP as usize + first;
                ones(self.groups[group]).for_each(|source| visit(group * GROUP as usize + source));
            }
        }
    }
}

/// Returns the first member of a word from `start` on, cyclically. The rotation avoids an
/// unpredictable branch.
#[inline]
fn first_from(set: u64, start: u32) -> u32 {
    (set.rotate_right(start).trailing_zeros() + start) % u64::BITS
}

#[cfg(test)]
mod tests {
    use super::super::super::feature_sets::{Basic, Large};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_next_set_bit_follows_in_circles() {
        assert_eq!(first_from(0b1010, 0), 1);
        assert_eq!(first_from(0b1010, 2), 3);
        assert_eq!(first_from(0b1010, 4), 1);
        assert_eq!(first_from(1 << 63, 64), 63);
    }

    type Steps = Vec<(usize, u32, bool)>;

    /// Checks that two sets of one switch equal sets of numbers.
    fn equals_sets_of_numbers<F: Features>(
        inputs: usize,
        steps: &Steps,
    ) -> Result<(), TestCaseError> {
        let places = Sources::<F>::places(inputs);
        let mut sources = Sources::<F>::new(2, places);
        let mut sets = [0u64; 2];
        let mut expected = [BTreeSet::new(), BTreeSet::new()];
        for &(which, source, is_added) in steps {
            let source = source % inputs as u32;
            let (queues, numbers) = ((which * places) as u32, &mut expected[which]);
            if is_added {
                sources.insert(&mut sets[which], queues, source);
                numbers.insert(source);
            } else if numbers.contains(&source) {
                sources.remove(&mut sets[which], queues, source, false);
                prop_assert!(sources.contains(sets[which], queues, source));
                sources.remove(&mut sets[which], queues, source, true);
                numbers.remove(&source);
            }
            prop_assert_eq!(sets[which] == 0, numbers.is_empty());
            prop_assert!(!is_added || sources.contains(sets[which], queues, source));
            // After a source comes the next one, as in round-robin order.
            let start = source + 1;
            let next = numbers.range(start..).next().or(numbers.first());
            if let Some(&next) = next {
                prop_assert_eq!(sources.next(sets[which], queues, start), next);
            }
        }
        for (which, numbers) in expected.iter().enumerate() {
            let mut found = Vec::new();
            sources.for_each(sets[which], (which * places) as u32, |queue| found.push(queue));
            let queues = numbers.iter().map(|&source| which * places + source as usize);
            prop_assert!(found.into_iter().eq(queues));
        }
        Ok(())
    }

    proptest! {
        /// Sets equal sets of numbers, with one word and with several.
        #[test]
        fn sets_equal_sets_of_numbers(
            inputs in prop::sample::select(vec![2usize, 63, 64, 65, 128, 129, 512]),
            steps in prop::collection::vec((0usize..2, 0u32..512, any::<bool>()), 1..200),
        ) {
            if inputs <= 64 {
                equals_sets_of_numbers::<Basic>(inputs, &steps)?;
            }
            equals_sets_of_numbers::<Large<Basic>>(inputs, &steps)?;
        }
    }
}
