//! A host that speaks Homa: its NIC with the messages that it sends and receives.
//!
//! What is sent and granted is decided by [`homa::Sender`] and [`homa::Receiver`]. Control packets go
//! before data (Homa 3.2), at the highest priority. "Homa" is B. Montazeri et al., *Homa: A
//! Receiver-Driven Low-Latency Transport Protocol Using Network Priorities* (SIGCOMM 2018).
//!
//! Packets have the headers of RoCEv2, so that transports don't differ by them; control packets are as
//! long as acknowledgements.

mod control;

use super::classes::Classes;
use super::flow::{Finished, Opened};
use super::host::HostModel;
use super::host_node::{HostNode, Notes};
use super::output::{Net, Output, PfcFrame};
use super::packet::{HEADERS, Kind, Packet};
use super::routing::Spray;
use super::slots::{Slots, slot_of};
use crate::base::ring::Ring;
use crate::engine::{ARRIVAL, Event, LinkEnd, Node, WAKE};
use bandwise_rdma::congestion::Congestion;
use bandwise_rdma::homa::{self, Message, Receiver, Sender, Settings, ToReceiver, ToSender};
use bandwise_units::{Bytes, Time};
use control::Meaning;

/// Kinds of events, besides those of the engine; at one instant in this order.
const START: u8 = 2;
/// A sender may have to ask.
const ASK: u8 = 3;
/// A receiver may miss something.
const MISSING: u8 = 4;

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
    /// When an event looks at its deadline.
    ask_at: Time,
    ended: bool,
}

/// A message at its receiver.
#[derive(Debug)]
struct Incoming {
    finished: Finished,
    /// The sending host's key for the message.
    key: u32,
    path: u64,
    message: Message,
    /// When an event looks at its deadline.
    missing_at: Time,
    complete: bool,
}

/// A host.
#[derive(Debug)]
pub(crate) struct HomaHost {
    /// What its events call it.
    number: u32,
    homa: Settings,
    mtu: u32,
    /// Bytes of a full packet, and of a control packet.
    full_bytes: u16,
    control_bytes: u16,
    /// Of a DATA packet besides payload.
    headers: u32,
    output: Output,
    /// Where paths come from, if they are not those of messages.
    spray: Option<Spray>,
    /// By slot: what the state machines call places.
    outgoing: Slots<Outgoing>,
    incoming: Slots<Incoming>,
    sender: Sender,
    receiver: Receiver,
    /// Control packets that wait for the link.
    control: Ring<Packet>,
    /// Messages that were granted something by the packet that came; used again and again.
    granted: Vec<u32>,
    notes: Notes,
}

impl Node for HomaHost {
    type Packet = Packet;
    type Back = PfcFrame;

    /// Does what is due.
    #[inline]
    fn handle(&mut self, event: Event, net: &mut Net<Packet>) {
        let (now, slot) = (event.at(), event.arg());
        match event.kind() {
            WAKE => net.woke(event.arg(), now),
            ARRIVAL => self.arrival(now, event.arg(), net),
            MISSING => self.look_for_missing(now, slot, net),
            ASK => self.ask(now, slot, net),
            _ => self.start(now, slot, net),
        }
        self.serve(now, net);
    }
}

impl HostNode for HomaHost {
    type Frame = Packet;

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
            notes: Notes::default(),
        }
    }

    fn open(
        &mut self,
        opened: &Opened,
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
            ask_at: Time::MAX,
            ended: false,
        };
        let key = self.outgoing.put(outgoing, ());
        self.at(opened.start, START, slot_of(key), net);
        key
    }

    fn expect(&mut self, opened: &Opened, path: u64) -> u32 {
        let message = self.message(opened);
        let incoming = Incoming {
            finished: opened.finished_at(Time::MAX),
            key: u32::MAX,
            path,
            message,
            missing_at: Time::MAX,
            complete: false,
        };
        self.incoming.put(incoming, ())
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
        let outgoing = self.outgoing.get(key).expect("an ended message is not forgotten yet");
        (outgoing.dst, outgoing.key)
    }

    fn forget_sent(&mut self, key: u32) {
        self.outgoing.remove(key);
        self.sender.close(slot_of(key));
    }

    fn forget_received(&mut self, key: u32) {
        self.incoming.remove(key);
        self.receiver.close(slot_of(key));
    }

    fn open_flows(&self) -> usize {
        self.outgoing.len()
    }

    fn sent(&self) -> u64 {
        self.output.sent
    }

    fn notes(&self) -> &Notes {
        &self.notes
    }

    fn notes_mut(&mut self) -> &mut Notes {
        &mut self.notes
    }
}

impl HomaHost {
    fn message(&self, opened: &Opened) -> Message {
        Message { packets: opened.packets(self.mtu), bytes: Bytes::new(opened.bytes) }
    }

    /// Sets an event about a message.
    fn at(&self, at: Time, kind: u8, slot: u32, net: &mut Net<Packet>) {
        net.push(Event::new(at, self.number, kind, 0, slot));
    }

    fn start(&mut self, now: Time, slot: u32, net: &mut Net<Packet>) {
        if let Some(outgoing) = self.outgoing.key_at(slot).and_then(|key| self.outgoing.get(key)) {
            self.sender.open(&self.homa, now, slot, outgoing.message);
            self.watch_outgoing(slot, net);
        }
    }

    #[inline]
    fn arrival(&mut self, now: Time, end: LinkEnd, net: &mut Net<Packet>) {
        let packet = net.arrived(end);
        self.notes.packets_in += 1;
        match control::meaning(&packet) {
            Meaning::Data => self.data(now, &packet, net),
            Meaning::ToSender(said) => self.heard_as_sender(now, packet.key(), said, net),
            Meaning::ToReceiver(said) => self.heard_as_receiver(now, packet.key(), said),
        }
    }

    #[inline]
    fn data(&mut self, now: Time, packet: &Packet, net: &mut Net<Packet>) {
        let (key, slot) = (packet.key(), slot_of(packet.key()));
        let Some(incoming) = self.incoming.get_mut(key) else { return };
        let message = incoming.message;
        let Self { receiver, incoming, granted, control, spray, homa, control_bytes, .. } = self;
        let arrival = receiver.on_data(homa, now, slot, message, packet.seq(), |slot, said| {
            let told = incoming.key_at(slot).and_then(|key| incoming.get(key));
            let told = told.expect("who is told something is there");
            control.push_back(answer(told, spray, *control_bytes, homa, said));
            granted.push(slot);
        });
        if arrival.completes
            && let Some(incoming) = self.incoming.get_mut(key)
        {
            incoming.complete = true;
            incoming.finished.at = now;
            self.notes.finished.push(incoming.finished);
        }
        self.watch_incoming(slot, net);
        while let Some(slot) = self.granted.pop() {
            self.watch_incoming(slot, net);
        }
    }

    #[inline]
    fn heard_as_sender(&mut self, now: Time, key: u32, said: ToSender, net: &mut Net<Packet>) {
        let slot = slot_of(key);
        let Some(outgoing) = self.outgoing.get_mut(key).filter(|o| !o.ended) else { return };
        let reply = self.sender.on_control(now, slot, said);
        if self.sender.is_done(slot) {
            outgoing.ended = true;
            self.notes.ended.push(key);
        } else if let Some(reply) = reply {
            self.tell_receiver(key, reply);
        }
        self.watch_outgoing(slot, net);
    }

    fn heard_as_receiver(&mut self, now: Time, key: u32, said: ToReceiver) {
        let slot = slot_of(key);
        let Some(incoming) = self.incoming.get(key) else { return };
        let Self { receiver, homa, spray, control_bytes, .. } = self;
        if let Some(reply) = receiver.on_control(homa, now, slot, incoming.message, said) {
            self.control.push_back(answer(incoming, spray, *control_bytes, homa, reply));
        }
    }

    fn tell_receiver(&mut self, key: u32, said: ToReceiver) {
        let Some(outgoing) = self.outgoing.get(key) else { return };
        let path = path(&mut self.spray, outgoing.dst, outgoing.path);
        let packet = control::to_receiver(said, self.control_bytes, path, outgoing.key);
        self.control.push_back(packet.of_class(self.homa.priorities.control()));
    }

    /// A sender asks what became of a message, if it is time to.
    fn ask(&mut self, now: Time, slot: u32, net: &mut Net<Packet>) {
        let Some(key) = self.outgoing.key_at(slot) else { return };
        let Some(outgoing) = self.outgoing.get_mut(key).filter(|o| o.ask_at == now) else { return };
        outgoing.ask_at = Time::MAX;
        if let Some(said) = self.sender.on_timeout(&self.homa, now, slot) {
            self.notes.timeouts += 1;
            self.tell_receiver(key, said);
        }
        self.watch_outgoing(slot, net);
    }

    /// A receiver asks for what is missing, if it is time to.
    fn look_for_missing(&mut self, now: Time, slot: u32, net: &mut Net<Packet>) {
        let Some(key) = self.incoming.key_at(slot) else { return };
        let Some(incoming) = self.incoming.get_mut(key).filter(|i| i.missing_at == now) else {
            return;
        };
        incoming.missing_at = Time::MAX;
        let Self { receiver, homa, spray, control_bytes, .. } = self;
        if let Some(said) = receiver.on_timeout(homa, now, slot) {
            self.notes.timeouts += 1;
            self.control.push_back(answer(incoming, spray, *control_bytes, homa, said));
        }
        self.watch_incoming(slot, net);
    }

    /// Sees to it that an event looks at a message's deadline at its sender. One event a message is
    /// enough: it finds that the deadline has moved, and is set again.
    #[inline]
    fn watch_outgoing(&mut self, slot: u32, net: &mut Net<Packet>) {
        let deadline = self.sender.deadline(&self.homa, slot);
        if deadline < Time::MAX
            && let Some(key) = self.outgoing.key_at(slot)
            && let Some(outgoing) = self.outgoing.get_mut(key)
            && deadline < outgoing.ask_at
        {
            outgoing.ask_at = deadline;
            self.at(deadline, ASK, slot, net);
        }
    }

    /// The same at its receiver.
    #[inline]
    fn watch_incoming(&mut self, slot: u32, net: &mut Net<Packet>) {
        let deadline = self.receiver.deadline(&self.homa, slot);
        if deadline < Time::MAX
            && let Some(key) = self.incoming.key_at(slot)
            && let Some(incoming) = self.incoming.get_mut(key)
            && deadline < incoming.missing_at
        {
            incoming.missing_at = deadline;
            self.at(deadline, MISSING, slot, net);
        }
    }

    /// The NIC sends the next packet, if its link is free.
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

    /// The next DATA packet.
    #[inline]
    fn next_data(&mut self, now: Time, net: &mut Net<Packet>) -> Option<Packet> {
        let data = self.sender.next(now)?;
        let key = self.outgoing.key_at(data.place).expect("a message to send is there");
        let outgoing = self.outgoing.get(key).expect("a message to send is there");
        let last = data.seq + 1 == outgoing.message.packets;
        let bytes = if last { outgoing.last_bytes } else { self.full_bytes };
        let path = path(&mut self.spray, outgoing.dst, outgoing.path);
        let packet = Packet::new(Kind::Data, bytes, path, outgoing.key, data.seq, 0);
        self.notes.retransmitted += u64::from(data.retransmission);
        self.watch_outgoing(data.place, net);
        Some(packet.of_class(data.priority))
    }
}

/// The path of a packet to a host whose message has a path.
#[inline]
fn path(spray: &mut Option<Spray>, to: u32, of_message: u64) -> u64 {
    match spray {
        None => of_message,
        Some(spray) => spray.path(to),
    }
}

/// What the sender of a message is told.
fn answer(
    incoming: &Incoming,
    spray: &mut Option<Spray>,
    bytes: u16,
    homa: &homa::Settings,
    said: ToSender,
) -> Packet {
    let path = path(spray, incoming.finished.src, incoming.path);
    control::to_sender(said, bytes, path, incoming.key).of_class(homa.priorities.control())
}
