//! [`Ranks`]: numbers for an order that changes gradually.

use super::LAST_RANK;
use std::collections::BTreeMap;

/// The ranks of groups in an order. As many ranks as possible stay when the order changes, because
/// moving a group is work at every link that its flows cross.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranks {
    by_group: BTreeMap<u32, u64>,
}

impl Ranks {
    /// Returns ranks that ascend along `order`, which has each group once. Other groups are
    /// forgotten.
    pub(super) fn follow(&mut self, order: &[u32]) -> Vec<(u32, u64)> {
        let before: Vec<Option<u64>> =
            order.iter().map(|group| self.by_group.get(group).copied()).collect();
        let ranks = between(&longest_rise(&before));
        let ranked: Vec<_> = order.iter().copied().zip(ranks).collect();
        self.by_group = ranked.iter().copied().collect();
        ranked
    }
}

/// Returns a longest ascending subsequence at its places, and `None` at the others.
fn longest_rise(numbers: &[Option<u64>]) -> Vec<Option<u64>> {
    // By length, the place of the lowest end of a subsequence. By place, its predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; numbers.len()];
    for (at, number) in numbers.iter().enumerate().filter(|(_, number)| number.is_some()) {
        let length = ends.partition_point(|&end| numbers[end] < *number);
        before[at] = length.checked_sub(1).map(|shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut kept = vec![None; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(at) = next {
        kept[at] = numbers[at];
        next = before[at];
    }
    kept
}

/// Fills gaps evenly between ascending numbers, or assigns all anew if there is no room.
fn between(kept: &[Option<u64>]) -> Vec<u64> {
    let mut ranks = Vec::with_capacity(kept.len());
    let (mut from, mut low) = (0, 0);
    let ends = kept.iter().copied().chain([Some(LAST_RANK)]).enumerate();
    for (at, high) in ends.filter_map(|(at, rank)| Some((at, rank?))) {
        let missing = (at - from) as u64;
        let step = (high - low) / (missing + 1);
        if missing > 0 && step == 0 {
            return between(&vec![None; kept.len()]);
        }
        ranks.extend((1..=missing).map(|i| low + i * step));
        if at < kept.len() {
            ranks.push(high);
        }
        (from, low) = (at + 1, high);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn flows_in_unchanged_order_keep_their_ranks() {
        let mut ranks = Ranks::default();
        let first = ranks.follow(&[7, 3, 5]);
        assert!(first.is_sorted_by(|a, b| a.1 < b.1), "{first:?}");
        // 9 moves between the others, and 5 to the front.
        let then = ranks.follow(&[5, 7, 9, 3]);
        assert!(then.is_sorted_by(|a, b| a.1 < b.1), "{then:?}");
        assert_eq!([then[1], then[3]], [first[0], first[1]]);
    }

    #[test]
    fn ranks_remain_for_groups_added_in_front() {
        let mut ranks = Ranks::default();
        let mut order = Vec::new();
        for group in 0..200 {
            order.insert(0, group);
            let found = ranks.follow(&order);
            assert!(found.is_sorted_by(|a, b| a.1 < b.1), "{found:?}");
            assert!(found.last().expect("there are groups").1 < LAST_RANK);
        }
    }

    proptest! {
        /// The subsequence is longest, by brute force over all sets of places.
        #[test]
        fn longest_rise_is_longest(numbers in prop::collection::vec(prop::option::of(0u64..9), 0..10)) {
            let kept = longest_rise(&numbers);
            prop_assert!(kept.iter().zip(&numbers).all(|(k, n)| k.is_none() || k == n));
            let rise: Vec<u64> = kept.iter().flatten().copied().collect();
            prop_assert!(rise.is_sorted_by(|a, b| a < b));
            let most = (0u32..1 << numbers.len()).filter_map(|set| {
                let chosen = numbers.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
                let chosen: Option<Vec<u64>> = chosen.map(|(_, number)| *number).collect();
                chosen.filter(|c| c.is_sorted_by(|a, b| a < b)).map(|c| c.len())
            });
            prop_assert_eq!(rise.len(), most.max().unwrap_or(0));
        }
    }
}
