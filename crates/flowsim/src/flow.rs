//! [`FlowSpec`]: a flow to start. [`FlowId`] and [`Ended`]: what is told of it.

use bandwise_units::{BitRate, Bytes, Time};

/// A flow to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlowSpec<'a> {
    /// The links that it crosses, in order, each once; one or more.
    pub path: &'a [u32],
    /// What it sends.
    pub bytes: Bytes,
    /// Its class, or priority level: which queue it stands in at each link, or how soon it is served;
    /// the policy says.
    pub class: u8,
    /// Its coflow, job or application.
    pub group: u32,
    /// The most that its source sends, if that is less than the links give.
    pub cap: Option<BitRate>,
}

/// A flow of a simulation. Flows that start later compare as larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowId {
    /// How many flows have started before it.
    pub(crate) serial: u64,
    pub(crate) slot: u32,
}

impl FlowId {
    /// How many flows have started before it.
    pub const fn serial(self) -> u64 {
        self.serial
    }

    /// A small number that no other flow has at the same time: an index for arrays of what is known
    /// of flows. A flow that starts after this one has ended may have it again.
    pub const fn index(self) -> usize {
        self.slot as usize
    }
}

/// A flow that has sent all its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Which one.
    pub flow: FlowId,
    /// Its coflow, job or application.
    pub group: u32,
    /// When: rounded up to picoseconds.
    pub at: Time,
}
