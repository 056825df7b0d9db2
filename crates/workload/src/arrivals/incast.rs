//! [`Incast`]: many hosts send to one at once.

use super::{nth_other, two_or_more};
use crate::{Flow, MAX_FLOW, MAX_START, WorkloadError};
use bandwise_random::Stream;
use bandwise_units::{Bytes, Time};
use std::collections::BTreeSet;

/// Requests with bytes that are striped across senders that start at once (IRN 4.4.3: 150 MB
/// across 10 to 50 senders). The senders are drawn from the other hosts. A request is complete
/// when its last flow is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incast {
    hosts: u32,
    receiver: u32,
    senders: u32,
    request: Bytes,
    connections: u32,
    requests: u64,
    first: Time,
    every: Time,
}

impl Incast {
    /// Returns the number of hosts among which flows are made.
    pub fn hosts(&self) -> u32 {
        self.hosts
    }

    /// Returns one request of `request` bytes at time 0, to host `receiver` of `hosts`, from
    /// `senders` other hosts.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if a host does not exist, there are too few hosts for the
    /// senders, or a flow would have no byte or more than [`MAX_FLOW`].
    pub fn new(
        hosts: u32,
        receiver: u32,
        senders: u32,
        request: Bytes,
    ) -> Result<Self, WorkloadError> {
        two_or_more(hosts)?;
        if receiver >= hosts {
            return Err(WorkloadError::NoSuchHost { host: receiver, hosts });
        }
        if senders == 0 || senders >= hosts {
            return Err(WorkloadError::Senders { senders, hosts });
        }
        let (first, every) = (Time::ZERO, Time::ZERO);
        Incast { hosts, receiver, senders, request, connections: 1, requests: 1, first, every }
            .checked()
    }

    /// Splits the stripe of each sender among `connections` flows (IRN 4.4.3: "increasing the
    /// number of connections per machine").
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if there are no connections, or a flow would have no byte.
    pub fn with_connections(self, connections: u32) -> Result<Self, WorkloadError> {
        if connections == 0 {
            return Err(WorkloadError::NoConnections);
        }
        Incast { connections, ..self }.checked()
    }

    /// Returns the first request alone.
    #[must_use]
    pub fn once(self) -> Self {
        Incast { requests: 1, ..self }
    }

    /// Repeats the request `requests` times, first at `first` and then each `every`. Each request
    /// draws its senders anew.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if there is no request, or the last one starts after
    /// [`MAX_START`].
    pub fn repeated(self, requests: u64, first: Time, every: Time) -> Result<Self, WorkloadError> {
        let last = u128::from(first.as_ps())
            + u128::from(every.as_ps()) * u128::from(requests.saturating_sub(1));
        if requests == 0 || last > u128::from(MAX_START.as_ps()) {
            return Err(WorkloadError::TooLong { requests, every });
        }
        Ok(Incast { requests, first, every, ..self })
    }

    /// Returns the number of flows of a request. Flow n belongs to request n divided by this
    /// number.
    pub fn flows_per_request(&self) -> u64 {
        u64::from(self.senders) * u64::from(self.connections)
    }

    /// Returns the size of the largest flow of a request. No other is smaller by more than a byte.
    pub fn bytes_per_flow(&self) -> Bytes {
        Bytes::new(self.request.get().div_ceil(self.flows_per_request()))
    }

    /// Returns the flows of a seed, for part `part` of the workload. Within a request, flows are
    /// ordered by sender.
    pub fn flows(&self, seed: u64, part: u64) -> IncastFlows {
        IncastFlows {
            plan: self.clone(),
            request: 0,
            sent: 0,
            senders: Vec::new(),
            random: Stream::new(seed, "incast senders", part),
        }
    }

    fn checked(self) -> Result<Self, WorkloadError> {
        let flows = self.flows_per_request();
        let bytes = self.request.get();
        if bytes < flows || bytes.div_ceil(flows) > MAX_FLOW.get() {
            return Err(WorkloadError::Request { request: self.request, flows });
        }
        Ok(self)
    }
}

/// An iterator over the flows of an [`Incast`].
#[derive(Debug, Clone)]
pub struct IncastFlows {
    plan: Incast,
    /// The number of the current request.
    request: u64,
    /// The number of the current request's flows that have been returned.
    sent: u64,
    /// The senders of the current request in order, drawn with its first flow.
    senders: Vec<u32>,
    random: Stream,
}

impl IncastFlows {
    /// Draws the senders of a request. All sets are equally likely (Floyd's method: Bentley,
    /// "Programming Pearls: a sample of brilliance", CACM 1987), and memory is needed for the
    /// senders only.
    fn draw_senders(&mut self) {
        let others = self.plan.hosts - 1;
        let mut drawn = BTreeSet::new();
        for newest in others - self.plan.senders..others {
            let n = self.random.below(u64::from(newest) + 1) as u32;
            if !drawn.insert(n) {
                drawn.insert(newest);
            }
        }
        self.senders.clear();
        self.senders.extend(drawn.into_iter().map(|n| nth_other(self.plan.receiver, n)));
    }
}

impl Iterator for IncastFlows {
    type Item = Flow;

    fn next(&mut self) -> Option<Flow> {
        if self.request == self.plan.requests {
            return None;
        }
        if self.sent == 0 {
            self.draw_senders();
        }
        let flows = self.plan.flows_per_request();
        // The remainder goes to the first flows, a byte each.
        let (share, rest) = (self.plan.request.get() / flows, self.plan.request.get() % flows);
        let flow = Flow {
            start: self.plan.first + self.plan.every * self.request,
            src: self.senders[(self.sent / u64::from(self.plan.connections)) as usize],
            dst: self.plan.receiver,
            bytes: share + u64::from(self.sent < rest),
        };
        self.sent += 1;
        if self.sent == flows {
            (self.request, self.sent) = (self.request + 1, 0);
        }
        Some(flow)
    }
}

impl std::iter::FusedIterator for IncastFlows {}
