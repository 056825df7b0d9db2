//! The switch: input-buffered, cut-through, with a buffer for each input port and lane.
//!
//! A packet becomes visible to its output one port-to-port latency after its first bit arrived. The
//! link's flight time includes that latency, see
//! [`Receiver::Switch`](crate::infiniband::cable::Receiver). An idle output sends it at once.
//! Otherwise it waits in its input's buffer, which it frees when its last bit has left; then the
//! credits are returned.

mod presets;

pub use presets::SwitchPreset;

use crate::base::ring::Ring;
use crate::engine::{ARRIVAL, Event, LinkEnd, Node};
use crate::infiniband::cable::{Cable, Credit, Net, Receiver};
use crate::infiniband::egress::{Choice, Egress, Scheduling};
use crate::infiniband::occupancy::Occupancy;
use crate::infiniband::packet::{FECN, Packet};
use bandwise_random::Stream;
use bandwise_rdma::ib_congestion::{Departure, MarkerSettings};
use bandwise_rdma::qos::{Sl2Vl, VlArbiter};
use bandwise_units::{Bytes, Time};
use std::sync::Arc;

/// Behaviour of a switch, beside its cabling and tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchModel {
    /// The preset from which the model comes.
    pub preset: &'static str,
    /// Port-to-port latency, first bit in to first bit out.
    pub latency: Time,
    /// Buffer for each input port and lane.
    pub buffer: Bytes,
    /// Rule for the choice among the inputs of a lane.
    pub scheduling: Scheduling,
    /// Arrangement of waiting packets for different outputs.
    pub queueing: Queueing,
    /// Occasional extra latency of a crossing.
    pub hiccup: Option<Hiccup>,
    /// Time from a freed block to the sender's counter, beside propagation.
    pub credit_delay: Time,
    /// Condition for marking packets with FECN; off by default.
    pub marking: Option<MarkerSettings>,
}

/// Arrangement of waiting packets for different outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Queueing {
    /// One queue per input and lane: a blocked head blocks the packets behind it.
    Fifo,
    /// Virtual output queues: one per input, lane and output.
    Voq,
}

/// An extra delay that occurs once in `one_in` crossings, uniform up to `up_to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hiccup {
    /// Mean number of crossings per occurrence.
    pub one_in: u32,
    /// Largest delay.
    pub up_to: Time,
}

/// A switch.
#[derive(Debug)]
pub struct Switch {
    model: SwitchModel,
    /// Output side of every port; `None` without a cable.
    ports: Vec<Option<Egress>>,
    /// Output port by destination host.
    forwarding: Arc<[u8]>,
    /// Lane by (input port, output port, service level).
    sl2vl: Vec<Sl2Vl>,
    queues: Vec<Ring<Waiting>>,
    marking: Option<Marking>,
    lanes: usize,
    /// Number of a slot's bits that hold its lane, so that finding the input needs no division.
    lane_bits: u32,
    /// Occupancy by input and lane.
    occupancy: Occupancy,
    random: Stream,
    /// Packets that crossed, and packets dropped because SL2VL has no lane for them (15).
    pub(crate) crossed: u64,
    pub(crate) dropped: u64,
}

/// A packet in an input's buffer that waits for its output.
#[derive(Debug, Clone, Copy, Default)]
struct Waiting {
    packet: Packet,
    arrived: Time,
}

/// FECN marking by output and lane, based on the bytes waiting there.
#[derive(Debug)]
struct Marking {
    settings: MarkerSettings,
    depths: Vec<u32>,
    /// Selects which eligible packets are marked. The marking rate is a mean (IBTA A10.2.1.1); a
    /// fixed distance could be in step with alternating flows.
    random: Stream,
}

impl Marking {
    fn on_arrival(&mut self, lane: usize, packet: &Packet) {
        self.depths[lane] += packet.wire_bytes();
    }

    /// Records a departure. Returns whether the packet is marked.
    fn on_departure(&mut self, lane: usize, packet: &Packet, starved: bool, to_host: bool) -> bool {
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
    type FlowControl = Credit;

    /// Handles an event. Free outputs are served before new packets at one instant.
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
    /// Creates a switch without cables. `lanes` is the number of data lanes in use. `random`
    /// decides which crossings have extra latency, `marks` which packets are marked.
    pub(crate) fn new(
        model: SwitchModel,
        ports: usize,
        lanes: usize,
        forwarding: Arc<[u8]>,
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
            self.return_credits(input, &packet, now, net);
            return;
        };
        let vl = usize::from(vl.get());
        let queue = self.queue_of(slot, output);
        if let Some(marking) = &mut self.marking {
            marking.on_arrival(output * self.lanes + vl, &packet);
        }
        let first = self.queues[queue].is_empty();
        if first && self.egress(output).can_forward_now(now, vl, &packet, net) {
            return self.forward(now, slot, output, vl, packet, net);
        }
        self.queues[queue].push_back(Waiting { packet, arrived: now });
        if !first {
            return;
        }
        let egress = self.egress(output);
        egress.offer(slot, vl, &packet, now);
        if egress.free_at <= now {
            self.serve(now, output, net);
        } else {
            egress.wake_when_free(net);
        }
    }

    /// Returns the slot of an input's lane, by which outputs know it.
    #[inline]
    fn slot(&self, input: usize, vl: usize) -> usize {
        input << self.lane_bits | vl
    }

    #[inline]
    fn input_of(&self, slot: usize) -> usize {
        slot >> self.lane_bits
    }

    /// Returns the queue in which packets of a slot (an input's lane) wait for an output.
    #[inline]
    fn queue_of(&self, slot: usize, output: usize) -> usize {
        match self.model.queueing {
            Queueing::Fifo => slot,
            Queueing::Voq => slot * self.ports.len() + output,
        }
    }

    /// Sends the next packet of an idle output.
    fn serve(&mut self, now: Time, output: usize, net: &mut Net) {
        let egress = self.egress(output);
        let (slot, vl) = match egress.choose(now, net) {
            Choice::Send { slot, vl } => (slot, vl),
            Choice::Starved => return net.wait(egress.end),
            Choice::Empty => return,
        };
        egress.withdraw(slot, vl);
        let queue = self.queue_of(slot, output);
        let head = self.queues[queue].pop_front().expect("an offered slot has a head");
        self.forward(now, slot, output, vl, head.packet, net);
        if let Some(&head) = self.queues[queue].front() {
            self.expose(now, slot, output, &head, net);
        }
        self.egress(output).wake_when_free(net);
    }

    /// Sends a packet on a lane of an output.
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
            if marking.on_departure(output * self.lanes + vl, &packet, starved, to_host) {
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
        self.return_credits(self.input_of(slot), &left, start + serialisation, net);
    }

    /// Offers the new head of a queue to its output, after `served` took the packet before it.
    fn expose(&mut self, now: Time, slot: usize, served: usize, head: &Waiting, net: &mut Net) {
        let Waiting { packet, arrived } = head;
        let output = usize::from(self.forwarding[usize::from(packet.dst())]);
        let sl2vl = &self.sl2vl[self.input_of(slot) * self.ports.len() + output];
        let vl = sl2vl.vl(packet.sl()).expect("packets without a lane never enter a queue");
        let egress = self.egress(output);
        egress.offer(slot, usize::from(vl.get()), packet, *arrived);
        if output != served {
            if egress.free_at <= now {
                self.serve(now, output, net);
            } else {
                self.egress(output).wake_when_free(net);
            }
        }
    }

    /// Returns the credits of a packet that has left `input`'s buffer at `at` to its sender.
    fn return_credits(&self, input: usize, packet: &Packet, at: Time, net: &mut Net) {
        let port = self.ports[input].as_ref().expect("cabled");
        // Both directions of a cable have the same length.
        let at = at + self.model.credit_delay + port.cable.delay;
        let credit = Credit { vl: packet.vl() as u8, blocks: packet.blocks() as u16 };
        net.send_flow_control(port.end, at, credit);
    }

    /// Returns the number of packets in the buffers.
    pub(crate) fn buffered(&self) -> usize {
        self.queues.iter().map(Ring::len).sum()
    }

    /// Returns the number of slots that outputs choose among: one per input and lane.
    pub(crate) fn slots(&self) -> usize {
        self.ports.len() << self.lane_bits
    }

    /// Connects a port.
    pub(crate) fn cable(&mut self, port: usize, egress: Egress) {
        self.ports[port] = Some(egress);
    }

    /// Replaces the mapping and arbitration of an output. Packets that wait for it take the new
    /// lanes.
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
        let is_for_output =
            |w: &&Waiting| usize::from(forwarding[usize::from(w.packet.dst())]) == output;
        let egress = self.ports[output].as_mut().expect("cabled");
        egress.reset(arbiter);
        for slot in 0..ports << *lane_bits {
            let queue = match model.queueing {
                Queueing::Fifo => slot,
                Queueing::Voq => slot * ports + output,
            };
            if let Some(Waiting { packet, arrived }) = queues[queue].front().filter(is_for_output) {
                egress.offer(slot, lane(packet), packet, *arrived);
            }
        }
        egress.wake_when_free_from(now, net);
        if let Some(marking) = &mut self.marking {
            let of_output = &mut marking.depths[output * *lanes..(output + 1) * *lanes];
            of_output.fill(0);
            for Waiting { packet, .. } in queues.iter().flat_map(Ring::iter).filter(is_for_output) {
                of_output[lane(packet)] += packet.wire_bytes();
            }
        }
    }

    /// Returns the cable behind an output.
    pub(crate) fn cable_of(&self, output: usize) -> &Cable {
        &self.ports[output].as_ref().expect("cabled").cable
    }

    /// Returns the outputs and lanes whose packets fit neither the credits present nor those in
    /// flight.
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

    /// Returns the outputs and lanes that the packets at the head of an input's lane wait for.
    /// Returns `None` if a packet for another output may still arrive.
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
    use bandwise_rdma::ib_congestion::Victims;
    use bandwise_rdma::qos::Sl;
    use bandwise_rdma::wire::PacketKind;

    #[test]
    fn the_mean_distance_of_marks_is_the_marking_rate() {
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
            marking.on_arrival(1, &packet);
            let marks = (0..PACKETS).filter(|_| {
                marking.on_arrival(1, &packet);
                marking.on_departure(1, &packet, false, false)
            });
            let marks = marks.count() as f64;
            assert!(
                !marking.on_departure(1, &packet, false, false),
                "a queue of one packet is below the threshold"
            );
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
