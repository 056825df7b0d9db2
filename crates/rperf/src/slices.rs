//! [`Slices`]: variation of a rate over time, in constant memory.

use bandwise_units::Time;

/// Largest number of slices.
const MOST: usize = 8192;

/// Messages completed in each of equal time slices.
///
/// When all slices are used, pairs of them are merged into slices of twice the length. A slice
/// therefore has the requested length, or two, four, … times that in a very long run.
#[derive(Debug, Clone)]
pub struct Slices {
    from: Time,
    each: Time,
    messages: Box<[u64]>,
}

/// Variation over the slices that have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Length of a slice.
    pub each: Time,
    /// Number of slices.
    pub count: u64,
    /// Smallest number of messages in a slice.
    pub least: u64,
    /// Largest number of messages in a slice.
    pub most: u64,
}

impl Slices {
    /// Creates slices from `from` on, of initial length `each`, at least 1 ns.
    pub fn new(from: Time, each: Time) -> Self {
        Slices { from, each: each.max(Time::from_ns(1)), messages: vec![0; MOST].into() }
    }

    /// Adds messages completed at `now`. Messages before the first slice count as part of it.
    pub fn add(&mut self, now: Time, messages: u64) {
        let index = loop {
            match self.messages.get_mut(self.index(now)) {
                Some(slice) => break slice,
                None => self.halve(),
            }
        };
        *index += messages;
    }

    fn index(&self, now: Time) -> usize {
        (now.saturating_sub(self.from).as_ps() / self.each.as_ps()) as usize
    }

    /// Merges pairs of slices.
    fn halve(&mut self) {
        for i in 0..MOST / 2 {
            self.messages[i] = self.messages[2 * i] + self.messages[2 * i + 1];
        }
        self.messages[MOST / 2..].fill(0);
        self.each = self.each.saturating_add(self.each);
    }

    /// Adds the slices of another thread, with the same start and initial length.
    pub fn merge(&mut self, mut other: Slices) {
        while self.each < other.each {
            self.halve();
        }
        while other.each < self.each {
            other.halve();
        }
        for (slice, more) in self.messages.iter_mut().zip(&other.messages) {
            *slice += more;
        }
    }

    /// Returns the messages in the first `slices` slices of the current length.
    pub fn first(&self, slices: usize) -> u64 {
        self.messages[..slices].iter().sum()
    }

    /// Returns the variation over the slices that ended by `until`, or `None` if none did.
    pub fn spread(mut self, until: Time) -> Option<Spread> {
        let count = loop {
            match self.index(until) {
                count if count <= MOST => break count,
                _ => self.halve(),
            }
        };
        let whole = &self.messages[..count];
        let (least, most) = (*whole.iter().min()?, *whole.iter().max()?);
        Some(Spread { each: self.each, count: count as u64, least, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const US: Time = Time::from_us(1);

    #[test]
    fn a_spread_has_the_least_and_the_most() {
        let mut slices = Slices::new(Time::from_us(10), US);
        for (ns, messages) in [(10_000, 1), (10_999, 2), (12_000, 5), (13_500, 100)] {
            slices.add(Time::from_ns(ns), messages);
        }
        // The third slice ends at 13 us; the one with a hundred completions does not end.
        let spread = |until| slices.clone().spread(Time::from_ns(until));
        assert_eq!(spread(13_999), Some(Spread { each: US, count: 3, least: 0, most: 5 }));
        assert_eq!(spread(14_000), Some(Spread { each: US, count: 4, least: 0, most: 100 }));
        assert_eq!(spread(10_999), None);
        assert_eq!([0, 1, 2, 3, 4].map(|n| slices.first(n)), [0, 3, 3, 8, 108]);
    }

    proptest! {
        /// No message is lost in a run of any length, and each is in the slice of its time.
        #[test]
        fn every_message_is_in_a_slice(
            added in prop::collection::vec((0u64..100_000, 0u64..9), 1..200), other in 0u64..1_000_000,
        ) {
            let mut slices = Slices::new(Time::ZERO, US);
            let mut theirs = slices.clone();
            added.iter().for_each(|&(us, messages)| slices.add(Time::from_us(us), messages));
            theirs.add(Time::from_us(other), 7);
            slices.merge(theirs);
            let each = slices.each.as_ps();
            prop_assert!((each / US.as_ps()).is_power_of_two());
            let index = |us| (Time::from_us(us).as_ps() / each) as usize;
            let mut expected = vec![0; MOST];
            added.iter().for_each(|&(us, messages)| expected[index(us)] += messages);
            expected[index(other)] += 7;
            prop_assert_eq!(&slices.messages[..], &expected[..]);
            // Over a much longer time, everything is in one slice.
            let whole = slices.spread(Time::from_us(1 << 40)).unwrap();
            let all = added.iter().map(|&(_, messages)| messages).sum::<u64>() + 7;
            prop_assert_eq!(whole.most, all);
        }
    }
}
