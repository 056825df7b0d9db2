//! [`Poisson`]: flows at random times between random hosts.

use super::{Load, nth_other, two_or_more};
use crate::{Flow, SizeDistribution, WorkloadError};
use bandwise_random::Stream;
use bandwise_units::Time;

/// When a generator is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// After that many flows.
    Flows(u64),
    /// Before the first flow that would start at that time or later.
    Until(Time),
}

/// Flows of a load: each host starts flows with exponential times between them, to hosts that are
/// drawn uniformly from the others (IRN 4.1).
#[derive(Debug, Clone, PartialEq)]
pub struct Poisson {
    hosts: u32,
    load: Load,
    sizes: SizeDistribution,
    extent: Extent,
}

impl Poisson {
    /// Flows among `hosts` hosts, 2 or more, numbered from 0, all of which have the load.
    pub fn new(
        hosts: u32,
        load: Load,
        sizes: SizeDistribution,
        extent: Extent,
    ) -> Result<Self, WorkloadError> {
        Ok(Poisson { hosts: two_or_more(hosts)?, load, sizes, extent })
    }

    /// The same with a `by`th of the flows, or of the time in which they start.
    #[must_use]
    pub fn shortened(self, by: u32) -> Self {
        let extent = match self.extent {
            Extent::Flows(flows) => Extent::Flows((flows / u64::from(by)).max(1)),
            Extent::Until(end) => Extent::Until(end / u64::from(by)),
        };
        Poisson { extent, ..self }
    }

    /// How large flows are.
    pub fn sizes(&self) -> &SizeDistribution {
        &self.sizes
    }

    /// How many flows start in `time` on average.
    pub fn mean_flows(&self, time: Time) -> f64 {
        time.as_ps() as f64 / self.mean_gap_ps()
    }

    /// The flows of that seed, for part `part` of the workload.
    ///
    /// Another load moves the same flows, between the same hosts and as large, closer together or
    /// further apart: a sweep compares like with like.
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

    /// Between two flows of all hosts together.
    fn mean_gap_ps(&self) -> f64 {
        self.load.mean_gap_ps(self.sizes.mean()) / f64::from(self.hosts)
    }
}

/// The flows of [`Poisson`], one after the other.
///
/// Poisson processes of equal rate at all hosts are one process of their sum, each flow of which
/// belongs to a host that is drawn uniformly. So nothing needs to be kept for each host.
#[derive(Debug, Clone)]
pub struct PoissonFlows {
    hosts: u32,
    sizes: SizeDistribution,
    mean_gap_ps: f64,
    extent: Extent,
    /// When the last flow started, rounded down.
    now: Time,
    /// By how much: what is cut off is not lost, so that the mean is right even where flows are less
    /// than a picosecond apart.
    beyond_ps: f64,
    arrivals: Stream,
    pairs: Stream,
    draws: Stream,
}

impl PoissonFlows {
    /// When the next flow starts, if there is one.
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
        // A float beyond 64 bits becomes the largest integer, and time is up.
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
