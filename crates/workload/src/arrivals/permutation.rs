//! [`Permutation`]: each host sends to one other host and receives from one.

use super::two_or_more;
use crate::{Flow, MAX_START, SizeDistribution, WorkloadError};
use bandwise_random::Stream;
use bandwise_units::Time;

/// One flow from each host to another, all at once, such that each host receives one flow. A fabric
/// of full bisection bandwidth carries them at line rate if its routes are good.
#[derive(Debug, Clone, PartialEq)]
pub struct Permutation {
    hosts: u32,
    sizes: SizeDistribution,
    start: Time,
}

impl Permutation {
    /// Returns the number of hosts among which flows are made.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Returns flows among `hosts` hosts, 2 or more, numbered from 0, that start at `start`.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if there are fewer than 2 hosts, or if `start` is after
    /// [`MAX_START`].
    pub fn new(hosts: u32, sizes: SizeDistribution, start: Time) -> Result<Self, WorkloadError> {
        if start > MAX_START {
            return Err(WorkloadError::Start { start });
        }
        Ok(Permutation { hosts: two_or_more(hosts)?, sizes, start })
    }

    /// Returns the distribution of flow sizes.
    pub fn sizes(&self) -> &SizeDistribution {
        &self.sizes
    }

    /// Returns the flows of a seed, for part `part` of the workload, ordered by sender. All
    /// permutations without a flow from a host to itself are equally likely.
    pub fn flows(&self, seed: u64, part: u64) -> PermutationFlows {
        PermutationFlows {
            start: self.start,
            sizes: self.sizes.clone(),
            destinations: derangement(self.hosts, &mut Stream::new(seed, "permutation", part)),
            src: 0,
            draws: Stream::new(seed, "permutation sizes", part),
        }
    }
}

/// Returns a permutation of the numbers below `n`, 2 or more, without a fixed point.
fn derangement(n: u32, random: &mut Stream) -> Vec<u32> {
    // Shuffles until no number is at its own index, which one shuffle in e = 2.7 fulfils. Most
    // failures are abandoned early, since an index that has been shuffled does not change again.
    let mut shuffled: Vec<u32> = (0..n).collect();
    loop {
        let is_deranged = (0..n as usize).rev().all(|place| {
            let other = random.below(place as u64 + 1) as usize;
            shuffled.swap(place, other);
            shuffled[place] as usize != place
        });
        if is_deranged {
            return shuffled;
        }
    }
}

/// An iterator over the flows of a [`Permutation`].
#[derive(Debug, Clone)]
pub struct PermutationFlows {
    start: Time,
    sizes: SizeDistribution,
    /// The receiver of each sender.
    destinations: Vec<u32>,
    /// The sender of the next flow.
    src: u32,
    draws: Stream,
}

impl Iterator for PermutationFlows {
    type Item = Flow;

    fn next(&mut self) -> Option<Flow> {
        let &dst = self.destinations.get(self.src as usize)?;
        let bytes = self.sizes.sample(&mut self.draws).get();
        let flow = Flow { start: self.start, src: self.src, dst, bytes };
        self.src += 1;
        Some(flow)
    }
}

impl std::iter::FusedIterator for PermutationFlows {}
