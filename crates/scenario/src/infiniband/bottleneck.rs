//! [`Bottleneck`]: the part that limits the bandwidth of a flow alone.

use super::{BulkTraffic, Flow, InfinibandScenario, Method};
use bandwise_netsim::infiniband::cable::on_the_wire;
use bandwise_rdma::verbs::Opcode;
use bandwise_rdma::wire::{BLOCK, PacketKind, Segment, blocks, packet_bytes};
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
    /// The time of the sender's program for a message: one core builds all work requests and handles
    /// all completions.
    Cpu(Time),
    /// The credits of the switch or host behind a port: its buffer for the lane holds fewer packets
    /// than the round trip of a credit takes.
    Credits {
        /// The port that sends.
        port: Port,
        /// The buffer behind it.
        buffer: Bytes,
        /// The round trip.
        round: Time,
    },
    /// The rate that the flow itself is given.
    Rate,
}

impl InfinibandScenario {
    /// Returns the bottleneck of a flow.
    pub fn bottleneck(&self, flow: &Flow) -> Bottleneck {
        let hosts = self.fabric.hosts();
        // The payload of a READ comes back.
        let is_read = flow.method.opcode() == Opcode::Read;
        let (from, to) = if is_read { (flow.to, flow.from) } else { (flow.from, flow.to) };
        let path = self.routes.path(&self.fabric, hosts[from], hosts[to]);
        let rate = |&port: &Port| self.fabric.peer(port).map(|(_, link)| (link.rate, port));
        let slowest = path.iter().filter_map(rate).min_by_key(|(rate, _)| *rate);
        let (link, port) = slowest.expect("hosts are cabled");
        let mtu = self.mtu(flow).get();
        let goodput = goodput(flow, mtu, link);
        let (payload, wire) = packet(flow, mtu);
        let [from, to] = [flow.from, flow.to].map(|host| self.device_of(host).pcie_goodput());
        let slower = (from != to).then(|| hosts[if from < to { flow.from } else { flow.to }]);
        let parts =
            [(goodput, LimitingPart::Link(port)), (from.min(to), LimitingPart::Pcie(slower))];
        let others = match &flow.method {
            Method::Bulk(traffic) => self.senders_limits(flow, traffic, payload),
            _ => Vec::new(),
        };
        let credits = path.iter().filter_map(|&port| self.credits(port, payload, wire));
        let all = parts.into_iter().chain(others).chain(credits);
        let (payload, part) = all.min_by_key(|(rate, _)| *rate).expect("there are two parts");
        Bottleneck { part, payload, link }
    }

    /// Returns the payload rate that the credits of the switch or host behind a port allow, with packets
    /// of this payload and size.
    pub(super) fn credits(
        &self,
        port: Port,
        payload: u32,
        wire: u32,
    ) -> Option<(BitRate, LimitingPart)> {
        let (peer, link) = self.fabric.peer(port)?;
        let is_switch = self.fabric.is_switch(peer.node);
        // A host returns credits as the switch before it does.
        let switch = self.models.switch_of(if is_switch { peer.node } else { port.node });
        let device = self.models.device_of(peer.node);
        let (buffer, latency) = match is_switch {
            true => (switch.buffer, switch.latency),
            false => (device.rx_buffer, device.receive_time(payload)),
        };
        let packets = buffer.get() / (u64::from(blocks(wire)) * u64::from(BLOCK));
        let sending = link.rate.time_for(on_the_wire(wire));
        let round = link.delay * 2 + latency + sending + switch.credit_delay;
        let rate = BitRate::over(Bytes::new(packets * u64::from(payload)), round);
        Some((rate, LimitingPart::Credits { port, buffer, round }))
    }

    /// Returns the rates of a bulk flow's queue pairs, of its sender's RNIC and core, with packets of
    /// this payload, and the rate that it is given.
    fn senders_limits(
        &self,
        flow: &Flow,
        traffic: &BulkTraffic,
        payload: u32,
    ) -> Vec<(BitRate, LimitingPart)> {
        let device = self.device_of(flow.from);
        let (qps, bytes) = (traffic.qps, Bytes::new(traffic.bytes.into()));
        let per =
            |bytes: u64, gap: Time| BitRate::over(Bytes::new(bytes), gap.max(Time::from_ps(1)));
        let gap = device.qp_gap;
        let queue_pairs = per(bytes.get() * u64::from(qps), gap);
        let rnic = per(payload.into(), device.issue_gap);
        let is_inline = !flow.method.reads() && bytes <= device.inline_max;
        let copies = if is_inline { bytes.get().div_ceil(64) } else { 0 };
        let cpu = device.cpu_wqe + device.cpu_inline * copies + device.cpu_completion;
        let mut limits = vec![
            (queue_pairs, LimitingPart::QueuePairs { qps, bytes, gap }),
            (rnic, LimitingPart::Rnic(device.issue_gap)),
            (per(bytes.get(), cpu), LimitingPart::Cpu(cpu)),
        ];
        // The responder starts the packets of a READ's data.
        let responder = self.device_of(flow.to).issue_gap;
        if flow.method.opcode() == Opcode::Read && responder > device.issue_gap {
            limits.push((per(payload.into(), responder), LimitingPart::Rnic(responder)));
        }
        limits.extend(traffic.rate.map(|rate| (rate, LimitingPart::Rate)));
        limits
    }
}

/// Returns the kind of the packets that carry a flow's payload.
fn kind(flow: &Flow) -> PacketKind {
    match flow.method.opcode() {
        Opcode::Read => PacketKind::ReadResponse,
        opcode => PacketKind::request(flow.transport, opcode).unwrap_or(PacketKind::UdSend),
    }
}

/// Returns payload and size of the packets that carry most of a flow's payload.
pub(super) fn packet(flow: &Flow, mtu: u32) -> (u32, u32) {
    let segment = match &flow.method {
        Method::Bulk(traffic) if traffic.bytes <= mtu => Segment::only(traffic.bytes),
        _ => Segment { payload: mtu, first: false, last: false },
    };
    (segment.payload, packet_bytes(kind(flow), segment))
}

/// Returns the payload rate of a link that a flow fills alone: of its messages, each packet with headers,
/// delimiters and whole blocks.
pub(super) fn goodput(flow: &Flow, mtu: u32, link: BitRate) -> BitRate {
    let kind = kind(flow);
    let on_wire = |payload, first, last| {
        let segment = Segment { payload, first, last };
        on_the_wire(packet_bytes(kind, segment)).get()
    };
    let (payload, wire) = match &flow.method {
        Method::Bulk(traffic) if traffic.bytes > 0 => {
            let (full, rest) = (traffic.bytes / mtu, traffic.bytes % mtu);
            let packets = u64::from(full) + u64::from(rest > 0);
            let of = |number: u64, payload| on_wire(payload, number == 0, number + 1 == packets);
            // The packets between the first and the last are alike.
            let wire = match packets {
                1 => of(0, traffic.bytes),
                _ => {
                    let last = if rest > 0 { rest } else { mtu };
                    of(0, mtu) + of(1, mtu) * (packets - 2) + of(packets - 1, last)
                }
            };
            (u64::from(traffic.bytes), wire)
        }
        _ => (u64::from(mtu), on_wire(mtu, false, false)),
    };
    let bps = u128::from(link.as_bps()) * u128::from(payload) / u128::from(wire);
    BitRate::from_bps(bps as u64)
}
