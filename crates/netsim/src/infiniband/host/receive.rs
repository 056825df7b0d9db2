//! The receiving side of the RNIC: placement of payload by DMA, acknowledgements, completions.

use super::qp::{Received, Response};
use super::{Host, RESPONSE_READY};
use crate::engine::LinkEnd;
use crate::infiniband::cable::{Credit, Net};
use crate::infiniband::packet::{BECN, FECN, LAST, Packet, Parts};
use bandwise_rdma::verbs::{Completion, CompletionKind, Program, Qp};
use bandwise_rdma::wire::{self, PacketKind, Segment};
use bandwise_units::Time;

/// Bytes of a completion queue entry.
pub(super) const CQE_BYTES: u32 = 64;

/// Bytes that an atomic reads and writes.
const ATOMIC_BYTES: u32 = 8;

impl<P: Program> Host<P> {
    /// Receives the packet at the head of the link, after the receive pipeline.
    pub(super) fn arrival(&mut self, now: Time, end: LinkEnd, net: &mut Net) {
        let packet = net.arrived(end);
        self.packets_in += 1;
        self.qps[usize::from(packet.dst_qp())].payload_in += u64::from(packet.payload());
        self.occupancy.enter(packet.vl(), now, packet.blocks(), self.model.rx_buffer);
        let drained = self.act_on(now, &packet, false, net);
        self.occupancy.leave(packet.vl(), drained, packet.blocks());
        // The receive buffer is free once the payload is on PCIe; then the credits are returned.
        let cable = &self.egress.cable;
        let at = drained + cable.credit_delay + cable.delay;
        let credit = Credit { vl: packet.vl() as u8, blocks: packet.blocks() as u16 };
        net.send_flow_control(self.egress.end, at, credit);
    }

    /// Executes a packet, and the early packets that waited for it. Returns when the packet has
    /// left the receive buffer.
    pub(super) fn act_on(
        &mut self,
        now: Time,
        packet: &Packet,
        loopback: bool,
        net: &mut Net,
    ) -> Time {
        let (drained, placed) =
            if packet.payload() > 0 { self.pcie.write(now, packet.payload()) } else { (now, now) };
        let transit = if loopback { 0 } else { self.transit_ps(now, packet) };
        let received = Received { packet: *packet, transit, loopback, drained, placed };
        if !packet.kind().is_connections_request() {
            self.carry_out(now, &received, net);
        } else if self.qps[usize::from(packet.dst_qp())].accepts(&received) {
            self.carry_out(now, &received, net);
            while let Some(received) = self.qps[usize::from(packet.dst_qp())].take_early(now) {
                self.carry_out(now, &received, net);
            }
        }
        drained
    }

    /// Executes a packet, once all earlier ones on its connection have been executed.
    #[inline(always)] // otherwise the packet is passed through memory
    fn carry_out(&mut self, now: Time, received: &Received, net: &mut Net) {
        let &Received { ref packet, transit, loopback, drained, placed } = received;
        let number = usize::from(packet.dst_qp());
        let last = packet.is(LAST);
        if packet.kind() != PacketKind::ReadResponse {
            self.qps[number].receiving += packet.payload();
        }
        if let (true, Some(settings)) = (packet.is(BECN), &self.model.congestion_control) {
            self.qps[number].throttle.on_becn(settings, now + self.congestion_timer_offset);
        }
        match packet.kind() {
            PacketKind::Send if last => {
                // Acknowledged before the DMA write is done (figure 1d); RPerf relies on this.
                let ack = self.reply(number, PacketKind::Ack, packet, transit);
                self.stage(now, ack, net);
                self.received(drained, number, packet, transit, net);
            }
            PacketKind::UdSend => self.received(drained, number, packet, transit, net),
            PacketKind::Write | PacketKind::WriteImm if last => {
                // Acknowledged after the DMA write (figure 1b).
                let ack = self.reply(number, PacketKind::Ack, packet, transit);
                self.stage_at(placed + self.model.dma_flush, ack, net);
                if packet.kind() == PacketKind::WriteImm {
                    self.received(drained, number, packet, transit, net);
                }
                self.qps[number].receiving = 0;
            }
            PacketKind::Send | PacketKind::Write | PacketKind::WriteImm => {
                // A mark is returned at once, not with the acknowledgement of the message, which
                // may be much later (IBTA A10.3). An acknowledgement of the packets so far
                // completes nothing.
                if packet.is(FECN) && self.model.congestion_control.is_some() {
                    let ack = self.reply(number, PacketKind::Ack, packet, transit);
                    self.stage(now, ack, net);
                }
            }
            PacketKind::ReadRequest => {
                self.queue_response(
                    number,
                    PacketKind::ReadResponse,
                    packet,
                    packet.transit_ps(),
                    transit,
                );
                self.transmit(now, net);
            }
            PacketKind::AtomicRequest => {
                let read = self.pcie.read_descriptor(now, ATOMIC_BYTES);
                let written = self.pcie.write_descriptor(read, ATOMIC_BYTES);
                let ack = self.reply(number, PacketKind::AtomicAck, packet, transit);
                self.stage_at(written, ack, net);
            }
            PacketKind::ReadResponse => {
                if self.qps[number].completes_read(packet) {
                    // The CQE is written after the data.
                    let truth = truth(packet, transit);
                    self.acknowledged(
                        number,
                        packet.psn(),
                        drained,
                        (!loopback).then_some(truth),
                        net,
                    );
                }
            }
            PacketKind::Ack | PacketKind::AtomicAck => {
                let truth = truth(packet, transit);
                self.acknowledged(number, packet.psn(), now, (!loopback).then_some(truth), net);
            }
        }
    }

    /// Returns the ground truth: time from the last bit at the sender's port to the last bit here.
    fn transit_ps(&self, now: Time, packet: &Packet) -> u32 {
        let arrived = now - self.model.rx;
        let on_the_way = arrived - packet.sent_at();
        on_the_way.saturating_sub(packet.first_serialisation()).as_ps().min(u32::MAX.into()) as u32
    }

    /// Creates a header-only response to `packet`. A received FECN is returned as BECN (IBTA
    /// A10.3).
    #[inline]
    fn reply(&self, number: usize, kind: PacketKind, packet: &Packet, transit: u32) -> Packet {
        let becn = if packet.is(FECN) { BECN } else { 0 };
        let setup = self.qps[number].setup;
        Packet::new(Parts {
            kind,
            flags: LAST | becn,
            sl: setup.sl,
            vl: self.lane(setup.sl),
            dst: setup.peer,
            dst_qp: setup.peer_qp,
            psn: packet.psn(),
            wire_bytes: wire::packet_bytes(kind, Segment::only(0)),
            payload: 0,
            transit_ps: transit,
        })
    }

    #[inline(always)] // otherwise the packet is passed through memory
    fn stage_at(&mut self, at: Time, packet: Packet, net: &mut Net) {
        let index = self.packets.put(packet);
        self.at(at, RESPONSE_READY, 0, index, net);
    }

    /// Queues the data that a READ requests.
    fn queue_response(
        &mut self,
        number: usize,
        kind: PacketKind,
        request: &Packet,
        bytes: u32,
        transit_ps: u32,
    ) {
        let response = Response { kind, bytes, sent: 0, psn: request.psn(), transit_ps };
        self.qps[number].responses.push_back(response);
        self.list(number, 1);
    }

    /// Completes a message that consumes a RECV, with a CQE if a program reads it.
    fn received(
        &mut self,
        placed: Time,
        number: usize,
        packet: &Packet,
        transit: u32,
        net: &mut Net,
    ) {
        self.qps[number].last_transit_ps = transit;
        let bytes = std::mem::take(&mut self.qps[number].receiving);
        let Some(core) = self.qps[number].setup.core else { return };
        // The CQE is written after the payload.
        let visible = self.pcie.write_descriptor(placed, CQE_BYTES);
        let qp = Qp(number as u16);
        let kind = CompletionKind::Received;
        let truth = Some(Time::from_ps(packet.transit_ps().saturating_add(transit).into()));
        self.complete(
            core,
            visible,
            Completion { qp, id: 0, kind, bytes, truth, stamp: None },
            net,
        );
    }
}

/// Returns the ground truth of a request: its own time between the ports plus its response's.
fn truth(response: &Packet, transit_ps: u32) -> Time {
    Time::from_ps(u64::from(response.transit_ps()) + u64::from(transit_ps))
}
