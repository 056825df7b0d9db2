//! [`Changes`]: the set of changed descriptors, with many writing threads and one reader.

use std::sync::atomic::{AtomicU64, Ordering::AcqRel};

/// The bits of a word.
const BITS: usize = 64;

/// One bit for each descriptor, and one summary bit for each word. The set can't overflow, and a descriptor that
/// changes ten times between two reads is read once.
#[derive(Debug)]
pub(crate) struct Changes<const WORDS: usize, const SUMMARIES: usize> {
    words: [AtomicU64; WORDS],
    summaries: [AtomicU64; SUMMARIES],
}

impl<const WORDS: usize, const SUMMARIES: usize> Changes<WORDS, SUMMARIES> {
    pub(crate) const fn new() -> Self {
        const { assert!(WORDS <= SUMMARIES * BITS) };
        Changes {
            words: [const { AtomicU64::new(0) }; WORDS],
            summaries: [const { AtomicU64::new(0) }; SUMMARIES],
        }
    }

    /// Marks a descriptor as changed. The reader sees everything that was written before.
    pub(crate) fn note(&self, descriptor: usize) {
        let word = descriptor / BITS;
        let Some(bits) = self.words.get(word) else { return };
        // The word comes first: a reader that finds the summary bit also finds the bit.
        bits.fetch_or(1 << (descriptor % BITS), AcqRel);
        self.summaries[word / BITS].fetch_or(1 << (word % BITS), AcqRel);
    }

    /// Takes each descriptor that has changed since the last call.
    pub(crate) fn take(&self, mut each: impl FnMut(usize)) {
        for (i, summary) in self.summaries.iter().enumerate() {
            for word in ones(summary.swap(0, AcqRel)).map(|bit| i * BITS + bit) {
                ones(self.words[word].swap(0, AcqRel)).for_each(|bit| each(word * BITS + bit));
            }
        }
    }
}

fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (first < BITS).then_some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicBool;

    proptest! {
        #[test]
        fn each_change_is_taken_once(rounds in proptest::collection::vec(proptest::collection::vec(0..9000usize, 0..40), 0..8)) {
            let changes = Changes::<128, 2>::new();
            for round in rounds {
                round.iter().for_each(|descriptor| changes.note(*descriptor));
                let mut taken = Vec::new();
                changes.take(|descriptor| taken.push(descriptor));
                let noted: BTreeSet<usize> = round.into_iter().filter(|d| *d < 128 * 64).collect();
                prop_assert_eq!(taken, noted.into_iter().collect::<Vec<_>>());
            }
        }
    }

    /// Threads mark descriptors while one reads: no change is lost.
    #[test]
    fn nothing_is_lost_between_threads() {
        // Miri is slow.
        const NOTES: usize = if cfg!(miri) { 1_000 } else { 100_000 };
        let (changes, done) = (Changes::<128, 2>::new(), AtomicBool::new(false));
        let values: Vec<AtomicU64> = (0..1000).map(|_| AtomicU64::new(0)).collect();
        let mut seen = vec![0; 1000];
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        for i in 0..NOTES {
                            values[i * 7 % 1000].fetch_add(1, AcqRel);
                            changes.note(i * 7 % 1000);
                        }
                    })
                })
                .collect();
            scope.spawn(|| {
                writers.into_iter().for_each(|writer| writer.join().unwrap());
                done.store(true, std::sync::atomic::Ordering::Release);
            });
            loop {
                let last = done.load(std::sync::atomic::Ordering::Acquire);
                changes.take(|d| seen[d] = values[d].load(std::sync::atomic::Ordering::Acquire));
                if last {
                    break;
                }
            }
        });
        assert!(seen.iter().all(|count| *count == 3 * NOTES as u64 / 1000));
    }
}
