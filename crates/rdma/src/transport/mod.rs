//! Reliable delivery of one flow over a network that drops, reorders and duplicates packets: what
//! sender and receiver decide, without a clock or a wire.
//!
//! A flow is a number of packets from one host to another. The ends are plain state machines: a
//! [`Sender`] says which packet goes next and is told what comes back, a [`Receiver`] is told what
//! arrives and says what to answer. A simulator, a NIC or the test bench of one drives them. What
//! they do is in their [`Settings`], which all flows of a host share:
//!
//! | file | what it decides |
//! |---|---|
//! | `roce.rs` | go-back-N (IRN 2.1) |
//! | `irn.rs` | selective retransmission (IRN 3.1), BDP-FC (IRN 3.2), their ablations (IRN 4.3) |
//! | `iwarp.rs` | TCP (IRN 4.6) |
//! | `acks.rs` | which packets in order are acknowledged, and when |
//! | `timer.rs` | when what was sent counts as lost |
//!
//! "IRN" is R. Mittal et al., *Revisiting Network Support for RDMA*, the extended version of the
//! SIGCOMM 2018 paper; the number after it is the section.
//!
//! ```
//! use bandwise_rdma::transport::{Receiver, Sender, Settings};
//! use bandwise_units::Time;
//!
//! let settings = Settings::irn();
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
pub use settings::{Acks, BDP_CAP, RTO_HIGH, RTO_LOW, Recovery, Settings, SettingsError, Timeout};

/// A packet's number in its flow, from 0.
pub type Seq = u32;

/// A packet to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transmit {
    /// Which.
    pub seq: Seq,
    /// Whether it was sent before.
    pub retransmission: bool,
}

/// What a receiver tells its sender: an acknowledgement (ACK), or a NACK, which says that a packet
/// came out of order (IRN 3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feedback {
    /// All packets below are there; this one is expected.
    pub cumulative: Seq,
    /// The packet that triggered a NACK: beyond the expected one, and there, unless the receiver
    /// drops what is out of order.
    pub sack: Seq,
    /// Whether it is a NACK. For TCP: a duplicate acknowledgement with a SACK block.
    pub nack: bool,
}

impl Feedback {
    /// All packets below `cumulative` are there.
    #[inline]
    pub const fn ack(cumulative: Seq) -> Self {
        Feedback { cumulative, sack: cumulative, nack: false }
    }

    /// The packet `sack` came, but `cumulative` was expected.
    #[inline]
    pub const fn nack(cumulative: Seq, sack: Seq) -> Self {
        Feedback { cumulative, sack, nack: true }
    }
}

/// What became of a packet that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Whether it was needed: each packet of a flow once.
    pub accepted: bool,
    /// What to answer.
    pub reply: Option<Feedback>,
}

/// What feedback did to a sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// By how many packets the cumulative acknowledgement moved.
    pub newly_acked: u32,
    /// A loss showed that belongs to no recovery under way: once a recovery, for IRN and TCP; each
    /// time that go-back-N goes back. A congestion control may back off by it (IRN 4.3, 4.4.4), as
    /// by a timeout, which [`Sender::on_timeout`] tells.
    pub loss: bool,
    /// All packets are acknowledged.
    pub done: bool,
}
