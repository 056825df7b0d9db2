//! [`RingBitmap`]: packets beyond the next expected one.

use super::Seq;
use std::ops::{Deref, DerefMut};

/// A set of sequence numbers from [`head`](Self::head) on, as a ring of bits: packets that a
/// receiver has beyond the expected one, or that a sender knows to have arrived beyond the
/// cumulative acknowledgement. Its operations are those of IRN 6.2: find the first zero, count
/// ones, and shift, which moves the ring's head.
///
/// The ring has space for 128 numbers inline, enough for a NIC at 40 Gbps (IRN 6.1), and grows to a
/// power of two.
#[derive(Debug, Clone, Default)]
pub struct RingBitmap {
    /// Bit n of the ring, modulo its length, represents number n. Bits outside `head..head +
    /// capacity` are zero.
    ring: Words,
    head: Seq,
    /// Number of set bits. Mostly zero, in which case the ring is not read.
    ones: u32,
}

/// Words of the ring; their number is a power of two.
#[derive(Debug, Clone)]
enum Words {
    /// Inline words, in the same or the next cache line as the rest of the flow's state.
    Near([u64; 2]),
    Far(Box<[u64]>),
}

impl Default for Words {
    fn default() -> Self {
        Words::Near([0; 2])
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Words::Near(words) => words,
            Words::Far(words) => words,
        }
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Words::Near(words) => words,
            Words::Far(words) => words,
        }
    }
}

impl RingBitmap {
    /// Returns an empty set from 0 on.
    pub fn new() -> Self {
        RingBitmap::default()
    }

    /// Resets to the state of [`new`](Self::new), keeping the memory.
    pub fn reset(&mut self) {
        if self.ones > 0 {
            self.ring.fill(0);
        }
        (self.head, self.ones) = (0, 0);
    }

    /// Returns the smallest number that the set could contain.
    #[inline]
    pub fn head(&self) -> Seq {
        self.head
    }

    /// Returns the number of members.
    #[inline]
    pub fn ones(&self) -> u32 {
        self.ones
    }

    /// Returns whether the set contains `seq`.
    #[inline]
    pub fn contains(&self, seq: Seq) -> bool {
        self.ones > 0 && seq >= self.head && seq - self.head < self.capacity() && {
            self.ring[word(&self.ring, seq)] >> (seq % 64) & 1 == 1
        }
    }

    /// Adds a number. Returns whether the number is new; numbers below the head are not.
    #[inline]
    pub fn insert(&mut self, seq: Seq) -> bool {
        if seq < self.head {
            return false;
        }
        if seq - self.head >= self.capacity() {
            self.grow(seq - self.head + 1);
        }
        let words = &mut *self.ring;
        let word = &mut words[word(words, seq)];
        let bit = 1 << (seq % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        self.ones += u32::from(is_new);
        is_new
    }

    /// Returns the first number at or after `from`, and at or after the head, that is not a member.
    #[inline]
    pub fn first_zero(&self, from: Seq) -> Seq {
        let from = from.max(self.head);
        if self.ones == 0 {
            return from;
        }
        let words = &*self.ring;
        let end = self.head + self.capacity();
        for (base, mask) in spans(from, end) {
            let zeros = !words[word(words, base)] & mask;
            if zeros != 0 {
                return base + zeros.trailing_zeros();
            }
        }
        end.max(from)
    }

    /// Returns the first member at or after `from`, if there is one.
    pub fn first_one(&self, from: Seq) -> Option<Seq> {
        if self.ones == 0 {
            return None;
        }
        let words = &*self.ring;
        let mut spans = spans(from.max(self.head), self.head + self.capacity());
        spans.find_map(|(base, mask)| {
            let ones = words[word(words, base)] & mask;
            (ones != 0).then(|| base + ones.trailing_zeros())
        })
    }

    /// Returns the number of members in `from..to` (popcount).
    #[inline]
    pub fn count(&self, from: Seq, to: Seq) -> u32 {
        if self.ones == 0 {
            return 0;
        }
        let words = &*self.ring;
        let to = to.min(self.head + self.capacity());
        let held = |(base, mask): (Seq, u64)| (words[word(words, base)] & mask).count_ones();
        spans(from.max(self.head), to).map(held).sum()
    }

    /// Removes numbers below `to`, the new head (shift). No effect if the head is already there.
    #[inline]
    pub fn advance(&mut self, to: Seq) {
        if to <= self.head {
            return;
        }
        if self.ones > 0 {
            self.clear(to);
        }
        self.head = to;
    }

    /// Moves the head past the contiguous members at it. Returns their number.
    #[inline]
    pub fn advance_over_ones(&mut self) -> u32 {
        let run = self.first_zero(self.head) - self.head;
        self.advance(self.head + run);
        run
    }

    fn clear(&mut self, to: Seq) {
        let (head, to) = (self.head, to.min(self.head + self.capacity()));
        let words = &mut *self.ring;
        let mut cleared = 0;
        for (base, mask) in spans(head, to) {
            let word = &mut words[word(words, base)];
            cleared += (*word & mask).count_ones();
            *word &= !mask;
        }
        self.ones -= cleared;
    }

    #[inline]
    fn capacity(&self) -> u32 {
        self.ring.len() as u32 * 64
    }

    /// Grows the ring to at least `window` numbers.
    #[cold]
    fn grow(&mut self, window: u32) {
        let words = window.div_ceil(64).next_power_of_two();
        let mut new = vec![0; words as usize].into_boxed_slice();
        // A word of the ring may hold numbers of both its ends, which separate here: copy by span.
        for (base, mask) in spans(self.head, self.head + self.capacity()) {
            let at = word(&new, base);
            new[at] |= self.ring[word(&self.ring, base)] & mask;
        }
        self.ring = Words::Far(new);
    }
}

/// Returns the index of the word with a number's bit.
#[inline]
fn word(words: &[u64], seq: Seq) -> usize {
    (seq / 64) as usize & (words.len() - 1)
}

/// Splits `from..to` at multiples of 64: the multiple, and a mask of the 64 numbers from it.
#[inline]
fn spans(from: Seq, to: Seq) -> impl Iterator<Item = (Seq, u64)> {
    let mut at = from;
    std::iter::from_fn(move || {
        if at >= to {
            return None;
        }
        let (base, low) = (at - at % 64, at % 64);
        let len = (64 - low).min(to - at);
        at += len;
        Some((base, (u64::MAX >> (64 - len)) << low))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Steps of a schedule: an operation, and a distance from the head.
    fn steps() -> impl Strategy<Value = Vec<(u8, u32)>> {
        let near = prop_oneof![5 => 0u32..70, 3 => 0u32..260, 1 => 0u32..1500];
        prop::collection::vec((0u8..8, near), 1..250)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// IRN 6.2's operations against a set of numbers, at heads anywhere in the ring.
        #[test]
        fn bitmap_equals_a_set(steps in steps(), start in 0u32..5000) {
            let mut bits = RingBitmap::new();
            let mut set = BTreeSet::new();
            bits.advance(start);
            let mut head = start;
            for (step, offset) in steps {
                let at = head + offset;
                match step {
                    0 => {
                        bits.advance(at);
                        head = at;
                        set = set.split_off(&at);
                    }
                    1 => {
                        let run = (head..).take_while(|seq| set.remove(seq)).count() as u32;
                        prop_assert_eq!(bits.advance_over_ones(), run);
                        head += run;
                    }
                    _ => prop_assert_eq!(bits.insert(at), set.insert(at)),
                }
                let at = at.max(head);
                prop_assert_eq!((bits.head(), bits.ones()), (head, set.len() as u32));
                prop_assert_eq!(bits.contains(at), set.contains(&at));
                let zero = (at..).find(|seq| !set.contains(seq)).unwrap();
                prop_assert_eq!(bits.first_zero(at), zero);
                prop_assert_eq!(bits.first_one(at), set.range(at..).next().copied());
                let to = at + offset / 2;
                prop_assert_eq!(bits.count(head, at), set.range(head..at).count() as u32);
                prop_assert_eq!(bits.count(at, to), set.range(at..to).count() as u32);
                prop_assert!(head == 0 || !bits.insert(head - 1), "numbers below the head are in the set");
            }
            bits.reset();
            prop_assert_eq!((bits.head(), bits.ones(), bits.first_zero(0)), (0, 0, 0));
            prop_assert!((0..3000).all(|seq| !bits.contains(seq)));
        }
    }

    #[test]
    fn a_full_ring_does_not_grow() {
        let mut bits = RingBitmap::new();
        bits.advance(100);
        (100..228).for_each(|seq| assert!(bits.insert(seq)));
        assert_eq!(bits.capacity(), 128, "it did not grow");
        assert_eq!((bits.first_zero(0), bits.first_zero(200)), (228, 228));
        assert_eq!(bits.advance_over_ones(), 128);
        assert_eq!((bits.head(), bits.ones()), (228, 0));
    }
}
