//! [`VlArbiter`]: which lane sends next.

use super::{Vl, VlArbEntry, VlArbError, VlArbTable};
use crate::wire::{BLOCK, blocks};

/// The arbiter of one port's lanes (IBTA 7.6.9.2), as a state machine that is asked
/// ([`choose`](Self::choose)) and told ([`sent`](Self::sent)).
///
/// High priority goes first until it has sent its limit; then one low-priority packet gets its
/// chance. Within a priority, weighted round robin: an entry keeps its turn until its weight is
/// used up or its lane has nothing to send while another has. Packets are sent whole, so the last
/// one of a turn may overdraw the weight; the overdraft is forgotten, not carried over, which is
/// why weights below an MTU (64 units at 4096 bytes) all act like one packet. Weights and limit
/// are debited in whole 64-byte blocks, a part counting as a whole one.
///
/// Management packets (lane 15) and flow-control packets go before all data (IBTA 7.6.9.1); that
/// is up to the caller.
#[derive(Debug, Clone)]
pub struct VlArbiter {
    high: Ring,
    low: Ring,
    /// What high priority may send in a row, in blocks; [`UNBOUNDED`] for a limit of 255.
    limit: i32,
    /// What is left of it: spent at zero or less.
    left: i32,
    /// The last answer, until [`VlArbiter::sent`] uses it.
    pending: Turn,
    /// By lane: its entry, if it has just one. Nothing decides whose turn it is where only such a
    /// lane has a packet, which is the common case.
    alone: [Turn; 16],
}

const UNBOUNDED: i32 = i32::MAX;

/// An entry of one of the rings, or [`NOBODY`]. A word, as a processor would have to wait where
/// several fields have just been written and are read as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn(u32);

const NOBODY: Turn = Turn(u32::MAX);

impl Turn {
    /// Entry `index` of high or low priority, which serves `vl`.
    #[inline]
    const fn new(high: bool, index: u8, vl: Vl) -> Self {
        Turn((high as u32) << 16 | (index as u32) << 8 | vl.get() as u32)
    }
    #[inline]
    const fn is_high(self) -> bool {
        self.0 >> 16 & 1 == 1
    }
    #[inline]
    const fn index(self) -> u8 {
        (self.0 >> 8) as u8
    }
    #[inline]
    const fn vl(self) -> u8 {
        self.0 as u8
    }
}

/// One priority's entries, without those that have no weight.
#[derive(Debug, Clone)]
struct Ring {
    entries: Box<[VlArbEntry]>,
    /// The lanes that the entries serve, as bits.
    serves: u16,
    /// The entry whose turn it is.
    current: u8,
    /// What is left of its weight, in blocks: used up at zero or less.
    available: i32,
}

impl Ring {
    fn new(entries: &[VlArbEntry]) -> Self {
        let entries: Box<[VlArbEntry]> = entries.iter().copied().filter(|e| e.weight > 0).collect();
        Ring {
            serves: entries.iter().fold(0, |set, e| set | e.vl.bit()),
            // The turn of the last one is over: the first choice starts at the first entry.
            current: entries.len().saturating_sub(1) as u8,
            available: 0,
            entries,
        }
    }

    fn turns(&self, high: bool) -> impl Iterator<Item = Turn> {
        let entries = self.entries.iter().zip(0..);
        entries.map(move |(entry, index)| Turn::new(high, index, entry.vl))
    }

    /// The entry that sends next, if one of its lanes is eligible.
    #[inline]
    fn pick(&self, eligible: u16) -> Option<u8> {
        if eligible & self.serves == 0 {
            return None;
        }
        let current = usize::from(self.current);
        if self.available > 0 && eligible & self.entries[current].vl.bit() != 0 {
            return Some(self.current);
        }
        // Everyone else in order, and at last the current entry with a new turn.
        let (before, after) = self.entries.split_at(current + 1);
        let is_eligible = |entry: &VlArbEntry| eligible & entry.vl.bit() != 0;
        let found = match after.iter().position(is_eligible) {
            Some(offset) => current + 1 + offset,
            None => before.iter().position(is_eligible)?,
        };
        Some(found as u8)
    }

    #[inline]
    fn debit(&mut self, index: u8, blocks: i32) {
        if index != self.current || self.available <= 0 {
            self.current = index;
            self.available = i32::from(self.entries[usize::from(index)].weight);
        }
        self.available -= blocks;
    }
}

impl VlArbiter {
    /// The arbiter of a port with this table, about to begin its first turn.
    pub fn new(table: &VlArbTable) -> Result<Self, VlArbError> {
        table.validate()?;
        let limit = match table.high_limit {
            255 => UNBOUNDED,
            // One block is spent by a packet of any size.
            0 => 1,
            n => i32::from(n) * (4096 / BLOCK as i32),
        };
        let (high, low) = (Ring::new(&table.high), Ring::new(&table.low));
        let alone = std::array::from_fn(|vl| {
            let turns = high.turns(true).chain(low.turns(false));
            let mut of_lane = turns.filter(|turn| usize::from(turn.vl()) == vl);
            of_lane.next().filter(|_| of_lane.next().is_none()).unwrap_or(NOBODY)
        });
        Ok(VlArbiter { limit, left: limit, pending: NOBODY, alone, high, low })
    }

    /// The lane whose packet goes next, given the set of lanes that have a packet and the credits
    /// for it now (bit n for lane n). `None` if no entry serves any of them.
    ///
    /// Asking changes nothing: only [`sent`](Self::sent) does.
    #[inline]
    pub fn choose(&mut self, eligible: u16) -> Option<u8> {
        let turn = self.turn(eligible)?;
        self.pending = turn;
        Some(turn.vl())
    }

    #[inline]
    fn turn(&self, eligible: u16) -> Option<Turn> {
        if eligible.is_power_of_two() {
            let alone = self.alone[eligible.trailing_zeros() as usize];
            if alone != NOBODY {
                return Some(alone);
            }
        }
        self.turn_among(eligible)
    }

    fn turn_among(&self, eligible: u16) -> Option<Turn> {
        let high = |index| Turn::new(true, index, self.high.entries[usize::from(index)].vl);
        let low = |index| Turn::new(false, index, self.low.entries[usize::from(index)].vl);
        if self.left > 0 {
            let first = self.high.pick(eligible).map(high);
            first.or_else(|| self.low.pick(eligible).map(low))
        } else {
            let first = self.low.pick(eligible).map(low);
            first.or_else(|| self.high.pick(eligible).map(high))
        }
    }

    /// A packet of `bytes` on the wire (headers and CRCs included) was taken from `vl`, the lane
    /// that [`choose`](Self::choose) named last.
    #[inline]
    pub fn sent(&mut self, vl: u8, bytes: u32) {
        let mut turn = std::mem::replace(&mut self.pending, NOBODY);
        // Sending what was not chosen is a bug of the caller; a release build then debits the
        // lane as if it had been the only one.
        debug_assert!(turn.vl() == vl, "VL{vl} sent without having been chosen");
        if turn.vl() != vl {
            let Some(alone) = self.turn(1 << (vl & 15)) else { return };
            turn = alone;
        }
        let blocks = blocks(bytes).max(1) as i32;
        if turn.is_high() {
            self.high.debit(turn.index(), blocks);
            if self.limit != UNBOUNDED {
                // Spent, and yet high priority sends: low priority had its chance and no packet.
                let left = if self.left <= 0 { self.limit } else { self.left };
                self.left = left - blocks;
            }
        } else {
            self.low.debit(turn.index(), blocks);
            self.left = self.limit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn arbiter(high: &str, low: &str, high_limit: u8) -> VlArbiter {
        let read = |list: &str| list.split_whitespace().map(|e| e.parse().unwrap()).collect();
        VlArbiter::new(&VlArbTable { high: read(high), low: read(low), high_limit }).unwrap()
    }

    /// Which lanes send, all of `eligible` backlogged with packets of `bytes`.
    fn order(arbiter: &mut VlArbiter, eligible: u16, bytes: u32, n: usize) -> Vec<u8> {
        let mut step = || {
            let vl = arbiter.choose(eligible)?;
            arbiter.sent(vl, bytes);
            Some(vl)
        };
        (0..n).map_while(|_| step()).collect()
    }

    #[test]
    fn an_entry_keeps_its_turn_until_its_weight_is_used() {
        // 2 blocks each: weight 4 is two packets, weight 1 one, weight 0 none; lane 0 comes twice.
        let mut a = arbiter("", "0:4 1:1 2:0 0:2", 0);
        assert_eq!(order(&mut a, 0b111, 128, 8), [0, 0, 1, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn an_entry_with_nothing_to_send_loses_its_turn() {
        let mut a = arbiter("", "0:4 1:4", 0);
        assert_eq!(order(&mut a, 0b11, 64, 2), [0, 0]);
        assert_eq!(order(&mut a, 0b10, 64, 1), [1]);
        // Lane 0 left two blocks behind; it waits until lane 1 has had its four.
        assert_eq!(order(&mut a, 0b11, 64, 5), [1, 1, 1, 0, 0]);
    }

    #[test]
    fn the_limit_lets_one_low_packet_through() {
        // Limit 1 is 4096 bytes: four packets of 1024.
        let mut a = arbiter("1:255", "0:255", 1);
        assert_eq!(order(&mut a, 0b11, 1024, 10), [1, 1, 1, 1, 0, 1, 1, 1, 1, 0]);
        let mut a = arbiter("1:255", "0:255", 0);
        assert_eq!(order(&mut a, 0b11, 1024, 4), [1, 0, 1, 0]);
        let mut a = arbiter("1:255", "0:255", 255);
        assert_eq!(order(&mut a, 0b11, 1024, 1000), [1; 1000]);
    }

    #[test]
    fn a_chance_that_low_priority_can_not_take_is_gone() {
        let mut a = arbiter("1:255", "0:255", 1);
        assert_eq!(order(&mut a, 0b10, 1024, 5), [1; 5]);
        // The fifth packet began a new limit: three more before low priority is asked.
        assert_eq!(order(&mut a, 0b11, 1024, 4), [1, 1, 1, 0]);
    }

    #[test]
    fn nobody_serves_an_unknown_lane() {
        let mut a = arbiter("1:1", "0:1", 0);
        assert_eq!(a.choose(0b100), None);
        assert_eq!(a.choose(0), None);
        assert_eq!(a.choose(0b110), Some(1));
    }

    fn entries(max: usize) -> impl Strategy<Value = Vec<VlArbEntry>> {
        let entry = (0u8..15, prop::sample::select(vec![0u8, 1, 4, 64, 255]))
            .prop_map(|(vl, weight)| VlArbEntry { vl: vl.try_into().unwrap(), weight });
        prop::collection::vec(entry, 0..max)
    }

    fn tables() -> impl Strategy<Value = VlArbTable> {
        let limit = prop::sample::select(vec![0u8, 1, 3, 254, 255]);
        (entries(9), entries(9), limit)
            .prop_map(|(high, low, high_limit)| VlArbTable { high, low, high_limit })
            .prop_filter("some weight", |table| table.validate().is_ok())
    }

    proptest! {
        /// Whatever is asked: an answer is eligible and served, there is one whenever there can
        /// be (work conserving), and asking, also for something else, changes nothing.
        #[test]
        fn answers_are_eligible_complete_and_stable(
            table in tables(),
            steps in prop::collection::vec((any::<u16>(), any::<u16>(), 1u32..5000), 1..200),
        ) {
            let mut arbiter = VlArbiter::new(&table).unwrap();
            for (eligible, other, bytes) in steps {
                let served = eligible & !table.unserved(eligible);
                let answer = arbiter.choose(eligible);
                arbiter.choose(other);
                prop_assert_eq!(arbiter.choose(eligible), answer);
                match answer {
                    Some(vl) => {
                        prop_assert!(served & 1 << vl != 0);
                        arbiter.sent(vl, bytes);
                    }
                    None => prop_assert_eq!(served, 0),
                }
            }
        }

        /// All lanes backlogged, packets of one and two blocks mixed: every lane's share is its
        /// weight's, within 1 %. A turn overdraws its weight, 128 and more, by one block at most.
        #[test]
        fn shares_follow_the_weights(
            weights in prop::collection::vec(128u8..=255, 2..8),
            sizes in prop::collection::vec(26u32..=128, 64),
        ) {
            let low: Vec<_> = weights.iter().zip(0u8..)
                .map(|(&weight, vl)| VlArbEntry { vl: vl.try_into().unwrap(), weight })
                .collect();
            let table = VlArbTable { high: vec![], low, high_limit: 0 };
            let mut arbiter = VlArbiter::new(&table).unwrap();
            let mut sent = vec![0u64; weights.len()];
            for i in 0..200_000 {
                let vl = arbiter.choose(u16::MAX).unwrap();
                let bytes = sizes[i % 64];
                arbiter.sent(vl, bytes);
                sent[usize::from(vl)] += u64::from(blocks(bytes));
            }
            let (total, all) = (sent.iter().sum::<u64>() as f64,
                weights.iter().map(|&w| f64::from(w)).sum::<f64>());
            for (&blocks, &weight) in sent.iter().zip(&weights) {
                let share = blocks as f64 / total / (f64::from(weight) / all);
                prop_assert!((share - 1.0).abs() < 0.01, "{share}");
            }
        }

        /// Packets of any size: a turn is at least its weight and overdraws it by less than a packet.
        #[test]
        fn a_turn_is_its_weight_up_to_the_last_packet(
            weights in prop::collection::vec(1u8..=255, 2..8),
            sizes in prop::collection::vec(26u32..=4122, 1..100),
        ) {
            let low: Vec<_> = weights.iter().zip(0u8..)
                .map(|(&weight, vl)| VlArbEntry { vl: vl.try_into().unwrap(), weight })
                .collect();
            let mut arbiter =
                VlArbiter::new(&VlArbTable { high: vec![], low, high_limit: 0 }).unwrap();
            let (mut turn, mut used, mut last) = (0usize, 0u32, 0u32);
            for bytes in sizes.iter().cycle().take(5_000).copied() {
                let vl = usize::from(arbiter.choose(u16::MAX).unwrap());
                if vl != turn {
                    let weight = u32::from(weights[turn]);
                    prop_assert!(used >= weight && used - last < weight);
                    prop_assert_eq!(vl, (turn + 1) % weights.len());
                    (turn, used) = (vl, 0);
                }
                arbiter.sent(vl as u8, bytes);
                last = blocks(bytes);
                used += last;
            }
        }

        /// While low priority waits, high priority sends at most its limit and the rest of a packet.
        #[test]
        fn high_priority_can_not_starve_low(
            table in tables().prop_filter("bounded", |t| t.high_limit < 255),
            steps in prop::collection::vec((any::<u16>(), 26u32..4122), 1..300),
        ) {
            let low = table.low.iter().filter(|e| e.weight > 0).fold(0, |set, e| set | e.vl.bit());
            prop_assume!(low != 0);
            let mut arbiter = VlArbiter::new(&table).unwrap();
            let limit = (u32::from(table.high_limit) * 64).max(1);
            let mut run = 0;
            for (eligible, bytes) in steps {
                let vl = arbiter.choose(eligible | low).unwrap();
                let was_high = arbiter.pending.is_high();
                arbiter.sent(vl, bytes);
                if was_high {
                    prop_assert!(run < limit, "{run} blocks in a row did not end a limit of {limit}");
                    run += blocks(bytes);
                } else {
                    run = 0;
                }
            }
        }
    }
}
