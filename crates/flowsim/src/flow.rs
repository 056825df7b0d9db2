//! [`FlowSpec`]: a flow to start. [`FlowId`] and [`FinishedFlow`]: its identity and its end.

use bandwise_units::{BitRate, Bytes, Time};

/// A flow to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowSpec<'a> {
    /// The links that it crosses, in order, each once; one or more.
    pub path: &'a [u32],
    /// The size.
    pub bytes: Bytes,
    /// The class or priority level. The policy derives the queue at each link or the rank from it.
    pub class: u8,
    /// The coflow, job or application.
    pub group: u32,
    /// The maximum rate of the source, if it is below the rates of the links.
    pub cap: Option<BitRate>,
}

/// A flow of a simulation. Flows that start later compare as larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId {
    /// The number of flows that have started before it.
    pub(crate) serial: u64,
    pub(crate) slot: u32,
}

impl FlowId {
    /// Returns the number of flows that have started before it.
    pub const fn serial(self) -> u64 {
        self.serial
    }

    /// Returns a small number that no other live flow has: an index for arrays. A later flow may
    /// reuse the number of an ended one.
    pub const fn index(self) -> usize {
        self.slot as usize
    }
}

/// A flow that has sent all its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinishedFlow {
    /// The flow.
    pub flow: FlowId,
    /// The coflow, job or application.
    pub group: u32,
    /// The time, rounded up to picoseconds.
    pub at: Time,
}
