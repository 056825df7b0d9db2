//! A host: its NIC with the flows that it sends and receives.
//!
//! Flows of a traffic class that may send take turns, a packet each, or poll; acknowledgements go
//! before data.

use super::classes::Classes;
use super::features::Features;
use super::flow::Opened;
use super::host_node::{HostNode, Notes};
use super::output::{Net, Output, PfcFrame};
use super::packet::{ACK, GAP, HEADERS, Kind, NOTIFICATION, Packet, since, stamp};
use super::routing::Spray;
use super::send_queues::{Next, SendQueues};
use super::slots::{Slots, slot_of};
use super::telemetry::{Frame, TELEMETRY};
use crate::engine::{ARRIVAL, Event, LinkEnd, Node, WAKE};
use bandwise_rdma::congestion::{
    self, AckInfo, Algorithm, Congestion, NotificationPoint, NotificationSettings,
};
use bandwise_rdma::homa;
use bandwise_rdma::transport::{Feedback, Receiver, Sender, Settings};
use bandwise_units::{Bytes, Time};

/// Kinds of events, besides those of the engine; at one instant in this order.
const START: u8 = 2;
const TIMEOUT: u8 = 3;
const READY: u8 = 4;
const OWED: u8 = 5;

/// How hosts behave.
#[derive(Debug, Clone, PartialEq)]
pub struct HostModel {
    /// The transport of all flows.
    pub transport: Settings,
    /// Their congestion control.
    pub congestion: congestion::Settings,
    /// When receivers send CNPs, for those that need them.
    pub notification: NotificationSettings,
    /// Payload of a full packet, bytes.
    pub mtu: u32,
    /// What every data packet carries besides the headers of RoCEv2, bytes (IRN 6.3: 16 at most).
    pub extra_header: u32,
    /// How often a flow that may send looks whether the link is free, at most 4 ms (IRN 4.1: "it
    /// periodically polls the MAC layer until the link is available"). If not given, flows that may send take turns.
    pub poll: Option<Time>,
    /// Homa in place of that transport: each flow is a message, and there is no congestion control.
    pub homa: Option<homa::Settings>,
}

impl HostModel {
    /// Bytes of a full frame, from Ethernet header to frame check sequence.
    pub fn full_frame(&self) -> u32 {
        HEADERS + self.extra_bytes() + self.mtu
    }

    /// What a data packet carries besides the headers of RoCEv2 and payload.
    pub(super) fn extra_bytes(&self) -> u32 {
        self.extra_header + self.telemetry()
    }

    /// Bytes of an acknowledgement.
    #[inline]
    pub(super) fn ack_bytes(&self) -> u32 {
        ACK + self.telemetry()
    }

    #[inline]
    fn telemetry(&self) -> u32 {
        if self.congestion.algorithm.needs_telemetry() { TELEMETRY } else { 0 }
    }
}

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
    /// In the list of those that take turns.
    listed: bool,
    /// When an event looks at its deadline, and when one lists it.
    timeout_at: Time,
    ready_at: Time,
    ended: bool,
}

/// How fast a flow may send, where there is congestion control.
#[derive(Debug)]
struct Pace {
    congestion: Congestion,
    /// No packet before.
    not_before: Time,
}

/// A flow at its receiver.
#[derive(Debug)]
struct Incoming {
    flow: Opened,
    /// The sending host's key for the flow.
    key: u32,
    path: u64,
    receiver: Receiver,
    /// When an event looks at what acknowledgement it owes.
    owed_at: Time,
    /// The time stamp of the packet that came last.
    stamp: u32,
    complete: bool,
}

/// With their keys they take two cache lines each.
const _: () = assert!(size_of::<Outgoing>() <= 120 && size_of::<Incoming>() <= 120);

/// A host.
#[derive(Debug)]
pub(crate) struct Host<F: Features> {
    /// What its events call it.
    number: u32,
    model: HostModel,
    full_bytes: u16,
    output: Output,
    /// Where paths come from, if they are not those of flows.
    spray: Option<Spray>,
    outgoing: Slots<Outgoing, Pace>,
    incoming: Slots<Incoming, NotificationPoint>,
    lines: SendQueues<F>,
    notes: Notes,
}

impl<F: Features> Node for Host<F> {
    type Packet = F::Frame;
    type Back = PfcFrame;

    /// Does what is due.
    #[inline]
    fn handle(&mut self, event: Event, net: &mut Net<F::Frame>) {
        let (now, slot) = (event.at(), event.arg());
        match event.kind() {
            WAKE => {
                net.woke(event.arg(), now);
                return self.serve(now, net);
            }
            ARRIVAL => self.arrival(now, event.arg(), net),
            OWED => {
                if let Some(key) = self.incoming.key_at(slot) {
                    self.owed(now, key, net);
                }
            }
            kind => {
                if let Some(key) = self.outgoing.key_at(slot) {
                    match kind {
                        START => self.list(now, key, net),
                        TIMEOUT => self.timeout(now, key, net),
                        _ => self.ready(now, key, net),
                    }
                }
            }
        }
        // For what was in line before an event is set already.
        if self.lines.grew() {
            self.serve(now, net);
        }
    }
}

impl<F: Features> HostNode for Host<F> {
    type Frame = F::Frame;

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
            lines: SendQueues::new(classes, model.poll),
            notes: Notes::default(),
        }
    }

    fn sent(&self) -> u64 {
        self.output.sent
    }

    fn open(
        &mut self,
        opened: &Opened,
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
            listed: false,
            timeout_at: Time::MAX,
            ready_at: Time::MAX,
            ended: false,
        };
        let key = self.outgoing.put(outgoing, Pace { congestion, not_before: Time::ZERO });
        self.at(opened.start, START, key, net);
        key
    }

    fn expect(&mut self, opened: &Opened, path: u64) -> u32 {
        let incoming = Incoming {
            flow: *opened,
            key: u32::MAX,
            path,
            receiver: Receiver::new(&self.model.transport, opened.packets(self.model.mtu)),
            owed_at: Time::MAX,
            stamp: 0,
            complete: false,
        };
        self.incoming.put(incoming, NotificationPoint::default())
    }

    fn answer_to(&mut self, key: u32, sender: u32) {
        if let Some(incoming) = self.incoming.get_mut(key) {
            incoming.key = sender;
        }
    }

    fn is_complete(&self, key: u32) -> bool {
        self.incoming.get(key).is_none_or(|incoming| incoming.complete)
    }

    fn far_end(&self, key: u32) -> (u32, u32) {
        let outgoing = self.outgoing.get(key).expect("an ended flow is not forgotten yet");
        (outgoing.dst, outgoing.key)
    }

    fn forget_sent(&mut self, key: u32) {
        self.outgoing.remove(key);
    }

    fn forget_received(&mut self, key: u32) {
        self.incoming.remove(key);
    }

    fn open_flows(&self) -> usize {
        self.outgoing.len()
    }

    fn notes(&self) -> &Notes {
        &self.notes
    }

    fn notes_mut(&mut self) -> &mut Notes {
        &mut self.notes
    }
}

impl<F: Features> Host<F> {
    /// Sets an event about a flow.
    fn at(&self, at: Time, kind: u8, key: u32, net: &mut Net<F::Frame>) {
        net.push(Event::new(at, self.number, kind, 0, slot_of(key)));
    }

    #[inline]
    fn arrival(&mut self, now: Time, end: LinkEnd, net: &mut Net<F::Frame>) {
        let frame = net.arrived(end);
        self.notes.packets_in += 1;
        if let Some(next) = net.first_inbound(end).map(F::Frame::packet) {
            match next.kind() {
                Kind::Data => self.incoming.fetch(next.key()),
                _ => self.outgoing.fetch(next.key()),
            }
        }
        match frame.packet().kind() {
            Kind::Data => self.data(now, &frame, net),
            Kind::Ack | Kind::Nack => self.answer(now, &frame, net),
            Kind::Notification => self.notified(now, frame.packet().key()),
        }
    }

    #[inline]
    fn data(&mut self, now: Time, frame: &F::Frame, net: &mut Net<F::Frame>) {
        let packet = frame.packet();
        let Some((incoming, notification)) = self.incoming.both_mut(packet.key()) else { return };
        incoming.stamp = packet.stamp();
        let arrival = incoming.receiver.on_data(&self.model.transport, now, packet.seq());
        if !incoming.complete && incoming.receiver.is_complete() {
            incoming.complete = true;
            self.notes.finished.push(incoming.flow.finished_at(now));
        }
        if let Some(feedback) = arrival.reply {
            let bytes = self.model.ack_bytes();
            let mut ack = acknowledgement(incoming, &mut self.spray, bytes, feedback);
            ack.mark(packet.is_marked());
            self.lines.answer(F::Frame::from(ack).telling(frame));
        }
        if self.model.congestion.algorithm.needs_notifications()
            && notification.on_packet(&self.model.notification, now, packet.is_marked())
        {
            let Incoming { key, flow, .. } = *incoming;
            let path = path(&mut self.spray, flow.src, incoming.path);
            let bytes = NOTIFICATION as u16;
            let cnp = Packet::new(Kind::Notification, bytes, path, key, 0, 0);
            self.lines.answer(cnp.of_class(flow.class).into());
        }
        let owed = incoming.receiver.deadline();
        if owed < incoming.owed_at {
            incoming.owed_at = owed;
            self.at(owed, OWED, packet.key(), net);
        }
    }

    fn owed(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) {
        let Some(incoming) = self.incoming.get_mut(key).filter(|i| i.owed_at == now) else {
            return;
        };
        incoming.owed_at = Time::MAX;
        if let Some(feedback) = incoming.receiver.on_timeout(now) {
            let bytes = self.model.ack_bytes();
            let ack = acknowledgement(incoming, &mut self.spray, bytes, feedback);
            self.lines.answer(ack.into());
        }
        let owed = incoming.receiver.deadline();
        if owed < Time::MAX {
            incoming.owed_at = owed;
            self.at(owed, OWED, key, net);
        }
    }

    #[inline]
    fn answer(&mut self, now: Time, frame: &F::Frame, net: &mut Net<F::Frame>) {
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
            self.notes.ended.push(key);
            return;
        }
        // With few packets in flight the timeout is a shorter one (IRN 3.1).
        self.watch(key, net);
        self.list(now, key, net);
    }

    fn notified(&mut self, now: Time, key: u32) {
        if let Some((_, pace)) = self.outgoing.both_mut(key) {
            pace.congestion.on_cnp(&self.model.congestion, now);
        }
    }

    fn timeout(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) {
        let flow = self.outgoing.both_mut(key);
        let Some((outgoing, pace)) = flow.filter(|(o, _)| o.timeout_at == now) else { return };
        outgoing.timeout_at = Time::MAX;
        if outgoing.ended {
            return;
        }
        if outgoing.sender.on_timeout(&self.model.transport, now) {
            self.notes.timeouts += 1;
            pace.congestion.on_timeout(&self.model.congestion, now);
        }
        self.watch(key, net);
        self.list(now, key, net);
    }

    /// Sees to it that an event looks at a flow's deadline, whenever that may have come nearer. One
    /// event a flow is enough otherwise: it finds that the deadline has moved, and is set again.
    #[inline]
    fn watch(&mut self, key: u32, net: &mut Net<F::Frame>) {
        let Some(outgoing) = self.outgoing.get_mut(key) else { return };
        let deadline = outgoing.sender.deadline(&self.model.transport);
        if deadline < outgoing.timeout_at {
            outgoing.timeout_at = deadline;
            self.at(deadline, TIMEOUT, key, net);
        }
    }

    fn ready(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) {
        let Some(outgoing) = self.outgoing.get_mut(key).filter(|o| o.ready_at == now) else {
            return;
        };
        outgoing.ready_at = Time::MAX;
        self.list(now, key, net);
    }

    /// Puts a flow in line, if it may send; otherwise sees to it that it is when it may.
    #[inline]
    fn list(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) {
        let Some((outgoing, pace)) = self.outgoing.both_mut(key) else { return };
        if outgoing.listed || outgoing.ended {
            return;
        }
        let (window, not_before) = limits(&self.model, pace);
        let at = outgoing.sender.next_at(&self.model.transport, now, window).max(not_before);
        if at <= now {
            outgoing.listed = true;
            self.lines.add(now, outgoing.class, key);
        } else if at < outgoing.ready_at {
            outgoing.ready_at = at;
            self.at(at, READY, key, net);
        }
    }

    /// The NIC sends the next packet, if its port is open; and those after it, as long as nothing else happens here.
    #[inline]
    fn serve(&mut self, mut now: Time, net: &mut Net<F::Frame>) {
        while self.lines.waiting() != 0 {
            if let Some(later) = self.send(now, net) {
                return net.wake(self.output.end, later);
            }
            self.lines.grew();
            if self.lines.waiting() == 0 {
                return;
            }
            if let Some(key) = self.lines.first_flow() {
                self.outgoing.fetch(key);
            }
            let free_at = self.output.free_at;
            if free_at <= now || !net.take_at_once(free_at) {
                return self.output.wake(now, net);
            }
            now = free_at;
        }
    }

    /// Sends a packet if there is one and the port is open. If flows poll and none looks now: when one does.
    #[inline(always)] // or it is called
    fn send(&mut self, now: Time, net: &mut Net<F::Frame>) -> Option<Time> {
        let open = self.output.open(now, net);
        loop {
            let ready = self.lines.waiting() & open;
            if ready == 0 {
                return None;
            }
            let frame = match self.lines.take(now, ready) {
                Some(Next::Ack(ack)) => ack,
                Some(Next::Flow(key)) => match self.next_data(now, key, net) {
                    Some(packet) => packet.into(),
                    None => continue,
                },
                Some(Next::Later(at)) => return Some(at),
                None => continue,
            };
            self.lines.took(ready, frame.packet());
            self.output.transmit(now, frame, net);
            return None;
        }
    }

    /// The next packet of a flow whose turn it is.
    #[inline]
    fn next_data(&mut self, now: Time, key: u32, net: &mut Net<F::Frame>) -> Option<Packet> {
        let (outgoing, pace) = self.outgoing.both_mut(key)?;
        outgoing.listed = false;
        let (window, _) = limits(&self.model, pace);
        let next = outgoing.sender.next(&self.model.transport, now, window);
        let Some(transmit) = next.filter(|_| !outgoing.ended) else {
            self.list(now, key, net);
            return None;
        };
        let last = transmit.seq + 1 == outgoing.sender.packets();
        let bytes = if last { outgoing.last_bytes } else { self.full_bytes };
        let Outgoing { key: far, class, .. } = *outgoing;
        let path = path(&mut self.spray, outgoing.dst, outgoing.path);
        let packet = Packet::new(Kind::Data, bytes, path, far, transmit.seq, 0).of_class(class);
        self.notes.retransmitted += u64::from(transmit.retransmission);
        let settings = &self.model.congestion;
        if settings.algorithm != Algorithm::None {
            let on_wire = u32::from(bytes) + GAP;
            pace.congestion.on_sent(settings, now, on_wire);
            if let Some(rate) = pace.congestion.rate(settings, now) {
                pace.not_before = now + rate.time_for(Bytes::new(on_wire.into()));
            }
        }
        self.list(now, key, net);
        self.watch(key, net);
        Some(packet.stamped(stamp(now)))
    }
}

/// How many packets congestion control lets a flow have in flight, and when the next may go. Without one, its state is
/// not even looked at: it is in no near cache.
#[inline]
fn limits(model: &HostModel, pace: &Pace) -> (u32, Time) {
    match model.congestion.algorithm {
        Algorithm::None => (u32::MAX, Time::ZERO),
        _ => (pace.congestion.window(), pace.not_before),
    }
}

/// The path of a packet to a host whose flow has a path.
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
    bytes: u32,
    feedback: Feedback,
) -> Packet {
    let kind = if feedback.nack { Kind::Nack } else { Kind::Ack };
    let Incoming { key, stamp, flow, .. } = *incoming;
    let path = path(spray, flow.src, incoming.path);
    Packet::new(kind, bytes as u16, path, key, feedback.cumulative, feedback.sack)
        .of_class(flow.class)
        .stamped(stamp)
}
