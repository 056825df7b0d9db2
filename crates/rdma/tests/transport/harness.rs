//! One flow over a channel in each direction, in virtual time. Each step checks the invariants; a
//! run returns a log.

use bandwise_rdma::transport::{Feedback, Receiver, Sender, Seq, Transmit, TransportSettings};
use bandwise_units::Time;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Behaviour of one direction of a channel.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    pub delay: Time,
    /// Largest additional delay, random for each packet; 0 keeps the order.
    pub jitter: Time,
    /// Packets lost, and packets duplicated, out of 1000.
    pub loss: u64,
    pub duplicates: u64,
    /// Packets whose first transmission is lost in addition; the first two, if listed twice.
    pub drop: Vec<Seq>,
}

impl Default for Channel {
    fn default() -> Self {
        let delay = Time::from_us(5);
        Channel { delay, jitter: Time::ZERO, loss: 0, duplicates: 0, drop: vec![] }
    }
}

/// A flow to run.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub settings: TransportSettings,
    pub packets: u32,
    pub data: Channel,
    pub feedback: Channel,
    /// Transmission time of a packet on the link.
    pub packet_time: Time,
    pub cwnd: u32,
    pub seed: u64,
}

impl Case {
    pub(crate) fn new(settings: TransportSettings, packets: u32) -> Self {
        Case {
            settings,
            packets,
            data: Channel::default(),
            feedback: Channel::default(),
            packet_time: Time::from_ns(200),
            cwnd: u32::MAX,
            seed: 1,
        }
    }

    /// Returns the case with these data packets lost.
    pub(crate) fn dropping(mut self, drop: &[Seq]) -> Self {
        self.data.drop = drop.to_vec();
        self
    }
}

/// Log of a run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// All data packets in the order sent.
    pub sent: Vec<(Time, Transmit)>,
    pub feedback: Vec<Feedback>,
    /// Packets accepted by the receiver, in order.
    pub accepted: Vec<Seq>,
    /// Times at which the receiver had all packets, and at which the sender knew.
    pub completed: Time,
    pub done: Time,
    pub most_in_flight: u32,
    /// Number of recoveries, and of timeouts.
    pub losses: u32,
    pub timeouts: u32,
    /// Data packets lost in the channel.
    pub dropped: usize,
}

impl Outcome {
    pub(crate) fn sequence(&self) -> Vec<Seq> {
        self.sent.iter().map(|(_, packet)| packet.seq).collect()
    }

    pub(crate) fn retransmissions(&self) -> Vec<Seq> {
        let again = self.sent.iter().filter(|(_, packet)| packet.retransmission);
        again.map(|(_, packet)| packet.seq).collect()
    }
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Data(Seq),
    Feedback(Feedback),
}

/// SplitMix64: sufficient for tests, and equal on all machines.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Packets in flight, by time and order of arrival.
#[derive(Default)]
struct OnTheWay {
    events: BTreeMap<(Time, usize), Event>,
    count: usize,
}

impl OnTheWay {
    /// Sends a packet; `drop` loses it in any case. Returns whether it was lost.
    fn send(
        &mut self,
        channel: &Channel,
        chance: &mut Chance,
        now: Time,
        event: Event,
        drop: bool,
    ) -> bool {
        let copies = 1 + u32::from(chance.below(1000) < channel.duplicates);
        let lost = chance.below(1000) < channel.loss || drop;
        for _ in 0..if lost { 0 } else { copies } {
            let jitter = Time::from_ps(chance.below(channel.jitter.as_ps() + 1));
            self.count += 1;
            self.events.insert((now + channel.delay + jitter, self.count), event);
        }
        lost
    }
}

/// Runs a flow until its sender is done and nothing is in flight. Fails if that takes more than a
/// minute of virtual time.
pub(crate) fn run(case: &Case) -> Outcome {
    let Case { settings, packets, .. } = case;
    settings.validate().unwrap();
    // Reuses the memory of another flow, of which nothing may remain.
    let mut sender = Sender::new(settings, 7);
    sender.next(settings, Time::ZERO, 1);
    sender.on_feedback(settings, Time::ZERO, Feedback::nack(0, 1));
    sender.reset(settings, *packets);
    let mut receiver = Receiver::new(settings, 7);
    receiver.on_data(settings, Time::ZERO, 3);
    receiver.reset(settings, *packets);

    let mut chance = Chance(case.seed);
    let mut drop = case.data.drop.clone();
    let mut way = OnTheWay::default();
    let mut out = Outcome::default();
    let mut now = Time::ZERO;
    let mut link_free = Time::ZERO;
    while !sender.is_done() || !way.events.is_empty() {
        let next_at = sender.next_at(settings, now, case.cwnd).max(link_free);
        let arrival = way.events.first_key_value().map_or(Time::MAX, |(&(time, _), _)| time);
        let times = [arrival, receiver.deadline(), sender.deadline(settings), next_at];
        let (time, Reverse(what)) =
            times.into_iter().zip((0..4).map(Reverse)).min().expect("four times");
        assert!(time < Time::from_ms(60_000), "stuck at {now}: {sender:?} {receiver:?}");
        assert!(time >= now, "time went back to {time} in event {what}: {sender:?}");
        now = time;
        let reply = match what {
            0 => match way.events.pop_first().expect("something is on its way").1 {
                Event::Data(seq) => {
                    let was_complete = receiver.is_complete();
                    let arrival = receiver.on_data(settings, now, seq);
                    if arrival.accepted {
                        out.accepted.push(seq);
                    }
                    assert_eq!(receiver.received() as usize, out.accepted.len());
                    if receiver.is_complete() && !was_complete {
                        out.completed = now;
                    }
                    arrival.reply
                }
                Event::Feedback(feedback) => {
                    let was_done = sender.is_done();
                    let progress = sender.on_feedback(settings, now, feedback);
                    out.losses += u32::from(progress.loss);
                    assert_eq!(progress.done, sender.is_done());
                    if sender.is_done() && !was_done {
                        out.done = now;
                    }
                    None
                }
            },
            1 => {
                let reply = receiver.on_timeout(now);
                assert!(reply.is_some(), "a deadline of nothing");
                reply
            }
            2 => {
                assert!(sender.in_flight() > 0, "a timeout of nothing");
                assert!(sender.on_timeout(settings, now), "it has ended");
                out.timeouts += 1;
                None
            }
            _ => {
                let packet = sender.next(settings, now, case.cwnd).expect("a packet is due");
                let dropped = drop.iter().position(|&seq| seq == packet.seq);
                let dropped = dropped.map(|at| drop.swap_remove(at)).is_some();
                let event = Event::Data(packet.seq);
                let lost = way.send(&case.data, &mut chance, now, event, dropped);
                out.dropped += usize::from(lost);
                out.sent.push((now, packet));
                link_free = now + case.packet_time;
                None
            }
        };
        if let Some(feedback) = reply {
            way.send(&case.feedback, &mut chance, now, Event::Feedback(feedback), false);
            out.feedback.push(feedback);
        }
        // Invariants at any time.
        assert!(settings.window.is_none_or(|window| sender.in_flight() <= window.get()));
        assert!(receiver.is_complete() || !sender.is_done());
        assert!(sender.in_flight() > 0 || sender.deadline(settings) == Time::MAX);
        assert!(!sender.is_done() || sender.next(settings, now, u32::MAX).is_none());
        let early = sender.deadline(settings).saturating_sub(Time::from_ps(1)).min(now);
        if early < sender.deadline(settings) {
            assert!(!sender.on_timeout(settings, early), "before its deadline");
        }
        out.most_in_flight = out.most_in_flight.max(sender.in_flight());
    }
    out
}
