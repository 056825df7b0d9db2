//! The switch: store and forward, with packets that wait at their input ([`Buffering::PerInput`])
//! or at their output ([`Buffering::Shared`]).
//!
//! A packet for an idle output passes at once. Otherwise it is stored in the buffer until its first
//! bit leaves the switch. Without flow control a packet without room is dropped. With flow control
//! the sender is paused before that.
//!
//! | file | content |
//! |---|---|
//! | `per_input.rs` | admission to a buffer per input |
//! | `shared.rs` | admission to a buffer shared by all ports |
//! | `contests.rs` | choice among packets for the last place of a full queue |
//! | `ingress.rs` | pause and resumption of a sender |
//! | `deferred.rs` | deferred service of outputs |
//! | `sources.rs` | sets of sources with waiting packets |
//! | `port_set.rs` | sets of ports |
//! | `../classes.rs` | choice of the next traffic class |

mod contests;
mod counters;
mod deferred;
mod ingress;
mod marking;
mod model;
mod per_input;
mod port_set;
mod shared;
mod sources;

pub use counters::PortCounters;
pub use marking::Marking;
pub use model::{Buffering, Headroom, InputBuffers, Pfc, SharedBuffer, SharedPfc, SwitchModel};

use super::classes::{Classes, DeficitRoundRobin};
use super::features::{Features, class};
use super::output::{Net, Output, PfcFrame};
use super::packet::{CLASSES, GAP, Packet, PortBits};
use super::queues::Queues;
use super::telemetry::Frame;
use crate::base::bits::ones;
use crate::engine::{ARRIVAL, Event, LinkEnd, Node};
use bandwise_random::Stream;
use bandwise_rdma::congestion::IntHop;
use bandwise_units::{Bytes, Time};
use contests::Contests;
use ingress::{Admission, Ingress};
use marking::Marks;
use port_set::PortSet;
use shared::Shared;
use sources::Sources;

#[derive(Debug)]
struct Port {
    output: Output,
    /// Set of classes with packets for this output.
    waiting: u8,
    /// State by class, for the largest number of classes, so that every packet's class is an index.
    port_classes: [PortClass; CLASSES],
    scheduler: DeficitRoundRobin,
    /// Set of classes whose sender may have to be resumed.
    resume_pending: u8,
    /// Bytes sent on the wire, for telemetry.
    bytes: u64,
    counters: PortCounters,
}

/// A traffic class at a port: one cache line.
#[derive(Debug)]
#[repr(align(64))]
struct PortClass {
    /// Set of sources with packets of the class for this output ([`Sources`]), and the next source
    /// in round-robin order. A source is an input, or the output's single queue for all inputs.
    waiting: u64,
    next_source: u32,
    /// Queue of the first source.
    queues: u32,
    /// Bytes that wait for this output, and their peak.
    queued: u32,
    peak: u32,
    /// State of the packets that arrived at this port.
    ingress: Ingress,
}

/// State of the buffers.
#[derive(Debug)]
enum Memory {
    /// Size of the buffer per input and class.
    PerInput(u32),
    Shared(Shared, Contests),
}

/// A switch.
#[derive(Debug)]
pub(crate) struct Switch<F: Features> {
    memory: Memory,
    classes: Classes,
    ports: Vec<Port>,
    /// Queues by output, class and source.
    queues: Queues<F::Frame>,
    /// Mask from an input's number to its source: all ones, or zero.
    source: u32,
    sources: Sources<F>,
    /// Bits of a port in the paths of packets.
    bits: PortBits,
    marks: Marks,
    /// Set of outputs that may have packets, with deferred service.
    busy_outputs: PortSet<F>,
}

impl<F: Features> Node for Switch<F> {
    type Packet = F::Frame;
    type FlowControl = PfcFrame;

    /// Handles an event.
    #[inline]
    fn handle(&mut self, event: Event, net: &mut Net<F::Frame>) {
        if event.kind() == ARRIVAL {
            self.arrival(event.at(), event.object(), event.arg(), net);
        } else {
            let port = &mut self.ports[event.object()];
            net.woke(event.arg(), event.at());
            if port.resume_pending != 0 {
                port.resume_sender(event.at(), net);
            }
            self.serve(event.at(), event.object(), net);
        }
    }

    /// Prefetches the heads of the queues, which were stored windows ago and are in no near cache.
    #[inline]
    fn begin(&self) {
        for port in &self.ports {
            for port_class in ones(port.waiting.into()).map(|class| &port.port_classes[class]) {
                let PortClass { waiting, queues, .. } = *port_class;
                self.sources.for_each(waiting, queues, |queue| self.queues.fetch(queue));
            }
        }
    }

    #[inline]
    fn catch_up(&mut self, horizon: Time, net: &mut Net<F::Frame>) -> Time {
        if F::DEFERS_SERVICE { self.serve_all(horizon, net) } else { Time::MAX }
    }
}

impl<F: Features> Switch<F> {
    /// Creates a switch with one output per port. `headrooms` are those of a lossless class at each
    /// port of a shared buffer. `pfc` returns a port's thresholds if they differ from the model's.
    /// `stream` returns the switch's random stream of a name.
    ///
    /// # Panics
    ///
    /// If ports take more bits than the features allow.
    pub(crate) fn new(
        model: &SwitchModel,
        classes: &Classes,
        outputs: Vec<Output>,
        bits: PortBits,
        headrooms: &[Bytes],
        pfc: impl Fn(usize) -> Option<Pfc>,
        stream: impl Fn(&str) -> Stream,
    ) -> Self {
        assert!(F::LARGE_SWITCHES || bits == PortBits::SMALL, "a set of ports is a word");
        let n = outputs.len();
        let (memory, sources) = match &model.buffering {
            Buffering::PerInput(inputs) => {
                (Memory::PerInput(inputs.buffer.get() as u32), Sources::<F>::places(n))
            }
            Buffering::Shared(shared) => {
                let contests = Contests::new(n * usize::from(classes.count), stream("contests"));
                (Memory::Shared(Shared::new(shared, headrooms, classes), contests), 1)
            }
        };
        let port_class = |port: usize, class: u8| {
            let thresholds = match &model.buffering {
                Buffering::PerInput(inputs) if classes.is_lossless(class) => {
                    pfc(port).or(inputs.pfc)
                }
                _ => None,
            };
            let ingress = match thresholds {
                Some(Pfc { xoff, xon }) => Ingress::new(xoff.get() as u32, xon.get() as u32),
                None => Ingress::new(u32::MAX, u32::MAX),
            };
            let queues = (port * usize::from(classes.count) + usize::from(class)) * sources;
            PortClass {
                waiting: 0,
                next_source: 0,
                queues: queues as u32,
                queued: 0,
                peak: 0,
                ingress,
            }
        };
        let marks = Marks::new(model.ecn, outputs.iter().map(Output::rate), stream("marks"));
        let port = |(number, output)| Port {
            output,
            waiting: 0,
            port_classes: std::array::from_fn(|class| port_class(number, class as u8)),
            scheduler: DeficitRoundRobin::default(),
            resume_pending: 0,
            bytes: 0,
            counters: PortCounters::default(),
        };
        Switch {
            memory,
            classes: classes.clone(),
            ports: outputs.into_iter().enumerate().map(port).collect(),
            queues: Queues::new(n * usize::from(classes.count) * sources),
            source: if sources == 1 { 0 } else { u32::MAX },
            sources: Sources::new(n * usize::from(classes.count), sources),
            bits,
            marks,
            busy_outputs: PortSet::new(n),
        }
    }

    #[inline]
    fn arrival(&mut self, now: Time, input: usize, end: LinkEnd, net: &mut Net<F::Frame>) {
        let mut frame = net.arrived(end);
        let output = frame.packet_mut().next_hop(self.bits());
        let class = class::<F>(frame.packet());
        if F::DEFERS_SERVICE {
            self.serve_until(now, output, net);
        }
        let port = &mut self.ports[output];
        // With several classes, waiting packets may all belong to paused classes.
        if port.waiting == 0 || F::CLASSES {
            let open = port.output.open(now, net);
            let is_next = !F::CLASSES || port.waiting & open == 0;
            if is_next && open >> class & 1 == 1 {
                port.port_classes[class].next_source = input as u32 + 1;
                port.transmit(now, 0, frame, net);
                if F::CLASSES && port.waiting != 0 {
                    port.output.wake(now, net);
                }
                return;
            }
        }
        if !self.admit(now, input, output, frame.packet(), net) {
            return self.refuse(input, output, frame);
        }
        let port = &mut self.ports[output];
        let port_class = &mut port.port_classes[class];
        if self.marks.mark(output, port_class.queued, frame.packet_mut()) {
            port.counters.marked += 1;
        }
        port_class.queued += u32::from(frame.packet().bytes());
        port_class.peak = port_class.peak.max(port_class.queued);
        let source = input as u32 & self.source;
        frame.packet_mut().set_input(input);
        let queue = (port_class.queues + source) as usize;
        self.queues.push(queue, frame);
        self.sources.insert(&mut port_class.waiting, port_class.queues, source);
        // With other packets waiting, a wake event is pending. With several classes, that event may
        // be for other classes than this one.
        if F::DEFERS_SERVICE {
            self.busy_outputs.insert(output);
        } else if port.waiting == 0 || F::CLASSES {
            port.output.wake(now, net);
        }
        port.waiting |= 1 << class;
    }

    /// Drops a packet without room, or instead the last packet of its queue, which has arrived just
    /// before.
    #[inline(never)]
    fn refuse(&mut self, input: usize, output: usize, mut frame: F::Frame) {
        let class = class::<F>(frame.packet());
        let new = u32::from(frame.packet().bytes());
        let PortClass { queues, queued, .. } = self.ports[output].port_classes[class];
        let queue = queues as usize;
        let mut loser = input;
        if let Memory::Shared(shared, contests) = &mut self.memory
            && contests.wins(queue)
            && let Some(last) = self.queues.last_mut(queue).map(|last| *last.packet())
            && shared.replace(class, queued, last.bytes().into(), new)
        {
            loser = last.input(self.bits());
            let old = u32::from(last.bytes());
            if self.marks.mark(output, queued - old, frame.packet_mut()) {
                self.ports[output].counters.marked += 1;
            }
            frame.packet_mut().set_input(input);
            self.ports[loser].port_classes[class].ingress.held -= old;
            self.ports[input].port_classes[class].ingress.add(new);
            let port_class = &mut self.ports[output].port_classes[class];
            port_class.queued = queued - old + new;
            port_class.peak = port_class.peak.max(port_class.queued);
            if let Some(last) = self.queues.last_mut(queue) {
                *last = frame;
            }
        }
        self.ports[loser].counters.dropped += 1;
        self.ports[output].counters.dropped_leaving += 1;
    }

    /// Returns the bits of a port in the paths of packets.
    #[inline]
    fn bits(&self) -> PortBits {
        if F::LARGE_SWITCHES { self.bits } else { PortBits::SMALL }
    }

    /// Returns the source of packets from an input.
    #[inline]
    fn source(&self, input: usize) -> u32 {
        input as u32 & self.source
    }

    /// Stores a packet for an output in the buffer, if there is room.
    #[inline]
    fn admit(
        &mut self,
        now: Time,
        input: usize,
        output: usize,
        packet: &Packet,
        net: &mut Net<F::Frame>,
    ) -> bool {
        let (class, bytes) = (class::<F>(packet), u32::from(packet.bytes()));
        if F::DEFERS_SERVICE && self.ports[input].port_classes[class].ingress.exceeds_peak(bytes) {
            self.serve_source(now, input, class, net);
        }
        let PortClass { queues, queued, .. } = self.ports[output].port_classes[class];
        let Port { port_classes, counters, output, .. } = &mut self.ports[input];
        let ingress = &mut port_classes[class].ingress;
        let admission = match &mut self.memory {
            Memory::PerInput(buffer) => per_input::admit(*buffer, ingress, bytes),
            Memory::Shared(shared, contests) => {
                let admission = shared.admit(ingress, input, class, queued, bytes);
                if admission != Admission::Drop {
                    contests.admitted(queues as usize);
                }
                admission
            }
        };
        match admission {
            Admission::Accept => true,
            Admission::AcceptAndPause => {
                ingress.pause_sender(now, class as u8, counters, output, net);
                true
            }
            Admission::Drop => false,
        }
    }

    /// Removes a packet from the buffer. `queued` bytes of its class waited for its output,
    /// including it.
    #[inline]
    fn release(&mut self, now: Time, queued: u32, packet: &Packet, net: &mut Net<F::Frame>) {
        let (class, bytes) = (class::<F>(packet), u32::from(packet.bytes()));
        let input = packet.input(self.bits());
        let Port { port_classes, counters, output, resume_pending, .. } = &mut self.ports[input];
        let ingress = &mut port_classes[class].ingress;
        let may_resume = match &mut self.memory {
            Memory::PerInput(_) => per_input::release(ingress, bytes),
            Memory::Shared(shared, _) => shared.release(ingress, class, queued, bytes),
        };
        if may_resume {
            ingress.resume_sender(now, class as u8, counters, output, net);
            *resume_pending |= u8::from(ingress.is_resume_pending()) << class;
        }
    }

    /// Serves an output: sends the next packet, and the following ones as long as no other event is
    /// due.
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
            if !net.try_take_next(port.output.free_at) {
                return port.output.wake(now, net);
            }
            now = port.output.free_at;
        }
    }

    /// Sends the next packet of the given classes.
    #[inline]
    fn leave(&mut self, now: Time, output: usize, ready: u8, net: &mut Net<F::Frame>) {
        let port = &mut self.ports[output];
        let schedule = &self.classes.schedule;
        let class = if F::CLASSES { port.scheduler.next(schedule, ready) } else { 0 };
        let port_class = &mut port.port_classes[class];
        let PortClass { waiting, queues, next_source, .. } = *port_class;
        let source = self.sources.next(waiting, queues, next_source);
        port_class.next_source = source + 1;
        let queue = (port_class.queues + source) as usize;
        let (frame, is_empty) = self.queues.pop(queue);
        self.sources.remove(&mut port_class.waiting, port_class.queues, source, is_empty);
        port.waiting &= !(u8::from(port_class.waiting == 0) << class);
        let queued = port_class.queued;
        let packet = *frame.packet();
        port_class.queued -= u32::from(packet.bytes());
        let left = port_class.queued;
        if F::CLASSES {
            port.scheduler.sent(schedule, ready, class, packet.bytes());
        }
        port.transmit(now, left, frame, net);
        self.release(now, queued, &packet, net);
    }

    /// Returns the counters of each port until `now`.
    pub(crate) fn counters(&self, now: Time) -> impl Iterator<Item = PortCounters> + '_ {
        self.ports.iter().map(move |port| {
            let mut counters = PortCounters { sent: port.output.sent, ..port.counters };
            for port_class in &port.port_classes {
                port_class.ingress.count_until(now, &mut counters);
                counters.peak = counters.peak.max(Bytes::new(port_class.ingress.peak.into()));
                counters.peak_queue = counters.peak_queue.max(Bytes::new(port_class.peak.into()));
            }
            counters
        })
    }

    /// Returns the peak occupancy of the fullest buffer: of an input and class, or of the shared
    /// one.
    pub(crate) fn peak_buffer(&self) -> Bytes {
        let port_classes = self.ports.iter().flat_map(|port| &port.port_classes);
        let peak = match &self.memory {
            Memory::PerInput(_) => port_classes.map(|port_class| port_class.ingress.peak).max(),
            Memory::Shared(shared, _) => Some(shared.peak),
        };
        Bytes::new(peak.unwrap_or(0).into())
    }

    /// Returns the inputs (port, class) whose senders are paused.
    pub(crate) fn paused_inputs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.ports.iter().enumerate().flat_map(|(number, port)| {
            let paused = port
                .port_classes
                .iter()
                .enumerate()
                .filter(|(_, port_class)| port_class.ingress.is_paused());
            paused.map(move |(class, _)| (number, class))
        })
    }

    /// Returns the bytes of a class from an input that wait for an output.
    pub(crate) fn held_for(&self, input: usize, class: usize, output: usize) -> u32 {
        let source = self.source(input);
        let queue =
            self.queues.iter((self.ports[output].port_classes[class].queues + source) as usize);
        let packets = queue.map(Frame::packet);
        packets.filter(|of| of.input(self.bits()) == input).map(|of| u32::from(of.bytes())).sum()
    }

    /// Returns whether the sender of an input and class could be resumed if `remaining` bytes of its
    /// packets remained forever, and all others left.
    pub(crate) fn may_resume(&self, input: usize, class: usize, remaining: u32) -> bool {
        let ingress = &self.ports[input].port_classes[class].ingress;
        match &self.memory {
            Memory::PerInput(_) => per_input::may_resume(ingress, remaining),
            Memory::Shared(shared, _) => shared.may_resume(ingress, remaining),
        }
    }

    /// Returns the number of packets in the buffers.
    pub(crate) fn buffered(&self) -> usize {
        self.queues.len()
    }
}

impl Port {
    /// Resumes senders with a pending resumption, one each time the wire is free.
    #[cold]
    fn resume_sender<P: Frame>(&mut self, now: Time, net: &mut Net<P>) {
        let Port { port_classes, counters, output, .. } = self;
        for (class, port_class) in port_classes.iter_mut().enumerate() {
            if port_class.ingress.is_resume_pending() {
                port_class.ingress.resume_sender(now, class as u8, counters, output, net);
            }
            let resume_pending = u8::from(port_class.ingress.is_resume_pending());
            self.resume_pending = self.resume_pending & !(1 << class) | resume_pending << class;
        }
    }

    /// Sends a frame, behind which `left` bytes of its class wait.
    #[inline(always)] // otherwise the frame is passed through memory
    fn transmit<P: Frame>(&mut self, now: Time, left: u32, mut frame: P, net: &mut Net<P>) {
        if P::HAS_TELEMETRY {
            self.bytes += u64::from(frame.packet().bytes()) + u64::from(GAP);
            let (sent, queue) = (Bytes::new(self.bytes), Bytes::new(left.into()));
            frame.add_hop(|| IntHop { at: now, sent, queue, rate: self.output.rate() });
        }
        self.output.transmit(now, frame, net);
    }
}
