//! A host: its NIC with the flows that it sends and receives.
//!
//! Flows of a traffic class that may send alternate packet by packet, or poll. Acknowledgements
//! precede data.

use super::classes::Classes;
use super::features::Features;
use super::flow::FlowSpec;
use super::host_model::HostModel;
use super::host_node::{HostNode, HostReport};
use super::output::{Net, Output, PfcFrame};
use super::packet::{GAP, HEADERS, Kind, NOTIFICATION, Packet, since, stamp};
use super::routing::Spray;
use super::send_queues::{Next, SendQueues};
use super::slots::{Slots, slot_of};
use super::telemetry::Frame;
use crate::engine::{ARRIVAL, Event, LinkEnd, Node, WAKE};
use bandwise_rdma::congestion::{AckInfo, Algorithm, Congestion, NotificationPoint};
use bandwise_rdma::transport::{Feedback, Receiver, Sender};
use bandwise_units::{Bytes, Time};

/// Kinds of events beside the engine's, in the order in which they are handled at one instant.
const START: u8 = 2;
const TIMEOUT: u8 = 3;
const READY: u8 = 4;
const ACK_DUE: u8 = 5;

/// A flow at its sender.
#[derive(Debug)]
struct Outgoing {
    /// The receiving host, and its key for the flow.
    dst: u32,
    key: u32,
    path: u64,
    /// Bytes of the last packet; the others are full.
    last_bytes: u16,
    class: u8,
    sender: Sender,
    /// The flow is in a send queue.
    queued: bool,
    /// Times of the pending events that check the deadline and that queue the flow.
    timeout_at: Time,
    ready_at: Time,
    ended: bool,
}

/// Pacing of a flow by congestion control.
#[derive(Debug)]
struct Pace {
    congestion: Congestion,
    /// Earliest time of the next packet.
    not_before: Time,
}

/// A flow at its receiver.
#[derive(Debug)]
struct Incoming {
    flow: FlowSpec,
    /// The sending host's key for the flow.
    key: u32,
    path: u64,
    receiver: Receiver,
    /// Time of the pending event that sends a due acknowledgement.
    ack_due_at: Time,
    /// Time stamp of the last packet received.
    stamp: u32,
    complete: bool,
}

/// Each takes two cache lines, including its key.
const _: () = assert!(size_of::<Outgoing>() <= 120 && size_of::<Incoming>() <= 120);

/// A host.
#[derive(Debug)]
pub(crate) struct Host<F: Features> {
    /// Number of this host in its events.
    number: u32,
    model: HostModel,
    full_bytes: u16,
    output: Output,
    /// Source of random paths, if packets don't follow their flow's path.
    spray: Option<Spray>,
    outgoing: Slots<Outgoing, Pace>,
    incoming: Slots<Incoming, NotificationPoint>,
    send_queues: SendQueues<F>,
    report: HostReport,
}

impl<F: Features> Node for Host<F> {
    type Packet = F::Frame;
    type FlowControl = PfcFrame;

    /// Handles an event.
    #[inline]
    fn handle(&mut self, event: Event, net: &mut Net<F::Frame>) {
        let (now, slot) = (event.at(), event.arg());
        match event.kind() {
            WAKE => {
                net.woke(event.arg(), now);
                return self.serve(now, net);
            }
            ARRIVAL => self.arrival(now, event.arg(), net),
            ACK_DUE => {
                if let Some(key) = self.incoming.key_at(slot) {
                    self.ack_due(now, key, net);
                }
            }
            kind => {
                if let Some(key) = self.outgoing.key_at(slot) {
                    match kind {
                        START => self.enqueue(now, key, net),
                        TIMEOUT => self.on_timeout(now, key, net),
                        _ => self.on_ready(now, key, net),
                    }
                }
            }
        }
        // Flows already queued have a pending wake event.
        if self.send_queues.take_grown() {
            self.serve(now, net);
        }
    }
}

impl<F: Features> HostNode for Host<F> {
    type Frame = F::Frame;
    type With<G: Features<Frame = F::Frame>> = Host<G>;

    fn new(
        number: u32,
        model: &HostModel,
        classes: &Classes,
        spray: Option<Spray>,
        output: Output,
    ) -> Self {
        Host {
            number,
            full_bytes: model.full_frame() as u16,
            model: model.clone(),
            output,
            spray,
            outgoing: Slots::new(),
            incoming: Slots::new(),
            send_queues: SendQueues::new(classes, model.poll),
            report: HostReport::default(),
        }
    }

    fn sent(&self) -> u64 {
        self.output.sent
    }

    fn open(
        &mut self,
        opened: &FlowSpec,
        far: u32,
        path: u64,
        congestion: Congestion,
        net: &mut Net<F::Frame>,
    ) -> u32 {
        let packets = opened.packets(self.model.mtu);
        let last = opened.bytes - u64::from(packets - 1) * u64::from(self.model.mtu);
        let outgoing = Outgoing {
            dst: opened.dst,
            key: far,
            path,
            last_bytes: (HEADERS + self.model.extra_bytes() + last as u32) as u16,
            class: opened.class,
            sender: Sender::new(&self.model.transport, packets),
            queued: false,
            timeout_at: Time::MAX,
            ready_at: Time::MAX,
            ended: false,
        };
        let key = self.outgoing.put(outgoing, Pace { congestion, not_before: Time::ZERO });
        self.at(opened.start, START, key, net);
        key
    }

    fn open_incoming(&mut self, opened: &FlowSpec, path: u64) -> u32 {
        let incoming = Incoming {
            flow: *opened,
            key: u32::MAX,
            path,
            receiver: Receiver::new(&self.model.transport, opened.packets(self.model.mtu)),
            ack_due_at: Time::MAX,
            stamp: 0,
            complete: false,
        };
        self.incoming.put(incoming, NotificationPoint::default())
    }

    fn set_sender_key(&mut self, key: u32, sender: u32) {
        if let Some(incoming) = self.incoming.get_mut(key) {
            incoming.key = sender;
        }
    }

    fn is_complete(&self, key: u32) -> bool {
        self.incoming.get(key).is_none_or(|incoming| incoming.complete)
    }

    fn far_end(&self, key: u32) -> (u32, u32) {
        let outgoing = self.outgoing.get(key).expect("an ended flow has not been removed");
        (outgoing.dst, outgoing.key)
    }

    fn remove_sent(&mut self, key: u32) {
        self.outgoing.remove(key);
    }

    fn remove_received(&mut self, key: u32) {
        self.incoming.remove(key);
    }

    fn open_flows(&self) -> usize {
        self.outgoing.len()
    }

    fn report(&self) -> &HostReport {
        &self.report
    }

    fn report_mut(&mut self) -> &mut HostReport {
        &mut self.report
    }
}

impl<F: Features> Host<F> {
    /// Adds an event about a flow.
    fn at(&self, at: Time, kind: u8, key: u32, net: &mut Net<F::Frame>) {
        net.push(Event::new(at, self.number, kind, 0, slot_of(key)));
    }

    #[inline]
    fn arrival(&mut self, now: Time, end: LinkEnd, net: &mut Net<F::Frame>) {
        let frame = net.arrived(end);
        self.report.packets_in += 1;
        if let Some(next) = net.first_inbound(end).map(F::Frame::packet) {
            match next.kind() {
                Kind::Data => self.incoming.fetch(next.key()),
                _ => self.outgoing.fetch(next.key()),
            }
        }
        match frame.packet().kind() {
            Kind::Data => self.on_data(now, &frame, net),
            Kind::Ack | Kind::Nack => self.on_ack(now, &frame, net),
            Kind::Notification => self.on_notification(now, frame.packet().key()),
        }
    }

    #[inline]
    fn on_data(&mut self, now: Time, frame: &F::Frame, net: &mut Net<F::Frame>) {
        let packet = frame.packet();
        let Some((incoming, notification)) = self.incoming.both_mut(packet.key()) else { return };
        incoming.stamp = packet.stamp();
        let arrival = incoming.receiver.on_data(&self.model.transport, now, packet.seq());
        if !incoming.complete && incoming.receiver.is_complete() {
            incoming.complete = true;
            self.report.finished.push(incoming.flow.finished_at(now));
        }
        if let Some(feedback) = arrival.reply {
            let mut ack = acknowledgement(incoming, &mut self.spray, &self.model, feedback);
            ack.mark(packet.is_marked());
            self.send_queues.add_ack(F::Frame::from(ack).with_hops_of(frame));
        }
        if self.model.congestion.algorithm.needs_notifications()
            && notification.on_packet(&self.model.notification, now, packet.is_marked())
        {
            let Incoming { key, flow, .. } = *incoming;
            let path = path(&mut self.spray, flow.src, incoming.path);
            let bytes = NOTIFICATION as u16;
            let cnp = Packet::new(Kind::Notification, bytes, path, key, 0, 0);
            let class = self.model.cnp_class.unwrap_or(flow.class);
            self.send_queues.add_ack(cnp.of_class(class).into());
        }
        let due = incoming.receiver.deadline();
        if due < incoming.ack_due_at {
            incoming.ack_due_at = due;
            self.at(due, ACK_DUE, packet.key(), net);
        }
    }

    fn ack_due(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) {
        let Some(incoming) = self.incoming.get_mut(key).filter(|i| i.ack_due_at == now) else {
            return;
        };
        incoming.ack_due_at = Time::MAX;
        if let Some(feedback) = incoming.receiver.on_timeout(now) {
            let ack = acknowledgement(incoming, &mut self.spray, &self.model, feedback);
            self.send_queues.add_ack(ack.into());
        }
        let due = incoming.receiver.deadline();
        if due < Time::MAX {
            incoming.ack_due_at = due;
            self.at(due, ACK_DUE, key, net);
        }
    }

    #[inline]
    fn on_ack(&mut self, now: Time, frame: &F::Frame, net: &mut Net<F::Frame>) {
        let packet = frame.packet();
        let key = packet.key();
        let Some((outgoing, pace)) = self.outgoing.both_mut(key).filter(|(o, _)| !o.ended) else {
            return;
        };
        let nack = packet.kind() == Kind::Nack;
        let feedback = Feedback { cumulative: packet.seq(), nack, sack: packet.sack() };
        let progress = outgoing.sender.on_feedback(&self.model.transport, now, feedback);
        let settings = &self.model.congestion;
        if settings.algorithm != Algorithm::None {
            if progress.loss {
                pace.congestion.on_loss(settings, now);
            }
            let ack = AckInfo {
                now,
                rtt: since(packet.stamp(), now),
                acked: progress.newly_acked,
                bytes: progress.newly_acked * u32::from(self.full_bytes),
                marked: packet.is_marked(),
                in_flight: outgoing.sender.in_flight(),
                int: frame.hops(),
            };
            pace.congestion.on_ack(settings, &ack);
        }
        if progress.done {
            outgoing.ended = true;
            self.report.ended.push(key);
            return;
        }
        // With few packets in flight the timeout is shorter (IRN 3.1).
        self.schedule_timeout(key, net);
        self.enqueue(now, key, net);
    }

    fn on_notification(&mut self, now: Time, key: u32) {
        if let Some((_, pace)) = self.outgoing.both_mut(key) {
            pace.congestion.on_cnp(&self.model.congestion, now);
        }
    }

    fn on_timeout(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) {
        let flow = self.outgoing.both_mut(key);
        let Some((outgoing, pace)) = flow.filter(|(o, _)| o.timeout_at == now) else { return };
        outgoing.timeout_at = Time::MAX;
        if outgoing.ended {
            return;
        }
        if outgoing.sender.on_timeout(&self.model.transport, now) {
            self.report.timeouts += 1;
            pace.congestion.on_timeout(&self.model.congestion, now);
        }
        self.schedule_timeout(key, net);
        self.enqueue(now, key, net);
    }

    /// Schedules a timeout event if a flow's deadline has become earlier. One event per flow
    /// suffices otherwise: it finds that the deadline has moved, and is scheduled again.
    #[inline]
    fn schedule_timeout(&mut self, key: u32, net: &mut Net<F::Frame>) {
        let Some(outgoing) = self.outgoing.get_mut(key) else { return };
        let deadline = outgoing.sender.deadline(&self.model.transport);
        if deadline < outgoing.timeout_at {
            outgoing.timeout_at = deadline;
            self.at(deadline, TIMEOUT, key, net);
        }
    }

    fn on_ready(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) {
        let Some(outgoing) = self.outgoing.get_mut(key).filter(|o| o.ready_at == now) else {
            return;
        };
        outgoing.ready_at = Time::MAX;
        self.enqueue(now, key, net);
    }

    /// Queues a flow if it may send, otherwise schedules an event for the time when it may.
    #[inline]
    fn enqueue(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) {
        let Some((outgoing, pace)) = self.outgoing.both_mut(key) else { return };
        if outgoing.queued || outgoing.ended {
            return;
        }
        let (window, not_before) = limits(&self.model, pace);
        let at = outgoing.sender.next_at(&self.model.transport, now, window).max(not_before);
        if at <= now {
            outgoing.queued = true;
            self.send_queues.add(now, outgoing.class, key);
        } else if at < outgoing.ready_at {
            outgoing.ready_at = at;
            self.at(at, READY, key, net);
        }
    }

    /// Sends the next packet if the port is free, and the following ones as long as no other event
    /// is due.
    #[inline]
    fn serve(&mut self, mut now: Time, net: &mut Net<F::Frame>) {
        while self.send_queues.waiting() != 0 {
            if let Some(later) = self.send(now, net) {
                return net.wake(self.output.end, later);
            }
            self.send_queues.take_grown();
            if self.send_queues.waiting() == 0 {
                return;
            }
            if let Some(key) = self.send_queues.first_flow() {
                self.outgoing.fetch(key);
            }
            let free_at = self.output.free_at;
            if free_at <= now || !net.try_take_next(free_at) {
                return self.output.wake(now, net);
            }
            now = free_at;
        }
    }

    /// Sends a packet if one is queued and the port is free. If flows poll and none polls now,
    /// returns when the next one does.
    #[inline(always)] // otherwise each packet costs a call
    fn send(&mut self, now: Time, net: &mut Net<F::Frame>) -> Option<Time> {
        let open = self.output.open(now, net);
        loop {
            let ready = self.send_queues.waiting() & open;
            if ready == 0 {
                return None;
            }
            let frame = match self.send_queues.take(now, ready) {
                Some(Next::Ack(ack)) => ack,
                Some(Next::Flow(key)) => match self.next_data(now, key, net) {
                    Some(packet) => packet.into(),
                    None => continue,
                },
                Some(Next::Later(at)) => return Some(at),
                None => continue,
            };
            self.send_queues.sent(ready, frame.packet());
            self.output.transmit(now, frame, net);
            return None;
        }
    }

    /// Returns the next packet of a flow taken from the queue.
    #[inline]
    fn next_data(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) -> Option<Packet> {
        let (outgoing, pace) = self.outgoing.both_mut(key)?;
        outgoing.queued = false;
        let (window, _) = limits(&self.model, pace);
        let next = outgoing.sender.next(&self.model.transport, now, window);
        let Some(transmit) = next.filter(|_| !outgoing.ended) else {
            self.enqueue(now, key, net);
            return None;
        };
        let last = transmit.seq + 1 == outgoing.sender.packets();
        let bytes = if last { outgoing.last_bytes } else { self.full_bytes };
        let Outgoing { key: far, class, .. } = *outgoing;
        let path = path(&mut self.spray, outgoing.dst, outgoing.path);
        let packet = Packet::new(Kind::Data, bytes, path, far, transmit.seq, 0).of_class(class);
        self.report.retransmitted += u64::from(transmit.retransmission);
        let settings = &self.model.congestion;
        if settings.algorithm != Algorithm::None {
            let on_wire = u32::from(bytes) + GAP;
            pace.congestion.on_sent(settings, now, on_wire);
            if let Some(rate) = pace.congestion.rate(settings, now) {
                pace.not_before = now + rate.time_for(Bytes::new(on_wire.into()));
            }
        }
        self.enqueue(now, key, net);
        self.schedule_timeout(key, net);
        Some(packet.stamped(stamp(now)))
    }
}

/// Returns the window in packets that congestion control grants a flow, and the earliest time of
/// its next packet. Without congestion control, the flow's state is not read, since it is in no
/// near cache.
#[inline]
fn limits(model: &HostModel, pace: &Pace) -> (u32, Time) {
    match model.congestion.algorithm {
        Algorithm::None => (u32::MAX, Time::ZERO),
        _ => (pace.congestion.window(), pace.not_before),
    }
}

/// Returns the path of a packet to a host, given the path of its flow.
#[inline]
fn path(spray: &mut Option<Spray>, to: u32, of_flow: u64) -> u64 {
    match spray {
        None => of_flow,
        Some(spray) => spray.path(to),
    }
}

fn acknowledgement(
    incoming: &Incoming,
    spray: &mut Option<Spray>,
    model: &HostModel,
    feedback: Feedback,
) -> Packet {
    let kind = if feedback.nack { Kind::Nack } else { Kind::Ack };
    let Incoming { key, stamp, flow, .. } = *incoming;
    let path = path(spray, flow.src, incoming.path);
    let bytes = model.ack_bytes() as u16;
    Packet::new(kind, bytes, path, key, feedback.cumulative, feedback.sack)
        .of_class(model.ack_class.unwrap_or(flow.class))
        .stamped(stamp)
}
