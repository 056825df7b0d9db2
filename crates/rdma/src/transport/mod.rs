//! Reliable delivery of a flow over a network that drops, reorders and duplicates packets:
//! decisions of sender and receiver, without a clock or a wire.
//!
//! A flow is a number of packets from one host to another. Both ends are plain state machines: a
//! [`Sender`] returns the next packet and processes feedback, a [`Receiver`] processes packets and
//! returns feedback. A simulator, a NIC or a test bench drives them. All flows of a host share
//! their [`TransportSettings`]:
//!
//! | file | content |
//! |---|---|
//! | `roce.rs` | go-back-N (IRN 2.1) |
//! | `irn.rs` | selective retransmission (IRN 3.1), BDP-FC (IRN 3.2), their ablations (IRN 4.3) |
//! | `iwarp.rs` | TCP (IRN 4.6) |
//! | `acks.rs` | acknowledgement of packets in order |
//! | `timer.rs` | retransmission timeouts |
//!
//! "IRN" is R. Mittal et al., *Revisiting Network Support for RDMA*, the extended version of the
//! SIGCOMM 2018 paper, followed by the section.
//!
//! ```
//! use bandwise_rdma::transport::{Receiver, Sender, TransportSettings};
//! use bandwise_units::Time;
//!
//! let settings = TransportSettings::irn();
//! let (mut sender, mut receiver) = (Sender::new(&settings, 3), Receiver::new(&settings, 3));
//! let now = Time::ZERO;
//! while let Some(packet) = sender.next(&settings, now, u32::MAX) {
//!     if let Some(feedback) = receiver.on_data(&settings, now, packet.seq).reply {
//!         sender.on_feedback(&settings, now, feedback);
//!     }
//! }
//! assert!(receiver.is_complete() && sender.is_done());
//! ```

mod acks;
mod bitmap;
mod flow;
pub mod irn;
pub mod iwarp;
pub mod roce;
mod settings;
mod timer;

pub use bitmap::RingBitmap;
pub use flow::{MAX_PACKETS, Receiver, Sender};
pub use settings::{
    Acks, BDP_CAP, RTO_HIGH, RTO_LOW, Recovery, Timeout, TransportSettings, TransportSettingsError,
};

/// Number of a packet in its flow, from 0.
pub type Seq = u32;

/// A packet to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transmit {
    /// Number of the packet.
    pub seq: Seq,
    /// The packet was sent before.
    pub retransmission: bool,
}

/// Feedback from a receiver to its sender: an acknowledgement (ACK), or a NACK, which reports a
/// packet out of order (IRN 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feedback {
    /// The expected packet; all packets below it have arrived.
    pub cumulative: Seq,
    /// The packet that triggered a NACK, beyond the expected one. The receiver keeps it, unless
    /// the receiver drops packets out of order.
    pub sack: Seq,
    /// The feedback is a NACK. For TCP: a duplicate acknowledgement with a SACK block.
    pub nack: bool,
}

impl Feedback {
    /// Acknowledges all packets below `cumulative`.
    #[inline]
    pub const fn ack(cumulative: Seq) -> Self {
        Feedback { cumulative, sack: cumulative, nack: false }
    }

    /// Reports that packet `sack` arrived while `cumulative` was expected.
    #[inline]
    pub const fn nack(cumulative: Seq, sack: Seq) -> Self {
        Feedback { cumulative, sack, nack: true }
    }
}

/// Result of an arriving packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The packet was new.
    pub accepted: bool,
    /// Feedback to send.
    pub reply: Option<Feedback>,
}

/// Effect of feedback on a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Number of packets that the cumulative acknowledgement advanced.
    pub newly_acked: u32,
    /// A loss was detected outside of a current recovery: once per recovery for IRN and TCP, each
    /// time for go-back-N. Congestion control may back off (IRN 4.3, 4.4.4), as after a timeout,
    /// which [`Sender::on_timeout`] reports.
    pub loss: bool,
    /// All packets are acknowledged.
    pub done: bool,
}
