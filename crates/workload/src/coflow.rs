//! [`Coflow`]: flows that belong together. [`CoflowTrace`]: the coflows on a fabric.

use bandwise_units::{Bytes, Time};

/// The flows of a shuffle: every mapper sends to every reducer. A coflow is complete when all its
/// flows have ended (Chowdhury and Stoica, "Coflow: A Networking Abstraction for Cluster
/// Applications", HotNets 2012).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coflow {
    /// The number in the trace.
    pub id: u64,
    /// The start of all its flows.
    pub arrival: Time,
    /// The sending ports, counted from 0.
    pub mappers: Vec<u32>,
    /// The receiving ports, counted from 0, each with the bytes from all mappers together.
    pub reducers: Vec<(u32, Bytes)>,
}

impl Coflow {
    /// Returns the number of flows.
    pub fn width(&self) -> usize {
        self.mappers.len() * self.reducers.len()
    }

    /// Returns the bytes of all flows.
    pub fn bytes(&self) -> Bytes {
        self.reducers.iter().map(|&(_, bytes)| bytes).sum()
    }

    /// Iterates over the flows of the coflow: mapper, reducer and bytes. A trace has one number for
    /// each reducer, so all mappers send equal parts of it. The remainder goes to the first
    /// mappers, a byte each.
    pub fn flows(&self) -> impl Iterator<Item = (u32, u32, Bytes)> + '_ {
        let mappers = self.mappers.len() as u64;
        self.reducers.iter().flat_map(move |&(reducer, bytes)| {
            let (part, rest) = (bytes.get() / mappers, bytes.get() % mappers);
            let each = self.mappers.iter().zip(0u64..);
            each.map(move |(&mapper, i)| (mapper, reducer, Bytes::new(part + u64::from(i < rest))))
        })
    }
}

/// Coflows on a fabric in order of arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoflowTrace {
    /// The number of ports of the fabric. Each port sends and receives.
    pub ports: u32,
    /// The coflows, in order of arrival.
    pub coflows: Vec<Coflow>,
}

impl CoflowTrace {
    /// Returns the number of flows of all coflows.
    pub fn flows(&self) -> usize {
        self.coflows.iter().map(Coflow::width).sum()
    }
}
