//! Hosts that send to others over channels, in virtual time. Each step checks the invariants; a run
//! returns a log.

use crate::naive::NaiveReceiver;
use bandwise_rdma::homa::{
    Data, HomaSettings, Message, Priorities, Receiver, Sender, Slot, ToReceiver, ToSender,
};
use bandwise_units::{Bytes, Time};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// Payload of a full packet.
pub(crate) const MTU: u64 = 1_000;

/// Behaviour of one direction of a channel.
#[derive(Debug, Clone)]
pub(crate) struct Channel {
    pub delay: Time,
    /// Largest additional delay, random for each packet; 0 keeps the order.
    pub jitter: Time,
    /// Packets lost, and packets duplicated, out of 1000.
    pub loss: u64,
    pub duplicates: u64,
}

impl Default for Channel {
    fn default() -> Self {
        Channel { delay: Time::from_us(5), jitter: Time::ZERO, loss: 0, duplicates: 0 }
    }
}

/// A message to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    pub start: Time,
    pub src: usize,
    pub dst: usize,
    pub bytes: u64,
}

impl Job {
    pub(crate) fn new(src: usize, dst: usize, bytes: u64) -> Self {
        Job { start: Time::ZERO, src, dst, bytes }
    }

    pub(crate) fn message(&self) -> Message {
        Message { packets: self.bytes.div_ceil(MTU) as u32, bytes: Bytes::new(self.bytes) }
    }
}

/// Messages to run.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub settings: HomaSettings,
    pub jobs: Vec<Job>,
    pub there: Channel,
    pub back: Channel,
    /// Transmission time of a packet on a host's link.
    pub packet_time: Time,
    pub seed: u64,
    /// Packets whose first transmission is lost, as (message, packet).
    pub drop: Vec<(usize, u32)>,
    /// Number of first grants that are lost.
    pub drop_grants: u32,
}

/// 12 us are 60 packets of 200 ns.
pub(crate) const RTT: NonZeroU32 = NonZeroU32::new(60).unwrap();

pub(crate) fn settings(scheduled: u8, cutoffs: &[u64]) -> HomaSettings {
    let cutoffs = cutoffs.iter().map(|&bytes| Bytes::new(bytes)).collect();
    let priorities = Priorities::new(scheduled, cutoffs).unwrap();
    HomaSettings { priorities, rtt: RTT, resend_after: Time::from_us(500) }
}

impl Case {
    pub(crate) fn new(settings: HomaSettings, jobs: &[Job]) -> Self {
        Case {
            settings,
            jobs: jobs.to_vec(),
            there: Channel::default(),
            back: Channel::default(),
            packet_time: Time::from_ns(200),
            seed: 1,
            drop: vec![],
            drop_grants: 0,
        }
    }
}

/// Log of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// All DATA packets in the order sent; a slot is a message's number.
    pub sent: Vec<(Time, Data)>,
    /// Control packets of receivers and senders, by message.
    pub to_sender: Vec<(Time, Slot, ToSender)>,
    pub to_receiver: Vec<(Time, Slot, ToReceiver)>,
    /// Times by message: when it was complete, and when its sender learned it.
    pub completed: Vec<Time>,
    pub done: Vec<Time>,
}

impl Outcome {
    /// Returns the retransmitted packets of a message.
    pub(crate) fn again(&self, slot: Slot) -> Vec<u32> {
        let again = self.sent.iter().filter(|(_, d)| d.slot == slot && d.retransmission);
        again.map(|(_, data)| data.seq).collect()
    }

    pub(crate) fn resends(&self) -> Vec<(Slot, u32, u32)> {
        let resend = |&(_, slot, control): &(Time, Slot, ToSender)| match control {
            ToSender::Resend { from, to, .. } => Some((slot, from, to)),
            _ => None,
        };
        self.to_sender.iter().filter_map(resend).collect()
    }
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Open(Slot),
    Data(Data),
    ToSender(Slot, ToSender),
    ToReceiver(Slot, ToReceiver),
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
struct OnTheWay {
    events: BTreeMap<(Time, usize), Event>,
    count: usize,
    chance: Chance,
}

impl OnTheWay {
    fn put(&mut self, at: Time, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    /// Sends a packet; `drop` loses it in any case.
    fn send(&mut self, channel: &Channel, now: Time, event: Event, drop: bool) {
        let copies = 1 + u32::from(self.chance.below(1000) < channel.duplicates);
        let lost = self.chance.below(1000) < channel.loss || drop;
        for _ in 0..if lost { 0 } else { copies } {
            let jitter = Time::from_ps(self.chance.below(channel.jitter.as_ps() + 1));
            self.put(now + channel.delay + jitter, event);
        }
    }
}

/// Runs messages until all senders know of their arrival and nothing is in flight. Fails if that
/// takes more than a minute of virtual time.
pub(crate) fn run(case: &Case) -> Outcome {
    let Case { settings, jobs, .. } = case;
    let hosts = jobs.iter().map(|job| job.src.max(job.dst) + 1).max().unwrap();
    let mut senders = vec![Sender::new(); hosts];
    let mut receivers = vec![Receiver::new(); hosts];
    let mut naive: Vec<NaiveReceiver> = vec![NaiveReceiver::default(); hosts];
    let mut free = vec![Time::ZERO; hosts];
    let chance = Chance(case.seed);
    let mut way = OnTheWay { events: BTreeMap::new(), count: 0, chance };
    for (slot, job) in (0..).zip(jobs) {
        way.put(job.start, Event::Open(slot));
    }
    let (mut drop, mut drop_grants) = (case.drop.clone(), case.drop_grants);
    let mut out = Outcome {
        sent: vec![],
        to_sender: vec![],
        to_receiver: vec![],
        completed: vec![Time::MAX; jobs.len()],
        done: vec![Time::MAX; jobs.len()],
    };
    let mut accepted = vec![vec![false; 0]; jobs.len()];
    for (accepted, job) in accepted.iter_mut().zip(jobs) {
        accepted.resize(job.message().packets as usize, false);
    }
    let mut opened = vec![false; jobs.len()];
    let mut granted = vec![0; jobs.len()];
    let mut now = Time::ZERO;
    while out.done.contains(&Time::MAX) || !way.events.is_empty() {
        assert!(now < Time::from_ms(60_000), "stuck: {senders:?} {receivers:?}");
        // The first due of: an arrival, a receiver's deadline, a sender's deadline, a packet.
        let arrival = way.events.first_key_value().map_or(Time::MAX, |(&(time, _), _)| time);
        let deadlines =
            (0..).zip(jobs).filter(|&(slot, _)| opened[slot as usize]).flat_map(|(slot, job)| {
                let receiver = receivers[job.dst].deadline(settings, slot);
                let sender = senders[job.src].deadline(settings, slot);
                [(receiver, 1, slot as usize), (sender, 2, slot as usize)]
            });
        let sending = (0..hosts).filter(|&host| senders[host].is_waiting());
        let sending = sending.map(|host| (free[host].max(now), 3, host));
        let first = deadlines.chain(sending).chain([(arrival, 0, 0)]).min().unwrap();
        let (time, what, index) = first;
        assert!(time >= now, "time went back to {time} in event {what}");
        now = time;
        let mut control: Vec<(Slot, ToSender)> = vec![];
        let mut asked: Vec<(Slot, ToReceiver)> = vec![];
        match what {
            0 => match way.events.pop_first().unwrap().1 {
                Event::Open(slot) => {
                    let job = jobs[slot as usize];
                    opened[slot as usize] = true;
                    senders[job.src].open(settings, now, slot, job.message());
                }
                Event::Data(Data { slot, seq, .. }) => {
                    let number = slot as usize;
                    let Job { dst, .. } = jobs[number];
                    let message = jobs[number].message();
                    let send = |slot, packet| control.push((slot, packet));
                    let arrival = receivers[dst].on_data(settings, now, slot, message, seq, send);
                    let expected = naive[dst].on_data(settings, slot, message, seq);
                    assert_eq!(control, expected, "grants");
                    let was_there = std::mem::replace(&mut accepted[number][seq as usize], true);
                    assert_eq!(arrival.accepted, !was_there, "each packet once");
                    assert_eq!(arrival.completes, receivers[dst].is_complete(slot) && !was_there);
                    if arrival.completes {
                        assert!(accepted[number].iter().all(|&there| there));
                        out.completed[number] = now;
                    }
                }
                Event::ToSender(slot, packet) => {
                    let job = jobs[slot as usize];
                    asked.extend(
                        senders[job.src].on_control(now, slot, packet).map(|packet| (slot, packet)),
                    );
                    if senders[job.src].is_done(slot) {
                        let done = &mut out.done[slot as usize];
                        *done = now.min(*done);
                        assert!(receivers[job.dst].is_complete(slot), "not before it is so");
                    }
                }
                Event::ToReceiver(slot, packet) => {
                    let job = jobs[slot as usize];
                    let message = job.message();
                    let answer =
                        receivers[job.dst].on_control(settings, now, slot, message, packet);
                    control.extend(answer.map(|packet| (slot, packet)));
                }
            },
            1 => {
                let slot = index as Slot;
                let receiver = &mut receivers[jobs[index].dst];
                let early = receiver.on_timeout(settings, now - Time::from_ps(1), slot);
                assert_eq!(early, None, "before its deadline");
                let resend = receiver.on_timeout(settings, now, slot);
                control.push((slot, resend.expect("its time has come")));
            }
            2 => {
                let slot = index as Slot;
                let ask = senders[jobs[index].src].on_timeout(settings, now, slot);
                asked.push((slot, ask.expect("its time has come")));
            }
            _ => {
                if let Some(data) = senders[index].next(now) {
                    let number = data.slot as usize;
                    let job = jobs[number];
                    let unscheduled = settings.rtt.get();
                    assert!(data.seq < unscheduled.max(granted[number]), "nothing without a grant");
                    // Granted packets that have not arrived are at most a round trip's worth.
                    let received = receivers[job.dst].received(data.slot);
                    let sent = senders[job.src].sent(data.slot);
                    assert!(sent - received.min(sent) <= unscheduled, "bytes in flight");
                    let at = drop.iter().position(|&lost| lost == (number, data.seq));
                    let lost = at.map(|at| drop.swap_remove(at)).is_some();
                    way.send(&case.there, now + case.packet_time, Event::Data(data), lost);
                    out.sent.push((now, data));
                    free[index] = now + case.packet_time;
                }
            }
        }
        for (slot, control) in control {
            let mut lost = false;
            if let ToSender::Grant { to, .. } | ToSender::Resend { to, .. } = control {
                granted[slot as usize] = to.max(granted[slot as usize]);
                let receiver = &receivers[jobs[slot as usize].dst];
                let granted = receiver.granted(slot).unwrap_or(to);
                let received = receiver.received(slot);
                assert!(granted - received <= settings.rtt.get(), "granted ahead");
            }
            if let ToSender::Grant { .. } = control
                && drop_grants > 0
            {
                (lost, drop_grants) = (true, drop_grants - 1);
            }
            out.to_sender.push((now, slot, control));
            way.send(&case.back, now, Event::ToSender(slot, control), lost);
        }
        for (slot, packet) in asked {
            out.to_receiver.push((now, slot, packet));
            way.send(&case.there, now, Event::ToReceiver(slot, packet), false);
        }
    }
    assert!(accepted.iter().flatten().all(|&there| there));
    out
}
