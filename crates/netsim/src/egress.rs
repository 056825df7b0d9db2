//! An output port: virtual lanes, the credits of the buffer behind the link, and the choice of
//! what goes next. Switches and hosts use the same one.
//!
//! A *queue* here is where packets wait for some output: an input's lane in a switch, one of two
//! classes a lane in a host. The port knows only which queues have a packet for it at their head.

use crate::event::{Event, EventQueue, rank};
use crate::link::{Cable, Credit};
use crate::packet::Packet;
use bandwise_rdma::qos::{VlArbError, VlArbTable, VlArbiter};
use bandwise_units::{Bytes, Time};
use std::collections::VecDeque;

/// Who goes first among the queues of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// First come, first served: the oldest packet, by the time it left its source.
    Fcfs,
    /// Round-robin over queues, a packet a turn.
    RoundRobin,
}

/// What an output port decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Send the head of `queue` on `vl`.
    Send {
        /// The queue.
        queue: usize,
        /// The lane on the link.
        vl: usize,
    },
    /// Something waits, but there are no credits for it.
    Starved,
    /// Nothing waits.
    Empty,
}

/// An output port.
#[derive(Debug)]
pub struct Egress {
    /// The link behind it.
    pub cable: Cable,
    /// When the link is free again.
    pub free_at: Time,
    /// When an event will look at this port again.
    wake_at: Time,
    /// Since when it waits for credits, with none on the way.
    starved: Option<Time>,
    /// The last decision but this one found no credits.
    waited: bool,
    credits: [u16; 16],
    returning: VecDeque<Credit>,
    waiting: Vec<u64>,
    words: usize,
    lanes: u16,
    turn: [u16; 16],
    arbiter: VlArbiter,
    scheduling: Scheduling,
}

impl Egress {
    /// A port in front of `cable` that chooses among `queues` queues; behind the link stands a
    /// buffer of `buffer` for each lane (IBTA 7.9.4: counted in 64-byte blocks).
    pub fn new(
        cable: Cable,
        queues: usize,
        buffer: Bytes,
        vlarb: &VlArbTable,
        scheduling: Scheduling,
    ) -> Result<Self, VlArbError> {
        let words = queues.div_ceil(64);
        let blocks = u16::try_from(buffer.get() / 64).unwrap_or(u16::MAX);
        Ok(Egress {
            cable,
            free_at: Time::ZERO,
            wake_at: Time::MAX,
            starved: None,
            credits: [blocks; 16],
            returning: VecDeque::new(),
            waiting: vec![0; words * 16],
            words,
            lanes: 0,
            turn: [0; 16],
            arbiter: VlArbiter::new(vlarb)?,
            scheduling,
            waited: false,
        })
    }

    /// Notes that `queue` has a packet for `vl` of this port at its head.
    #[inline]
    pub fn offer(&mut self, queue: usize, vl: usize) {
        self.waiting[vl * self.words + queue / 64] |= 1 << (queue % 64);
        self.lanes |= 1 << vl;
    }

    /// Notes that it no longer has.
    #[inline]
    pub fn withdraw(&mut self, queue: usize, vl: usize) {
        let lane = &mut self.waiting[vl * self.words..(vl + 1) * self.words];
        lane[queue / 64] &= !(1 << (queue % 64));
        if lane.iter().all(|&word| word == 0) {
            self.lanes &= !(1 << vl);
        }
    }

    /// Whether it has waited for credits, with none on the way, since `since` or longer.
    pub fn starved_since(&self, since: Time) -> bool {
        self.starved.is_some_and(|at| at <= since)
    }

    /// Whether what leaves next had to wait for credits: it met congestion further on.
    pub fn was_starved(&self) -> bool {
        self.waited
    }

    /// Free blocks of a lane's buffer behind the link, as far as this end knows.
    pub fn credits(&self, vl: usize) -> u16 {
        self.credits[vl]
    }

    /// The queues whose head waits for `vl`.
    pub fn waiting_queues(&self, vl: usize) -> impl Iterator<Item = usize> + '_ {
        bits(&self.waiting[vl * self.words..(vl + 1) * self.words])
    }

    /// Takes credits that will have come back by `credit.at`. Returns when the port must be
    /// looked at for their sake, if it was starved.
    #[inline]
    pub fn credit(&mut self, credit: Credit) -> Option<Time> {
        self.returning.push_back(credit);
        self.starved.take().map(|_| {
            self.wake_at = self.wake_at.min(credit.at);
            credit.at
        })
    }

    /// Counts the credits that have come back. They are looked at only when a decision needs
    /// them: a credit by itself is no event.
    #[inline]
    fn collect(&mut self, now: Time) {
        while let Some(&credit) = self.returning.front() {
            if credit.at > now {
                break;
            }
            self.credits[usize::from(credit.vl)] += credit.blocks;
            self.returning.pop_front();
        }
    }

    /// Chooses what goes next: a lane by the arbiter (IBTA 7.6.9) among those with a packet that
    /// the credits cover, a queue of that lane by the scheduling.
    #[inline]
    pub fn choose<'a>(&mut self, now: Time, head: impl Fn(usize) -> &'a Packet) -> Choice {
        if self.lanes == 0 {
            return Choice::Empty;
        }
        self.collect(now);
        let mut eligible = 0u16;
        let mut pick = [0u16; 16];
        let mut lanes = self.lanes;
        while lanes != 0 {
            let vl = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if let Some(queue) = self.pick(vl, &head) {
                eligible |= 1 << vl;
                pick[vl] = queue as u16;
            }
        }
        match self.arbiter.choose(eligible) {
            Some(vl) => {
                Choice::Send { queue: usize::from(pick[usize::from(vl)]), vl: usize::from(vl) }
            }
            None => Choice::Starved,
        }
    }

    /// The queue of a lane whose head goes next, among those whose head the credits cover.
    #[inline]
    fn pick<'a>(&self, vl: usize, head: &impl Fn(usize) -> &'a Packet) -> Option<usize> {
        let credits = u32::from(self.credits[vl]);
        let queues = self.waiting_queues(vl).filter(|&q| head(q).blocks() <= credits);
        match self.scheduling {
            Scheduling::Fcfs => queues.min_by_key(|&q| (head(q).sent_at, q)),
            Scheduling::RoundRobin => {
                let turn = usize::from(self.turn[vl]);
                queues.min_by_key(|&q| (q < turn, q))
            }
        }
    }

    /// Books a packet that starts to leave at `start`; returns how long it takes to leave.
    #[inline]
    pub fn send(&mut self, start: Time, queue: usize, vl: usize, packet: &Packet) -> Time {
        let serialisation = self.cable.serialisation(packet);
        self.free_at = start + serialisation;
        self.credits[vl] -= packet.blocks() as u16;
        self.waited = false;
        self.turn[vl] = queue as u16 + 1;
        self.arbiter.sent(vl as u8, u32::from(packet.wire_bytes));
        serialisation
    }

    /// Makes sure that the port is looked at when the link is free, if something waits.
    #[inline]
    pub fn wake_when_free(&mut self, events: &mut EventQueue, kind: u8, port: usize) {
        if self.lanes != 0 {
            self.wake(self.free_at, events, kind, port);
        }
    }

    #[inline]
    fn wake(&mut self, at: Time, events: &mut EventQueue, kind: u8, port: usize) {
        if at < self.wake_at {
            self.wake_at = at;
            events.push(Event { at, rank: rank(kind, port as u32), arg: 0 });
        }
    }

    /// An event looks at the port. False if the link is busy: then it was superseded.
    #[inline]
    pub fn woke(&mut self, now: Time) -> bool {
        if self.wake_at <= now {
            self.wake_at = Time::MAX;
        }
        self.free_at <= now
    }

    /// Nothing can go for lack of credits: look again when the next ones are here.
    pub fn starve(&mut self, now: Time, events: &mut EventQueue, kind: u8, port: usize) {
        self.waited = true;
        match self.returning.front().map(|credit| credit.at) {
            Some(at) => self.wake(at, events, kind, port),
            None => self.starved = Some(now),
        }
    }
}

fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(i, &word)| {
        std::iter::successors((word != 0).then_some(word), |w| {
            let rest = w & (w - 1);
            (rest != 0).then_some(rest)
        })
        .map(move |w| i * 64 + w.trailing_zeros() as usize)
    })
}
