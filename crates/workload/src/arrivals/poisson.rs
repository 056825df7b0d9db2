//! [`Poisson`]: flows at random times between random hosts.

use super::{Load, nth_other, two_or_more};
use crate::{Flow, SizeDistribution, WorkloadError};
use bandwise_random::Stream;
use bandwise_units::Time;
use std::num::NonZeroU32;

/// The end of a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The end after this number of flows.
    Flows(u64),
    /// The end before the first flow that would start at or after this time.
    Until(Time),
}

/// Flows of a given load. Each host starts flows with exponential gaps, to hosts drawn uniformly
/// from the others (IRN 4.1).
#[derive(Debug, Clone, PartialEq)]
pub struct Poisson {
    hosts: u32,
    load: Load,
    sizes: SizeDistribution,
    extent: Extent,
}

impl Poisson {
    /// Returns the number of hosts among which flows are made.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Returns flows among `hosts` hosts, 2 or more, numbered from 0, all with the same load.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if there are fewer than 2 hosts.
    pub fn new(
        hosts: u32,
        load: Load,
        sizes: SizeDistribution,
        extent: Extent,
    ) -> Result<Self, WorkloadError> {
        Ok(Poisson { hosts: two_or_more(hosts)?, load, sizes, extent })
    }

    /// Divides the number of flows, or the time in which they start, by `by`.
    ///
    /// # Panics
    ///
    /// Panics if `by` is zero.
    #[must_use]
    pub fn shortened(self, by: NonZeroU32) -> Self {
        let extent = match self.extent {
            Extent::Flows(flows) => Extent::Flows((flows / u64::from(by.get())).max(1)),
            Extent::Until(end) => Extent::Until(end / u64::from(by.get())),
        };
        Poisson { extent, ..self }
    }

    /// Returns the distribution of flow sizes.
    pub fn sizes(&self) -> &SizeDistribution {
        &self.sizes
    }

    /// Returns the mean number of flows that start in `time`.
    pub fn mean_flows(&self, time: Time) -> f64 {
        time.as_ps() as f64 / self.mean_gap_ps()
    }

    /// Returns the flows of a seed, for part `part` of the workload.
    /// Another load changes only the gaps between the same flows, so a sweep over loads compares
    /// equal flows.
    pub fn flows(&self, seed: u64, part: u64) -> PoissonFlows {
        let stream = |name| Stream::new(seed, name, part);
        PoissonFlows {
            hosts: self.hosts,
            sizes: self.sizes.clone(),
            mean_gap_ps: self.mean_gap_ps(),
            extent: self.extent,
            now: Time::ZERO,
            beyond_ps: 0.0,
            arrivals: stream("poisson arrivals"),
            pairs: stream("poisson pairs"),
            draws: stream("poisson sizes"),
        }
    }

    /// Returns the mean gap between two flows of all hosts together.
    fn mean_gap_ps(&self) -> f64 {
        self.load.mean_gap_ps(self.sizes.mean()) / f64::from(self.hosts)
    }
}

/// An iterator over the flows of a [`Poisson`].
///
/// Poisson processes of equal rate at all hosts are one process with the sum of the rates, each
/// flow of which belongs to a host drawn uniformly. So the state has no entry for each host.
#[derive(Debug, Clone)]
pub struct PoissonFlows {
    hosts: u32,
    sizes: SizeDistribution,
    mean_gap_ps: f64,
    extent: Extent,
    /// The start of the last flow, rounded down.
    now: Time,
    /// The fraction of a picosecond that rounding has removed from `now`. The next gap includes
    /// this fraction, so that the mean is exact even for gaps below a picosecond.
    beyond_ps: f64,
    arrivals: Stream,
    pairs: Stream,
    draws: Stream,
}

impl PoissonFlows {
    /// Returns the start of the next flow, if there is one.
    fn next_start(&mut self) -> Option<Time> {
        match &mut self.extent {
            Extent::Flows(0) => return None,
            Extent::Flows(left) => *left -= 1,
            Extent::Until(_) => {}
        }
        let gap = -libm::log(self.arrivals.fraction()) * self.mean_gap_ps;
        let elapsed = self.beyond_ps + gap;
        let whole = elapsed.floor();
        self.beyond_ps = elapsed - whole;
        // A float beyond 64 bits saturates to the largest integer, which ends the flows.
        self.now = Time::from_ps(self.now.as_ps().checked_add(whole as u64)?);
        let end = if let Extent::Until(end) = self.extent { end } else { Time::MAX };
        (self.now < end).then_some(self.now)
    }
}

impl Iterator for PoissonFlows {
    type Item = Flow;

    fn next(&mut self) -> Option<Flow> {
        let Some(start) = self.next_start() else {
            self.extent = Extent::Flows(0);
            return None;
        };
        let hosts = u64::from(self.hosts);
        let src = self.pairs.below(hosts) as u32;
        let dst = nth_other(src, self.pairs.below(hosts - 1) as u32);
        let bytes = self.sizes.sample(&mut self.draws).get();
        Some(Flow { start, src, dst, bytes })
    }
}

impl std::iter::FusedIterator for PoissonFlows {}
