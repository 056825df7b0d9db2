//! The switch: input-buffered, cut-through, a buffer for each input port and lane.
//!
//! A packet becomes visible to its output one port-to-port latency after its first bit came in
//! (the link's flight already counts that, see [`Receiver::Switch`](crate::infiniband::cable::Receiver)).
//! An idle output takes it at once; otherwise it waits in its input's buffer, which is emptied
//! when its last bit has left, and then the credits go back.

use crate::base::ring::Ring;
use crate::engine::{ARRIVAL, Event, LinkEnd, Node};
use crate::infiniband::cable::{Cable, Credit, Net, Receiver};
use crate::infiniband::egress::{Choice, Egress, Scheduling};
use crate::infiniband::occupancy::Occupancy;
use crate::infiniband::packet::{FECN, Packet};
use bandwise_random::Stream;
use bandwise_rdma::cc::{Departure, MarkerSettings};
use bandwise_rdma::qos::{Sl2Vl, VlArbiter};
use bandwise_units::{Bytes, Time};

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

impl SwitchModel {
    /// A switch of which nothing is known: the usual latency and buffer, nothing unusual.
    pub fn usual() -> Self {
        SwitchModel {
            latency: Time::from_ns(200),
            buffer: Bytes::from_kib(32),
            scheduling: Scheduling::Fcfs,
            queueing: Queueing::Fifo,
            hiccup: None,
            credit_delay: Time::from_ns(50),
            marking: None,
        }
    }
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

/// A switch.
#[derive(Debug)]
pub struct Switch {
    model: SwitchModel,
    /// The output side of every port; `None` where there is no cable.
    ports: Vec<Option<Egress>>,
    /// Output port by destination host.
    forwarding: Vec<u8>,
    /// Lane by (input port, output port, service level).
    sl2vl: Vec<Sl2Vl>,
    queues: Vec<Ring<Packet>>,
    marking: Option<Marking>,
    lanes: usize,
    /// Bits of a slot's number that are its lane: no division finds the input.
    lane_bits: u32,
    /// By input and lane.
    occupancy: Occupancy,
    random: Stream,
    /// Packets that crossed, and packets dropped for want of a lane (SL2VL says 15).
    pub(crate) crossed: u64,
    pub(crate) dropped: u64,
}

/// Which packets to mark, by output and lane: the bytes that wait there decide.
#[derive(Debug)]
struct Marking {
    settings: MarkerSettings,
    depths: Vec<u32>,
    /// Which of the packets that may be marked are: the marking rate is a mean (IBTA A10.2.1.1), and
    /// flows that take turns could be in step with a fixed distance.
    random: Stream,
}

impl Marking {
    fn comes(&mut self, lane: usize, packet: &Packet) {
        self.depths[lane] += packet.wire_bytes();
    }

    /// A packet leaves; whether it gets the mark.
    fn leaves(&mut self, lane: usize, packet: &Packet, starved: bool, to_host: bool) -> bool {
        let packet_bytes = packet.wire_bytes();
        let queued = Bytes::new(self.depths[lane].into());
        self.depths[lane] -= packet_bytes;
        let departure = Departure { queued, packet_bytes, starved, to_host };
        self.settings.is_eligible(departure)
            && self.random.one_in(u32::from(self.settings.marking_rate) + 1)
    }
}

impl Node for Switch {
    type Packet = Packet;
    type Back = Credit;

    /// Does what is due. At one instant free outputs are looked at before new packets.
    #[inline]
    fn handle(&mut self, event: Event, net: &mut Net) {
        let port = event.object();
        if event.kind() == ARRIVAL {
            self.arrival(event.at(), port, event.arg(), net);
        } else if self.egress(port).woke(event.at(), net) {
            self.serve(event.at(), port, net);
        } else {
            self.egress(port).wake_when_free(net);
        }
    }
}

impl Switch {
    /// A switch whose ports are still to be cabled. `lanes` is the number of data lanes in use;
    /// chance decides by `random` which crossings take longer, and by `marks` which packets are
    /// marked.
    pub(crate) fn new(
        model: SwitchModel,
        ports: usize,
        lanes: usize,
        forwarding: Vec<u8>,
        sl2vl: Vec<Sl2Vl>,
        random: Stream,
        marks: Stream,
    ) -> Self {
        let lane_bits = lanes.next_power_of_two().ilog2();
        let slots = ports << lane_bits;
        let queues = match model.queueing {
            Queueing::Fifo => slots,
            Queueing::Voq => slots * ports,
        };
        let marking =
            |settings| Marking { settings, depths: vec![0; ports * lanes], random: marks };
        Switch {
            marking: model.marking.map(marking),
            model,
            ports: (0..ports).map(|_| None).collect(),
            forwarding,
            sl2vl,
            queues: (0..queues).map(|_| Ring::new()).collect(),
            lanes,
            lane_bits,
            occupancy: Occupancy::new(slots),
            random,
            crossed: 0,
            dropped: 0,
        }
    }

    fn egress(&mut self, port: usize) -> &mut Egress {
        self.ports[port].as_mut().expect("cabled")
    }

    #[inline]
    fn arrival(&mut self, now: Time, input: usize, end: LinkEnd, net: &mut Net) {
        let packet = net.arrived(end);
        let slot = self.slot(input, packet.vl());
        self.occupancy.enter(slot, now, packet.blocks(), self.model.buffer);
        let output = usize::from(self.forwarding[usize::from(packet.dst())]);
        let Some(vl) = self.sl2vl[input * self.ports.len() + output].vl(packet.sl()) else {
            // IBTA 7.6.6: a service level that maps to VL15 is discarded.
            self.dropped += 1;
            self.occupancy.leave(slot, now, packet.blocks());
            self.free(input, &packet, now, net);
            return;
        };
        let vl = usize::from(vl.get());
        let queue = self.queue_of(slot, output);
        if let Some(marking) = &mut self.marking {
            marking.comes(output * self.lanes + vl, &packet);
        }
        let first = self.queues[queue].is_empty();
        if first && self.egress(output).takes_at_once(now, vl, &packet, net) {
            return self.forward(now, slot, output, vl, packet, net);
        }
        self.queues[queue].push_back(packet);
        if !first {
            return;
        }
        let egress = self.egress(output);
        egress.offer(slot, vl, &packet);
        if egress.free_at <= now {
            self.serve(now, output, net);
        } else {
            egress.wake_when_free(net);
        }
    }

    /// The number of an input's lane among those that outputs choose from.
    #[inline]
    fn slot(&self, input: usize, vl: usize) -> usize {
        input << self.lane_bits | vl
    }

    #[inline]
    fn input_of(&self, slot: usize) -> usize {
        slot >> self.lane_bits
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
    fn serve(&mut self, now: Time, output: usize, net: &mut Net) {
        let egress = self.egress(output);
        let (slot, vl) = match egress.choose(now, net) {
            Choice::Send { slot, vl } => (slot, vl),
            Choice::Starved => return net.wait(egress.end),
            Choice::Empty => return,
        };
        egress.withdraw(slot, vl);
        let queue = self.queue_of(slot, output);
        let packet = self.queues[queue].pop_front().expect("an offered slot has a head");
        self.forward(now, slot, output, vl, packet, net);
        if let Some(&head) = self.queues[queue].front() {
            self.expose(now, slot, output, &head, net);
        }
        self.egress(output).wake_when_free(net);
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
        net: &mut Net,
    ) {
        let egress = self.ports[output].as_mut().expect("cabled");
        if let Some(marking) = &mut self.marking {
            let to_host = matches!(egress.cable.receiver, Receiver::Host { .. });
            let starved = egress.was_starved(vl);
            if marking.leaves(output * self.lanes + vl, &packet, starved, to_host) {
                packet.set(FECN);
            }
        }
        let start = match self.model.hiccup {
            Some(h) if self.random.one_in(h.one_in) => now + self.random.time_below(h.up_to),
            _ => now,
        };
        let serialisation = egress.send(start, slot, vl, &packet, net);
        let left = packet;
        packet.set_vl(vl as u8);
        let at = egress.cable.takes_effect(&packet, start, serialisation);
        net.send(egress.end, at, packet);
        self.crossed += 1;
        self.occupancy.leave(slot, start + serialisation, left.blocks());
        self.free(self.input_of(slot), &left, start + serialisation, net);
    }

    /// A packet became the head of its queue when `served` took the one before it.
    fn expose(&mut self, now: Time, slot: usize, served: usize, head: &Packet, net: &mut Net) {
        let output = usize::from(self.forwarding[usize::from(head.dst())]);
        let sl2vl = &self.sl2vl[self.input_of(slot) * self.ports.len() + output];
        let vl = sl2vl.vl(head.sl()).expect("packets without a lane never enter a queue");
        let egress = self.egress(output);
        egress.offer(slot, usize::from(vl.get()), head);
        if output != served {
            if egress.free_at <= now {
                self.serve(now, output, net);
            } else {
                self.egress(output).wake_when_free(net);
            }
        }
    }

    /// Gives the blocks of a packet that has left `input`'s buffer at `at` back to its sender.
    fn free(&self, input: usize, packet: &Packet, at: Time, net: &mut Net) {
        let port = self.ports[input].as_ref().expect("cabled");
        // Both directions of a cable are equally long.
        let at = at + self.model.credit_delay + port.cable.delay;
        let credit = Credit { vl: packet.vl() as u8, blocks: packet.blocks() as u16 };
        net.give_back(port.end, at, credit);
    }

    /// Packets in the buffers.
    pub(crate) fn buffered(&self) -> usize {
        self.queues.iter().map(Ring::len).sum()
    }

    /// How many slots its outputs choose among: an input's lane each.
    pub(crate) fn slots(&self) -> usize {
        self.ports.len() << self.lane_bits
    }

    /// Connects a port.
    pub(crate) fn cable(&mut self, port: usize, egress: Egress) {
        self.ports[port] = Some(egress);
    }

    /// Another mapping and arbitration of an output. What waits for it takes the new lanes.
    pub(crate) fn set_tables(
        &mut self,
        output: usize,
        sl2vl: Sl2Vl,
        arbiter: VlArbiter,
        now: Time,
        net: &mut Net,
    ) {
        let ports = self.ports.len();
        (0..ports).for_each(|input| self.sl2vl[input * ports + output] = sl2vl);
        let lane = |packet: &Packet| {
            usize::from(sl2vl.vl(packet.sl()).expect("every level has a lane").get())
        };
        let Switch { queues, forwarding, model, lanes, lane_bits, .. } = self;
        let goes = |packet: &&Packet| usize::from(forwarding[usize::from(packet.dst())]) == output;
        let egress = self.ports[output].as_mut().expect("cabled");
        egress.arbitrate_by(arbiter);
        for slot in 0..ports << *lane_bits {
            let queue = match model.queueing {
                Queueing::Fifo => slot,
                Queueing::Voq => slot * ports + output,
            };
            if let Some(head) = queues[queue].front().filter(goes) {
                egress.offer(slot, lane(head), head);
            }
        }
        egress.wake_when_free_from(now, net);
        if let Some(marking) = &mut self.marking {
            let of_output = &mut marking.depths[output * *lanes..(output + 1) * *lanes];
            of_output.fill(0);
            for packet in queues.iter().flat_map(Ring::iter).filter(goes) {
                of_output[lane(packet)] += packet.wire_bytes();
            }
        }
    }

    /// Where an output leads.
    pub(crate) fn cable_of(&self, output: usize) -> &Cable {
        &self.ports[output].as_ref().expect("cabled").cable
    }

    /// The outputs and lanes that nothing can leave by with the credits they have or are about to
    /// get.
    pub(crate) fn blocked<'a>(
        &'a self,
        net: &'a impl Fn(LinkEnd) -> &'a Net,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let egresses = self.ports.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        egresses.flat_map(|(output, port)| {
            (0..self.lanes)
                .filter(|&vl| port.is_blocked(vl, net(port.end)))
                .map(move |vl| (output, vl))
        })
    }

    /// The outputs and lanes that the packets at the head of an input's lane wait for. `None` if
    /// one may still come in that goes elsewhere.
    pub(crate) fn wanted_from<'a>(
        &self,
        input: usize,
        vl: usize,
        net: &impl Fn(LinkEnd) -> &'a Net,
    ) -> Option<Vec<(usize, usize)>> {
        let port = self.ports[input].as_ref()?;
        if self.model.queueing == Queueing::Voq && net(port.end).is_inbound(port.end) {
            return None;
        }
        let slot = self.slot(input, vl);
        let egresses = self.ports.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        let wanted = egresses.flat_map(|(output, port)| {
            let waits = move |&vl: &usize| port.waiting_slots(vl).any(|s| s == slot);
            (0..self.lanes).filter(waits).map(move |vl| (output, vl))
        });
        Some(wanted.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infiniband::packet::Parts;
    use bandwise_rdma::cc::Victims;
    use bandwise_rdma::qos::Sl;
    use bandwise_rdma::wire::PacketKind;

    #[test]
    fn so_many_packets_pass_between_two_marks() {
        const PACKETS: u32 = 100_000;
        let marked = |marking_rate: u16| {
            let settings = MarkerSettings {
                threshold: Bytes::new(5_000),
                marking_rate,
                packet_size: 512,
                victims: Victims::None,
            };
            let random = Stream::new(1, "mark", 0);
            let mut marking = Marking { settings, depths: vec![0, 0], random };
            let packet = Packet::new(Parts {
                kind: PacketKind::Send,
                flags: 0,
                sl: Sl::default(),
                vl: 1,
                dst: 0,
                dst_qp: 0,
                psn: 0,
                wire_bytes: 4122,
                payload: 4096,
                transit_ps: 0,
            });
            marking.comes(1, &packet);
            let marks = (0..PACKETS).filter(|_| {
                marking.comes(1, &packet);
                marking.leaves(1, &packet, false, false)
            });
            let marks = marks.count() as f64;
            assert!(!marking.leaves(1, &packet, false, false), "only one is left");
            assert_eq!(marking.depths, [0, 0]);
            marks
        };
        assert_eq!(marked(0), f64::from(PACKETS));
        for rate in [1, 10, 99] {
            let mean = f64::from(PACKETS) / marked(rate) - 1.0;
            assert!((mean / f64::from(rate) - 1.0).abs() < 0.1, "{mean} for {rate}");
        }
    }
}
