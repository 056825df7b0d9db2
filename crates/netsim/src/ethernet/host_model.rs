//! [`HostModel`]: the parameters of a host.

use super::packet::{ACK, HEADERS};
use super::telemetry::TELEMETRY;
use bandwise_rdma::congestion::{CongestionSettings, NotificationSettings};
use bandwise_rdma::homa::HomaSettings;
use bandwise_rdma::transport::TransportSettings;
use bandwise_units::Time;

/// Model of a host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostModel {
    /// Transport of all flows.
    pub transport: TransportSettings,
    /// Congestion control of all flows.
    pub congestion: CongestionSettings,
    /// Condition for receivers to send CNPs, for algorithms that need them.
    pub notification: NotificationSettings,
    /// Payload of a full packet, in bytes.
    pub mtu: u32,
    /// Bytes in every data packet besides the headers of RoCEv2 (IRN 6.3: 16 at most).
    pub extra_header: u32,
    /// Interval at which a flow that may send polls the link, at most 4 ms (IRN 4.1: "it
    /// periodically polls the MAC layer until the link is available"). Round-robin if not given.
    pub poll: Option<Time>,
    /// Traffic class of acknowledgements; that of their flow if not given.
    pub ack_class: Option<u8>,
    /// Traffic class of CNPs; that of their flow if not given.
    pub cnp_class: Option<u8>,
    /// Homa instead of `transport`: each flow is a message, without congestion control.
    pub homa: Option<HomaSettings>,
}

impl HostModel {
    /// Returns the bytes of a full frame, from Ethernet header to frame check sequence.
    pub fn full_frame(&self) -> u32 {
        HEADERS + self.extra_bytes() + self.mtu
    }

    /// Returns the bytes of a data packet besides the headers of RoCEv2 and payload.
    pub(super) fn extra_bytes(&self) -> u32 {
        self.extra_header + self.telemetry()
    }

    /// Returns the bytes of an acknowledgement.
    #[inline]
    pub(super) fn ack_bytes(&self) -> u32 {
        ACK + self.telemetry()
    }

    #[inline]
    fn telemetry(&self) -> u32 {
        if self.congestion.algorithm.needs_telemetry() { TELEMETRY } else { 0 }
    }
}
