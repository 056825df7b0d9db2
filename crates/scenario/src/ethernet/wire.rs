//! [`Wire`]: the frames of a run, byte by byte.

use super::{EthernetScenario, TransportKind};
use bandwise_netsim::ethernet::packet::{HEADERS, Kind};
use bandwise_netsim::ethernet::{
    CaptureRecord, CapturedFrame, CapturedPacket, Direction, FlowSpec,
};
use bandwise_rdma::transport::{Acks, Recovery};
use bandwise_rdma::wire::{
    Aeth, Bth, Ecn, Frame, Ipv4, Mac, Operation, PfcHeader, RETH, Reth, RocePacket, Stations,
    Syndrome, Tcp, TcpSegment,
};
use bandwise_topology::Port;

/// An encoder of captured packets as frames.
///
/// Each flow is an RDMA WRITE on its own queue pair, from address 0 on; its messages have at most
/// 2^31 bytes. All packets have one code point, whatever their traffic class; PFC frames name the
/// class. Payload is zeros.
///
/// The headers are those of RoCEv2, so a frame can be longer than in the simulation: by the RETH of
/// the first packet of a message, and by up to 3 bytes of padding. IRN's headers use fields of
/// RoCEv2: a NACK has the packet that caused it in place of the number of messages. With an
/// `extra-header` of 16 bytes or more, every packet has a RETH (IRN 5.3.1). Flows of iWARP are TCP
/// segments, without the inner headers of iWARP.
#[derive(Debug)]
pub struct Wire<'a> {
    scenario: &'a EthernetScenario,
    /// Bytes after the headers; kept to reuse its memory.
    payload: Vec<u8>,
}

/// Priority of PFC frames with a single traffic class, and the code point of all packets, as most
/// networks configure RoCE.
const PRIORITY: usize = 3;
const DSCP: u8 = 26;
/// Longest pause that a frame can state. The simulator's pause lasts until the resume.
const LONGEST_PAUSE: u16 = u16::MAX;
/// Longest message of a RETH, bytes (IBTA 9.3).
const LONGEST_MESSAGE: u64 = 1 << 31;
/// Time to live of IPv4 packets. Switches don't decrement it, because they are no routers.
const TTL: u8 = 64;
/// First dynamic port (RFC 6335 section 6): RoCEv2 uses one for each queue pair.
const DYNAMIC_PORTS: u16 = 0xc000;
/// Queue pairs 0 and 1 are for management (IBTA 13).
const FIRST_QUEUE_PAIR: u32 = 2;
/// First sequence number of TCP.
const FIRST_BYTE: u32 = 1;

impl<'a> Wire<'a> {
    /// Returns the encoder for runs of a scenario; `None` with Homa, whose packets have no wire
    /// format.
    pub fn new(scenario: &'a EthernetScenario) -> Option<Self> {
        let has_format = scenario.transport != TransportKind::Homa;
        has_format.then(|| Wire { scenario, payload: Vec::new() })
    }

    /// Adds the bytes of a frame to `out`, without a frame check sequence.
    pub fn frame(&mut self, record: &CaptureRecord, out: &mut Vec<u8>) {
        match record.frame {
            CapturedFrame::Pfc(frame) => {
                let mut quanta = [None; 8];
                quanta[self.priority(frame.class)] =
                    Some(if frame.pause { LONGEST_PAUSE } else { 0 });
                let src = self.station(self.sender(record));
                Frame::Pfc(PfcHeader { src, quanta }).encode(out);
            }
            CapturedFrame::Packet(packet) => {
                let is_tcp = self.scenario.transport == TransportKind::Iwarp;
                match packet.kind {
                    Kind::Data | Kind::Ack | Kind::Nack if is_tcp => self.segment(&packet, out),
                    _ => self.packet(&packet, out),
                }
            }
        }
    }

    /// Returns the priority of a traffic class: its number, if there are several.
    fn priority(&self, class: u8) -> usize {
        if self.scenario.model.classes.count == 1 { PRIORITY } else { class.into() }
    }

    /// Returns the sending port of a frame.
    fn sender(&self, record: &CaptureRecord) -> Port {
        match record.direction {
            Direction::Out => record.port,
            Direction::In => {
                let far = self.scenario.fabric.peer(record.port);
                far.expect("frames come over cables").0
            }
        }
    }

    /// Returns the address of a port, unique and locally administered (IEEE 802). The address of a
    /// host has its number plus 1; that of a switch port has the switch's number plus 1 and the
    /// port's number, whose high byte stands before.
    fn station(&self, port: Port) -> Mac {
        let fabric = &self.scenario.fabric;
        let [.., c, d] = (fabric.rank(port.node) as u32 + 1).to_be_bytes();
        if fabric.is_switch(port.node) {
            let [high, low] = port.number.to_be_bytes();
            Mac([0x02, 0x01, high, c, d, low])
        } else {
            Mac([0x02, 0, 0, 0, c, d])
        }
    }

    /// Returns the Ethernet and IPv4 addresses of sender and receiver: host 0 is 10.0.0.1.
    fn ends(&self, packet: &CapturedPacket) -> (Stations, Ipv4) {
        let CapturedPacket { flow: FlowSpec { src, dst, .. }, kind, marked, .. } = *packet;
        let (src, dst) = if kind == Kind::Data { (src, dst) } else { (dst, src) };
        let station = |host: u32| {
            let fabric = &self.scenario.fabric;
            self.station(fabric.host_port(fabric.hosts()[host as usize]))
        };
        let address = |host: u32| {
            let [_, b, c, d] = (host + 1).to_be_bytes();
            [10, b, c, d]
        };
        // Switches mark only data packets.
        let ecn = match (kind, self.scenario.model.switch.ecn) {
            (Kind::Data, Some(_)) if marked => Ecn::Marked,
            (Kind::Data, Some(_)) => Ecn::Capable0,
            _ => Ecn::NotCapable,
        };
        let stations = Stations { dst: station(dst), src: station(src) };
        let (src, dst) = (address(src), address(dst));
        (stations, Ipv4 { src, dst, dscp: DSCP, ecn, id: 0, ttl: TTL })
    }

    /// Returns the bytes of payload in all packets of a flow before this one.
    fn bytes_before(&self, flow: &FlowSpec, seq: u32) -> u64 {
        (u64::from(seq) * u64::from(self.scenario.model.host.mtu)).min(flow.bytes)
    }

    fn packet(&mut self, packet: &CapturedPacket, out: &mut Vec<u8>) {
        let (stations, ip) = self.ends(packet);
        let operation = match packet.kind {
            Kind::Data => self.write(packet),
            Kind::Ack | Kind::Nack => Operation::Acknowledge(self.acknowledgement(packet)),
            Kind::Notification => Operation::Cnp,
        };
        self.payload.clear();
        if packet.kind == Kind::Data {
            self.fill(packet, operation);
        }
        let number = packet.flow.number;
        let queue_pairs = (1 << 24) - FIRST_QUEUE_PAIR;
        let bth = Bth {
            operation,
            fecn: false,
            becn: match packet.kind {
                Kind::Notification => true,
                Kind::Ack | Kind::Nack => packet.marked,
                Kind::Data => false,
            },
            ack_request: packet.kind == Kind::Data && self.asks(packet),
            queue_pair: FIRST_QUEUE_PAIR + number % queue_pairs,
            psn: match packet.kind {
                // An acknowledgement has the number of the last received packet.
                Kind::Ack => packet.seq.wrapping_sub(1),
                _ => packet.seq,
            },
        };
        let src_port = dynamic_port(number);
        let payload = &self.payload;
        Frame::Roce(RocePacket { stations, ip, src_port, bth, payload }).encode(out);
    }

    /// Returns the number of packets of each message of a flow but the last.
    fn message(&self) -> u32 {
        (LONGEST_MESSAGE / u64::from(self.scenario.model.host.mtu)) as u32
    }

    /// Returns the packet's part of a WRITE.
    fn write(&self, packet: &CapturedPacket) -> Operation {
        let &CapturedPacket { flow, seq, .. } = packet;
        let message = self.message();
        let first = seq % message == 0;
        let last = (seq + 1) % message == 0 || self.is_last(packet);
        match (first, last) {
            (true, true) => Operation::WriteOnly(self.reth(&flow, seq)),
            (true, false) => Operation::WriteFirst(self.reth(&flow, seq)),
            (false, false) => Operation::WriteMiddle,
            (false, true) => Operation::WriteLast,
        }
    }

    fn is_last(&self, packet: &CapturedPacket) -> bool {
        packet.seq + 1 == packet.flow.packets(self.scenario.model.host.mtu)
    }

    /// Returns the address of a packet's payload, and the length of its message.
    fn reth(&self, flow: &FlowSpec, seq: u32) -> Reth {
        let begin = seq - seq % self.message();
        let end = begin.saturating_add(self.message());
        let length = self.bytes_before(flow, end) - self.bytes_before(flow, begin);
        Reth { address: self.bytes_before(flow, seq), key: flow.number, length: length as u32 }
    }

    /// Fills in the bytes after a data packet's headers: headers unknown to RoCEv2, and zeros.
    fn fill(&mut self, packet: &CapturedPacket, operation: Operation) {
        let extra = self.scenario.model.host.extra_header;
        let has_reth = matches!(operation, Operation::WriteFirst(_) | Operation::WriteOnly(_));
        if extra >= RETH && !has_reth {
            self.reth(&packet.flow, packet.seq).encode(&mut self.payload);
        }
        let known = if has_reth { extra.min(RETH) } else { 0 };
        self.payload.resize((u32::from(packet.bytes) - HEADERS - known) as usize, 0);
    }

    /// Returns whether a packet's sender requests an acknowledgement.
    fn asks(&self, packet: &CapturedPacket) -> bool {
        match self.scenario.model.host.transport.acks {
            Acks::EveryPacket => true,
            Acks::OnCompletion | Acks::Delayed { .. } => self.is_last(packet),
        }
    }

    fn acknowledgement(&self, packet: &CapturedPacket) -> Aeth {
        let &CapturedPacket { flow, kind, seq, sack, .. } = packet;
        let packets = flow.packets(self.scenario.model.host.mtu);
        let messages =
            if seq == packets { seq.div_ceil(self.message()) } else { seq / self.message() };
        let selective =
            matches!(self.scenario.model.host.transport.recovery, Recovery::Selective { .. });
        match kind {
            Kind::Nack => Aeth {
                syndrome: Syndrome::SequenceError,
                msn: if selective { sack } else { messages },
            },
            _ => Aeth { syndrome: Syndrome::Ack, msn: messages },
        }
    }

    fn segment(&mut self, packet: &CapturedPacket, out: &mut Vec<u8>) {
        let (stations, ip) = self.ends(packet);
        let &CapturedPacket { flow, kind, seq, sack, marked, .. } = packet;
        // Sequence numbers of TCP wrap around at 2^32 bytes.
        let number = |seq| FIRST_BYTE.wrapping_add(self.bytes_before(&flow, seq) as u32);
        let is_data = kind == Kind::Data;
        let port = dynamic_port(flow.number);
        let tcp = Tcp {
            src_port: port,
            dst_port: port,
            seq: if is_data { number(seq) } else { FIRST_BYTE },
            ack: if is_data { FIRST_BYTE } else { number(seq) },
            push: is_data && self.is_last(packet),
            ece: !is_data && marked,
            window: u16::MAX,
            sack: (kind == Kind::Nack).then(|| [number(sack), number(sack + 1)]),
        };
        let length = self.bytes_before(&flow, seq + 1) - self.bytes_before(&flow, seq);
        self.payload.clear();
        self.payload.resize(if is_data { length as usize } else { 0 }, 0);
        Frame::Tcp(TcpSegment { stations, ip, tcp, payload: &self.payload }).encode(out);
    }
}

fn dynamic_port(number: u32) -> u16 {
    DYNAMIC_PORTS | number as u16
}
