//! [`HostNode`]: the interface of a host to its network, for all transports.

use super::classes::Classes;
use super::features::Features;
use super::flow::{FinishedFlow, FlowSpec};
use super::host_model::HostModel;
use super::output::{Net, Output, PfcFrame};
use super::routing::Spray;
use super::telemetry::Frame;
use crate::engine::Node;
use bandwise_rdma::congestion::Congestion;
use std::fmt::Debug;

/// A host of a network.
pub(crate) trait HostNode:
    Node<Packet = Self::Frame, FlowControl = PfcFrame> + Debug + Send
{
    /// Type of the frames that it sends and receives.
    type Frame: Frame;
    /// The host of the same transport, compiled for other features.
    type With<F: Features<Frame = Self::Frame>>: HostNode<Frame = Self::Frame>;

    /// Creates a host, known by `number` in events.
    fn new(
        number: u32,
        model: &HostModel,
        classes: &Classes,
        spray: Option<Spray>,
        output: Output,
    ) -> Self;

    /// Opens a flow that this host sends from its start on, and returns its key. `far` is the
    /// receiver's key.
    fn open(
        &mut self,
        opened: &FlowSpec,
        far: u32,
        path: u64,
        congestion: Congestion,
        net: &mut Net<Self::Frame>,
    ) -> u32;

    /// Opens a flow that this host receives, and returns its key. The sender's key follows later.
    fn open_incoming(&mut self, opened: &FlowSpec, path: u64) -> u32;

    /// Sets the sender's key of a flow, as the destination of its acknowledgements.
    fn set_sender_key(&mut self, key: u32, sender: u32);

    /// Returns whether a flow has been received completely.
    fn is_complete(&self, key: u32) -> bool;

    /// Returns the receiver of an ended flow, and the receiver's key for it.
    fn far_end(&self, key: u32) -> (u32, u32);

    /// Removes a flow that this host sent.
    fn remove_sent(&mut self, key: u32);

    /// Removes a flow that this host received.
    fn remove_received(&mut self, key: u32);

    /// Returns the number of flows that this host sends and has not removed.
    fn open_flows(&self) -> usize;

    /// Returns the number of frames sent.
    fn sent(&self) -> u64;

    /// Returns the host's report.
    fn report(&self) -> &HostReport;

    /// Returns the host's report for modification.
    fn report_mut(&mut self) -> &mut HostReport;
}

/// Counters and finished flows of a host, for the network's owner.
#[derive(Debug, Default)]
pub(crate) struct HostReport {
    /// Flows received completely, until they are taken.
    pub finished: Vec<FinishedFlow>,
    /// Keys of flows whose sender is done, until they are removed.
    pub ended: Vec<u32>,
    /// Number of packets received.
    pub packets_in: u64,
    /// Number of data packets retransmitted.
    pub retransmitted: u64,
    /// Number of timeouts.
    pub timeouts: u64,
}
