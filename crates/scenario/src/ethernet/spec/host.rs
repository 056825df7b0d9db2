//! `[host]`, and the size of its packets.

use super::classes::priority;
use super::congestion::Congestion;
use super::homa;
use crate::reader::values::{Given, bytes, number, text, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::packet::HEADERS;
use bandwise_netsim::ethernet::{
    Classes, HostModel, MTUS, POLLS, SwitchModel, congested_round_trip,
};
use bandwise_rdma::transport::TransportSettings;
use bandwise_topology::Fabric;
use bandwise_units::{Bytes, Time};
use serde::Deserialize;
use toml::Spanned;

/// The parts of the largest data packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) mtu: u32,
    pub(super) extra_header: u32,
    /// Bytes of telemetry.
    pub(super) telemetry: u32,
}

impl Frame {
    /// Returns the bytes from Ethernet header to frame check sequence.
    pub(super) fn bytes(self) -> Bytes {
        Bytes::new(u64::from(HEADERS + self.extra_header + self.telemetry + self.mtu))
    }

    pub(super) fn host(
        self,
        poll: Option<Time>,
        transport: TransportSettings,
        congestion: Congestion,
    ) -> HostModel {
        HostModel {
            transport,
            congestion: congestion.senders,
            notification: congestion.receivers,
            mtu: self.mtu,
            extra_header: self.extra_header,
            poll,
            ack_class: None,
            cnp_class: None,
            homa: None,
        }
    }

    /// Returns the longest round trip with one congested link. It depends neither on the transport nor
    /// on the order of flows.
    pub(super) fn congested_round_trip(self, fabric: &Fabric, switch: &SwitchModel) -> Time {
        let host = self.host(None, TransportSettings::roce(), Congestion::default());
        congested_round_trip(fabric, switch, &host)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct HostSpec {
    #[serde(default, deserialize_with = "bytes")]
    mtu: Given<u64>,
    #[serde(default, deserialize_with = "text")]
    poll: Given<Time>,
    #[serde(default, deserialize_with = "number")]
    ack_priority: Given<u64>,
    #[serde(default, deserialize_with = "number")]
    cnp_priority: Given<u64>,
}

/// Default of `mtu`. IRN 4.1 assumes a "typical RDMA MTU of 1KB", where a KB is 1,000 B: 40 Gbps
/// times 24 us are "120KB". With RoCE's headers, preamble and gap, a packet has 1082 B on the wire,
/// of which 120 KB are 111 packets, the paper's "~110". With 1024 B of payload it would have 1106
/// B, and 120 KB would be 108 packets.
const MTU: u64 = 1000;

impl HostSpec {
    /// Returns the payload of a full packet.
    pub(super) fn mtu(&self, source: &Source) -> Result<u32, InputError> {
        let mtu = self.mtu.as_ref();
        Ok(mtu.map_or(Ok(MTU), |given| within(source, "mtu", given, MTUS))? as u32)
    }

    /// Returns the interval at which flows poll their link; `None` if flows take turns.
    pub(super) fn poll(&self, source: &Source) -> Result<Option<Time>, InputError> {
        self.poll.as_ref().map(|given| within(source, "poll", given, POLLS)).transpose()
    }

    /// Sets the classes of acknowledgements and CNPs.
    pub(super) fn set_classes(
        &self,
        source: &Source,
        classes: &Classes,
        host: &mut HostModel,
    ) -> Result<(), InputError> {
        host.ack_class = priority(source, "ack-priority", &self.ack_priority, classes)?;
        host.cnp_class = priority(source, "cnp-priority", &self.cnp_priority, classes)?;
        Ok(())
    }

    /// Refuses keys that Homa does not use: it sends the shortest message first, and its control packets
    /// have the highest priority.
    pub(super) fn check_homa(&self, source: &Source) -> Result<(), InputError> {
        let highest = "control packets have the highest priority";
        let keys = [
            ("poll", self.poll.as_ref().map(Spanned::span), "the shortest message is sent first"),
            ("ack-priority", self.ack_priority.as_ref().map(Spanned::span), highest),
            ("cnp-priority", self.cnp_priority.as_ref().map(Spanned::span), highest),
        ];
        match keys.into_iter().find_map(|(key, at, why)| Some((key, at?, why))) {
            Some((key, at, why)) => Err(homa::refuse(source, key, at, why)),
            None => Ok(()),
        }
    }
}
