//! Two flows through one bottleneck, packet by packet in virtual time, to test whether a congestion
//! control uses and shares a link.

use super::CongestionSettings;
use super::{
    AckInfo, Congestion, IntHop, NotificationPoint, NotificationSettings, Path, RedMarker,
};
use bandwise_units::{BitRate, Bytes, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The path of both flows, similar to that of IRN's default fabric: 120 packets fill it.
pub(super) const PATH: Path = Path {
    line_rate: BitRate::from_gbps(40),
    base_rtt: Time::from_us(24),
    packet: Bytes::new(1_000),
};
const PACKET: u32 = 1_000;
/// Transmission time of a packet of 1000 bytes at 40 Gbps.
const PACKET_TIME: Time = Time::from_ns(200);
/// Twice this and twice the packet time (sender and bottleneck) are the base round trip.
const ONE_WAY: Time = Time::from_ns(11_800);
/// The retransmission timeout: far longer than any queue here.
const TIMEOUT: Time = Time::from_ms(2);

/// Returns an ACK of `packets` without mark or telemetry.
pub(super) fn ack(now: Time, rtt: Time, packets: u32) -> AckInfo<'static> {
    AckInfo {
        now,
        rtt,
        acked: packets,
        bytes: packets * PACKET,
        marked: false,
        in_flight: 0,
        int: &[],
    }
}

/// Properties of the network.
#[derive(Debug, Clone)]
pub(super) struct Testbed {
    pub settings: CongestionSettings,
    pub notification: NotificationSettings,
    /// Marking at the bottleneck.
    pub marker: Option<RedMarker>,
    /// Size of the queue, beyond which packets are dropped.
    pub buffer: Bytes,
    pub starts: [Time; 2],
}

/// Returns a bottleneck that drops and marks no packet.
pub(super) fn lossless(settings: CongestionSettings) -> Testbed {
    Testbed {
        settings,
        notification: NotificationSettings::default(),
        marker: None,
        buffer: Bytes::new(u64::MAX),
        starts: [Time::ZERO; 2],
    }
}

/// Results of a run.
#[derive(Debug)]
pub(super) struct Shares {
    /// Rate of each flow in the measured time.
    pub rates: [BitRate; 2],
    /// Longest queue in that time.
    pub longest_queue: Bytes,
    /// Losses in the whole run.
    pub losses: u64,
}

impl Shares {
    /// Asserts that both rates are within `part` of each other.
    pub(super) fn assert_fair(&self, part: f64) {
        let [a, b] = self.rates.map(BitRate::as_gbps_f64);
        assert!((a - b).abs() <= part * a.max(b), "unequal: {self:?}");
    }

    /// Asserts that at least `part` of the bottleneck is used.
    pub(super) fn assert_used(&self, part: f64) {
        let used: f64 = self.rates.iter().map(|r| r.as_gbps_f64()).sum();
        assert!(used >= part * PATH.line_rate.as_gbps_f64(), "unused: {self:?}");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    flow: usize,
    number: u64,
    sent: Time,
    marked: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Start(usize),
    Wake(usize),
    Arrive(Packet),
    Depart(Packet),
    /// An ACK with telemetry: time, bytes sent, queue.
    Ack(Packet, [u64; 3]),
    Cnp(usize),
    Timer,
}

#[derive(Debug)]
struct Sender {
    congestion: Congestion,
    has_started: bool,
    next: u64,
    /// First packet that is neither acknowledged nor known to be lost.
    first: u64,
    /// Losses before this packet belong to a recovery that has begun.
    recovery: u64,
    in_flight: u32,
    free_at: Time,
    will_wake: bool,
    acked_at: Time,
}

#[derive(Debug)]
struct Run<'a> {
    net: &'a Testbed,
    now: Time,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    pushed: u64,
    senders: [Sender; 2],
    receivers: [NotificationPoint; 2],
    busy_until: Time,
    queue: Bytes,
    /// Bytes sent by the bottleneck.
    total: Bytes,
    random: u64,
    losses: u64,
}

impl Testbed {
    /// Runs up to `to`, and measures from `from`.
    pub(super) fn run(&self, from: Time, to: Time) -> Shares {
        let sender = |_| Sender {
            congestion: Congestion::None,
            has_started: false,
            next: 0,
            first: 0,
            recovery: 0,
            in_flight: 0,
            free_at: Time::ZERO,
            will_wake: false,
            acked_at: Time::ZERO,
        };
        let mut run = Run {
            net: self,
            now: Time::ZERO,
            events: BinaryHeap::new(),
            pushed: 0,
            senders: [0, 1].map(sender),
            receivers: [NotificationPoint::default(); 2],
            busy_until: Time::ZERO,
            queue: Bytes::ZERO,
            total: Bytes::ZERO,
            random: 1,
            losses: 0,
        };
        for (flow, start) in self.starts.into_iter().enumerate() {
            run.push(start, Event::Start(flow));
        }
        run.push(TIMEOUT, Event::Timer);
        let (mut received, mut longest_queue) = ([Bytes::ZERO; 2], Bytes::ZERO);
        while let Some(Reverse((now, _, event))) = run.events.pop() {
            if now > to {
                break;
            }
            run.now = now;
            run.handle(event);
            if now >= from {
                longest_queue = longest_queue.max(run.queue);
                if let Event::Depart(packet) = event {
                    received[packet.flow] += PATH.packet;
                }
            }
        }
        let rates = received.map(|bytes| BitRate::over(bytes, to - from));
        Shares { rates, longest_queue, losses: run.losses }
    }
}

impl Run<'_> {
    fn push(&mut self, at: Time, event: Event) {
        self.pushed += 1;
        self.events.push(Reverse((at, self.pushed, event)));
    }

    /// Returns a random number (SplitMix64).
    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn handle(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Start(flow) => {
                let sender = &mut self.senders[flow];
                sender.congestion = Congestion::new(&self.net.settings, &PATH, now);
                sender.has_started = true;
                sender.acked_at = now;
                self.send(flow);
            }
            Event::Wake(flow) => {
                self.senders[flow].will_wake = false;
                self.send(flow);
            }
            Event::Arrive(packet) => self.arrive(packet),
            Event::Depart(packet) => self.depart(packet),
            Event::Ack(packet, int) => self.acknowledge(packet, int),
            Event::Cnp(flow) => self.senders[flow].congestion.on_cnp(&self.net.settings, now),
            Event::Timer => self.check_timeouts(),
        }
    }

    fn send(&mut self, flow: usize) {
        let (now, settings) = (self.now, &self.net.settings);
        loop {
            let sender = &mut self.senders[flow];
            if !sender.has_started || sender.in_flight >= sender.congestion.window() {
                return;
            }
            if now < sender.free_at {
                let free_at = sender.free_at;
                if !std::mem::replace(&mut sender.will_wake, true) {
                    self.push(free_at, Event::Wake(flow));
                }
                return;
            }
            let packet = Packet { flow, number: sender.next, sent: now, marked: false };
            sender.next += 1;
            sender.in_flight += 1;
            sender.congestion.on_sent(settings, now, PACKET);
            let rate = sender.congestion.rate(settings, now).unwrap_or(PATH.line_rate);
            sender.free_at = now + rate.time_for(PATH.packet).max(PACKET_TIME);
            // Up to a packet time of jitter, which keeps the order of a flow's packets. It prevents
            // two flows from meeting a full queue in the same order forever.
            let jitter = Time::from_ps(self.draw() % PACKET_TIME.as_ps());
            self.push(now + PACKET_TIME + ONE_WAY + jitter, Event::Arrive(packet));
        }
    }

    fn arrive(&mut self, packet: Packet) {
        let draw = self.draw();
        if self.queue + PATH.packet > self.net.buffer {
            self.losses += 1;
            return;
        }
        let marked = self.net.marker.is_some_and(|marker| marker.marks(self.queue, draw));
        self.queue += PATH.packet;
        self.busy_until = self.busy_until.max(self.now) + PACKET_TIME;
        self.push(self.busy_until, Event::Depart(Packet { marked, ..packet }));
    }

    /// Delivers a packet to the receiver, at the end of the bottleneck; the reverse path has no
    /// further hop.
    fn depart(&mut self, packet: Packet) {
        let (now, flow) = (self.now, packet.flow);
        self.queue = self.queue - PATH.packet;
        self.total += PATH.packet;
        if self.receivers[flow].on_packet(&self.net.notification, now, packet.marked) {
            self.push(now + ONE_WAY, Event::Cnp(flow));
        }
        let int = [now.as_ps(), self.total.get(), self.queue.get()];
        self.push(now + ONE_WAY, Event::Ack(packet, int));
    }

    fn acknowledge(&mut self, packet: Packet, [at, sent, queue]: [u64; 3]) {
        let (now, settings) = (self.now, &self.net.settings);
        let sender = &mut self.senders[packet.flow];
        if packet.number < sender.first {
            return;
        }
        sender.acked_at = now;
        let lost = packet.number - sender.first;
        if lost > 0 && sender.first >= sender.recovery {
            sender.recovery = sender.next;
            sender.congestion.on_loss(settings, now);
        }
        sender.first = packet.number + 1;
        sender.in_flight -= lost as u32 + 1;
        let hop = IntHop {
            at: Time::from_ps(at),
            sent: Bytes::new(sent),
            queue: Bytes::new(queue),
            rate: PATH.line_rate,
        };
        let info = AckInfo {
            marked: packet.marked,
            in_flight: sender.in_flight,
            int: &[hop],
            ..ack(now, now - packet.sent, 1)
        };
        sender.congestion.on_ack(settings, &info);
        self.send(packet.flow);
    }

    fn check_timeouts(&mut self) {
        for flow in 0..2 {
            let sender = &mut self.senders[flow];
            if sender.in_flight > 0 && self.now - sender.acked_at > TIMEOUT {
                sender.congestion.on_timeout(&self.net.settings, self.now);
                sender.in_flight = 0;
                sender.first = sender.next;
                sender.recovery = sender.next;
                self.send(flow);
            }
        }
        self.push(self.now + TIMEOUT, Event::Timer);
    }
}
