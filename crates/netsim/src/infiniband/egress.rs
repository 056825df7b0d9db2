//! An output port: virtual lanes, the credits of the buffer behind the link, and the choice of
//! what goes next. Switches and hosts use the same one.
//!
//! Packets wait in queues outside: an input's lane in a switch, one of two classes a lane in a
//! host. The port knows which of these *slots* have a packet for it at their head, how old it is
//! and how many credits it takes.

use crate::base::bits::ones;
use crate::engine::LinkEnd;
use crate::infiniband::cable::{Cable, Net};
use crate::infiniband::packet::Packet;
use bandwise_rdma::qos::{VlArbError, VlArbTable, VlArbiter};
use bandwise_units::{Bytes, Time};

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
    /// Send the head of `slot` on `vl`.
    Send {
        /// The slot.
        slot: usize,
        /// The lane on the link.
        vl: usize,
    },
    /// Something waits, but there are no credits for it.
    Starved,
    /// Nothing waits.
    Empty,
}

/// What the port knows of a packet that waits.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    sent_at: Time,
    blocks: u16,
}

/// An output port.
#[derive(Debug)]
pub struct Egress {
    /// The link behind it.
    pub cable: Cable,
    /// Its near end.
    pub end: LinkEnd,
    /// When the link is free again.
    pub free_at: Time,
    credits: [u16; 16],
    /// Blocks of each lane's buffer behind the link.
    blocks: u16,
    waiting: Vec<u64>,
    words: usize,
    heads: Vec<Head>,
    lanes: u16,
    /// Lanes, as bits, whose next packet had to wait for credits.
    starved: u16,
    turn: [u16; 16],
    arbiter: VlArbiter,
    scheduling: Scheduling,
}

impl Egress {
    /// A port in front of `cable` that chooses among `slots` slots; behind the link stands a
    /// buffer of `buffer` for each lane (IBTA 7.9.4: counted in 64-byte blocks).
    pub fn new(
        cable: Cable,
        end: LinkEnd,
        slots: usize,
        buffer: Bytes,
        vlarb: &VlArbTable,
        scheduling: Scheduling,
    ) -> Result<Self, VlArbError> {
        let words = slots.div_ceil(64);
        let blocks = u16::try_from(buffer.get() / 64).unwrap_or(u16::MAX);
        Ok(Egress {
            cable,
            end,
            free_at: Time::ZERO,
            credits: [blocks; 16],
            blocks,
            waiting: vec![0; words * 16],
            words,
            heads: vec![Head::default(); slots],
            lanes: 0,
            starved: 0,
            turn: [0; 16],
            arbiter: VlArbiter::new(vlarb)?,
            scheduling,
        })
    }

    /// Notes that `packet` waits for `vl` at the head of `slot`.
    #[inline]
    pub fn offer(&mut self, slot: usize, vl: usize, packet: &Packet) {
        self.heads[slot] = Head { sent_at: packet.sent_at(), blocks: packet.blocks() as u16 };
        self.waiting[vl * self.words + slot / 64] |= 1 << (slot % 64);
        self.lanes |= 1 << vl;
    }

    /// Notes that nothing does any more.
    #[inline]
    pub fn withdraw(&mut self, slot: usize, vl: usize) {
        let lane = &mut self.waiting[vl * self.words..(vl + 1) * self.words];
        lane[slot / 64] &= !(1 << (slot % 64));
        if lane.iter().all(|&word| word == 0) {
            self.lanes &= !(1 << vl);
        }
    }

    /// Whether something waits for `vl` and nothing of it fits the credits, those on the way
    /// included.
    pub fn is_blocked(&self, vl: usize, net: &Net) -> bool {
        let coming = net.returning(self.end).filter(|(_, c)| usize::from(c.vl) == vl);
        let credits = self.credits[vl] + coming.map(|(_, c)| c.blocks).sum::<u16>();
        let mut waiting = self.waiting_slots(vl).peekable();
        waiting.peek().is_some() && waiting.all(|slot| self.heads[slot].blocks > credits)
    }

    /// Whether what leaves next by a lane had to wait for credits: it met congestion further on.
    pub fn was_starved(&self, vl: usize) -> bool {
        self.starved & 1 << vl != 0
    }

    /// Free blocks of a lane's buffer behind the link, as far as this end knows.
    pub fn credits(&self, vl: usize) -> u16 {
        self.credits[vl]
    }

    /// The slots whose head waits for `vl`.
    pub fn waiting_slots(&self, vl: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.waiting[vl * self.words..(vl + 1) * self.words].iter();
        words.enumerate().flat_map(|(i, &word)| ones(word).map(move |bit| i * 64 + bit))
    }

    /// Counts the credits that have come back. They are looked at only when a decision needs
    /// them: a credit by itself is no event.
    #[inline]
    fn collect(&mut self, now: Time, net: &mut Net) {
        while let Some(credit) = net.came_back(self.end, now) {
            let credits = &mut self.credits[usize::from(credit.vl)];
            *credits += credit.blocks;
            debug_assert!(*credits <= self.blocks, "credit from nowhere");
        }
    }

    /// Whether a packet that has just come may leave at once, with nobody to choose from: the link
    /// is free, nothing waits, and the credits cover it.
    #[inline]
    pub fn takes_at_once(&mut self, now: Time, vl: usize, packet: &Packet, net: &mut Net) -> bool {
        if self.lanes != 0 || self.free_at > now {
            return false;
        }
        self.collect(now, net);
        packet.blocks() <= u32::from(self.credits[vl]) && self.arbiter.choose(1 << vl).is_some()
    }

    /// Chooses what goes next: a lane by the arbiter (IBTA 7.6.9) among those with a packet that
    /// the credits cover, a slot of that lane by the scheduling.
    #[inline]
    pub fn choose(&mut self, now: Time, net: &mut Net) -> Choice {
        if self.lanes == 0 {
            return Choice::Empty;
        }
        self.collect(now, net);
        if self.lanes.is_power_of_two() {
            // One lane has something: the common case.
            let vl = self.lanes.trailing_zeros() as usize;
            let Some(slot) = self.pick(vl) else {
                self.starved |= 1 << vl;
                return Choice::Starved;
            };
            let chosen = self.arbiter.choose(self.lanes);
            return if chosen.is_some() { Choice::Send { slot, vl } } else { Choice::Starved };
        }
        let mut eligible = 0u16;
        let mut pick = [0u16; 16];
        let mut lanes = self.lanes;
        while lanes != 0 {
            let vl = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            match self.pick(vl) {
                Some(slot) => {
                    eligible |= 1 << vl;
                    pick[vl] = slot as u16;
                }
                None => self.starved |= 1 << vl,
            }
        }
        match self.arbiter.choose(eligible) {
            Some(vl) => {
                Choice::Send { slot: usize::from(pick[usize::from(vl)]), vl: usize::from(vl) }
            }
            None => Choice::Starved,
        }
    }

    /// The slot of a lane whose head goes next, among those whose head the credits cover.
    #[inline]
    fn pick(&self, vl: usize) -> Option<usize> {
        let credits = self.credits[vl];
        let turn = usize::from(self.turn[vl]);
        let mut best = None;
        let mut best_key = u64::MAX;
        for (i, &word) in self.waiting[vl * self.words..(vl + 1) * self.words].iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let slot = i * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let head = self.heads[slot];
                if head.blocks > credits {
                    continue;
                }
                // Slots come in order, so the first of equals wins.
                let key = match self.scheduling {
                    Scheduling::Fcfs => head.sent_at.as_ps(),
                    Scheduling::RoundRobin => u64::from(slot < turn),
                };
                if key < best_key {
                    (best, best_key) = (Some(slot), key);
                }
            }
        }
        best
    }

    /// Books a packet that starts to leave at `start`; returns how long it takes to leave.
    #[inline]
    pub fn send(
        &mut self,
        start: Time,
        slot: usize,
        vl: usize,
        packet: &Packet,
        net: &mut Net,
    ) -> Time {
        let serialisation = self.cable.serialisation(packet);
        self.free_at = start + serialisation;
        self.credits[vl] -= packet.blocks() as u16;
        self.starved &= !(1 << vl);
        net.waits_no_longer(self.end);
        self.turn[vl] = slot as u16 + 1;
        self.arbiter.sent(vl as u8, packet.wire_bytes());
        serialisation
    }

    /// Another arbiter, to which nothing has been offered yet.
    pub fn arbitrate_by(&mut self, arbiter: VlArbiter) {
        self.arbiter = arbiter;
        self.waiting.fill(0);
        self.lanes = 0;
    }

    /// Another arbiter among the same that waits.
    pub fn set_arbiter(&mut self, arbiter: VlArbiter) {
        self.arbiter = arbiter;
    }

    /// Makes sure that the port is looked at when the link is free, if something waits.
    #[inline]
    pub fn wake_when_free(&self, net: &mut Net) {
        if self.lanes != 0 {
            net.wake(self.end, self.free_at);
        }
    }

    /// The same when something may have changed: from `now` on.
    pub fn wake_when_free_from(&self, now: Time, net: &mut Net) {
        if self.lanes != 0 {
            net.wake(self.end, self.free_at.max(now));
        }
    }

    /// An event looks at the port. False if the link is busy: then it was superseded.
    #[inline]
    pub fn woke(&self, now: Time, net: &mut Net) -> bool {
        net.woke(self.end, now);
        self.free_at <= now
    }
}
