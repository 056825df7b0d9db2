//! [`Bottleneck`]: the part that limits the bandwidth of a flow alone.

use super::{BulkTraffic, Flow, InfinibandScenario, Method};
use bandwise_rdma::verbs::Opcode;
use bandwise_rdma::wire::{PacketKind, Segment, packet_bytes};
use bandwise_topology::{NodeId, Port};
use bandwise_units::{BitRate, Bytes, Time};

/// The part that limits the bandwidth of a flow alone in the fabric. That of a flow that measures a
/// latency is for messages of many packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bottleneck {
    /// The part.
    pub part: LimitingPart,
    /// The payload rate that the part allows.
    pub payload: BitRate,
    /// The data rate of the slowest link on the path.
    pub link: BitRate,
}

/// A part that can limit a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitingPart {
    /// The slowest link on the path, at its first port.
    Link(Port),
    /// PCIe of both hosts, or of the one that has less of it.
    Pcie(Option<NodeId>),
    /// The time between messages of a queue pair at the sender.
    QueuePairs {
        /// Their number.
        qps: u16,
        /// The payload of a message.
        bytes: Bytes,
        /// The time.
        gap: Time,
    },
    /// The time between packets that the sender's RNIC starts.
    Rnic(Time),
    /// The rate that the flow itself is given.
    Rate,
}

impl InfinibandScenario {
    /// Returns the bottleneck of a flow.
    pub fn bottleneck(&self, flow: &Flow) -> Bottleneck {
        let hosts = self.fabric.hosts();
        let path = self.routes.path(&self.fabric, hosts[flow.from], hosts[flow.to]);
        let rate = |&port: &Port| self.fabric.peer(port).map(|(_, link)| (link.rate, port));
        let slowest = path.iter().filter_map(rate).min_by_key(|(rate, _)| *rate);
        let (link, port) = slowest.expect("hosts are cabled");
        let (payload, wire) = packet(flow, self.mtu(flow).get());
        let goodput = u128::from(link.as_bps()) * u128::from(payload) / u128::from(wire);
        let goodput = BitRate::from_bps(goodput as u64);
        let [from, to] = [flow.from, flow.to].map(|host| self.device_of(host).pcie_goodput());
        let slower = (from != to).then(|| hosts[if from < to { flow.from } else { flow.to }]);
        let parts =
            [(goodput, LimitingPart::Link(port)), (from.min(to), LimitingPart::Pcie(slower))];
        let others = match &flow.method {
            Method::Bulk(traffic) => self.senders_limits(flow, traffic, payload),
            _ => Vec::new(),
        };
        let all = parts.into_iter().chain(others);
        let (payload, part) = all.min_by_key(|(rate, _)| *rate).expect("there are two parts");
        Bottleneck { part, payload, link }
    }

    /// Returns the rates of a bulk flow's queue pairs and of its sender's RNIC, with packets of this
    /// payload, and the rate that it is given.
    fn senders_limits(
        &self,
        flow: &Flow,
        traffic: &BulkTraffic,
        payload: u32,
    ) -> Vec<(BitRate, LimitingPart)> {
        let device = self.device_of(flow.from);
        let (qps, bytes) = (traffic.qps, Bytes::new(traffic.bytes.into()));
        let per = |bytes: u64, gap: Time| {
            let bps = u128::from(bytes) * 8 * 1_000_000_000_000 / u128::from(gap.as_ps().max(1));
            BitRate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX))
        };
        let gap = device.qp_gap;
        let queue_pairs = per(bytes.get() * u64::from(qps), gap);
        let rnic = per(payload.into(), device.issue_gap);
        let mut limits = vec![
            (queue_pairs, LimitingPart::QueuePairs { qps, bytes, gap }),
            (rnic, LimitingPart::Rnic(device.issue_gap)),
        ];
        limits.extend(traffic.rate.map(|rate| (rate, LimitingPart::Rate)));
        limits
    }
}

/// Returns payload and size of the packets that carry most of a flow's payload.
fn packet(flow: &Flow, mtu: u32) -> (u32, u32) {
    let kind = match flow.method.opcode() {
        Opcode::Read => PacketKind::ReadResponse,
        opcode => PacketKind::request(flow.transport, opcode).unwrap_or(PacketKind::UdSend),
    };
    let segment = match &flow.method {
        Method::Bulk(traffic) if traffic.bytes <= mtu => Segment::only(traffic.bytes),
        _ => Segment { payload: mtu, first: false, last: false },
    };
    (segment.payload, packet_bytes(kind, segment))
}
