//! Requests of an incast, each complete when its last flow is.

use bandwise_stats::Percentile;
use bandwise_units::Time;
use std::collections::BTreeMap;

/// Completion times of requests, from a request's start until the last byte of its last flow is at
/// the receiver (IRN 4.4.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestResult {
    /// Number of complete requests.
    pub requests: u64,
    /// Average, rounded down to a picosecond.
    pub average: Time,
    /// Median and 99th percentile.
    pub percentiles: [Time; 2],
    /// Longest.
    pub longest: Time,
}

/// The requests of a run, from the starts and ends of their flows.
#[derive(Debug, Default)]
pub(super) struct Requests {
    /// Request of each flow in flight, by the flow's number.
    flows: BTreeMap<u32, u64>,
    /// Incomplete requests.
    open: BTreeMap<u64, Request>,
    /// Completion times in picoseconds.
    complete: Vec<u64>,
    /// Request of the newest flow: all flows of previous requests have started.
    newest: u64,
}

#[derive(Debug)]
struct Request {
    start: Time,
    /// End of the last finished flow.
    end: Time,
    outstanding: u64,
}

impl Requests {
    /// Takes the start of a flow of a request. Requests come in order.
    pub(super) fn start(&mut self, flow: u32, request: u64, at: Time) {
        self.flows.insert(flow, request);
        self.newest = request;
        let open = self.open.entry(request);
        open.or_insert(Request { start: at, end: at, outstanding: 0 }).outstanding += 1;
    }

    /// Takes the end of a flow, and returns whether it belongs to a request.
    pub(super) fn finish(&mut self, flow: u32, at: Time) -> bool {
        let Some(request) = self.flows.remove(&flow) else { return false };
        if let Some(open) = self.open.get_mut(&request) {
            open.outstanding -= 1;
            open.end = open.end.max(at);
            if open.outstanding == 0 && request < self.newest {
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

    /// Returns the results of the complete requests. Called when no more flows start.
    pub(super) fn results(mut self) -> Option<RequestResult> {
        let done = self.open.iter().filter(|(_, request)| request.outstanding == 0);
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
