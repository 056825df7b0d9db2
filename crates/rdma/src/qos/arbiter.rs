//! [`VlArbiter`]: the choice of the next lane.

use super::{Vl, VlArbEntry, VlArbError, VlArbTable};
use crate::wire::{BLOCK, blocks};

/// The arbiter of one port's lanes (IBTA 7.6.9.2), as a state machine: [`choose`](Self::choose)
/// selects a lane, [`sent`](Self::sent) accounts for its packet.
///
/// High priority sends first until it has used up its limit; then one low-priority packet may be
/// sent. Within a priority, weighted round robin: an entry stays current until its weight is used
/// up, or until its lane has no packet while another has. Packets are sent whole, so the last one
/// may overdraw the weight. The overdraft is not carried over, so weights below an MTU (64 units at
/// 4096 bytes) all act like one packet. Weights and limit are debited in 64-byte blocks, rounded
/// up.
///
/// Management packets (lane 15) and flow-control packets precede all data (IBTA 7.6.9.1), which is
/// up to the caller.
#[derive(Debug, Clone)]
pub struct VlArbiter {
    high: Ring,
    low: Ring,
    /// Consecutive blocks that high priority may send; [`UNBOUNDED`] for a limit of 255.
    limit: i32,
    /// Unused part of the limit: exhausted at zero or less.
    left: i32,
    /// Entry of the last choice, until [`VlArbiter::sent`] uses it.
    pending: EntryRef,
    /// The entry of each lane that has a single one. If only such a lane has a packet, which is
    /// common, no choice is needed.
    only: [EntryRef; 16],
}

const UNBOUNDED: i32 = i32::MAX;

/// Reference to an entry of one of the rings, or [`NO_ENTRY`]. Packed into a word to avoid
/// store-forwarding stalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EntryRef(u32);

const NO_ENTRY: EntryRef = EntryRef(u32::MAX);

impl EntryRef {
    /// Refers to entry `index` of high or low priority, which serves `vl`.
    #[inline]
    const fn new(high: bool, index: u8, vl: Vl) -> Self {
        EntryRef((high as u32) << 16 | (index as u32) << 8 | vl.get() as u32)
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

/// The entries of a priority, without those of weight 0.
#[derive(Debug, Clone)]
struct Ring {
    entries: Box<[VlArbEntry]>,
    /// Set of lanes that the entries serve, as bits.
    serves: u16,
    /// Index of the current entry.
    current: u8,
    /// Unused part of its weight in blocks: used up at zero or less.
    available: i32,
}

impl Ring {
    fn new(entries: &[VlArbEntry]) -> Self {
        let entries: Box<[VlArbEntry]> = entries.iter().copied().filter(|e| e.weight > 0).collect();
        Ring {
            serves: entries.iter().fold(0, |set, e| set | e.vl.bit()),
            // The last entry is used up, so the first choice starts at the first entry.
            current: entries.len().saturating_sub(1) as u8,
            available: 0,
            entries,
        }
    }

    fn refs(&self, high: bool) -> impl Iterator<Item = EntryRef> {
        let entries = self.entries.iter().zip(0..);
        entries.map(move |(entry, index)| EntryRef::new(high, index, entry.vl))
    }

    /// Returns the entry that sends next, if one of its lanes is eligible.
    #[inline]
    fn pick(&self, eligible: u16) -> Option<u8> {
        if eligible & self.serves == 0 {
            return None;
        }
        let current = usize::from(self.current);
        if self.available > 0 && eligible & self.entries[current].vl.bit() != 0 {
            return Some(self.current);
        }
        // All other entries in order, and finally the current one with its weight renewed.
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
    /// Creates the arbiter of a port with this table.
    ///
    /// # Errors
    ///
    /// A table without weights, or with too many entries.
    pub fn new(table: &VlArbTable) -> Result<Self, VlArbError> {
        table.validate()?;
        let limit = match table.high_limit {
            255 => UNBOUNDED,
            // A packet of any size uses up one block.
            0 => 1,
            n => i32::from(n) * (4096 / BLOCK as i32),
        };
        let (high, low) = (Ring::new(&table.high), Ring::new(&table.low));
        let only = std::array::from_fn(|vl| {
            let refs = high.refs(true).chain(low.refs(false));
            let mut of_lane = refs.filter(|entry| usize::from(entry.vl()) == vl);
            of_lane.next().filter(|_| of_lane.next().is_none()).unwrap_or(NO_ENTRY)
        });
        Ok(VlArbiter { limit, left: limit, pending: NO_ENTRY, only, high, low })
    }

    /// Returns the lane that sends the next packet. `eligible` is the set of lanes, bit n for lane
    /// n, with a packet and the credits for it. Returns `None` if no entry serves any of them.
    ///
    /// Only [`sent`](Self::sent) changes the order of lanes.
    #[inline]
    pub fn choose(&mut self, eligible: u16) -> Option<u8> {
        let entry = self.entry(eligible)?;
        self.pending = entry;
        Some(entry.vl())
    }

    #[inline]
    fn entry(&self, eligible: u16) -> Option<EntryRef> {
        if eligible.is_power_of_two() {
            let only = self.only[eligible.trailing_zeros() as usize];
            if only != NO_ENTRY {
                return Some(only);
            }
        }
        self.entry_among(eligible)
    }

    fn entry_among(&self, eligible: u16) -> Option<EntryRef> {
        let high = |index| EntryRef::new(true, index, self.high.entries[usize::from(index)].vl);
        let low = |index| EntryRef::new(false, index, self.low.entries[usize::from(index)].vl);
        if self.left > 0 {
            let first = self.high.pick(eligible).map(high);
            first.or_else(|| self.low.pick(eligible).map(low))
        } else {
            let first = self.low.pick(eligible).map(low);
            first.or_else(|| self.high.pick(eligible).map(high))
        }
    }

    /// Accounts for a packet of `bytes` on the wire (headers and CRCs included) sent on `vl`, the
    /// lane last returned by [`choose`](Self::choose).
    ///
    /// # Panics
    ///
    /// In debug builds, if `vl` was not chosen.
    #[inline]
    pub fn sent(&mut self, vl: u8, bytes: u32) {
        let mut entry = std::mem::replace(&mut self.pending, NO_ENTRY);
        // Sending on a lane that was not chosen is a bug of the caller; a release build then debits
        // the lane as if only it had been eligible.
        debug_assert!(entry.vl() == vl, "VL{vl} sent without having been chosen");
        if entry.vl() != vl {
            let Some(only) = self.entry(1 << (vl & 15)) else { return };
            entry = only;
        }
        let blocks = blocks(bytes).max(1) as i32;
        if entry.is_high() {
            self.high.debit(entry.index(), blocks);
            if self.limit != UNBOUNDED {
                // The limit was used up, yet high priority sends: low priority had no packet when
                // it could send.
                let left = if self.left <= 0 { self.limit } else { self.left };
                self.left = left - blocks;
            }
        } else {
            self.low.debit(entry.index(), blocks);
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

    /// Returns the lanes that send while all of `eligible` have a backlog of packets of `bytes`.
    fn order(arbiter: &mut VlArbiter, eligible: u16, bytes: u32, n: usize) -> Vec<u8> {
        let mut step = || {
            let vl = arbiter.choose(eligible)?;
            arbiter.sent(vl, bytes);
            Some(vl)
        };
        (0..n).map_while(|_| step()).collect()
    }

    #[test]
    fn an_entry_stays_current_until_its_weight_is_used() {
        // 2 blocks each: weight 4 is two packets, weight 1 one, weight 0 none; lane 0 has two
        // entries.
        let mut a = arbiter("", "0:4 1:1 2:0 0:2", 0);
        assert_eq!(order(&mut a, 0b111, 128, 8), [0, 0, 1, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn an_entry_without_packets_is_skipped() {
        let mut a = arbiter("", "0:4 1:4", 0);
        assert_eq!(order(&mut a, 0b11, 64, 2), [0, 0]);
        assert_eq!(order(&mut a, 0b10, 64, 1), [1]);
        // Lane 0 has two unused blocks, but waits until lane 1 has had its four.
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
    fn an_unused_chance_of_low_priority_is_lost() {
        let mut a = arbiter("1:255", "0:255", 1);
        assert_eq!(order(&mut a, 0b10, 1024, 5), [1; 5]);
        // The fifth packet started a new limit: three more before low priority may send.
        assert_eq!(order(&mut a, 0b11, 1024, 4), [1, 1, 1, 0]);
    }

    #[test]
    fn a_lane_without_entries_is_never_chosen() {
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
        /// For any requests: a choice is eligible and served, there is one whenever possible (work
        /// conserving), and further calls of `choose` have no effect.
        #[test]
        fn choices_are_eligible_complete_and_stable(
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

        /// With all lanes backlogged and packets of one and two blocks mixed, shares equal weights
        /// within 1 %. An entry overdraws its weight, 128 or more, by one block at most.
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

        /// With packets of any size, an entry uses at least its weight and overdraws it by less
        /// than a packet.
        #[test]
        fn an_entry_sends_its_weight_up_to_the_last_packet(
            weights in prop::collection::vec(1u8..=255, 2..8),
            sizes in prop::collection::vec(26u32..=4122, 1..100),
        ) {
            let low: Vec<_> = weights.iter().zip(0u8..)
                .map(|(&weight, vl)| VlArbEntry { vl: vl.try_into().unwrap(), weight })
                .collect();
            let mut arbiter =
                VlArbiter::new(&VlArbTable { high: vec![], low, high_limit: 0 }).unwrap();
            let (mut entry, mut used, mut last) = (0usize, 0u32, 0u32);
            for bytes in sizes.iter().cycle().take(5_000).copied() {
                let vl = usize::from(arbiter.choose(u16::MAX).unwrap());
                if vl != entry {
                    let weight = u32::from(weights[entry]);
                    prop_assert!(used >= weight && used - last < weight);
                    prop_assert_eq!(vl, (entry + 1) % weights.len());
                    (entry, used) = (vl, 0);
                }
                arbiter.sent(vl as u8, bytes);
                last = blocks(bytes);
                used += last;
            }
        }

        /// While low priority waits, high priority sends at most its limit and the rest of a
        /// packet.
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
