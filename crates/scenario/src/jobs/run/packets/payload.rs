//! Payload and size of full packets.

use bandwise_netsim::infiniband::cable;
use bandwise_netsim::infiniband::host::DeviceModel;
use bandwise_rdma::wire::{self, PacketKind, Segment};

/// Returns the payload of a full packet, bytes.
pub(super) fn mtu() -> u32 {
    DeviceModel::connectx4_56g().mtu.get()
}

/// Returns the bytes on an InfiniBand link for a full packet of a WRITE.
pub(super) fn full_packet() -> u64 {
    let middle = Segment { payload: mtu(), first: false, last: false };
    cable::on_the_wire(wire::packet_bytes(PacketKind::Write, middle)).get()
}
