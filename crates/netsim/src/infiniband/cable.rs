//! Cables: how long packets and credits take.

use crate::engine::Links;
use crate::infiniband::packet::Packet;
use bandwise_rdma::wire;
use bandwise_units::{BitRate, ByteTime, Bytes, Time};

/// One direction of a cable, as its sender sees it.
#[derive(Debug, Clone, Copy)]
pub struct Cable {
    /// The node at the far end.
    pub to: u32,
    /// Its port there (counted from 0).
    pub to_port: u8,
    /// How long bytes take on the wire, after line coding.
    pub byte_time: ByteTime,
    /// Propagation, one way.
    pub delay: Time,
    /// What the receiver is.
    pub receiver: Receiver,
    /// How long a returned credit takes beside propagation: from the freed block to the flow
    /// control packet (IBTA 7.9.4), and from that packet to the sender's counter.
    pub credit_delay: Time,
}

/// How a receiver takes packets in, as far as it decides when the sender's packet matters there.
#[derive(Debug, Clone, Copy)]
pub enum Receiver {
    /// A switch that cuts through: the packet may leave `latency` after its first bit came in.
    /// If some output is faster than this link, it must wait until it can't run dry:
    /// `fastest` is that output's rate.
    Switch {
        /// Port-to-port latency.
        latency: Time,
        /// The fastest output, where faster than this link.
        fastest: Option<BitRate>,
    },
    /// A host: the RNIC checks the CRC, so it acts `latency` after the last bit came in.
    Host {
        /// Receive pipeline.
        latency: Time,
    },
}

impl Cable {
    /// How long a packet occupies the link.
    #[inline]
    pub fn serialisation(&self, packet: &Packet) -> Time {
        self.byte_time.of(on_the_wire(packet.wire_bytes()))
    }

    /// When a packet whose first bit leaves at `start` can be acted on at the far end.
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

    /// The least time between a decision at this end and its effect at the other.
    pub fn lookahead(&self) -> Time {
        let packet = match self.receiver {
            Receiver::Switch { latency, .. } | Receiver::Host { latency } => self.delay + latency,
        };
        packet.min(self.delay + self.credit_delay)
    }
}

/// What a packet of so many bytes (LRH to VCRC) occupies on a link: start and end delimiter besides
/// its bytes, and on 64b/66b links (FDR and later) whole 8-byte blocks (IBTA volume 2, chapter 5).
pub fn on_the_wire(packet_bytes: u32) -> Bytes {
    Bytes::new((packet_bytes + wire::FRAMING).next_multiple_of(8).into())
}

/// Credits on their way back: blocks of a lane that became free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Credit {
    /// The lane.
    pub vl: u8,
    /// How many 64-byte blocks.
    pub blocks: u16,
}

/// All links of a fabric, and its events.
pub type Net = Links<Packet, Credit>;
