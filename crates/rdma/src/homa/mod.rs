//! Homa: receivers schedule messages, and switches send by priority. Decisions of the hosts at both
//! ends, without a clock or a wire.
//!
//! A message is a number of packets from one host to another. The first packets, as many as a round
//! trip takes, are *unscheduled*: they are sent at once. The others are *scheduled*: they are sent
//! as the receiver grants them. A host has one [`Sender`] for all messages that it sends and one
//! [`Receiver`] for all that it receives, since both choose among messages. A simulator, a NIC or a
//! test bench drives them: it identifies a message by its [`Slot`], passes in what arrives, and
//! sends what is returned.
//!
//! | file | content |
//! |---|---|
//! | `priorities.rs` | priorities of unscheduled packets, and the number of levels |
//! | `sender.rs` | choice of the next message; retransmissions |
//! | `receiver.rs` | grants and their priorities; detection of missing packets |
//!
//! "Homa" is B. Montazeri et al., *Homa: A Receiver-Driven Low-Latency Transport Protocol Using
//! Network Priorities* (SIGCOMM 2018), followed by the section. Points that the paper leaves open,
//! or that differ here:
//!
//! - Messages count packets instead of bytes: all but the last are full.
//! - A message is the request of a remote procedure call whose response is a packet without data,
//!   [`ToSender::Done`]. If nothing of a request arrives, the client finds out as in the paper, by
//!   requesting the response ([`ToReceiver::Resend`], Homa 3.7).
//! - Hosts never give up, since none fails (Homa 3.7 aborts after several tries).
//! - A client with many outstanding requests can't ask for their responses to be delayed (Homa
//!   3.6), since responses have no data.
//! - All hosts are given the same cutoffs, instead of measuring their own (Homa 3.4).

mod priorities;
mod receiver;
mod sender;
mod settings;

pub use crate::transport::{MAX_PACKETS, Seq};
pub use priorities::{LEVELS, Priorities, PrioritiesError};
pub use receiver::{Arrival, Receiver};
pub use sender::Sender;
pub use settings::{HomaSettings, RESEND_AFTER};

use bandwise_units::Bytes;

/// Identifier of a message at a host: a small number chosen by its driver, unique among the open
/// messages, and reused after a message is closed.
pub type Slot = u32;

/// Size of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Number of packets, 1 to [`MAX_PACKETS`].
    pub packets: u32,
    /// Payload.
    pub bytes: Bytes,
}

/// A DATA packet to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data {
    /// Message of the packet.
    pub slot: Slot,
    /// Number of the packet in its message, from 0.
    pub seq: Seq,
    /// Priority in the network, 0 the lowest.
    pub priority: u8,
    /// The packet was sent before.
    pub retransmission: bool,
}

/// A control packet from the receiver to the sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToSender {
    /// GRANT: all packets below `to` may be sent, scheduled ones at the given priority (Homa 3.3).
    Grant {
        /// The first packet that may not be sent.
        to: Seq,
        /// The priority of scheduled packets from now on.
        priority: u8,
    },
    /// RESEND: retransmit the missing packets (Homa 3.7).
    Resend {
        /// The first missing packet.
        from: Seq,
        /// The packet after the last missing one.
        to: Seq,
        /// Priority of the retransmissions.
        priority: u8,
    },
    /// BUSY: the message is known and incomplete; its receiver will send grants.
    Busy,
    /// The response: the message is complete.
    Done,
}

/// A control packet from the sender to the receiver of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToReceiver {
    /// BUSY: the requested packets wait for other messages (Homa 3.7).
    Busy,
    /// RESEND of the response: requests the message's state.
    Resend,
}
