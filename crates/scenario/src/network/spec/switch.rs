//! `[switch]` and `[host]`.

use super::key::{Key, key};
use super::pfc::most_headroom;
use crate::network::TransportKind;
use crate::spec::values::{Given, bytes, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_netsim::ethernet::packet::HEADERS;
use bandwise_netsim::ethernet::{HostModel, NetworkModel, Pfc, SwitchModel, congested_round_trip};
use bandwise_rdma::congestion::{self, NotificationSettings};
use bandwise_rdma::transport::Settings;
use bandwise_topology::Fabric;
use bandwise_units::{Bytes, Time};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SwitchSpec {
    #[serde(default, deserialize_with = "text")]
    buffer: Given<Bytes>,
    #[serde(default, deserialize_with = "key")]
    pfc: Given<PfcKey>,
}

#[derive(Debug)]
enum PfcKey {
    Truth(bool),
    Thresholds(PfcSpec),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct PfcSpec {
    #[serde(default, deserialize_with = "text")]
    stop: Given<Bytes>,
    #[serde(default, deserialize_with = "text")]
    go: Given<Bytes>,
}

impl Key for PfcKey {
    const EXAMPLE: &'static str = "true, false or { stop = \"217 KB\", go = \"217 KB\" }";
    type Table = PfcSpec;
    fn truth(on: bool) -> Option<Self> {
        Some(PfcKey::Truth(on))
    }
    fn table(table: PfcSpec) -> Option<Self> {
        Some(PfcKey::Thresholds(table))
    }
}

/// What the largest data packet is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) mtu: u32,
    pub(super) extra_header: u32,
}

impl Frame {
    /// From Ethernet header to frame check sequence.
    pub(super) fn bytes(self) -> Bytes {
        Bytes::new(u64::from(HEADERS + self.extra_header + self.mtu))
    }

    pub(super) fn host(self, transport: Settings, congestion: congestion::Settings) -> HostModel {
        HostModel {
            transport,
            congestion,
            notification: NotificationSettings::default(),
            mtu: self.mtu,
            extra_header: self.extra_header,
        }
    }

    /// The longest round trip with one congested link; the transport does not matter to it.
    pub(super) fn congested_round_trip(self, fabric: &Fabric, switch: &SwitchModel) -> Time {
        let host = self.host(Settings::roce(), congestion::Settings::default());
        congested_round_trip(fabric, &NetworkModel { switch: switch.clone(), host })
    }
}

/// IRN 4.1: twice the bandwidth-delay product of the longest path.
const BUFFER: Bytes = Bytes::new(240_000);

/// A buffer is counted in 32 bits.
const LARGEST_BUFFER: Bytes = Bytes::new(1_000_000_000);

/// Whether packets can be dropped.
pub(super) type Loses = bool;

impl SwitchSpec {
    pub(super) fn resolve(
        &self,
        source: &Source,
        fabric: &Fabric,
        frame: Frame,
        transport: TransportKind,
        warnings: &mut Vec<InputError>,
    ) -> Result<(SwitchModel, Loses), InputError> {
        let packet = frame.bytes();
        let buffer = match &self.buffer {
            None => BUFFER,
            Some(given) if *given.get_ref() < packet => {
                let message = format!("a buffer of {} can't hold a packet", given.get_ref());
                let allowed = format!("{packet}, a packet with its headers, to {LARGEST_BUFFER}");
                return Err(source.error(given.span(), message).allowed(allowed));
            }
            Some(given) => within(source, "buffer", given, packet..=LARGEST_BUFFER)?,
        };
        let headroom = most_headroom(fabric, frame);
        let pfc = match self.pfc.as_ref().map(|given| given.get_ref()) {
            // IRN 4.2: "IRN is always used without PFC, while RoCE is always used with PFC".
            None if transport == TransportKind::Roce => self.lossless(source, buffer, headroom)?,
            None | Some(PfcKey::Truth(false)) => {
                return Ok((SwitchModel { buffer, pfc: None, ecn: None }, true));
            }
            Some(PfcKey::Truth(true)) => self.lossless(source, buffer, headroom)?,
            Some(PfcKey::Thresholds(spec)) => thresholds(source, spec, buffer, headroom)?,
        };
        let left = buffer - pfc.stop;
        if left < headroom {
            let at = place(&self.pfc, 0..0);
            let message = format!(
                "packets can be dropped in spite of PFC: of a buffer of {} B {} B are left when it \
                 says stop",
                buffer.get(),
                left.get()
            );
            let allowed = format!("{} B: {ASKS}, or pfc = true", headroom.get());
            warnings.push(source.error(at, message).allowed(allowed));
        }
        Ok((SwitchModel { buffer, pfc: Some(pfc), ecn: None }, left < headroom))
    }

    /// Stops as late as nothing is dropped.
    fn lossless(&self, source: &Source, buffer: Bytes, headroom: Bytes) -> Result<Pfc, InputError> {
        if buffer <= headroom {
            let at = place(&self.buffer, place(&self.pfc, 0..0));
            let (had, least) = (buffer.get(), headroom.get());
            let message = format!("a buffer of {had} B has no room for what comes in after a stop");
            let allowed = format!("more than {least} B: {ASKS}; or pfc = false");
            return Err(source.error(at, message).allowed(allowed));
        }
        let stop = buffer - headroom;
        Ok(Pfc { stop, go: stop })
    }
}

/// Why headroom is what it is.
const ASKS: &str = "what the link carries there and back, three packets and a pause frame";

fn thresholds(
    source: &Source,
    spec: &PfcSpec,
    buffer: Bytes,
    headroom: Bytes,
) -> Result<Pfc, InputError> {
    let stop = match &spec.stop {
        Some(given) if *given.get_ref() > buffer => {
            let message = format!(
                "it says stop at {} B in a buffer of {} B: packets are dropped before that",
                given.get_ref().get(),
                buffer.get()
            );
            let most = buffer.get().saturating_sub(headroom.get());
            let error = source.error(given.span(), message);
            return Err(error.allowed(format!("up to {most} B, so that nothing is dropped")));
        }
        Some(given) => *given.get_ref(),
        None => Bytes::new(buffer.get().saturating_sub(headroom.get())),
    };
    let go = match &spec.go {
        Some(given) => within(source, "go", given, Bytes::ZERO..=stop)?,
        None => stop,
    };
    Ok(Pfc { stop, go })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct HostSpec {
    #[serde(default, deserialize_with = "bytes")]
    mtu: Given<u64>,
}

/// IRN 4.1 assumes a "typical RDMA MTU of 1KB", and its kilo is a thousand: 40 Gbps times 24 us are
/// "120KB". With RoCE's headers, preamble and gap that is 1082 B on the wire, of which 120 KB are
/// 111 packets, the paper's "~110"; of 1106 B, for 1024, they are 108.
const MTU: u64 = 1000;

impl HostSpec {
    /// Payload of a full packet. A flow of 2^40 bytes has 2^31 packets of the least.
    pub(super) fn resolve(&self, source: &Source) -> Result<u32, InputError> {
        let mtu = self.mtu.as_ref();
        Ok(mtu.map_or(Ok(MTU), |given| within(source, "mtu", given, 512..=9_000))? as u32)
    }
}
