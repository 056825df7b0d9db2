//! Homa: messages whose receivers say who sends when, and switches that send by priority. What the
//! hosts at both ends decide, without a clock or a wire.
//!
//! A message is a number of packets from one host to another. The first of them, as many as a round
//! trip takes, are *unscheduled*: they go at once. The rest is *scheduled*: it goes as the receiver
//! grants it. A host has one [`Sender`] for all messages that leave it and one [`Receiver`] for all
//! that come to it, as both choose among messages. A simulator, a NIC or the test bench drives them:
//! it calls a message by its [`Place`], hands over what arrives, and carries what comes out.
//!
//! | file | what it decides |
//! |---|---|
//! | `priorities.rs` | which priority unscheduled packets have, and how many there are for which |
//! | `sender.rs` | which message goes next, what is sent again |
//! | `receiver.rs` | who is granted how much, at which priority; what is missing |
//!
//! "Homa" is B. Montazeri et al., *Homa: A Receiver-Driven Low-Latency Transport Protocol Using
//! Network Priorities* (SIGCOMM 2018); the number after it is the section. What is left open there,
//! or is different here:
//!
//! - Messages count packets in place of bytes: all but the last are full.
//! - A message stands for the request of a remote procedure call whose response is a packet without
//!   data, [`ToSender::Done`]. So a request of which nothing arrived is found as there: by the client,
//!   who asks for the response ([`ToReceiver::Ask`], Homa 3.7).
//! - Nobody gives up: hosts don't fail (Homa 3.7 aborts after several tries).
//! - Who waits for many responses may not ask for their data to be held back (Homa 3.6): there are
//!   none.
//! - Cutoffs are given to all hosts, not measured by each (Homa 3.4).

mod priorities;
mod receiver;
mod sender;
mod settings;

pub use crate::transport::{MAX_PACKETS, Seq};
pub use priorities::{LEVELS, Priorities, PrioritiesError};
pub use receiver::{Arrival, Receiver};
pub use sender::Sender;
pub use settings::{RESEND_AFTER, Settings};

use bandwise_units::Bytes;

/// Where a host keeps a message: a small number that its driver chooses, another for each message
/// that is there at a time, and uses again when one was closed.
pub type Place = u32;

/// How large a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// Packets, 1 to [`MAX_PACKETS`].
    pub packets: u32,
    /// Payload.
    pub bytes: Bytes,
}

/// A DATA packet to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data {
    /// Of which message.
    pub place: Place,
    /// Which packet of it, from 0.
    pub seq: Seq,
    /// The priority that it has in the network, 0 the lowest.
    pub priority: u8,
    /// Whether it was sent before.
    pub retransmission: bool,
}

/// What a receiver tells the sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToSender {
    /// GRANT: all packets below `to` may be sent, scheduled ones at that priority (Homa 3.3).
    Grant {
        /// The first packet that may not.
        to: Seq,
        /// The priority of scheduled packets from now on.
        priority: u8,
    },
    /// RESEND: these packets are missing; send them again (Homa 3.7).
    Resend {
        /// The first.
        from: Seq,
        /// The first that is not.
        to: Seq,
        /// At which priority.
        priority: u8,
    },
    /// BUSY: the message is known and not complete; its receiver will say what it wants.
    Busy,
    /// The response: the message is complete.
    Done,
}

/// What a sender tells the receiver of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToReceiver {
    /// BUSY: what was asked for waits for other messages (Homa 3.7).
    Busy,
    /// RESEND of the response: what became of the message?
    Ask,
}
