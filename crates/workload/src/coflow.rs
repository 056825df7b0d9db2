//! [`Coflow`]: flows that belong together. [`CoflowTrace`]: which there are on a fabric.

use bandwise_units::{Bytes, Time};

/// The flows of a shuffle: every mapper sends to every reducer, and it is complete when all have ended
/// (Chowdhury and Stoica, "Coflow: A Networking Abstraction for Cluster Applications", HotNets 2012).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coflow {
    /// What the trace calls it.
    pub id: u64,
    /// When all its flows start.
    pub arrival: Time,
    /// The ports that send, from 0.
    pub mappers: Vec<u32>,
    /// The ports that receive, from 0, and what each gets from all mappers together.
    pub reducers: Vec<(u32, Bytes)>,
}

impl Coflow {
    /// How many flows it has.
    pub fn width(&self) -> usize {
        self.mappers.len() * self.reducers.len()
    }

    /// What all its flows send.
    pub fn bytes(&self) -> Bytes {
        self.reducers.iter().map(|&(_, bytes)| bytes).sum()
    }

    /// Its flows: mapper, reducer and bytes. Each mapper sends an equal part of what a reducer gets, as the
    /// trace doesn't tell more; what can't be divided goes to the first ones, a byte each.
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
    /// How many ports the fabric has; each sends and receives.
    pub ports: u32,
    /// The coflows, in order of arrival.
    pub coflows: Vec<Coflow>,
}

impl CoflowTrace {
    /// How many flows all coflows have.
    pub fn flows(&self) -> usize {
        self.coflows.iter().map(Coflow::width).sum()
    }
}
