//! When each node has something to do next: a tournament tree with eight to a match, so that a
//! small fabric is one row to look along and idle nodes of a large one cost nothing.

use bandwise_units::Time;

const WIDTH: usize = 8;

/// The earliest event of every node.
///
/// An entry is a time with the place in its group in the low bits, so that the least entry also
/// says who it is. That leaves 61 bits of picoseconds: 26 days.
#[derive(Debug)]
pub(crate) struct Clock {
    /// From the nodes up to a row of one group; each row holds the winners of the one below.
    rows: Vec<Vec<[u64; WIDTH]>>,
}

const NEVER: u64 = u64::MAX / WIDTH as u64 * WIDTH as u64;

fn entry(at: Time, place: usize) -> u64 {
    let ps = if at == Time::MAX { NEVER } else { at.as_ps() * WIDTH as u64 };
    ps | place as u64
}

fn time(entry: u64) -> Time {
    let ps = entry & !(WIDTH as u64 - 1);
    if ps == NEVER { Time::MAX } else { Time::from_ps(ps / WIDTH as u64) }
}

impl Clock {
    pub fn new(nodes: usize) -> Self {
        let group: [u64; WIDTH] = std::array::from_fn(|place| entry(Time::MAX, place));
        let mut rows = vec![vec![group; nodes.div_ceil(WIDTH).max(1)]];
        while rows[rows.len() - 1].len() > 1 {
            rows.push(vec![group; rows[rows.len() - 1].len().div_ceil(WIDTH)]);
        }
        Clock { rows }
    }

    /// The node with the earliest event, that event's time, and the time of the earliest one at
    /// any other node.
    #[inline]
    pub fn first(&self) -> (usize, Time, Time) {
        let mut place = 0;
        let mut others = u64::MAX;
        let mut first = u64::MAX;
        for row in self.rows.iter().rev() {
            first = u64::MAX;
            for &entry in &row[place] {
                others = others.min(first.max(entry));
                first = first.min(entry);
            }
            place = place * WIDTH + (first as usize & (WIDTH - 1));
        }
        (place, time(first), time(others))
    }

    /// Sets a node's earliest event.
    #[inline]
    pub fn set(&mut self, node: usize, at: Time) {
        let (mut node, mut at) = (node, at);
        let last = self.rows.len() - 1;
        for (level, row) in self.rows.iter_mut().enumerate() {
            let group = &mut row[node / WIDTH];
            group[node % WIDTH] = entry(at, node % WIDTH);
            if level == last {
                break;
            }
            at = time(group.iter().copied().fold(u64::MAX, u64::min));
            node /= WIDTH;
        }
    }

    /// Notes that a node has an event at `at`, perhaps its earliest.
    #[inline]
    pub fn lower(&mut self, node: usize, at: Time) {
        let mut node = node;
        for row in &mut self.rows {
            let known = &mut row[node / WIDTH][node % WIDTH];
            let new = entry(at, node % WIDTH);
            if *known <= new {
                return;
            }
            *known = new;
            node /= WIDTH;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn knows_the_first_and_the_others(
            times in proptest::collection::vec(1u64..1000, 1..200),
            lowered in proptest::collection::vec((0usize..200, 0u64..1000), 0..50),
        ) {
            let mut times = times;
            let mut clock = Clock::new(times.len());
            for (node, &at) in times.iter().enumerate().rev() {
                clock.set(node, Time::from_ps(at / 2));
                clock.set(node, Time::from_ps(at));
            }
            for (node, at) in lowered {
                let node = node % times.len();
                times[node] = times[node].min(at);
                clock.lower(node, Time::from_ps(at));
            }
            let (node, first, others) = clock.first();
            let least = *times.iter().min().unwrap();
            prop_assert_eq!((times[node], first.as_ps()), (least, least));
            let rest = times.iter().enumerate().filter(|&(i, _)| i != node);
            let second = rest.map(|(_, &t)| t).min().unwrap_or(u64::MAX);
            prop_assert_eq!(others, if second == u64::MAX { Time::MAX } else { Time::from_ps(second) });
        }
    }
}
