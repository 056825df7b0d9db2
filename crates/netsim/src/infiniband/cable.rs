//! Cables: the latency of packets and credits.

use crate::engine::Links;
use crate::infiniband::packet::Packet;
use bandwise_rdma::wire;
use bandwise_units::{BitRate, ByteTime, Bytes, Time};

/// One direction of a cable, as seen by its sender.
#[derive(Debug, Clone, Copy)]
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
#[derive(Debug, Clone, Copy)]
pub enum Receiver {
    /// A cut-through switch: the packet may leave `latency` after its first bit arrived. With an
    /// output faster than this link, it must wait until that output can't run dry.
    Switch {
        /// Port-to-port latency.
        latency: Time,
        /// Rate of the fastest output, if it is faster than this link.
        fastest: Option<BitRate>,
    },
    /// A host: its RNIC checks the CRC, so it acts `latency` after the last bit arrived.
    Host {
        /// Latency of the receive pipeline.
        latency: Time,
    },
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
        match self.receiver {
            Receiver::Switch { latency, fastest: None } => start + self.delay + latency,
            Receiver::Switch { latency, fastest: Some(rate) } => {
                let out = rate.time_for(on_the_wire(packet.wire_bytes()));
                start + self.delay + latency + serialisation.saturating_sub(out)
            }
            Receiver::Host { latency } => start + serialisation + self.delay + latency,
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
