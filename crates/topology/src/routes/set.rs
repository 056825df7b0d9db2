//! Sets of slots as bits of words. A fabric whose switches have up to 64 ports needs one word a set.

/// The number of slots in a word.
pub(super) const BITS: usize = u64::BITS as usize;

/// Returns the number of words of a set of slots below `slots`.
pub(super) const fn words(slots: usize) -> usize {
    slots.div_ceil(BITS)
}

/// Adds a slot.
#[inline]
pub(super) fn insert(set: &mut [u64], slot: u16) {
    set[usize::from(slot) / BITS] |= 1 << (usize::from(slot) % BITS);
}

#[inline]
pub(super) fn contains(set: &[u64], slot: u16) -> bool {
    set[usize::from(slot) / BITS] >> (usize::from(slot) % BITS) & 1 == 1
}

/// Returns the number of slots in the set.
#[inline]
pub(super) fn len(set: &[u64]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

/// Returns the slot of a set with a single one.
#[inline]
pub(super) fn only(set: &[u64]) -> Option<u16> {
    (len(set) == 1).then(|| nth(set, 0))
}

/// Returns the nth slot (from 0) of a set with more than n slots.
#[inline]
pub(super) fn nth(set: &[u64], mut n: u32) -> u16 {
    let mut first = 0;
    for &word in set {
        let here = word.count_ones();
        if n < here {
            let rest = (0..n).fold(word, |rest, _| rest & (rest - 1));
            return first + rest.trailing_zeros() as u16;
        }
        n -= here;
        first += BITS as u16;
    }
    unreachable!("the set has more than n slots")
}

/// Iterates over the slots, ascending.
pub(super) fn iter(set: &[u64]) -> impl Iterator<Item = u16> + '_ {
    set.iter().zip((0..).step_by(BITS)).flat_map(|(&word, first)| {
        let rest = |rest: &u64| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
        let words = std::iter::successors(Some(word).filter(|&word| word != 0), rest);
        words.map(move |rest| first + rest.trailing_zeros() as u16)
    })
}

/// Removes the lowest slot and returns it.
pub(super) fn take_lowest(set: &mut [u64]) -> Option<u16> {
    let (word, first) = set.iter_mut().zip((0..).step_by(BITS)).find(|(word, _)| **word != 0)?;
    let slot = first + word.trailing_zeros() as u16;
    *word &= *word - 1;
    Some(slot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    proptest::proptest! {
        /// A set of bits equals a set of numbers.
        #[test]
        fn sets_equal_sets_of_numbers(
            slots in proptest::collection::btree_set(0u16..512, 0..80),
            most in 1usize..=512,
        ) {
            let expected: BTreeSet<u16> =
                slots.into_iter().filter(|&slot| usize::from(slot) < most).collect();
            let mut set = vec![0; words(most)];
            expected.iter().for_each(|&slot| insert(&mut set, slot));
            assert!(iter(&set).eq(expected.iter().copied()));
            assert_eq!(len(&set) as usize, expected.len());
            assert!((0..most as u16).all(|slot| contains(&set, slot) == expected.contains(&slot)));
            assert!(expected.iter().zip(0..).all(|(&slot, n)| nth(&set, n) == slot));
            assert_eq!(only(&set), expected.first().copied().filter(|_| expected.len() == 1));
            let taken = std::iter::from_fn(|| take_lowest(&mut set));
            assert!(taken.eq(expected));
        }
    }
}
