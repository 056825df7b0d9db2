//! [`HostNode`]: what a network asks of its hosts, whichever transport they speak.

use super::classes::Classes;
use super::flow::{Finished, Opened};
use super::host::HostModel;
use super::output::{Net, Output, PfcFrame};
use super::routing::Spray;
use super::telemetry::Frame;
use crate::engine::Node;
use bandwise_rdma::congestion::Congestion;
use std::fmt::Debug;

/// A host.
pub(crate) trait HostNode:
    Node<Packet = Self::Frame, Back = PfcFrame> + Debug + Send
{
    /// What it sends and receives.
    type Frame: Frame;

    /// A host that events call by a number.
    fn new(
        number: u32,
        model: &HostModel,
        classes: &Classes,
        spray: Option<Spray>,
        output: Output,
    ) -> Self;

    /// Takes a flow that this host will send from its start on; returns its key. `far` is the
    /// receiver's.
    fn open(
        &mut self,
        opened: &Opened,
        far: u32,
        path: u64,
        congestion: Congestion,
        net: &mut Net<Self::Frame>,
    ) -> u32;

    /// Takes a flow that this host will receive; returns its key. The sender's is told later.
    fn expect(&mut self, opened: &Opened, path: u64) -> u32;

    /// Where answers about a flow go.
    fn answer_to(&mut self, key: u32, sender: u32);

    /// Whether a flow was received to the end.
    fn is_complete(&self, key: u32) -> bool;

    /// The receiver of a flow that has ended, and its key there.
    fn far_end(&self, key: u32) -> (u32, u32);

    /// Forgets a flow that it sent.
    fn forget_sent(&mut self, key: u32);

    /// Forgets a flow that it received.
    fn forget_received(&mut self, key: u32);

    /// Flows that it sends and has not forgotten.
    fn open_flows(&self) -> usize;

    /// Frames that it sent.
    fn sent(&self) -> u64;

    /// What it has noted.
    fn notes(&self) -> &Notes;

    /// The same, to take from it.
    fn notes_mut(&mut self) -> &mut Notes;
}

/// What a host notes for whoever runs the network.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Flows that were completely received, until somebody takes them.
    pub finished: Vec<Finished>,
    /// Keys of flows whose sender has nothing left to do, until they are forgotten.
    pub ended: Vec<u32>,
    /// Packets that came in.
    pub packets_in: u64,
    /// Data packets sent again.
    pub retransmitted: u64,
    /// Times that it heard nothing for too long.
    pub timeouts: u64,
}
