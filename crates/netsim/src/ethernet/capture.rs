//! Packet captures at selected ports.
//!
//! A capture only observes the links; the network's nodes are unaware of it. The engine runs in
//! steps of at most the smallest latency of the captured links. Every packet that arrives in a step
//! is therefore on its link before the step, when the capture reads it. Without a capture the
//! engine runs unrestricted.

use super::core::Nodes;
use super::features::Features;
use super::flow::{FlowSpec, frame_time};
use super::output::PfcFrame;
use super::packet::{Kind, LEAST, MAX_BYTES, Packet, PortBits};
use super::telemetry::Frame;
use crate::engine::{Executor, LinkEnd};
use bandwise_rdma::transport::Seq;
use bandwise_topology::{Fabric, Link, NodeId, Port};
use bandwise_units::{BitRate, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Filter of a capture: all frames at some ports, some flows everywhere, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaptureFilter {
    /// Ports whose sent and received frames are all captured.
    pub ports: BTreeSet<Port>,
    /// Numbers of flows whose packets are captured where a port sends them and where a host
    /// receives them.
    pub flows: BTreeSet<u32>,
}

/// A captured frame with time and port. Records are ordered by time, then by port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureRecord {
    /// Departure time of the first bit, or arrival time of the last bit.
    pub at: Time,
    /// The port.
    pub port: Port,
    /// Direction of the frame at the port.
    pub direction: Direction,
    /// The frame.
    pub frame: CapturedFrame,
}

/// Direction of a frame at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Received.
    In,
    /// Sent.
    Out,
}

/// A captured frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapturedFrame {
    /// A packet of a flow.
    Packet(CapturedPacket),
    /// A frame of priority flow control.
    Pfc(PfcFrame),
}

/// A packet of a flow, in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapturedPacket {
    /// The flow.
    pub flow: FlowSpec,
    /// The packet's kind.
    pub kind: Kind,
    /// Sequence number; in an acknowledgement, the next one expected.
    pub seq: Seq,
    /// Packet that caused a negative acknowledgement.
    pub sack: Seq,
    /// Bytes from Ethernet header to frame check sequence.
    pub bytes: u16,
    /// The ECN mark is set, or echoed.
    pub marked: bool,
}

/// A captured link: a receiving port, and the port that sends to it.
#[derive(Debug)]
struct CapturedLink {
    end: LinkEnd,
    near: Port,
    far: Port,
    rate: BitRate,
    delay: Time,
    /// The receiving port belongs to a host.
    to_host: bool,
}

/// A running capture.
#[derive(Debug)]
pub(super) struct Capture {
    filter: CaptureFilter,
    links: Vec<CapturedLink>,
    /// Bits of a port in the paths of packets.
    bits: PortBits,
    /// Smallest latency of the captured links: any arrival within a step is on its link when the
    /// step begins.
    step: Time,
    /// Largest time between a frame's first bit and its arrival, after which the frame is known.
    known_after: Time,
    /// Time up to which all arrivals have been recorded.
    recorded_to: Time,
    /// Flows by host, by whether data or its responses arrive there, and by the host's key.
    flows: BTreeMap<(u32, bool, u32), FlowSpec>,
    /// Records not taken yet.
    records: Vec<CaptureRecord>,
}

/// Difference to the key that a slot had 64 uses earlier, whose packets have all left the network.
const REUSED: u32 = 64 << 24;

impl Capture {
    /// Creates a capture. `ends` are the link ends by port.
    pub(super) fn new(
        filter: CaptureFilter,
        fabric: &Fabric,
        ends: &BTreeMap<Port, LinkEnd>,
    ) -> Self {
        // A flow may pass any port.
        let is_captured = |port: Port| filter.ports.contains(&port) || !filter.flows.is_empty();
        let links = ends.iter().filter_map(|(&near, &end)| {
            let (far, &Link { rate, delay, .. }) = fabric.peer(near)?;
            let to_host = !fabric.is_switch(near.node);
            let links = CapturedLink { end, near, far, rate, delay, to_host };
            (is_captured(near) || is_captured(far)).then_some(links)
        });
        let links: Vec<CapturedLink> = links.collect();
        let latencies = |bytes| links.iter().map(move |w| w.delay + frame_time(w.rate, bytes));
        Capture {
            step: latencies(LEAST).min().unwrap_or(Time::MAX),
            known_after: latencies(MAX_BYTES).max().unwrap_or(Time::ZERO),
            filter,
            links,
            bits: PortBits::of(fabric),
            recorded_to: Time::ZERO,
            flows: BTreeMap::new(),
            records: Vec::new(),
        }
    }

    /// Registers a flow that is opened, with its keys at both hosts.
    pub(super) fn open(&mut self, flow: &FlowSpec, src_key: u32, dst_key: u32) {
        if self.filter.ports.is_empty() && !self.filter.flows.contains(&flow.number) {
            return;
        }
        for (host, is_data, key) in [(flow.src, false, src_key), (flow.dst, true, dst_key)] {
            self.flows.insert((host, is_data, key), *flow);
            self.flows.remove(&(host, is_data, key.wrapping_sub(REUSED)));
        }
    }

    /// Runs the engine in steps, recording the frames on links before each.
    pub(super) fn run<F: Features>(
        &mut self,
        engine: &mut Nodes<F>,
        executor: &impl Executor,
        fabric: &Fabric,
        end: Time,
    ) -> bool {
        while let Some(first) = engine.next_at().filter(|&first| first < end) {
            let to = first.saturating_add(self.step).min(end);
            self.record_arrivals(engine, fabric, self.recorded_to..to, to);
            self.recorded_to = to;
            engine.run(to, executor);
        }
        self.record_arrivals(engine, fabric, self.recorded_to..end, end);
        self.recorded_to = end;
        engine.run(end, executor)
    }

    /// Passes the records to `take`, in order, as far as no earlier one can follow. If the run has
    /// ended, passes all records, including frames still in flight.
    pub(super) fn take<F: Features>(
        &mut self,
        engine: &Nodes<F>,
        fabric: &Fabric,
        ended: bool,
        take: impl FnMut(CaptureRecord),
    ) {
        let mut known = self.recorded_to.saturating_sub(self.known_after);
        if ended {
            self.record_arrivals(engine, fabric, self.recorded_to..Time::MAX, self.recorded_to);
            known = Time::MAX;
        }
        // No port sends, or receives, two frames at once.
        self.records.sort_unstable_by_key(|record| (record.at, record.port, record.direction));
        let count = self.records.partition_point(|record| record.at < known);
        self.records.drain(..count).for_each(take);
    }

    /// Records the frames that arrive within a time range and were sent before `until`.
    fn record_arrivals<F: Features>(
        &mut self,
        engine: &Nodes<F>,
        fabric: &Fabric,
        arrive: Range<Time>,
        until: Time,
    ) {
        for index in 0..self.links.len() {
            let CapturedLink { end, near, .. } = self.links[index];
            let net = engine.links(end);
            for (at, packet) in net.inbound(end).take_while(|(at, _)| *at < arrive.end) {
                let packet =
                    self.packet(fabric, near, *packet.packet()).filter(|_| arrive.start <= at);
                if let Some(packet) = packet {
                    self.record(index, at, CapturedFrame::Packet(packet), until);
                }
            }
            // A PFC frame stays in its ring until the sender reads it, so it may have been recorded
            // before.
            for (at, pause) in net.pending_flow_control(end).filter(|(at, _)| arrive.contains(at)) {
                self.record(index, at, CapturedFrame::Pfc(pause), until);
            }
        }
    }

    /// Returns a packet that arrives at a port, if its flow is known.
    fn packet(&self, fabric: &Fabric, to: Port, packet: Packet) -> Option<CapturedPacket> {
        let host = fabric.rank(destination(fabric, self.bits, to.node, packet)) as u32;
        let flow = *self.flows.get(&(host, packet.kind() == Kind::Data, packet.key()))?;
        Some(CapturedPacket {
            flow,
            kind: packet.kind(),
            seq: packet.seq(),
            sack: packet.sack(),
            bytes: packet.bytes(),
            marked: packet.is_marked(),
        })
    }

    /// Records an arriving frame: its departure from one port, and its arrival at the other.
    fn record(&mut self, index: usize, at: Time, frame: CapturedFrame, until: Time) {
        let CapturedLink { near, far, rate, delay, to_host, .. } = self.links[index];
        let (bytes, of_flow) = match frame {
            CapturedFrame::Packet(CapturedPacket { flow, bytes, .. }) => {
                (bytes.into(), self.filter.flows.contains(&flow.number))
            }
            CapturedFrame::Pfc(_) => (LEAST, false),
        };
        let left = at - delay - frame_time(rate, bytes);
        for (at, port, direction, of_flow) in
            [(left, far, Direction::Out, of_flow), (at, near, Direction::In, of_flow && to_host)]
        {
            if at < until && (of_flow || self.filter.ports.contains(&port)) {
                self.records.push(CaptureRecord { at, port, direction, frame });
            }
        }
    }
}

/// Returns the destination host of a packet that has arrived at a node.
fn destination(fabric: &Fabric, bits: PortBits, mut node: NodeId, mut packet: Packet) -> NodeId {
    while fabric.is_switch(node) {
        let number = packet.next_hop(bits) as u16 + 1;
        let (far, _) = fabric.peer(Port { node, number }).expect("a path crosses cables");
        node = far.node;
    }
    node
}
