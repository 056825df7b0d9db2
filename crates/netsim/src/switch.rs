//! The switch: input-buffered, cut-through, a buffer for each input port and lane.
//!
//! A packet becomes visible to its output one port-to-port latency after its first bit came in
//! (the link's flight already counts that, see [`Receiver::Switch`](crate::link::Receiver)).
//! An idle output takes it at once; otherwise it waits in its input's buffer, which is emptied
//! when its last bit has left, and then the credits go back.

use crate::egress::{Choice, Egress, Scheduling};
use crate::event::{Event, EventQueue, rank};
use crate::link::{Cable, Credit, Flight, Inbound, Outbox};
use crate::occupancy::Occupancy;
use crate::packet::{FECN, Packet};
use crate::random::Stream;
use bandwise_rdma::cc::{Marker, MarkerSettings};
use bandwise_rdma::qos::Sl2Vl;
use bandwise_units::{Bytes, Time};
use std::collections::VecDeque;

/// How a switch behaves, beside its cabling and tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchModel {
    /// Port-to-port latency, first bit in to first bit out.
    pub latency: Time,
    /// Buffer for each input port and lane.
    pub buffer: Bytes,
    /// Who goes first among the inputs of a lane.
    pub scheduling: Scheduling,
    /// Where packets for different outputs wait.
    pub queueing: Queueing,
    /// Now and then a crossing takes longer.
    pub hiccup: Option<Hiccup>,
    /// From a freed block to the sender's counter, beside propagation.
    pub credit_delay: Time,
    /// When packets are marked as having met congestion (FECN); off by default.
    pub marking: Option<MarkerSettings>,
}

/// Where packets for different outputs wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Queueing {
    /// One queue an input and lane: a blocked head blocks those behind it.
    Fifo,
    /// Virtual output queues: one an input, lane and output.
    Voq,
}

/// A delay that strikes once in `one_in` crossings, uniform up to `up_to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hiccup {
    /// On average.
    pub one_in: u32,
    /// At most.
    pub up_to: Time,
}

/// A port of a switch: the input side and the output side.
#[derive(Debug)]
pub(crate) struct SwitchPort {
    pub inbound: Inbound,
    /// Where credits of this input go: node and port.
    pub upstream: (u32, u8),
    pub egress: Egress,
}

impl SwitchPort {
    pub fn new(upstream: (u32, u8), egress: Egress) -> Self {
        SwitchPort { inbound: Inbound::new(), upstream, egress }
    }
}

/// A switch.
#[derive(Debug)]
pub struct Switch {
    model: SwitchModel,
    pub(crate) ports: Vec<Option<SwitchPort>>,
    /// Output port by destination host.
    forwarding: Vec<u8>,
    /// Lane by (input port, output port, service level).
    sl2vl: Vec<Sl2Vl>,
    queues: Vec<VecDeque<Packet>>,
    /// Bytes waiting for (output, lane), and which of them to mark.
    depth: Vec<u32>,
    markers: Vec<Marker>,
    lanes: usize,
    /// By input and lane.
    occupancy: Occupancy,
    pub(crate) events: EventQueue,
    random: Stream,
    /// Packets that crossed, and packets dropped for want of a lane (SL2VL says 15).
    pub(crate) crossed: u64,
    pub(crate) dropped: u64,
    pub(crate) handled: u64,
}

/// Kinds of events; at one instant free outputs are looked at before new packets.
const PORT: u8 = 0;
const ARRIVAL: u8 = 1;

impl Switch {
    /// A switch whose ports are still to be cabled. `lanes` is the number of data lanes in use.
    pub(crate) fn new(
        model: SwitchModel,
        ports: usize,
        lanes: usize,
        forwarding: Vec<u8>,
        sl2vl: Vec<Sl2Vl>,
        random: Stream,
    ) -> Self {
        let queues = match model.queueing {
            Queueing::Fifo => ports * lanes,
            Queueing::Voq => ports * lanes * ports,
        };
        Switch {
            model,
            ports: (0..ports).map(|_| None).collect(),
            forwarding,
            sl2vl,
            queues: (0..queues).map(|_| VecDeque::new()).collect(),
            depth: vec![0; ports * lanes],
            markers: vec![Marker::default(); ports * lanes],
            lanes,
            occupancy: Occupancy::new(ports * lanes),
            events: EventQueue::default(),
            random,
            crossed: 0,
            dropped: 0,
            handled: 0,
        }
    }

    /// Takes a packet that the link delivers. True if that is a new event, at the packet's time.
    #[inline]
    pub(crate) fn receive(&mut self, port: u8, flight: Flight) -> bool {
        let inbound = &mut self.ports[usize::from(port)].as_mut().expect("cabled").inbound;
        inbound.push_back(flight);
        let first = inbound.len() == 1;
        if first {
            self.events.push(Event { at: flight.at, rank: rank(ARRIVAL, port.into()), arg: 0 });
        }
        first
    }

    /// Takes credits that the link returns. True if that is a new event, at the credit's time.
    #[inline]
    pub(crate) fn receive_credit(&mut self, port: u8, credit: Credit) -> bool {
        let egress = &mut self.ports[usize::from(port)].as_mut().expect("cabled").egress;
        let woken = egress.credit(credit);
        if woken {
            self.events.push(Event { at: credit.at, rank: rank(PORT, port.into()), arg: 0 });
        }
        woken
    }

    /// Does everything that is due before `horizon`; returns when something is due again.
    pub(crate) fn run(&mut self, horizon: Time, out: &mut Outbox) -> Time {
        while let Some(event) = self.events.pop_before(horizon) {
            self.handled += 1;
            match event.kind() {
                ARRIVAL => self.arrival(event.at, event.object(), out),
                _ => {
                    let port = event.object();
                    if self.egress(port).woke(event.at) {
                        self.serve(event.at, port, out);
                    } else {
                        self.wake(port);
                    }
                }
            }
        }
        self.events.next_at()
    }

    fn egress(&mut self, port: usize) -> &mut Egress {
        &mut self.ports[port].as_mut().expect("cabled").egress
    }

    fn wake(&mut self, port: usize) {
        let egress = &mut self.ports[port].as_mut().expect("cabled").egress;
        egress.wake_when_free(&mut self.events, PORT, port);
    }

    #[inline]
    fn arrival(&mut self, now: Time, input: usize, out: &mut Outbox) {
        let inbound = &mut self.ports[input].as_mut().expect("cabled").inbound;
        let packet = inbound.pop_front().expect("an arrival has a packet").packet;
        if let Some(next) = inbound.front() {
            self.events.push(Event { at: next.at, rank: rank(ARRIVAL, input as u32), arg: 0 });
        }
        let buffer = input * self.lanes + packet.vl();
        self.occupancy.enter(buffer, now, packet.blocks(), self.model.buffer);
        let output = usize::from(self.forwarding[usize::from(packet.dst)]);
        let Some(vl) = self.sl2vl[input * self.ports.len() + output].vl(packet.sl()) else {
            // IBTA 7.6.6: a service level that maps to VL15 is discarded.
            self.dropped += 1;
            self.occupancy.leave(buffer, now, packet.blocks());
            self.free(input, &packet, now, out);
            return;
        };
        let vl = usize::from(vl.get());
        let slot = input * self.lanes + packet.vl();
        let queue = self.queue_of(slot, output);
        self.depth[output * self.lanes + vl] += u32::from(packet.wire_bytes);
        let first = self.queues[queue].is_empty();
        if first && self.egress(output).takes_at_once(now, vl, &packet) {
            return self.forward(now, slot, output, vl, packet, out);
        }
        self.queues[queue].push_back(packet);
        if !first {
            return;
        }
        let egress = self.egress(output);
        egress.offer(slot, vl, &packet);
        if egress.free_at <= now {
            self.serve(now, output, out);
        } else {
            self.wake(output);
        }
    }

    /// The queue in which packets of a slot (an input's lane) wait for an output.
    #[inline]
    fn queue_of(&self, slot: usize, output: usize) -> usize {
        match self.model.queueing {
            Queueing::Fifo => slot,
            Queueing::Voq => slot * self.ports.len() + output,
        }
    }

    /// An idle output takes the next packet.
    fn serve(&mut self, now: Time, output: usize, out: &mut Outbox) {
        let egress = &mut self.ports[output].as_mut().expect("cabled").egress;
        let (slot, vl) = match egress.choose(now) {
            Choice::Send { slot, vl } => (slot, vl),
            Choice::Starved => return egress.starve(&mut self.events, PORT, output),
            Choice::Empty => return,
        };
        egress.withdraw(slot, vl);
        let queue = self.queue_of(slot, output);
        let packet = self.queues[queue].pop_front().expect("an offered slot has a head");
        self.forward(now, slot, output, vl, packet, out);
        if let Some(&head) = self.queues[queue].front() {
            self.expose(now, slot, output, &head, out);
        }
        self.wake(output);
    }

    /// A packet leaves by a lane of an output.
    #[inline]
    fn forward(
        &mut self,
        now: Time,
        slot: usize,
        output: usize,
        vl: usize,
        mut packet: Packet,
        out: &mut Outbox,
    ) {
        let egress = &mut self.ports[output].as_mut().expect("cabled").egress;
        let lane = output * self.lanes + vl;
        if let Some(settings) = &self.model.marking {
            let depth = Bytes::new(self.depth[lane].into());
            let (bytes, fits) = (u32::from(packet.wire_bytes), !egress.was_starved());
            if self.markers[lane].on_departure(settings, depth, bytes, fits) {
                packet.head |= FECN;
            }
        }
        self.depth[lane] -= u32::from(packet.wire_bytes);
        let start = match self.model.hiccup {
            Some(h) if self.random.one_in(h.one_in) => now + self.random.time_below(h.up_to),
            _ => now,
        };
        let serialisation = egress.send(start, slot, vl, &packet);
        let left = packet;
        packet.set_vl(vl as u8);
        let cable = &egress.cable;
        let at = cable.takes_effect(&packet, start, serialisation);
        out.packets.push((cable.to, cable.to_port, Flight { at, packet }));
        self.crossed += 1;
        self.occupancy.leave(slot, start + serialisation, left.blocks());
        self.free(slot / self.lanes, &left, start + serialisation, out);
    }

    /// A packet became the head of its queue when `served` took the one before it.
    fn expose(&mut self, now: Time, slot: usize, served: usize, head: &Packet, out: &mut Outbox) {
        let output = usize::from(self.forwarding[usize::from(head.dst)]);
        let sl2vl = self.sl2vl[slot / self.lanes * self.ports.len() + output];
        let vl = sl2vl.vl(head.sl()).expect("packets without a lane never enter a queue");
        let egress = self.egress(output);
        egress.offer(slot, usize::from(vl.get()), head);
        if output != served {
            if egress.free_at <= now {
                self.serve(now, output, out);
            } else {
                self.wake(output);
            }
        }
    }

    /// Gives the blocks of a packet that has left `input`'s buffer at `at` back to its sender.
    fn free(&self, input: usize, packet: &Packet, at: Time, out: &mut Outbox) {
        let port = self.ports[input].as_ref().expect("cabled");
        let (node, node_port) = port.upstream;
        // Both directions of a cable are equally long.
        let at = at + self.model.credit_delay + port.egress.cable.delay;
        let credit = Credit { at, vl: packet.vl() as u8, blocks: packet.blocks() as u16 };
        out.credits.push((node, node_port, credit));
    }

    /// Packets in the buffers.
    pub(crate) fn buffered(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }

    /// How many slots its outputs choose among: an input's lane each.
    pub(crate) fn slots(&self) -> usize {
        self.ports.len() * self.lanes
    }

    /// Connects a port.
    pub(crate) fn cable(&mut self, port: usize, cabled: SwitchPort) {
        self.ports[port] = Some(cabled);
    }

    /// Where an output leads.
    pub(crate) fn cable_of(&self, output: usize) -> &Cable {
        &self.ports[output].as_ref().expect("cabled").egress.cable
    }

    /// The outputs and lanes that nothing can leave by with the credits they have or are about to
    /// get.
    pub(crate) fn blocked(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let egresses = self.ports.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        egresses.flat_map(|(output, port)| {
            (0..self.lanes).filter(|&vl| port.egress.is_blocked(vl)).map(move |vl| (output, vl))
        })
    }

    /// The outputs and lanes that the packets at the head of an input's lane wait for. `None` if
    /// one may still come in that goes elsewhere.
    pub(crate) fn wanted_from(&self, input: usize, vl: usize) -> Option<Vec<(usize, usize)>> {
        let port = self.ports[input].as_ref()?;
        if self.model.queueing == Queueing::Voq && !port.inbound.is_empty() {
            return None;
        }
        let slot = input * self.lanes + vl;
        let egresses = self.ports.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        let wanted = egresses.flat_map(|(output, port)| {
            let waits = move |&vl: &usize| port.egress.waiting_slots(vl).any(|s| s == slot);
            (0..self.lanes).filter(waits).map(move |vl| (output, vl))
        });
        Some(wanted.collect())
    }
}
