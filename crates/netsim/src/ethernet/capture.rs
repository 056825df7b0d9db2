//! What a packet analyser at chosen ports would see.
//!
//! Nothing in the network knows of it: a capture looks at the links. It lets the engine run no
//! further at a time than the least latency of the links that it looks at, so that whatever arrives
//! in a step was on its link before, and looks before each step. A network without a capture is run
//! as ever.

use super::core::Nodes;
use super::features::Features;
use super::flow::{Opened, frame_time};
use super::output::PfcFrame;
use super::packet::{Kind, LEAST, MAX_BYTES, Packet};
use super::telemetry::Frame;
use crate::engine::{Executor, LinkEnd};
use bandwise_rdma::transport::Seq;
use bandwise_topology::{Fabric, Link, NodeId, Port};
use bandwise_units::{BitRate, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What is captured: all frames at some ports, some flows everywhere, or both.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Ports of which all frames are captured, those that they send and those that come to them.
    pub ports: BTreeSet<Port>,
    /// Numbers of flows whose packets are captured where a port sends one and where a host receives
    /// one.
    pub flows: BTreeSet<u32>,
}

/// A frame, where and when it was seen. In order of time, then of ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    /// When its first bit left, or its last bit had come.
    pub at: Time,
    /// The port.
    pub port: Port,
    /// Whether the port sent or received it.
    pub direction: Direction,
    /// What it is.
    pub frame: Seen,
}

/// Whether a port sent or received a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Received.
    In,
    /// Sent.
    Out,
}

/// A frame that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// A packet of a flow.
    Packet(SeenPacket),
    /// Priority flow control.
    PfcFrame(PfcFrame),
}

/// A packet of a flow, in the one direction or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenPacket {
    /// The flow.
    pub flow: Opened,
    /// What it is.
    pub kind: Kind,
    /// Its number in the flow; of an acknowledgement the next one expected.
    pub seq: Seq,
    /// Of a negative acknowledgement, the packet that caused it.
    pub sack: Seq,
    /// From Ethernet header to frame check sequence.
    pub bytes: u16,
    /// Whether it is marked (ECN), or tells of a mark.
    pub marked: bool,
}

/// A port that packets come to, and the one that sends them.
#[derive(Debug)]
struct Watched {
    end: LinkEnd,
    near: Port,
    far: Port,
    rate: BitRate,
    delay: Time,
    /// Whether they come to a host.
    to_host: bool,
}

/// A capture that goes on.
#[derive(Debug)]
pub(super) struct Capture {
    chosen: Chosen,
    watched: Vec<Watched>,
    /// The least latency of all links that are looked at: what arrives in so short a time is on its
    /// link at the beginning.
    step: Time,
    /// The most time between a frame's first bit and its arrival: so much later it is known.
    known_after: Time,
    /// What arrives before this was seen.
    seen_to: Time,
    /// Flows by a host, whether data comes to it or what answers data, and its key for them.
    flows: BTreeMap<(u32, bool, u32), Opened>,
    /// Not handed out yet.
    sightings: Vec<Sighting>,
}

/// The key of a slot when it was used so many times less: whatever was sent then is gone.
const FORGOTTEN: u32 = 64 << 24;

impl Capture {
    /// `ends` are the links' ends by their ports.
    pub(super) fn new(chosen: Chosen, fabric: &Fabric, ends: &BTreeMap<Port, LinkEnd>) -> Self {
        // A flow may come by anywhere.
        let is_chosen = |port: Port| chosen.ports.contains(&port) || !chosen.flows.is_empty();
        let watched = ends.iter().filter_map(|(&near, &end)| {
            let (far, &Link { rate, delay, .. }) = fabric.peer(near)?;
            let to_host = !fabric.is_switch(near.node);
            let watched = Watched { end, near, far, rate, delay, to_host };
            (is_chosen(near) || is_chosen(far)).then_some(watched)
        });
        let watched: Vec<Watched> = watched.collect();
        let latencies = |bytes| watched.iter().map(move |w| w.delay + frame_time(w.rate, bytes));
        Capture {
            step: latencies(LEAST).min().unwrap_or(Time::MAX),
            known_after: latencies(MAX_BYTES).max().unwrap_or(Time::ZERO),
            chosen,
            watched,
            seen_to: Time::ZERO,
            flows: BTreeMap::new(),
            sightings: Vec::new(),
        }
    }

    /// A flow is opened; at its hosts it goes by these keys.
    pub(super) fn opened(&mut self, flow: &Opened, src_key: u32, dst_key: u32) {
        if self.chosen.ports.is_empty() && !self.chosen.flows.contains(&flow.number) {
            return;
        }
        for (host, is_data, key) in [(flow.src, false, src_key), (flow.dst, true, dst_key)] {
            self.flows.insert((host, is_data, key), *flow);
            self.flows.remove(&(host, is_data, key.wrapping_sub(FORGOTTEN)));
        }
    }

    /// Runs the engine, looking at the links.
    pub(super) fn run<F: Features>(
        &mut self,
        engine: &mut Nodes<F>,
        executor: &impl Executor,
        fabric: &Fabric,
        end: Time,
    ) -> bool {
        while let Some(first) = engine.next_at().filter(|&first| first < end) {
            let to = first.saturating_add(self.step).min(end);
            self.look(engine, fabric, self.seen_to..to, to);
            self.seen_to = to;
            engine.run(to, executor);
        }
        self.look(engine, fabric, self.seen_to..end, end);
        self.seen_to = end;
        engine.run(end, executor)
    }

    /// Hands out what was seen, in order, as far as nothing earlier can follow. `ended`: the run is
    /// over, so that is all, with what is still on its way.
    pub(super) fn take<F: Features>(
        &mut self,
        engine: &Nodes<F>,
        fabric: &Fabric,
        ended: bool,
        take: impl FnMut(Sighting),
    ) {
        let mut known = self.seen_to.saturating_sub(self.known_after);
        if ended {
            self.look(engine, fabric, self.seen_to..Time::MAX, self.seen_to);
            known = Time::MAX;
        }
        // No port sends, or receives, two frames at once.
        self.sightings.sort_unstable_by_key(|seen| (seen.at, seen.port, seen.direction));
        let count = self.sightings.partition_point(|seen| seen.at < known);
        self.sightings.drain(..count).for_each(take);
    }

    /// Sees the frames that arrive within a time, where they are before `until`.
    fn look<F: Features>(
        &mut self,
        engine: &Nodes<F>,
        fabric: &Fabric,
        arrive: Range<Time>,
        until: Time,
    ) {
        for place in 0..self.watched.len() {
            let Watched { end, near, .. } = self.watched[place];
            let net = engine.links(end);
            for (at, packet) in net.inbound(end).take_while(|(at, _)| *at < arrive.end) {
                let packet =
                    self.packet(fabric, near, *packet.packet()).filter(|_| arrive.start <= at);
                if let Some(packet) = packet {
                    self.sees(place, at, Seen::Packet(packet), until);
                }
            }
            // A pause stays where it is until the sender looks, so it may have been seen.
            for (at, pause) in net.returning(end).filter(|(at, _)| arrive.contains(at)) {
                self.sees(place, at, Seen::PfcFrame(pause), until);
            }
        }
    }

    /// What a packet is that comes to a port, if its flow is known.
    fn packet(&self, fabric: &Fabric, to: Port, packet: Packet) -> Option<SeenPacket> {
        let host = fabric.rank(destination(fabric, to.node, packet)) as u32;
        let flow = *self.flows.get(&(host, packet.kind() == Kind::Data, packet.key()))?;
        Some(SeenPacket {
            flow,
            kind: packet.kind(),
            seq: packet.seq(),
            sack: packet.sack(),
            bytes: packet.bytes(),
            marked: packet.is_marked(),
        })
    }

    /// Takes note of a frame that arrives: that it left the one port, and that it came to the other.
    fn sees(&mut self, place: usize, at: Time, frame: Seen, until: Time) {
        let Watched { near, far, rate, delay, to_host, .. } = self.watched[place];
        let (bytes, of_flow) = match frame {
            Seen::Packet(SeenPacket { flow, bytes, .. }) => {
                (bytes.into(), self.chosen.flows.contains(&flow.number))
            }
            Seen::PfcFrame(_) => (LEAST, false),
        };
        let left = at - delay - frame_time(rate, bytes);
        for (at, port, direction, of_flow) in
            [(left, far, Direction::Out, of_flow), (at, near, Direction::In, of_flow && to_host)]
        {
            if at < until && (of_flow || self.chosen.ports.contains(&port)) {
                self.sightings.push(Sighting { at, port, direction, frame });
            }
        }
    }
}

/// The host that a packet goes to which has come to a node.
fn destination(fabric: &Fabric, mut node: NodeId, mut packet: Packet) -> NodeId {
    while fabric.is_switch(node) {
        let number = packet.turn() as u8 + 1;
        let (far, _) = fabric.peer(Port { node, number }).expect("a path leads over cables");
        node = far.node;
    }
    node
}
