//! State of a queue pair in the RNIC.

use crate::base::ring::Ring;
use crate::infiniband::packet::Packet;
use bandwise_rdma::ib_congestion::Throttle;
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Opcode, Transport};
use bandwise_rdma::wire::{Mtu, PacketKind};
use bandwise_units::Time;

/// Most READs and atomics that a queue pair has outstanding by default, as most adapters and programs
/// have it.
pub const MAX_RD_ATOMIC: u8 = 16;

/// Connection and use of a queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QpSetup {
    /// Transport service.
    pub transport: Transport,
    /// Service level.
    pub sl: Sl,
    /// Path MTU.
    pub mtu: Mtu,
    /// The other host.
    pub peer: u16,
    /// Its queue pair.
    pub peer_qp: u16,
    /// Most outstanding READs and atomics (`max_rd_atomic`).
    pub max_rd_atomic: u8,
    /// Core that gets the completions. `None` for a side that only receives: its RECVs are always
    /// posted, and no program reads its completions.
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

/// A doorbell in flight: the number of WQEs that it announces, and whether it carries the WQE
/// itself.
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
    /// Bytes received for a READ.
    pub read: u32,
    /// Acknowledged, while an earlier request is not.
    pub acknowledged: bool,
    pub truth: Option<Time>,
}

/// A response that the responder owes: data of a READ, or the result of an atomic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Response {
    pub kind: PacketKind,
    pub bytes: u32,
    pub sent: u32,
    pub psn: u32,
    pub transit_ps: u32,
}

impl Default for Response {
    fn default() -> Self {
        Response { kind: PacketKind::ReadResponse, bytes: 0, sent: 0, psn: 0, transit_ps: 0 }
    }
}

/// A received packet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Received {
    pub packet: Packet,
    /// Ground truth, in ps.
    pub transit: u32,
    pub loopback: bool,
    /// Time at which the payload has left the receive buffer.
    pub drained: Time,
    /// Time at which the payload is in memory.
    pub placed: Time,
}

/// Returns whether an operation counts towards `max_rd_atomic`.
pub(super) const fn is_read(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Read | Opcode::Atomic)
}

#[derive(Debug)]
pub(crate) struct QueuePair {
    pub setup: QpSetup,
    /// Number of WQEs posted without a doorbell.
    pub unrung: u32,
    pub doorbells: Ring<Doorbell>,
    /// Outstanding READs and atomics.
    pub reads: u8,
    /// Posted WQEs in order; the first `ready` of them are in the RNIC.
    pub sq: Ring<Wqe>,
    pub ready: u32,
    /// Number of packets started of the first WQE.
    pub started: u32,
    pub next_psn: u32,
    /// Earliest time of the next message.
    pub next_at: Time,
    /// Earliest time of the next packet, by congestion control.
    pub paced_until: Time,
    /// Packets in the pipeline to the port, which sees them in order, none before `last_ready`.
    pub pipeline: Ring<u32>,
    pub last_ready: Time,
    /// Time at which the program finds the last send completion, and the last receive completion.
    pub last_cqe: [Time; 2],
    /// Congestion control: current throttling of this flow.
    pub throttle: Throttle,
    pub unacked: Ring<Unacked>,
    pub responses: Ring<Response>,
    /// PSN of the request packet to be executed next.
    pub expected_psn: u32,
    /// Request packets that arrived before it. Changed tables move packets to other lanes, which
    /// may overtake.
    pub early: Vec<Received>,
    /// Payload bytes that arrived over the link.
    pub payload_in: u64,
    /// Bytes received of the current message.
    pub receiving: u32,
    /// Ground truth of the last message received: time that its last packet spent between the
    /// ports.
    pub last_transit_ps: u32,
    /// Listed among the queue pairs with packets to issue, for requests and for responses.
    pub listed: [bool; 2],
}

impl QueuePair {
    pub(super) fn new(setup: QpSetup) -> Self {
        QueuePair {
            setup,
            unrung: 0,
            doorbells: Ring::new(),
            reads: 0,
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
            responses: Ring::new(),
            expected_psn: 0,
            early: Vec::new(),
            payload_in: 0,
            receiving: 0,
            last_transit_ps: 0,
            listed: [false; 2],
        }
    }

    /// Returns whether the RNIC can issue a request. A READ or an atomic over the limit waits, and all
    /// requests behind it (IBTA 9.4.4, 10.7.2.2).
    #[inline]
    pub(super) fn can_request(&self) -> bool {
        let waits = self.reads >= self.setup.max_rd_atomic && self.started == 0;
        self.ready > 0 && !(waits && self.sq.front().is_some_and(|w| is_read(w.opcode)))
    }

    /// Returns whether a request packet is the one to be executed next, and stores it if not.
    /// Packets of a connection are executed in order (IBTA 9.7.5). A real responder would have
    /// early ones retransmitted.
    #[inline]
    pub(super) fn accepts(&mut self, received: &Received) -> bool {
        let is_next = received.packet.psn() == self.expected_psn;
        if is_next {
            self.expected_psn += 1;
        } else {
            self.early.push(*received);
        }
        is_next
    }

    /// Takes the request packet to be executed next at `now`, if it arrived early.
    #[inline]
    pub(super) fn take_early(&mut self, now: Time) -> Option<Received> {
        let place =
            self.early.iter().position(|received| received.packet.psn() == self.expected_psn)?;
        self.expected_psn += 1;
        let received = self.early.swap_remove(place);
        Some(Received {
            drained: received.drained.max(now),
            placed: received.placed.max(now),
            ..received
        })
    }

    /// Adds a READ response packet. Returns whether it completes the READ.
    pub(super) fn completes_read(&mut self, packet: &Packet) -> bool {
        let Some(request) = self.unacked.iter_mut().find(|u| u.psn == packet.psn()) else {
            return false;
        };
        request.read += packet.payload();
        request.read == request.wqe.bytes
    }
}
