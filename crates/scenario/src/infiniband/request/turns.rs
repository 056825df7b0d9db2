//! The pause of a probe beside bulk traffic.

use crate::infiniband::Method;
use bandwise_netsim::infiniband::cable::on_the_wire;
use bandwise_rdma::wire::{Mtu, PacketKind, Segment, packet_bytes};
use bandwise_topology::Fabric;

/// Turns of all bulk senders that the longest pause of a probe spans.
const TURNS: u64 = 8;

impl Method {
    /// Lengthens the pauses of a probe to several turns of `bulk` senders with packets of the MTU at
    /// the receiver's link. After a shorter pause, a probe comes back in step with the bulk packets
    /// and meets some of their phases only: beside five senders that take turns, its median would
    /// be off by a quarter, beside three by nearly half.
    pub(super) fn span_turns(&mut self, fabric: &Fabric, to: usize, mtu: Mtu, bulk: usize) {
        let (Method::RPerf(probe) | Method::PingPong(probe) | Method::PostPoll(probe)) = self
        else {
            return;
        };
        let port = fabric.host_port(fabric.hosts()[to]);
        let Some((_, link)) = fabric.peer(port) else { return };
        let packet = on_the_wire(packet_bytes(PacketKind::Write, Segment::only(mtu.get())));
        probe.think = probe.think.max(link.rate.time_for(packet) * (TURNS * bulk as u64));
    }
}
