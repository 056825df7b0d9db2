//! [`Bits`]: one bit for each descriptor.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// `WORDS` times 64 bits; bits beyond that are off.
#[derive(Debug)]
pub(crate) struct Bits<const WORDS: usize>([AtomicU64; WORDS]);

impl<const WORDS: usize> Bits<WORDS> {
    pub(crate) const fn new() -> Self {
        Bits([const { AtomicU64::new(0) }; WORDS])
    }

    pub(crate) fn get(&self, at: usize) -> bool {
        let is_on = |word: &AtomicU64| word.load(Relaxed) >> (at % 64) & 1 == 1;
        self.0.get(at / 64).is_some_and(is_on)
    }

    /// Sets a bit. Writes nothing if the bit has this value already.
    pub(crate) fn set(&self, at: usize, is_on: bool) {
        let Some(word) = self.0.get(at / 64).filter(|_| self.get(at) != is_on) else { return };
        let bit = 1 << (at % 64);
        if is_on {
            word.fetch_or(bit, Relaxed)
        } else {
            word.fetch_and(!bit, Relaxed)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn bits_equal_a_set(steps in proptest::collection::vec((0..300usize, any::<bool>()), 0..100)) {
            let (bits, mut on) = (Bits::<4>::new(), BTreeSet::new());
            for (at, is_on) in steps {
                bits.set(at, is_on);
                on.remove(&at);
                on.extend((is_on && at < 256).then_some(at));
                prop_assert!((0..300).all(|at| bits.get(at) == on.contains(&at)));
            }
        }
    }
}
