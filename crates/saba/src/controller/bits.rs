//! [`Bits`]: a set of numbers that is read in order.

/// A set of numbers below a limit, a bit for each.
#[derive(Debug, Clone)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Returns an empty set of numbers below `end`.
    pub(super) fn below(end: usize) -> Self {
        Bits { words: vec![0; end.div_ceil(64)] }
    }

    #[inline]
    pub(super) fn insert(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
    }

    /// Removes all numbers, in order.
    #[inline]
    pub(super) fn take(&mut self, mut each: impl FnMut(usize)) {
        for (i, word) in self.words.iter_mut().enumerate() {
            let mut left = std::mem::take(word);
            while left != 0 {
                each(64 * i + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn bits_are_taken_in_order(rounds in prop::collection::vec(prop::collection::vec(0usize..200, 0..40), 0..4)) {
            let mut bits = Bits::below(200);
            for round in rounds {
                round.iter().for_each(|&number| bits.insert(number));
                let mut taken = Vec::new();
                bits.take(|number| taken.push(number));
                let set: BTreeSet<usize> = round.into_iter().collect();
                prop_assert!(taken.into_iter().eq(set));
            }
        }
    }
}
