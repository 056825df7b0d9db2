//! When each node has something to do next: a tournament tree, so that idle nodes cost nothing.

use bandwise_units::Time;

/// The earliest event of every node, and of all.
#[derive(Debug)]
pub(crate) struct Clock {
    /// A complete binary tree in an array: the root at 1, the leaves from `leaves` on.
    tree: Vec<Time>,
    leaves: usize,
}

impl Clock {
    pub fn new(nodes: usize) -> Self {
        let leaves = nodes.next_power_of_two();
        Clock { tree: vec![Time::MAX; 2 * leaves], leaves }
    }

    /// The earliest event of all.
    #[inline]
    pub fn first(&self) -> Time {
        self.tree[1]
    }

    /// Sets a node's earliest event.
    #[inline]
    pub fn set(&mut self, node: usize, at: Time) {
        let mut i = self.leaves + node;
        self.tree[i] = at;
        while i > 1 {
            i /= 2;
            let least = self.tree[2 * i].min(self.tree[2 * i + 1]);
            if self.tree[i] == least {
                break;
            }
            self.tree[i] = least;
        }
    }

    /// The nodes with something to do before `horizon`, ascending, into `due`.
    #[inline]
    pub fn due(&self, horizon: Time, due: &mut Vec<u32>) {
        due.clear();
        self.descend(1, horizon, due);
    }

    fn descend(&self, i: usize, horizon: Time, due: &mut Vec<u32>) {
        if self.tree[i] >= horizon {
            return;
        }
        if i >= self.leaves {
            due.push((i - self.leaves) as u32);
        } else {
            self.descend(2 * i, horizon, due);
            self.descend(2 * i + 1, horizon, due);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn knows_the_first_and_the_due(
            times in proptest::collection::vec(0u64..100, 1..40), horizon in 0u64..110,
        ) {
            let mut clock = Clock::new(times.len());
            for (node, &at) in times.iter().enumerate().rev() {
                clock.set(node, Time::from_ps(at + 7));
                clock.set(node, Time::from_ps(at));
            }
            prop_assert_eq!(Some(&clock.first().as_ps()), times.iter().min());
            let mut due = Vec::new();
            clock.due(Time::from_ps(horizon), &mut due);
            let expected: Vec<u32> =
                (0..times.len() as u32).filter(|&n| times[n as usize] < horizon).collect();
            prop_assert_eq!(due, expected);
        }
    }
}
