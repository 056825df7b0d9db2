//! The switch: store and forward, with packets that wait at their input
//! ([`Buffering::PerInput`]) or at their output ([`Buffering::Shared`]).
//!
//! A packet that finds its output idle passes at once. Otherwise it goes into the buffer, and leaves
//! that when its first bit leaves the switch. Without flow control a packet that has no room is
//! dropped; with it the sender is told to stop before that.
//!
//! | file | what it decides |
//! |---|---|
//! | `per_input.rs` | whether a packet has room in its input's buffer |
//! | `shared.rs` | whether it has room in a buffer that all share |
//! | `ingress.rs` | what it takes to tell a sender to stop, or to go on |
//! | `put_off.rs` | when outputs are served that need no events |
//! | `../classes.rs` | which traffic class goes next |

mod counters;
mod deferred;
mod ingress;
mod model;
mod per_input;
mod shared;

pub use counters::PortCounters;
pub use model::{Buffering, InputBuffers, Pfc, SharedBuffer, SharedPfc, SwitchModel};

use super::classes::{Classes, DeficitRoundRobin};
use super::features::{Features, class};
use super::output::{Net, Output, PfcFrame};
use super::packet::{CLASSES, GAP, Kind, Packet};
use super::queues::Queues;
use super::telemetry::Frame;
use crate::base::bits::ones;
use crate::engine::{ARRIVAL, Event, LinkEnd, Node};
use bandwise_random::Stream;
use bandwise_rdma::congestion::{IntHop, RedMarker};
use bandwise_units::{Bytes, Time};
use ingress::{Ingress, Verdict};
use shared::Shared;

#[derive(Debug)]
struct Port {
    output: Output,
    /// Classes with something for this output, a set.
    waiting: u8,
    /// By class. As many as there can be, so that every class of a packet is one of them.
    lanes: [Lane; CLASSES],
    turns: DeficitRoundRobin,
    /// Classes whose sender may be owed that it is told to go on, a set.
    owing: u8,
    /// Bytes on the wire that left by it, where telemetry tells of them.
    bytes: u64,
    counters: PortCounters,
}

/// A traffic class at a port: a cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Lane {
    /// Sources with something of it for this output, and the one whose turn is next. A source is an
    /// input, or for all inputs the one queue of an output.
    waiting: u64,
    turn: u32,
    /// The queue of the first source.
    queues: u32,
    /// Bytes that wait for this output, and the most that ever did.
    queued: u32,
    peak: u32,
    /// What came in by this port.
    ingress: Ingress,
}

/// Where packets wait, in use.
#[derive(Debug)]
enum Memory {
    /// How large the buffer of an input and class is.
    PerInput(u32),
    Shared(Shared),
}

/// A switch.
#[derive(Debug)]
pub(crate) struct Switch<F: Features> {
    memory: Memory,
    ecn: Option<RedMarker>,
    classes: Classes,
    ports: Vec<Port>,
    /// By output, class and source.
    queues: Queues<F::Frame>,
    /// What of an input's number is its source: all of it, or nothing.
    source: u32,
    random: Stream,
    /// Where service is put off: outputs for which something may wait, a set.
    busy: u64,
}

impl<F: Features> Node for Switch<F> {
    type Packet = F::Frame;
    type Back = PfcFrame;

    /// Does what is due.
    #[inline]
    fn handle(&mut self, event: Event, net: &mut Net<F::Frame>) {
        if event.kind() == ARRIVAL {
            self.arrival(event.at(), event.object(), event.arg(), net);
        } else {
            let port = &mut self.ports[event.object()];
            net.woke(event.arg(), event.at());
            if port.owing != 0 {
                port.tell_go(event.at(), net);
            }
            self.serve(event.at(), event.object(), net);
        }
    }

    /// What waits first is fetched: it came windows ago, and is in no near cache.
    #[inline]
    fn begin(&self) {
        for port in &self.ports {
            for lane in ones(port.waiting.into()).map(|class| &port.lanes[class]) {
                ones(lane.waiting)
                    .for_each(|source| self.queues.fetch(lane.queues as usize + source));
            }
        }
    }

    #[inline]
    fn catch_up(&mut self, horizon: Time, net: &mut Net<F::Frame>) -> Time {
        if F::PUTS_OFF { self.serve_all(horizon, net) } else { Time::MAX }
    }
}

impl<F: Features> Switch<F> {
    /// A switch with these outputs, one a port. `pfc`: a port's thresholds, if they are not those of
    /// the model.
    pub fn new(
        model: &SwitchModel,
        classes: &Classes,
        outputs: Vec<Output>,
        pfc: impl Fn(usize) -> Option<Pfc>,
        random: Stream,
    ) -> Self {
        let n = outputs.len();
        assert!(n <= 64, "a set of ports is a word");
        let (memory, sources) = match &model.buffering {
            Buffering::PerInput(inputs) => (Memory::PerInput(inputs.buffer.get() as u32), n),
            Buffering::Shared(shared) => (Memory::Shared(Shared::new(shared, n, classes)), 1),
        };
        let lane = |port: usize, class: u8| {
            let thresholds = match &model.buffering {
                Buffering::PerInput(inputs) if classes.is_lossless(class) => {
                    pfc(port).or(inputs.pfc)
                }
                _ => None,
            };
            let ingress = match thresholds {
                Some(Pfc { stop, go }) => Ingress::new(stop.get() as u32, go.get() as u32),
                None => Ingress::new(u32::MAX, u32::MAX),
            };
            let queues = (port * usize::from(classes.count) + usize::from(class)) * sources;
            Lane { waiting: 0, turn: 0, queues: queues as u32, queued: 0, peak: 0, ingress }
        };
        let port = |(number, output)| Port {
            output,
            waiting: 0,
            lanes: std::array::from_fn(|class| lane(number, class as u8)),
            turns: DeficitRoundRobin::default(),
            owing: 0,
            bytes: 0,
            counters: PortCounters::default(),
        };
        Switch {
            memory,
            ecn: model.ecn,
            classes: classes.clone(),
            ports: outputs.into_iter().enumerate().map(port).collect(),
            queues: Queues::new(n * usize::from(classes.count) * sources),
            source: if sources == 1 { 0 } else { u32::MAX },
            random,
            busy: 0,
        }
    }

    #[inline]
    fn arrival(&mut self, now: Time, input: usize, end: LinkEnd, net: &mut Net<F::Frame>) {
        let mut frame = net.arrived(end);
        let output = frame.packet_mut().turn();
        let class = class::<F>(frame.packet());
        if F::PUTS_OFF {
            self.serve_until(now, output, net);
        }
        let port = &mut self.ports[output];
        // Others may wait where only their class is stopped.
        if port.waiting == 0 || F::CLASSES {
            let open = port.output.open(now, net);
            let is_next = !F::CLASSES || port.waiting & open == 0;
            if is_next && open >> class & 1 == 1 {
                port.lanes[class].turn = input as u32 + 1;
                port.transmit(now, 0, frame, net);
                if F::CLASSES && port.waiting != 0 {
                    port.output.wake(now, net);
                }
                return;
            }
        }
        let queued = port.lanes[class].queued;
        if !self.admit(now, input, queued, frame.packet(), net) {
            self.ports[output].counters.dropped_leaving += 1;
            return;
        }
        let port = &mut self.ports[output];
        let lane = &mut port.lanes[class];
        if let Some(ecn) = &self.ecn
            && frame.packet().kind() == Kind::Data
            && ecn.marks(Bytes::new(lane.queued.into()), self.random.below(u64::MAX))
        {
            frame.packet_mut().mark(true);
            port.counters.marked += 1;
        }
        lane.queued += u32::from(frame.packet().bytes());
        lane.peak = lane.peak.max(lane.queued);
        let source = input as u32 & self.source;
        frame.packet_mut().came_by(input);
        self.queues.push((lane.queues + source) as usize, frame);
        lane.waiting |= 1 << source;
        // Where others wait the port is looked at when one of them may leave, or, with classes, of others
        // than this one.
        if F::PUTS_OFF {
            self.busy |= 1 << output;
        } else if port.waiting == 0 || F::CLASSES {
            port.output.wake(now, net);
        }
        port.waiting |= 1 << class;
    }

    /// Takes a packet into the buffer, if there is room. At its output `queued` bytes of its class
    /// wait.
    #[inline]
    fn admit(
        &mut self,
        now: Time,
        input: usize,
        queued: u32,
        packet: &Packet,
        net: &mut Net<F::Frame>,
    ) -> bool {
        let (class, bytes) = (class::<F>(packet), u32::from(packet.bytes()));
        if F::PUTS_OFF && self.ports[input].lanes[class].ingress.is_most(bytes) {
            self.serve_source(now, input, class, net);
        }
        let Port { lanes, counters, output, .. } = &mut self.ports[input];
        let ingress = &mut lanes[class].ingress;
        let verdict = match &mut self.memory {
            Memory::PerInput(buffer) => per_input::admit(*buffer, ingress, bytes),
            Memory::Shared(shared) => shared.admit(ingress, class, queued, bytes),
        };
        match verdict {
            Verdict::Keep => true,
            Verdict::KeepAndStop => {
                ingress.tell_stop(now, class as u8, counters, output, net);
                true
            }
            Verdict::Drop => {
                counters.dropped += 1;
                false
            }
        }
    }

    /// A packet leaves the buffer. At its output `queued` bytes of its class waited, with it.
    #[inline]
    fn release(&mut self, now: Time, queued: u32, packet: &Packet, net: &mut Net<F::Frame>) {
        let (class, bytes) = (class::<F>(packet), u32::from(packet.bytes()));
        let Port { lanes, counters, output, owing, .. } = &mut self.ports[packet.input()];
        let ingress = &mut lanes[class].ingress;
        let may_go = match &mut self.memory {
            Memory::PerInput(_) => per_input::release(ingress, bytes),
            Memory::Shared(shared) => shared.release(ingress, class, queued, bytes),
        };
        if may_go {
            ingress.tell_go(now, class as u8, counters, output, net);
            *owing |= u8::from(ingress.is_owed()) << class;
        }
    }

    /// An output that was looked at takes the next packet; and those after it, as long as nothing else happens here.
    #[inline]
    fn serve(&mut self, mut now: Time, output: usize, net: &mut Net<F::Frame>) {
        loop {
            let port = &mut self.ports[output];
            if port.waiting == 0 {
                return;
            }
            let ready = port.waiting & port.output.open(now, net);
            if ready == 0 {
                return port.output.wake(now, net);
            }
            self.leave(now, output, ready, net);
            let port = &self.ports[output];
            if port.waiting == 0 {
                return;
            }
            if !net.take_at_once(port.output.free_at) {
                return port.output.wake(now, net);
            }
            now = port.output.free_at;
        }
    }

    /// The next packet of these classes leaves.
    #[inline]
    fn leave(&mut self, now: Time, output: usize, ready: u8, net: &mut Net<F::Frame>) {
        let port = &mut self.ports[output];
        let schedule = &self.classes.schedule;
        let class = if F::CLASSES { port.turns.next(schedule, ready) } else { 0 };
        let lane = &mut port.lanes[class];
        let source = next_in_turn(lane.waiting, lane.turn);
        lane.turn = source + 1;
        let queue = (lane.queues + source) as usize;
        let (frame, is_empty) = self.queues.pop(queue);
        lane.waiting &= !(u64::from(is_empty) << source);
        port.waiting &= !(u8::from(lane.waiting == 0) << class);
        let queued = lane.queued;
        let packet = *frame.packet();
        lane.queued -= u32::from(packet.bytes());
        let left = lane.queued;
        if F::CLASSES {
            port.turns.took(schedule, ready, class, packet.bytes());
        }
        port.transmit(now, left, frame, net);
        self.release(now, queued, &packet, net);
    }

    /// What its ports counted until `now`.
    pub fn counters(&self, now: Time) -> impl Iterator<Item = PortCounters> + '_ {
        self.ports.iter().map(move |port| {
            let mut counters = PortCounters { sent: port.output.sent, ..port.counters };
            for lane in &port.lanes {
                lane.ingress.count_until(now, &mut counters);
                counters.peak = counters.peak.max(Bytes::new(lane.ingress.peak.into()));
                counters.peak_queue = counters.peak_queue.max(Bytes::new(lane.peak.into()));
            }
            counters
        })
    }

    /// The most that its fullest buffer held: that of an input and class, or all of a shared one.
    pub fn peak_buffer(&self) -> Bytes {
        let lanes = self.ports.iter().flat_map(|port| &port.lanes);
        let peak = match &self.memory {
            Memory::PerInput(_) => lanes.map(|lane| lane.ingress.peak).max(),
            Memory::Shared(shared) => Some(shared.peak),
        };
        Bytes::new(peak.unwrap_or(0).into())
    }

    /// The inputs (port, class) whose senders are told to stop.
    pub fn stopped(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.ports.iter().enumerate().flat_map(|(number, port)| {
            let stopped =
                port.lanes.iter().enumerate().filter(|(_, lane)| lane.ingress.is_stopped());
            stopped.map(move |(class, _)| (number, class))
        })
    }

    /// How many bytes that came in by a port of a class wait for an output.
    pub fn held_for(&self, input: usize, class: usize, output: usize) -> u32 {
        let source = input as u32 & self.source;
        let queue = self.queues.iter((self.ports[output].lanes[class].queues + source) as usize);
        let packets = queue.map(Frame::packet);
        packets.filter(|of| of.input() == input).map(|of| u32::from(of.bytes())).sum()
    }

    /// Whether the sender of an input and class would go on some day if that much of what it holds
    /// stayed for ever, and all the rest left.
    pub fn may_go(&self, input: usize, class: usize, stays: u32) -> bool {
        let ingress = &self.ports[input].lanes[class].ingress;
        match &self.memory {
            Memory::PerInput(_) => per_input::may_go(ingress, stays),
            Memory::Shared(shared) => shared.may_go(ingress, stays),
        }
    }

    /// Packets in its buffers.
    pub fn buffered(&self) -> usize {
        self.queues.len()
    }
}

impl Port {
    /// Tells senders to go on that are to be told, one each time that the wire is free.
    #[cold]
    fn tell_go<P: Frame>(&mut self, now: Time, net: &mut Net<P>) {
        let Port { lanes, counters, output, .. } = self;
        for (class, lane) in lanes.iter_mut().enumerate() {
            if lane.ingress.is_owed() {
                lane.ingress.tell_go(now, class as u8, counters, output, net);
            }
            let owed = u8::from(lane.ingress.is_owed());
            self.owing = self.owing & !(1 << class) | owed << class;
        }
    }

    /// A frame leaves, behind which `left` bytes of its class wait.
    #[inline(always)] // or it is passed through memory
    fn transmit<P: Frame>(&mut self, now: Time, left: u32, mut frame: P, net: &mut Net<P>) {
        if P::HAS_ROOM {
            self.bytes += u64::from(frame.packet().bytes()) + u64::from(GAP);
            let (sent, queue) = (Bytes::new(self.bytes), Bytes::new(left.into()));
            frame.pass(|| IntHop { at: now, sent, queue, rate: self.output.rate() });
        }
        self.output.transmit(now, frame, net);
    }
}

/// The first of a set from `turn` on, or the first of all. Whether one comes later can't be foreseen: it is
/// found without a branch.
#[inline]
fn next_in_turn(set: u64, turn: u32) -> u32 {
    (set.rotate_right(turn).trailing_zeros() + turn) % 64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_take_turns() {
        assert_eq!(next_in_turn(0b1010, 0), 1);
        assert_eq!(next_in_turn(0b1010, 2), 3);
        assert_eq!(next_in_turn(0b1010, 4), 1);
        assert_eq!(next_in_turn(1 << 63, 64), 63);
    }
}
