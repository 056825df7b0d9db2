//! Cables: the latency of packets and credits.

use crate::engine::Links;
use crate::infiniband::packet::Packet;
use bandwise_rdma::wire;
use bandwise_units::{ByteTime, Bytes, Time};
use std::sync::Arc;

/// One direction of a cable, as seen by its sender.
#[derive(Debug, Clone)]
pub struct Cable {
    /// The node at the far end.
    pub to: u32,
    /// Its port there, counted from 0.
    pub to_port: u16,
    /// Transmission time of bytes, after line coding.
    pub byte_time: ByteTime,
    /// One-way propagation delay.
    pub delay: Time,
    /// The kind of receiver.
    pub receiver: Receiver,
    /// Time for a returned credit beside propagation: from the freed block to the flow control
    /// packet (IBTA 7.9.4), and from that packet to the sender's counter.
    pub credit_delay: Time,
}

/// The kind of receiver at a link's end, which decides when it acts on a packet.
#[derive(Debug, Clone)]
pub enum Receiver {
    /// A cut-through switch: the packet may leave `latency` after its first bit arrived. If its output
    /// is faster than this link, it must wait until the output can't run dry.
    Switch {
        /// Port-to-port latency.
        latency: Time,
        /// The outputs, if one is faster than this link.
        outputs: Option<Arc<Outputs>>,
    },
    /// A host: its RNIC checks the CRC, so it acts `latency` after the last bit arrived.
    Host {
        /// Latency of the receive pipeline.
        latency: Time,
    },
}

/// The outputs of a switch, by the packets that they carry.
#[derive(Debug)]
pub struct Outputs {
    /// Output port by destination host, counted from 0.
    pub forwarding: Arc<[u8]>,
    /// Transmission time of bytes by port.
    pub byte_times: Box<[ByteTime]>,
}

impl Outputs {
    /// Returns the time that a packet occupies its output.
    #[inline]
    fn serialisation(&self, packet: &Packet) -> Time {
        let output = self.forwarding[usize::from(packet.dst())];
        self.byte_times[usize::from(output)].of(on_the_wire(packet.wire_bytes()))
    }
}

impl Cable {
    /// Returns the time that a packet occupies the link.
    #[inline]
    pub fn serialisation(&self, packet: &Packet) -> Time {
        self.byte_time.of(on_the_wire(packet.wire_bytes()))
    }

    /// Returns when the far end can act on a packet whose first bit leaves at `start`.
    #[inline]
    pub fn takes_effect(&self, packet: &Packet, start: Time, serialisation: Time) -> Time {
        match &self.receiver {
            Receiver::Switch { latency, outputs: None } => start + self.delay + *latency,
            Receiver::Switch { latency, outputs: Some(outputs) } => {
                // Less than the time on this link, so packets stay in order.
                let wait = serialisation.saturating_sub(outputs.serialisation(packet));
                start + self.delay + *latency + wait
            }
            Receiver::Host { latency } => start + serialisation + self.delay + *latency,
        }
    }

    /// Returns the smallest time between an action at this end and its effect at the other.
    pub fn lookahead(&self) -> Time {
        let packet = match self.receiver {
            Receiver::Switch { latency, .. } | Receiver::Host { latency } => self.delay + latency,
        };
        packet.min(self.delay + self.credit_delay)
    }
}

/// Returns the bytes that a packet of `packet_bytes` (LRH to VCRC) occupies on a link. A start and
/// an end delimiter are added, and 64b/66b links (FDR and later) carry whole 8-byte blocks (IBTA
/// volume 2, chapter 5).
pub fn on_the_wire(packet_bytes: u32) -> Bytes {
    Bytes::new((packet_bytes + wire::FRAMING).next_multiple_of(8).into())
}

/// Returned credits: blocks of a lane that have become free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Credit {
    /// The lane.
    pub vl: u8,
    /// Number of 64-byte blocks.
    pub blocks: u16,
}

/// The links of a fabric, and its events.
pub type Net = Links<Packet, Credit>;
