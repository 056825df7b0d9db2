//! A queue pair's state in the RNIC.

use crate::base::ring::Ring;
use crate::infiniband::packet::Packet;
use bandwise_rdma::cc::Throttle;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_rdma::wire::PacketKind;
use bandwise_units::Time;

/// Where a queue pair leads and who uses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QpSetup {
    /// Transport service.
    pub transport: Transport,
    /// Service level.
    pub sl: Sl,
    /// The other host.
    pub peer: u16,
    /// Its queue pair there.
    pub peer_qp: u16,
    /// The core that gets its completions; `None` for a side that only receives, whose RECVs are
    /// always posted and whose completions nobody reads.
    pub core: Option<u16>,
}

/// A work queue element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wqe {
    pub id: u64,
    pub opcode: Opcode,
    pub bytes: u32,
    pub signaled: bool,
    pub inline: bool,
}

impl Default for Wqe {
    fn default() -> Self {
        Wqe { id: 0, opcode: Opcode::Send, bytes: 0, signaled: false, inline: false }
    }
}

/// A doorbell on its way: how many WQEs it announces, and whether it carries the one itself.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Doorbell {
    pub wqes: u32,
    pub carries: bool,
}

/// A request sent and not acknowledged.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Unacked {
    pub psn: u32,
    pub wqe: Wqe,
    /// Bytes of it, a READ, that have come.
    pub read: u32,
    /// Its answer is here, but not that of an earlier one.
    pub answered: bool,
    pub truth: Option<Time>,
}

/// Answers that the responder owes: data of a READ, or an atomic's result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    pub kind: PacketKind,
    pub bytes: u32,
    pub sent: u32,
    pub psn: u32,
    pub transit_ps: u32,
}

impl Default for Answer {
    fn default() -> Self {
        Answer { kind: PacketKind::ReadResponse, bytes: 0, sent: 0, psn: 0, transit_ps: 0 }
    }
}

/// A packet that has come in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Came {
    pub packet: Packet,
    /// Ground truth, in picoseconds.
    pub transit: u32,
    pub loopback: bool,
    /// When its payload has left the receive buffer.
    pub drained: Time,
    /// When its payload is in memory.
    pub placed: Time,
}

#[derive(Debug)]
pub(crate) struct QueuePair {
    pub setup: QpSetup,
    /// Posted, doorbell not rung yet.
    pub unrung: u32,
    pub doorbells: Ring<Doorbell>,
    /// Posted WQEs, in order; the first `ready` of them are in the RNIC.
    pub sq: Ring<Wqe>,
    pub ready: u32,
    /// Packets of the first WQE already started.
    pub started: u32,
    pub next_psn: u32,
    /// No new message before.
    pub next_at: Time,
    /// No new packet before, by congestion control.
    pub paced_until: Time,
    /// Packets on their way to the port, which sees them in order: none before `last_ready`.
    pub pipeline: Ring<u32>,
    pub last_ready: Time,
    /// When the program finds the last completion of what this sent, and of what it received.
    pub last_cqe: [Time; 2],
    /// Congestion control: how far this flow is slowed down.
    pub throttle: Throttle,
    pub unacked: Ring<Unacked>,
    pub answers: Ring<Answer>,
    /// The request packet to be acted on next.
    pub expected_psn: u32,
    /// Request packets that have overtaken it: where tables change, lanes do.
    pub early: Vec<Came>,
    /// Payload that arrived over the link.
    pub payload_in: u64,
    /// Bytes of the message being received.
    pub receiving: u32,
    /// Ground truth of the last message received: how long its last packet was between the ports.
    pub last_transit_ps: u32,
    /// In the list of queue pairs with something to send: requests, answers.
    pub listed: [bool; 2],
}

impl QueuePair {
    pub fn new(setup: QpSetup) -> Self {
        QueuePair {
            setup,
            unrung: 0,
            doorbells: Ring::new(),
            sq: Ring::new(),
            ready: 0,
            started: 0,
            next_psn: 0,
            next_at: Time::ZERO,
            paced_until: Time::ZERO,
            pipeline: Ring::new(),
            last_ready: Time::ZERO,
            last_cqe: [Time::ZERO; 2],
            throttle: Throttle::default(),
            unacked: Ring::new(),
            answers: Ring::new(),
            expected_psn: 0,
            early: Vec::new(),
            payload_in: 0,
            receiving: 0,
            last_transit_ps: 0,
            listed: [false; 2],
        }
    }

    /// Takes a request packet if it is the one to be acted on next. If not it is kept: packets of a connection
    /// are acted on in order (IBTA 9.7.5). A real responder would have those sent again that come early.
    #[inline]
    pub fn takes(&mut self, came: &Came) -> bool {
        let is_next = came.packet.psn() == self.expected_psn;
        if is_next {
            self.expected_psn += 1;
        } else {
            self.early.push(*came);
        }
        is_next
    }

    /// The request packet to be acted on next, now, if it has come early.
    #[inline]
    pub fn next_early(&mut self, now: Time) -> Option<Came> {
        let place = self.early.iter().position(|came| came.packet.psn() == self.expected_psn)?;
        self.expected_psn += 1;
        let came = self.early.swap_remove(place);
        Some(Came { drained: came.drained.max(now), placed: came.placed.max(now), ..came })
    }

    /// Whether a packet of a READ's answer is the one by which all of it has come.
    pub fn has_read_all(&mut self, packet: &Packet) -> bool {
        let Some(request) = self.unacked.iter_mut().find(|u| u.psn == packet.psn()) else {
            return false;
        };
        request.read += packet.payload();
        request.read == request.wqe.bytes
    }
}
