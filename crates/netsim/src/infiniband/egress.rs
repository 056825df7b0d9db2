//! An output port of a switch or host: virtual lanes, credits of the buffer behind the link, and
//! the choice of the next packet.
//!
//! Packets wait in queues outside the port: an input's lane in a switch, one of two classes per
//! lane in a host. Each queue is a *slot*. The port knows which slots have a packet for it at their
//! head, and that packet's age and size in credits.

use crate::base::bits::ones;
use crate::engine::LinkEnd;
use crate::infiniband::cable::{Cable, Net};
use crate::infiniband::packet::Packet;
use bandwise_rdma::qos::{VlArbError, VlArbTable, VlArbiter};
use bandwise_units::{Bytes, Time};

/// Rule for the choice among the queues of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// First come, first served: the packet that arrived at this switch first.
    Fcfs,
    /// The packet that left its source first, whenever it arrived here. The RPerf paper's simulator
    /// has it (figure 11); switches do not know the age of a packet.
    Age,
    /// Round-robin over queues, one packet each.
    RoundRobin,
}

/// Decision of an output port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Send the head of `slot` on `vl`.
    Send {
        /// The slot.
        slot: usize,
        /// The lane on the link.
        vl: usize,
    },
    /// Packets wait, but the next one of each lane does not fit the credits.
    Starved,
    /// No packet waits.
    Empty,
}

/// Data of a waiting packet that the choice needs.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    /// Time by which the scheduling rule orders the packet.
    since: Time,
    blocks: u16,
}

/// An output port.
#[derive(Debug)]
pub struct Egress {
    /// The link behind the port.
    pub cable: Cable,
    /// The near end of that link.
    pub end: LinkEnd,
    /// Time from which the link is free.
    pub free_at: Time,
    credits: [u16; 16],
    /// Size in blocks of each lane's buffer behind the link.
    blocks: u16,
    waiting: Vec<u64>,
    words: usize,
    heads: Vec<Head>,
    lanes: u16,
    /// Set of lanes, as bits, in which the next packet had to wait for credits.
    starved: u16,
    next_slot: [u16; 16],
    arbiter: VlArbiter,
    scheduling: Scheduling,
}

impl Egress {
    /// Creates a port in front of `cable` that chooses among `slots` slots. Behind the link is a
    /// buffer of size `buffer` for each lane (IBTA 7.9.4: counted in 64-byte blocks).
    ///
    /// # Errors
    ///
    /// An unusable arbitration table.
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
            next_slot: [0; 16],
            arbiter: VlArbiter::new(vlarb)?,
            scheduling,
        })
    }

    /// Records that `packet`, which arrived at `arrived`, waits for `vl` at the head of `slot`.
    #[inline]
    pub fn offer(&mut self, slot: usize, vl: usize, packet: &Packet, arrived: Time) {
        let since = match self.scheduling {
            Scheduling::Age => packet.sent_at(),
            Scheduling::Fcfs | Scheduling::RoundRobin => arrived,
        };
        self.heads[slot] = Head { since, blocks: packet.blocks() as u16 };
        self.waiting[vl * self.words + slot / 64] |= 1 << (slot % 64);
        self.lanes |= 1 << vl;
    }

    /// Records that no packet of `slot` waits for `vl`.
    #[inline]
    pub fn withdraw(&mut self, slot: usize, vl: usize) {
        let lane = &mut self.waiting[vl * self.words..(vl + 1) * self.words];
        lane[slot / 64] &= !(1 << (slot % 64));
        if lane.iter().all(|&word| word == 0) {
            self.lanes &= !(1 << vl);
        }
    }

    /// Returns whether packets wait for `vl` and the next one does not fit the credits, those in
    /// flight included.
    pub fn is_blocked(&self, vl: usize, net: &Net) -> bool {
        let coming = net.pending_flow_control(self.end).filter(|(_, c)| usize::from(c.vl) == vl);
        let credits = self.credits[vl] + coming.map(|(_, c)| c.blocks).sum::<u16>();
        self.next_of(vl).is_some_and(|slot| self.heads[slot].blocks > credits)
    }

    /// Returns whether the next packet of a lane had to wait for credits: the congestion is
    /// downstream.
    pub fn was_starved(&self, vl: usize) -> bool {
        self.starved & 1 << vl != 0
    }

    /// Returns the free blocks of a lane's buffer behind the link, as known at this end.
    pub fn credits(&self, vl: usize) -> u16 {
        self.credits[vl]
    }

    /// Returns the slots with a head packet that waits for `vl`.
    pub fn waiting_slots(&self, vl: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.waiting[vl * self.words..(vl + 1) * self.words].iter();
        words.enumerate().flat_map(|(i, &word)| ones(word).map(move |bit| i * 64 + bit))
    }

    /// Adds the returned credits to the counters. They are read only when a decision needs them: a
    /// returned credit causes no event by itself.
    #[inline]
    fn collect(&mut self, now: Time, net: &mut Net) {
        while let Some(credit) = net.take_flow_control(self.end, now) {
            let credits = &mut self.credits[usize::from(credit.vl)];
            *credits += credit.blocks;
            debug_assert!(*credits <= self.blocks, "more credits than the buffer has blocks");
        }
    }

    /// Returns whether an arriving packet may leave at once: the link is free, no packet waits, and
    /// the credits cover it.
    #[inline]
    pub fn can_forward_now(
        &mut self,
        now: Time,
        vl: usize,
        packet: &Packet,
        net: &mut Net,
    ) -> bool {
        if self.lanes != 0 || self.free_at > now {
            return false;
        }
        self.collect(now, net);
        packet.blocks() <= u32::from(self.credits[vl]) && self.arbiter.choose(1 << vl).is_some()
    }

    /// Chooses the next packet: in each lane a slot by the scheduling rule, then a lane by the arbiter
    /// (IBTA 7.6.9) among those whose packet the credits cover. A packet without credits stops those
    /// behind it in its lane, however small, and no other lane.
    #[inline]
    pub fn choose(&mut self, now: Time, net: &mut Net) -> Choice {
        if self.lanes == 0 {
            return Choice::Empty;
        }
        self.collect(now, net);
        if self.lanes.is_power_of_two() {
            // Packets wait for one lane only: the common case.
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

    /// Returns the slot of a lane to serve next, if the credits cover its packet.
    #[inline]
    fn pick(&self, vl: usize) -> Option<usize> {
        self.next_of(vl).filter(|&slot| self.heads[slot].blocks <= self.credits[vl])
    }

    /// Returns the slot of a lane to serve next by the scheduling rule.
    #[inline]
    fn next_of(&self, vl: usize) -> Option<usize> {
        let next = usize::from(self.next_slot[vl]);
        let mut best = None;
        let mut best_key = u64::MAX;
        for (i, &word) in self.waiting[vl * self.words..(vl + 1) * self.words].iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let slot = i * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                // Slots are visited in order, so the first of equals wins.
                let key = match self.scheduling {
                    Scheduling::Fcfs | Scheduling::Age => self.heads[slot].since.as_ps(),
                    Scheduling::RoundRobin => u64::from(slot < next),
                };
                if key < best_key {
                    (best, best_key) = (Some(slot), key);
                }
            }
        }
        best
    }

    /// Accounts for a packet that starts to leave at `start`. Returns its transmission time.
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
        net.stop_waiting(self.end);
        self.next_slot[vl] = slot as u16 + 1;
        self.arbiter.sent(vl as u8, packet.wire_bytes());
        serialisation
    }

    /// Replaces the arbiter and forgets all waiting packets.
    pub fn reset(&mut self, arbiter: VlArbiter) {
        self.arbiter = arbiter;
        self.waiting.fill(0);
        self.lanes = 0;
    }

    /// Replaces the arbiter and keeps the waiting packets.
    pub fn set_arbiter(&mut self, arbiter: VlArbiter) {
        self.arbiter = arbiter;
    }

    /// Wakes the port when the link becomes free, if packets wait.
    #[inline]
    pub fn wake_when_free(&self, net: &mut Net) {
        if self.lanes != 0 {
            net.wake(self.end, self.free_at);
        }
    }

    /// Wakes the port at `now` or when the link becomes free, if packets wait.
    pub fn wake_when_free_from(&self, now: Time, net: &mut Net) {
        if self.lanes != 0 {
            net.wake(self.end, self.free_at.max(now));
        }
    }

    /// Handles a wake event. Returns `false` if the link is busy, in which case the event is stale.
    #[inline]
    pub fn woke(&self, now: Time, net: &mut Net) -> bool {
        net.woke(self.end, now);
        self.free_at <= now
    }
}
