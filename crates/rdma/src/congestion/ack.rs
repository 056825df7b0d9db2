//! Acknowledgements as congestion control sees them, with the telemetry of switches.

use bandwise_units::{BitRate, Bytes, Time};

/// Telemetry that a switch writes into a departing packet (in-band network telemetry, INT; HPCC
/// section 4.1, figure 7), about its output port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IntHop {
    /// ts: departure time of the packet.
    pub at: Time,
    /// txBytes: total bytes sent by the port. The paper's field wraps, this one doesn't.
    pub sent: Bytes,
    /// qLen: bytes remaining in the port's queue.
    pub queue: Bytes,
    /// B: rate of the link.
    pub rate: BitRate,
}

/// Content of an acknowledgement.
#[derive(Debug, Clone, Copy)]
pub struct AckInfo<'a> {
    /// Arrival time.
    pub now: Time,
    /// Time since the acknowledged packet began to leave. A retransmitted packet's sample can't be
    /// distinguished from the original's: omit such ACKs.
    pub rtt: Time,
    /// Newly acknowledged packets, selectively acknowledged ones included.
    pub acked: u32,
    /// Bytes of these packets on the wire.
    pub bytes: u32,
    /// The acknowledged packet carried an ECN mark.
    pub marked: bool,
    /// Packets still unacknowledged afterwards, lost ones excluded.
    pub in_flight: u32,
    /// Telemetry of the packet, first hop first; empty if switches add none.
    pub int: &'a [IntHop],
}
