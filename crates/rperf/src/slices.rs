//! [`Slices`]: how a rate went up and down, in constant memory.

use bandwise_units::Time;

/// Slices that there is room for.
const MOST: usize = 8192;

/// Messages that completed in each of equal slices of time.
///
/// When there is no room for another slice, two and two become one of twice the time. So a slice lasts as long as
/// was asked for, or twice, four times … as long in a run that is very long.
#[derive(Debug, Clone)]
pub struct Slices {
    from: Time,
    each: Time,
    messages: Box<[u64]>,
}

/// The slices that passed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// How long each lasted.
    pub each: Time,
    /// How many there were.
    pub count: u64,
    /// Messages of the slice that had the fewest.
    pub least: u64,
    /// Messages of the slice that had the most.
    pub most: u64,
}

impl Slices {
    /// Slices from that time on, which last so long at first: no less than a nanosecond.
    pub fn new(from: Time, each: Time) -> Self {
        Slices { from, each: each.max(Time::from_ns(1)), messages: vec![0; MOST].into() }
    }

    /// Adds messages that completed then. What was before the first slice counts in it.
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

    /// Two and two become one.
    fn halve(&mut self) {
        for i in 0..MOST / 2 {
            self.messages[i] = self.messages[2 * i] + self.messages[2 * i + 1];
        }
        self.messages[MOST / 2..].fill(0);
        self.each = self.each.saturating_add(self.each);
    }

    /// Adds those of another thread, which began at the same time with slices of the same length.
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

    /// How many messages there were in the first slices, of the length that they have now.
    pub fn first(&self, slices: usize) -> u64 {
        self.messages[..slices].iter().sum()
    }

    /// Of the slices that had ended by then; `None` if none had.
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
    fn peaks_and_gaps() {
        let mut slices = Slices::new(Time::from_us(10), US);
        for (ns, messages) in [(10_000, 1), (10_999, 2), (12_000, 5), (13_500, 100)] {
            slices.add(Time::from_ns(ns), messages);
        }
        // The third slice ends at 13 us; the one in which a hundred completed does not end.
        let spread = |until| slices.clone().spread(Time::from_ns(until));
        assert_eq!(spread(13_999), Some(Spread { each: US, count: 3, least: 0, most: 5 }));
        assert_eq!(spread(14_000), Some(Spread { each: US, count: 4, least: 0, most: 100 }));
        assert_eq!(spread(10_999), None);
        assert_eq!([0, 1, 2, 3, 4].map(|n| slices.first(n)), [0, 3, 3, 8, 108]);
    }

    proptest! {
        /// No message is lost, however long it goes on, and each is in the slice of its time.
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
            // Over a time that is longer still the whole is one slice.
            let whole = slices.spread(Time::from_us(1 << 40)).unwrap();
            let all = added.iter().map(|&(_, messages)| messages).sum::<u64>() + 7;
            prop_assert_eq!(whole.most, all);
        }
    }
}
