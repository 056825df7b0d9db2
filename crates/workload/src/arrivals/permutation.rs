//! [`Permutation`]: each host sends to one other and receives from one other.

use super::two_or_more;
use crate::{Flow, SizeDistribution, WorkloadError};
use bandwise_random::Stream;
use bandwise_units::Time;

/// One flow from each host to another, such that each receives one, all at once: what a fabric of
/// full bisection bandwidth carries at line rate if its routes are good.
#[derive(Debug, Clone, PartialEq)]
pub struct Permutation {
    hosts: u32,
    sizes: SizeDistribution,
    start: Time,
}

impl Permutation {
    /// Flows among `hosts` hosts, 2 or more, numbered from 0, that start at `start`.
    pub fn new(hosts: u32, sizes: SizeDistribution, start: Time) -> Result<Self, WorkloadError> {
        Ok(Permutation { hosts: two_or_more(hosts)?, sizes, start })
    }

    /// How large flows are.
    pub fn sizes(&self) -> &SizeDistribution {
        &self.sizes
    }

    /// The flows of that seed, for part `part` of the workload, by sender. Every permutation that
    /// leaves no host to itself is as likely as any other.
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

/// A permutation of the numbers below `n`, 2 or more, in which none is at its own place.
fn derangement(n: u32, random: &mut Stream) -> Vec<u32> {
    // Shuffles until one is. One in e = 2.7 is; most that aren't are given up early, since a place
    // that has had its turn does not change any more.
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

/// The flows of [`Permutation`], one after the other.
#[derive(Debug, Clone)]
pub struct PermutationFlows {
    start: Time,
    sizes: SizeDistribution,
    /// The receiver of each sender.
    destinations: Vec<u32>,
    /// The sender whose flow comes next.
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
