//! Requests of an incast: complete when their last flow is.

use bandwise_stats::Percentile;
use bandwise_units::Time;
use std::collections::BTreeMap;

/// Completion times of requests, from a request's start until the last byte of its last flow is at
/// the receiver (IRN 4.4.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestResult {
    /// How many requests are complete.
    pub requests: u64,
    /// On average, rounded down to a picosecond.
    pub average: Time,
    /// What half of them do not exceed, and what 99% do not.
    pub percentiles: [Time; 2],
    /// The longest.
    pub longest: Time,
}

/// Requests, as their flows start and finish.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// The requests that flows under way belong to, by the flow's number.
    flows: BTreeMap<u32, u64>,
    /// Requests under way: how many of their flows are.
    open: BTreeMap<u64, Request>,
    /// Completion times in picoseconds.
    complete: Vec<u64>,
    /// The request whose flows came last: those before it have no more to come.
    newest: u64,
}

#[derive(Debug)]
struct Request {
    start: Time,
    /// When the last flow so far was complete.
    end: Time,
    under_way: u64,
}

impl Requests {
    /// A flow of a request starts. Requests come in order.
    pub(super) fn start(&mut self, flow: u32, request: u64, at: Time) {
        self.flows.insert(flow, request);
        self.newest = request;
        let open = self.open.entry(request);
        open.or_insert(Request { start: at, end: at, under_way: 0 }).under_way += 1;
    }

    /// A flow has arrived. Says whether it belonged to a request.
    pub(super) fn finish(&mut self, flow: u32, at: Time) -> bool {
        let Some(request) = self.flows.remove(&flow) else { return false };
        if let Some(open) = self.open.get_mut(&request) {
            open.under_way -= 1;
            open.end = open.end.max(at);
            if open.under_way == 0 && request < self.newest {
                self.settle(request);
            }
        }
        true
    }

    fn settle(&mut self, request: u64) {
        if let Some(Request { start, end, .. }) = self.open.remove(&request) {
            self.complete.push((end - start).as_ps());
        }
    }

    /// Of those that are complete, now that no more flows start.
    pub(super) fn results(mut self) -> Option<RequestResult> {
        let done = self.open.iter().filter(|(_, request)| request.under_way == 0);
        for request in done.map(|(&number, _)| number).collect::<Vec<_>>() {
            self.settle(request);
        }
        self.complete.sort_unstable();
        let requests = self.complete.len() as u64;
        let at = |percentile: Percentile| percentile.of_sorted(&self.complete).map(Time::from_ps);
        let sum: u128 = self.complete.iter().map(|&ps| u128::from(ps)).sum();
        Some(RequestResult {
            requests,
            longest: Time::from_ps(*self.complete.last()?),
            average: Time::from_ps((sum / u128::from(requests)) as u64),
            percentiles: [at(Percentile::MEDIAN)?, at(Percentile::P99)?],
        })
    }
}
