//! A host with Homa: its NIC with the messages that it sends and receives.
//!
//! [`homa::Sender`] and [`homa::Receiver`] decide about packets and grants. Control packets precede
//! data (Homa 3.2), at the highest priority. "Homa" is B. Montazeri et al., *Homa: A
//! Receiver-Driven Low-Latency Transport Protocol Using Network Priorities* (SIGCOMM 2018).
//!
//! Packets have the headers of RoCEv2, so that headers make no difference between transports.
//! Control packets have the size of acknowledgements.

mod control;

use super::classes::Classes;
use super::features::Features;
use super::flow::{FinishedFlow, FlowSpec};
use super::host_model::HostModel;
use super::host_node::{HostNode, HostReport};
use super::output::{Net, Output, PfcFrame};
use super::packet::{HEADERS, Kind, Packet};
use super::routing::Spray;
use super::slots::{Slots, slot_of};
use crate::base::ring::Ring;
use crate::engine::{ARRIVAL, Event, LinkEnd, Node, WAKE};
use bandwise_rdma::congestion::Congestion;
use bandwise_rdma::homa::{self, HomaSettings, Message, Receiver, Sender, ToReceiver, ToSender};
use bandwise_units::{Bytes, Time};
use control::Content;

/// Kinds of events beside the engine's, in the order in which they are handled at one instant.
const START: u8 = 2;
/// Deadline of a message at its sender.
const SENDER_TIMEOUT: u8 = 3;
/// Deadline of a message at its receiver.
const RECEIVER_TIMEOUT: u8 = 4;

/// A message at its sender.
#[derive(Debug)]
struct Outgoing {
    /// The receiving host, and its key for the message.
    dst: u32,
    key: u32,
    path: u64,
    message: Message,
    /// Bytes of the last packet; the others are full.
    last_bytes: u16,
    /// Time of the pending timeout event.
    timeout_at: Time,
    ended: bool,
}

/// A message at its receiver.
#[derive(Debug)]
struct Incoming {
    finished: FinishedFlow,
    /// The sending host's key for the message.
    key: u32,
    path: u64,
    message: Message,
    /// Time of the pending timeout event.
    timeout_at: Time,
    complete: bool,
}

/// A host with Homa.
#[derive(Debug)]
pub(crate) struct HomaHost {
    /// Number of this host in its events.
    number: u32,
    homa: HomaSettings,
    mtu: u32,
    /// Bytes of a full packet, and of a control packet.
    full_bytes: u16,
    control_bytes: u16,
    /// Bytes of a DATA packet besides payload.
    headers: u32,
    output: Output,
    /// Source of random paths, if packets don't follow their message's path.
    spray: Option<Spray>,
    /// Messages by slot, which the state machines use as message numbers.
    outgoing: Slots<Outgoing>,
    incoming: Slots<Incoming>,
    sender: Sender,
    receiver: Receiver,
    /// Control packets that wait for the link.
    control: Ring<Packet>,
    /// Messages that the current packet granted; a reused buffer.
    granted: Vec<u32>,
    report: HostReport,
}

impl Node for HomaHost {
    type Packet = Packet;
    type FlowControl = PfcFrame;

    /// Handles an event.
    #[inline]
    fn handle(&mut self, event: Event, net: &mut Net<Packet>) {
        let (now, slot) = (event.at(), event.arg());
        match event.kind() {
            WAKE => net.woke(event.arg(), now),
            ARRIVAL => self.arrival(now, event.arg(), net),
            RECEIVER_TIMEOUT => self.on_receiver_timeout(now, slot, net),
            SENDER_TIMEOUT => self.on_sender_timeout(now, slot, net),
            _ => self.start(now, slot, net),
        }
        self.serve(now, net);
    }
}

impl HostNode for HomaHost {
    type Frame = Packet;
    type With<F: Features<Frame = Packet>> = HomaHost;

    fn new(
        number: u32,
        model: &HostModel,
        _classes: &Classes,
        spray: Option<Spray>,
        output: Output,
    ) -> Self {
        HomaHost {
            number,
            homa: model.homa.clone().expect("hosts of a network with Homa speak it"),
            mtu: model.mtu,
            full_bytes: model.full_frame() as u16,
            control_bytes: model.ack_bytes() as u16,
            headers: HEADERS + model.extra_bytes(),
            output,
            spray,
            outgoing: Slots::new(),
            incoming: Slots::new(),
            sender: Sender::new(),
            receiver: Receiver::new(),
            control: Ring::new(),
            granted: Vec::new(),
            report: HostReport::default(),
        }
    }

    fn open(
        &mut self,
        opened: &FlowSpec,
        far: u32,
        path: u64,
        _congestion: Congestion,
        net: &mut Net<Packet>,
    ) -> u32 {
        let message = self.message(opened);
        let last = opened.bytes - u64::from(message.packets - 1) * u64::from(self.mtu);
        let outgoing = Outgoing {
            dst: opened.dst,
            key: far,
            path,
            message,
            last_bytes: (self.headers + last as u32) as u16,
            timeout_at: Time::MAX,
            ended: false,
        };
        let key = self.outgoing.put(outgoing, ());
        self.at(opened.start, START, slot_of(key), net);
        key
    }

    fn open_incoming(&mut self, opened: &FlowSpec, path: u64) -> u32 {
        let message = self.message(opened);
        let incoming = Incoming {
            finished: opened.finished_at(Time::MAX),
            key: u32::MAX,
            path,
            message,
            timeout_at: Time::MAX,
            complete: false,
        };
        self.incoming.put(incoming, ())
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
        let outgoing = self.outgoing.get(key).expect("an ended message has not been removed");
        (outgoing.dst, outgoing.key)
    }

    fn remove_sent(&mut self, key: u32) {
        self.outgoing.remove(key);
        self.sender.close(slot_of(key));
    }

    fn remove_received(&mut self, key: u32) {
        self.incoming.remove(key);
        self.receiver.close(slot_of(key));
    }

    fn open_flows(&self) -> usize {
        self.outgoing.len()
    }

    fn sent(&self) -> u64 {
        self.output.sent
    }

    fn report(&self) -> &HostReport {
        &self.report
    }

    fn report_mut(&mut self) -> &mut HostReport {
        &mut self.report
    }
}

impl HomaHost {
    fn message(&self, opened: &FlowSpec) -> Message {
        Message { packets: opened.packets(self.mtu), bytes: Bytes::new(opened.bytes) }
    }

    /// Adds an event about a message.
    fn at(&self, at: Time, kind: u8, slot: u32, net: &mut Net<Packet>) {
        net.push(Event::new(at, self.number, kind, 0, slot));
    }

    fn start(&mut self, now: Time, slot: u32, net: &mut Net<Packet>) {
        if let Some(outgoing) = self.outgoing.key_at(slot).and_then(|key| self.outgoing.get(key)) {
            self.sender.open(&self.homa, now, slot, outgoing.message);
            self.schedule_outgoing_timeout(slot, net);
        }
    }

    #[inline]
    fn arrival(&mut self, now: Time, end: LinkEnd, net: &mut Net<Packet>) {
        let packet = net.arrived(end);
        self.report.packets_in += 1;
        match control::decode(&packet) {
            Content::Data => self.on_data(now, &packet, net),
            Content::ToSender(content) => {
                self.on_control_to_sender(now, packet.key(), content, net)
            }
            Content::ToReceiver(content) => self.on_control_to_receiver(now, packet.key(), content),
        }
    }

    #[inline]
    fn on_data(&mut self, now: Time, packet: &Packet, net: &mut Net<Packet>) {
        let (key, slot) = (packet.key(), slot_of(packet.key()));
        let Some(incoming) = self.incoming.get_mut(key) else { return };
        let message = incoming.message;
        let Self { receiver, incoming, granted, control, spray, homa, control_bytes, .. } = self;
        let arrival = receiver.on_data(homa, now, slot, message, packet.seq(), |slot, content| {
            let target = incoming.key_at(slot).and_then(|key| incoming.get(key));
            let target = target.expect("a granted message is open");
            control.push_back(control_to_sender(target, spray, *control_bytes, homa, content));
            granted.push(slot);
        });
        if arrival.completes
            && let Some(incoming) = self.incoming.get_mut(key)
        {
            incoming.complete = true;
            incoming.finished.at = now;
            self.report.finished.push(incoming.finished);
        }
        self.schedule_incoming_timeout(slot, net);
        while let Some(slot) = self.granted.pop() {
            self.schedule_incoming_timeout(slot, net);
        }
    }

    #[inline]
    fn on_control_to_sender(
        &mut self,
        now: Time,
        key: u32,
        content: ToSender,
        net: &mut Net<Packet>,
    ) {
        let slot = slot_of(key);
        let Some(outgoing) = self.outgoing.get_mut(key).filter(|o| !o.ended) else { return };
        let reply = self.sender.on_control(now, slot, content);
        if self.sender.is_done(slot) {
            outgoing.ended = true;
            self.report.ended.push(key);
        } else if let Some(reply) = reply {
            self.send_to_receiver(key, reply);
        }
        self.schedule_outgoing_timeout(slot, net);
    }

    fn on_control_to_receiver(&mut self, now: Time, key: u32, content: ToReceiver) {
        let slot = slot_of(key);
        let Some(incoming) = self.incoming.get(key) else { return };
        let Self { receiver, homa, spray, control_bytes, .. } = self;
        if let Some(reply) = receiver.on_control(homa, now, slot, incoming.message, content) {
            self.control.push_back(control_to_sender(incoming, spray, *control_bytes, homa, reply));
        }
    }

    fn send_to_receiver(&mut self, key: u32, content: ToReceiver) {
        let Some(outgoing) = self.outgoing.get(key) else { return };
        let path = path(&mut self.spray, outgoing.dst, outgoing.path);
        let packet = control::to_receiver(content, self.control_bytes, path, outgoing.key);
        self.control.push_back(packet.of_class(self.homa.priorities.control()));
    }

    /// Handles a sender's deadline: asks the receiver for the message's state.
    fn on_sender_timeout(&mut self, now: Time, slot: u32, net: &mut Net<Packet>) {
        let Some(key) = self.outgoing.key_at(slot) else { return };
        let Some(outgoing) = self.outgoing.get_mut(key).filter(|o| o.timeout_at == now) else {
            return;
        };
        outgoing.timeout_at = Time::MAX;
        if let Some(content) = self.sender.on_timeout(&self.homa, now, slot) {
            self.report.timeouts += 1;
            self.send_to_receiver(key, content);
        }
        self.schedule_outgoing_timeout(slot, net);
    }

    /// Handles a receiver's deadline: requests missing packets.
    fn on_receiver_timeout(&mut self, now: Time, slot: u32, net: &mut Net<Packet>) {
        let Some(key) = self.incoming.key_at(slot) else { return };
        let Some(incoming) = self.incoming.get_mut(key).filter(|i| i.timeout_at == now) else {
            return;
        };
        incoming.timeout_at = Time::MAX;
        let Self { receiver, homa, spray, control_bytes, .. } = self;
        if let Some(content) = receiver.on_timeout(homa, now, slot) {
            self.report.timeouts += 1;
            self.control.push_back(control_to_sender(
                incoming,
                spray,
                *control_bytes,
                homa,
                content,
            ));
        }
        self.schedule_incoming_timeout(slot, net);
    }

    /// Schedules a timeout event for a message at its sender. One event per message suffices: it
    /// finds that the deadline has moved, and is scheduled again.
    #[inline]
    fn schedule_outgoing_timeout(&mut self, slot: u32, net: &mut Net<Packet>) {
        let deadline = self.sender.deadline(&self.homa, slot);
        if deadline < Time::MAX
            && let Some(key) = self.outgoing.key_at(slot)
            && let Some(outgoing) = self.outgoing.get_mut(key)
            && deadline < outgoing.timeout_at
        {
            outgoing.timeout_at = deadline;
            self.at(deadline, SENDER_TIMEOUT, slot, net);
        }
    }

    /// Schedules a timeout event for a message at its receiver.
    #[inline]
    fn schedule_incoming_timeout(&mut self, slot: u32, net: &mut Net<Packet>) {
        let deadline = self.receiver.deadline(&self.homa, slot);
        if deadline < Time::MAX
            && let Some(key) = self.incoming.key_at(slot)
            && let Some(incoming) = self.incoming.get_mut(key)
            && deadline < incoming.timeout_at
        {
            incoming.timeout_at = deadline;
            self.at(deadline, RECEIVER_TIMEOUT, slot, net);
        }
    }

    /// Sends the next packet if the link is free.
    #[inline]
    fn serve(&mut self, now: Time, net: &mut Net<Packet>) {
        if self.control.is_empty() && !self.sender.is_waiting() {
            return;
        }
        if self.output.open(now, net) != 0 {
            let packet = match self.control.pop_front() {
                Some(packet) => Some(packet),
                None => self.next_data(now, net),
            };
            if let Some(packet) = packet {
                self.output.transmit(now, packet, net);
            }
        }
        if !self.control.is_empty() || self.sender.is_waiting() {
            self.output.wake(now, net);
        }
    }

    /// Returns the next DATA packet.
    #[inline]
    fn next_data(&mut self, now: Time, net: &mut Net<Packet>) -> Option<Packet> {
        let data = self.sender.next(now)?;
        let key = self.outgoing.key_at(data.slot).expect("a message to send is there");
        let outgoing = self.outgoing.get(key).expect("a message to send is there");
        let last = data.seq + 1 == outgoing.message.packets;
        let bytes = if last { outgoing.last_bytes } else { self.full_bytes };
        let path = path(&mut self.spray, outgoing.dst, outgoing.path);
        let packet = Packet::new(Kind::Data, bytes, path, outgoing.key, data.seq, 0);
        self.report.retransmitted += u64::from(data.retransmission);
        self.schedule_outgoing_timeout(data.slot, net);
        Some(packet.of_class(data.priority))
    }
}

/// Returns the path of a packet to a host, given the path of its message.
#[inline]
fn path(spray: &mut Option<Spray>, to: u32, of_message: u64) -> u64 {
    match spray {
        None => of_message,
        Some(spray) => spray.path(to),
    }
}

/// Creates a control packet to the sender of a message.
fn control_to_sender(
    incoming: &Incoming,
    spray: &mut Option<Spray>,
    bytes: u16,
    homa: &homa::HomaSettings,
    content: ToSender,
) -> Packet {
    let path = path(spray, incoming.finished.src, incoming.path);
    control::to_sender(content, bytes, path, incoming.key).of_class(homa.priorities.control())
}
