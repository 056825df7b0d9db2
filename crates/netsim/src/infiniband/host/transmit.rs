//! The sending side of the RNIC: queue pairs issue packets round-robin. Payload is fetched by DMA,
//! passes the pipeline, and waits at the port for its lane.

use super::qp::{Unacked, is_read};
use super::{Host, LOOPBACK, STAGED, TRANSMIT};
use crate::infiniband::cable::Net;
use crate::infiniband::egress::Choice;
use crate::infiniband::packet::{LAST, Packet, Parts};
use bandwise_rdma::qos::Sl;
use bandwise_rdma::verbs::{Completion, CompletionKind, Opcode, Program, Transport};
use bandwise_rdma::wire::{self, PacketKind, Segment};
use bandwise_units::{Bytes, Time};

/// Class of responses (acknowledgements, READ responses) among the port's queues.
const RESPONSES: usize = 1;

/// A queue pair that waits to issue its next request (class 0) or response (class 1), with the data
/// that decides whether there is room for it. A host that waits for room checks all entries after
/// each packet that leaves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IssueEntry {
    number: u16,
    class: u8,
    lane: u8,
    /// Payload of the next packet, in bytes.
    payload: u16,
}

impl<P: Program> Host<P> {
    /// Lists a queue pair for issuing requests (0) or responses (1).
    pub(super) fn list(&mut self, number: usize, class: usize) {
        if !std::mem::replace(&mut self.qps[number].listed[class], true) {
            self.issue_queue.push_back(self.issue_entry(number, class));
        }
    }

    /// Returns the entry of a queue pair that has a packet to issue.
    fn issue_entry(&self, number: usize, class: usize) -> IssueEntry {
        let qp = &self.qps[number];
        let left = if class == RESPONSES {
            qp.responses.front().map_or(0, |a| a.bytes - a.sent)
        } else {
            qp.sq.front().map_or(0, |w| {
                let kind = PacketKind::request(qp.setup.transport, w.opcode);
                let payload = kind.map_or(0, |kind| kind.payload(w.bytes));
                payload.saturating_sub(qp.started * qp.setup.mtu.get())
            })
        };
        let payload = left.min(qp.setup.mtu.get()) as u16;
        let lane = self.lane(qp.setup.sl) as u8;
        IssueEntry { number: number as u16, class: class as u8, lane, payload }
    }

    /// Recomputes all entries after service levels have changed lanes.
    pub(super) fn refresh_issue_queue(&mut self) {
        for _ in 0..self.issue_queue.len() {
            let IssueEntry { number, class, .. } =
                self.issue_queue.pop_front().expect("the queue is not empty");
            self.issue_queue.push_back(self.issue_entry(number.into(), class.into()));
        }
    }

    /// Issues the next packet, if one can be issued, and schedules the following ones.
    #[inline]
    pub(super) fn transmit(&mut self, now: Time, net: &mut Net) {
        if !self.issue_queue.is_empty() {
            self.transmit_next(now, net);
        }
    }

    fn transmit_next(&mut self, now: Time, net: &mut Net) {
        if self.issue_free <= now {
            for _ in 0..self.issue_queue.len() {
                let entry = self.issue_queue.pop_front().expect("the queue is not empty");
                let (number, class) = (usize::from(entry.number), usize::from(entry.class));
                let started = self.has_room(entry) && self.earliest(entry) <= now;
                if started {
                    self.issue_free = now + self.model.issue_gap;
                    self.start(now, number, class, net);
                }
                if !started {
                    self.issue_queue.push_back(entry);
                } else if self.has_more(number, class) {
                    self.issue_queue.push_back(self.issue_entry(number, class));
                } else {
                    self.qps[number].listed[class] = false;
                }
                if started {
                    break;
                }
            }
        }
        self.transmit_later(net);
    }

    /// Schedules the next packet that waits only for its time. Packets that wait for room are tried
    /// again when a packet leaves.
    fn transmit_later(&mut self, net: &mut Net) {
        if self.issue_queue.is_empty() {
            return;
        }
        let next = self
            .issue_queue
            .iter()
            .filter(|&&entry| self.has_room(entry))
            .map(|&entry| self.earliest(entry))
            .min();
        if let Some(at) = next.filter(|&at| at < self.transmit_at) {
            self.transmit_at = at;
            self.at(at, TRANSMIT, 0, 0, net);
        }
    }

    fn has_more(&self, number: usize, class: usize) -> bool {
        let qp = &self.qps[number];
        if class == RESPONSES { !qp.responses.is_empty() } else { qp.can_request() }
    }

    fn earliest(&self, entry: IssueEntry) -> Time {
        let qp = &self.qps[usize::from(entry.number)];
        if usize::from(entry.class) == RESPONSES {
            return self.issue_free;
        }
        let own = if qp.started > 0 { qp.paced_until } else { qp.paced_until.max(qp.next_at) };
        own.max(self.issue_free)
    }

    /// Returns whether the transmit buffer of its lane has room for the next packet.
    fn has_room(&self, entry: IssueEntry) -> bool {
        let fetched = u64::from(self.fetched[usize::from(entry.lane)]);
        fetched == 0 || fetched + u64::from(entry.payload) <= self.model.tx_buffer.get()
    }

    /// Returns whether a service level has a lane at this port.
    pub(crate) fn has_lane(&self, sl: Sl) -> bool {
        self.sl2vl.vl(sl).is_some()
    }

    /// Returns the lane of a service level at this port. Levels without one are refused at set-up.
    pub(super) fn lane(&self, sl: Sl) -> usize {
        self.sl2vl.vl(sl).map_or(0, |vl| usize::from(vl.get()))
    }

    fn start(&mut self, now: Time, number: usize, class: usize, net: &mut Net) {
        if class == RESPONSES {
            return self.start_response(now, number, net);
        }
        let qp = &mut self.qps[number];
        let mtu = qp.setup.mtu;
        let wqe = *qp.sq.front().expect("a ready queue pair has a WQE");
        let kind = PacketKind::request(qp.setup.transport, wqe.opcode)
            .expect("refused when it was connected");
        let segment = wire::segment(kind.payload(wqe.bytes), mtu, qp.started);
        if segment.first {
            qp.next_at = now + self.model.qp_gap;
        }
        if let Some(settings) = &self.model.congestion_control {
            let bytes = wire::packet_bytes(kind, segment);
            let packet_time = self.egress.cable.byte_time.of(Bytes::new(bytes.into()));
            let delay =
                qp.throttle.delay(settings, now + self.congestion_timer_offset, packet_time);
            if delay > Time::ZERO {
                qp.paced_until = now + packet_time + delay;
            }
        }
        qp.started += 1;
        let psn = qp.next_psn;
        qp.next_psn += 1;
        if segment.last {
            qp.sq.pop_front();
            qp.ready -= 1;
            qp.started = 0;
            qp.reads += u8::from(is_read(wqe.opcode));
            qp.unacked.push_back(Unacked { psn, wqe, read: 0, acknowledged: false, truth: None });
        }
        let transit_or_asked =
            if wqe.opcode == Opcode::Read { wqe.bytes } else { qp.last_transit_ps };
        self.fetch(now, number, kind, segment, psn, transit_or_asked, wqe.inline, net);
    }

    fn start_response(&mut self, now: Time, number: usize, net: &mut Net) {
        let mtu = self.qps[number].setup.mtu;
        let response = self.qps[number].responses.front_mut().expect("listed for a response");
        let segment = wire::segment(response.bytes, mtu, response.sent / mtu.get());
        response.sent += segment.payload;
        let response = *response;
        if segment.last {
            self.qps[number].responses.pop_front();
        }
        self.fetch(
            now,
            number,
            response.kind,
            segment,
            response.psn,
            response.transit_ps,
            false,
            net,
        );
    }

    /// Fetches a packet's payload and passes it through the pipeline to the port.
    #[expect(clippy::too_many_arguments, reason = "a packet's fields, once")]
    fn fetch(
        &mut self,
        now: Time,
        number: usize,
        kind: PacketKind,
        segment: Segment,
        psn: u32,
        transit_ps: u32,
        inline: bool,
        net: &mut Net,
    ) {
        let setup = self.qps[number].setup;
        let vl = self.lane(setup.sl);
        let packet = Packet::new(Parts {
            kind,
            flags: if segment.last { LAST } else { 0 },
            sl: setup.sl,
            vl,
            dst: setup.peer,
            dst_qp: setup.peer_qp,
            psn,
            wire_bytes: wire::packet_bytes(kind, segment),
            payload: segment.payload,
            transit_ps,
        });
        self.fetched[vl] += segment.payload;
        let data_at = if inline || segment.payload == 0 {
            now
        } else {
            let tag = self.packets.next_index();
            self.pcie.read(now, number, segment.payload, tag)
        };
        let index = self.packets.put(packet);
        self.qps[number].pipeline.push_back(index);
        self.pass(data_at, number, index, net);
    }

    /// Passes a packet whose payload arrives at `data_at` through the pipeline, behind the earlier
    /// packets of its queue pair.
    fn pass(&mut self, data_at: Time, number: usize, index: u32, net: &mut Net) {
        let qp = &mut self.qps[number];
        qp.last_ready = qp.last_ready.max(data_at + self.model.tx);
        let ready = qp.last_ready;
        self.at(ready, STAGED, number as u16, index, net);
    }

    /// Handles the expected end of the pipeline for a packet. The packet is later if reads of other
    /// queue pairs delayed its payload, or that of an earlier packet of its queue pair.
    pub(super) fn staged(&mut self, now: Time, number: usize, index: u32, net: &mut Net) {
        let fetched_by = now.saturating_sub(self.model.tx);
        if let Some(data_at) = self.pcie.finished(fetched_by, index) {
            return self.pass(data_at, number, index, net);
        }
        let qp = &mut self.qps[number];
        if qp.pipeline.front() != Some(&index) {
            qp.last_ready += Time::from_ps(1);
            return self.pass(Time::ZERO, number, index, net);
        }
        qp.pipeline.pop_front();
        let packet = self.packets.take(index);
        self.stage(now, packet, net);
    }

    /// Passes a packet from the pipeline to the port, or back to this host if it is the
    /// destination.
    pub(super) fn stage(&mut self, now: Time, packet: Packet, net: &mut Net) {
        if packet.dst() == self.index {
            let bytes = Bytes::new(packet.wire_bytes().into());
            self.loopback_free =
                now.max(self.loopback_free) + self.model.loopback_rate.time_for(bytes);
            let at = self.loopback_free + self.model.rx;
            self.release(&packet);
            if packet.kind() == PacketKind::UdSend {
                self.datagram_sent(self.loopback_free, &packet, net);
            }
            let index = self.packets.put(packet);
            self.at(at, LOOPBACK, 0, index, net);
            return self.transmit(now, net);
        }
        let vl = packet.vl();
        let slot = class_of(&packet) * self.lanes + vl;
        let first = self.queues[slot].is_empty();
        if first && self.egress.can_forward_now(now, vl, &packet, net) {
            return self.leave(now, slot, vl, packet, net);
        }
        self.queues[slot].push_back(packet);
        if !first {
            return;
        }
        self.egress.offer(slot, vl, &packet, now);
        if self.egress.free_at <= now {
            self.serve(now, net);
        } else {
            self.egress.wake_when_free(net);
        }
    }

    pub(super) fn port_woke(&mut self, now: Time, net: &mut Net) {
        if self.egress.woke(now, net) {
            self.serve(now, net);
        } else {
            self.egress.wake_when_free(net);
        }
    }

    /// Sends the next packet of the idle port.
    fn serve(&mut self, now: Time, net: &mut Net) {
        let (slot, vl) = match self.egress.choose(now, net) {
            Choice::Send { slot, vl } => (slot, vl),
            Choice::Starved => return net.wait(self.egress.end),
            Choice::Empty => return,
        };
        let packet = self.queues[slot].pop_front().expect("an offered slot has a head");
        match self.queues[slot].front() {
            Some(head) => self.egress.offer(slot, vl, head, now),
            None => self.egress.withdraw(slot, vl),
        }
        self.leave(now, slot, vl, packet, net);
        self.egress.wake_when_free(net);
    }

    /// Sends a packet from the port.
    #[inline]
    fn leave(&mut self, now: Time, slot: usize, vl: usize, mut packet: Packet, net: &mut Net) {
        let serialisation = self.egress.send(now, slot, vl, &packet, net);
        packet.set_departure(now, serialisation);
        self.packets_out += 1;
        let at = self.egress.cable.takes_effect(&packet, now, serialisation);
        net.send(self.egress.end, at, packet);
        self.release(&packet);
        if packet.kind() == PacketKind::UdSend {
            self.datagram_sent(now + serialisation, &packet, net);
        }
        self.transmit(now, net);
    }

    /// Releases a packet's bytes in the transmit buffer.
    fn release(&mut self, packet: &Packet) {
        self.fetched[packet.vl()] -= packet.payload();
    }

    /// Completes a datagram, which is complete once it is on the wire (RPerf, figure 1c). Several
    /// queue pairs may send to the same queue pair, so the sender is found by its unacknowledged
    /// packets.
    fn datagram_sent(&mut self, at: Time, packet: &Packet, net: &mut Net) {
        let sender = self.qps.iter().position(|qp| {
            qp.setup.transport == Transport::Ud
                && (qp.setup.peer, qp.setup.peer_qp) == (packet.dst(), packet.dst_qp())
                && qp.unacked.iter().any(|u| u.psn == packet.psn() && !u.acknowledged)
        });
        if let Some(number) = sender {
            self.acknowledged(number, packet.psn(), at, None, net);
        }
    }

    /// Counts a READ or an atomic that ended at `now`, after which a waiting one can be issued.
    fn read_ended(&mut self, number: usize, now: Time, net: &mut Net) {
        let qp = &mut self.qps[number];
        qp.reads -= 1;
        if !qp.listed[0] && qp.can_request() {
            qp.next_at = qp.next_at.max(now);
            self.list(number, 0);
            self.transmit_later(net);
        }
    }

    /// Acknowledges the request that ended with `psn`. Responses of different kinds may overtake
    /// each other here, but requests complete in order, with CQEs for signaled ones.
    pub(super) fn acknowledged(
        &mut self,
        number: usize,
        psn: u32,
        now: Time,
        truth: Option<Time>,
        net: &mut Net,
    ) {
        let qp = &mut self.qps[number];
        let core = qp.setup.core;
        // Acknowledgements are mostly in order.
        let mut next = match qp.unacked.front() {
            Some(first) if first.psn == psn => Some((first.wqe, truth)),
            _ => {
                if let Some(it) = qp.unacked.iter_mut().find(|u| u.psn == psn) {
                    (it.acknowledged, it.truth) = (true, truth);
                }
                None
            }
        };
        while let Some((wqe, truth)) = next {
            self.qps[number].unacked.pop_front();
            if is_read(wqe.opcode) {
                self.read_ended(number, now, net);
            }
            let unacked = &mut self.qps[number].unacked;
            next = unacked.front().filter(|u| u.acknowledged).map(|u| (u.wqe, u.truth));
            if let (true, Some(core)) = (wqe.signaled, core) {
                let visible = self.pcie.write_descriptor(now, super::receive::CQE_BYTES);
                let completion = Completion {
                    qp: bandwise_rdma::verbs::Qp(number as u16),
                    id: wqe.id,
                    kind: CompletionKind::Sent(wqe.opcode),
                    bytes: wqe.bytes,
                    truth,
                    stamp: None,
                };
                self.complete(core, visible, completion, net);
            }
        }
    }
}

/// Returns the index of the lane's queue in which a packet waits at the port.
fn class_of(packet: &Packet) -> usize {
    match packet.kind() {
        PacketKind::Ack | PacketKind::ReadResponse | PacketKind::AtomicAck => RESPONSES,
        _ => 0,
    }
}
