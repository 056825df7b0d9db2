//! [`Merge`]: several generators in one order of time.

use crate::Flow;
use std::iter::{FusedIterator, Peekable};

/// A flow of one part of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Merged {
    /// The number of the part, counted from 0 in the given order.
    pub part: usize,
    /// The flow.
    pub flow: Flow,
}

/// An iterator over the flows of several parts in order of start. Each part must be in this order.
/// Of flows with equal starts, the flow of the earlier part is first. One flow of each part is
/// held in memory.
///
/// Boxes allow parts of different kinds:
///
/// ```
/// use bandwise_workload::{Extent, Incast, IrnSpreads, Load, Merge, Poisson, SizeDistribution};
/// use bandwise_units::{BitRate, Bytes, Time};
///
/// // IRN 4.4.3: an incast of 30 senders amid the default workload at a load of 50%.
/// let incast = Incast::new(54, 0, 30, Bytes::new(150_000_000))?;
/// let load = Load::new(0.5, BitRate::from_gbps(40))?;
/// let sizes = SizeDistribution::irn_heavy_tailed(IrnSpreads::default());
/// let background = Poisson::new(54, load, sizes, Extent::Until(Time::from_ms(10)))?;
/// let parts: Vec<Box<dyn Iterator<Item = _>>> =
///     vec![Box::new(incast.flows(1, 0)), Box::new(background.flows(1, 1))];
/// let flows: Vec<_> = Merge::new(parts).collect();
/// assert_eq!(flows.iter().filter(|merged| merged.part == 0).count(), 30);
/// assert!(flows.is_sorted_by_key(|merged| merged.flow.start));
/// # Ok::<(), bandwise_workload::WorkloadError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Merge<I: Iterator<Item = Flow>> {
    parts: Vec<Peekable<I>>,
}

impl<I: Iterator<Item = Flow>> Merge<I> {
    /// Merges the parts.
    pub fn new(parts: impl IntoIterator<Item = I>) -> Self {
        Merge { parts: parts.into_iter().map(Iterator::peekable).collect() }
    }
}

impl<I: Iterator<Item = Flow>> Iterator for Merge<I> {
    type Item = Merged;

    fn next(&mut self) -> Option<Merged> {
        // A workload has few parts, so a scan over all is faster than a heap.
        let starts = self.parts.iter_mut().enumerate().filter_map(|(part, flows)| {
            let flow = flows.peek()?;
            Some((flow.start, part))
        });
        let (_, part) = starts.min()?;
        let flow = self.parts[part].next()?;
        Some(Merged { part, flow })
    }
}

impl<I: FusedIterator<Item = Flow>> FusedIterator for Merge<I> {}
