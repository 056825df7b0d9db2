//! [`entries_by_weight`]: weights of lanes as entries of an arbitration table.

use super::{Vl, VlArbEntry, VlArbTable};
use bandwise_units::lowest_terms;

/// The largest weight of an entry.
const MOST: u32 = 255;

/// Turns of lanes that are to share a link by weights, at most `room` of them; none if each lane can't have one.
/// The lanes behind those that have a weight get the least there is. Packets have at most `mtu` bytes of payload.
///
/// **Ratios survive**: the turns of a lane add up to its weight times the same number, of units of 64 bytes.
/// But an arbiter sends whole packets, and who has sent too much in one turn does not pay for it in the next
/// (IBTA 7.6.9.2): a turn below a packet is a packet. So weights count packets of the link's largest size
/// where there are entries enough, a lane having several where one does not hold its weight; what they share
/// is then exact for large packets. Where there are not, the number is the one with which it is nearest to that.
/// Turns of a lane are spread over the round: a packet that has missed one waits for the next.
pub fn entries_by_weight(
    lanes: &[Vl],
    weights: &[u8],
    room: usize,
    mtu: u16,
) -> Option<Vec<VlArbEntry>> {
    let weights = lowest_terms(&weights.iter().map(|&weight| weight.into()).collect::<Vec<_>>());
    let spare = lanes.len() - weights.len();
    let room = room.checked_sub(spare)?;
    // A packet's headers and its payload (of an RDMA WRITE: 42 bytes, IBTA 5.2.1), in whole units.
    let packet = u32::from(mtu) / 64 + 1;
    // Entries that are full of whole packets, or as full as can be.
    let whole = (packet, MOST / packet * packet);
    let others = (1..packet).rev().map(|unit| (unit, MOST));
    let fits = |&(unit, most): &(u32, u32)| {
        let needed: u32 = weights.iter().map(|weight| (weight * unit).div_ceil(most)).sum();
        needed as usize <= room
    };
    let off = |&(unit, most): &(u32, u32)| farthest_off(&weights, unit, most, packet);
    let nearest = || others.filter(fits).min_by(|a, b| off(a).total_cmp(&off(b)));
    let (unit, most) = Some(whole).filter(fits).or_else(nearest)?;
    let turns = weights.iter().map(|weight| split(weight * unit, most).collect());
    let turns: Vec<Vec<u32>> = turns.chain(std::iter::repeat_n(vec![1], spare)).collect();
    // By where in the round the middle of each turn's part of it is; of several there, by lane.
    let of_lane = |(lane, turns): (usize, &Vec<u32>)| {
        let count = turns.len();
        let middle = move |turn| (2 * turn + 1) as f64 / (2 * count) as f64;
        turns
            .clone()
            .into_iter()
            .enumerate()
            .map(move |(turn, weight)| (middle(turn), lane, weight))
    };
    let mut round: Vec<(f64, usize, u32)> = turns.iter().enumerate().flat_map(of_lane).collect();
    round.sort_by(|a, b| a.0.total_cmp(&b.0));
    // No turn is larger than an entry holds.
    let entry =
        |(_, lane, weight): (f64, usize, u32)| VlArbEntry { vl: lanes[lane], weight: weight as u8 };
    Some(round.into_iter().map(entry).collect())
}

/// A number in turns of `most`, and a last one of what is left.
fn split(number: u32, most: u32) -> impl Iterator<Item = u32> {
    let rest = number % most;
    let full = std::iter::repeat_n(most, (number / most) as usize);
    full.chain((rest > 0).then_some(rest))
}

/// By what part of it the share of some lane is off, at most, while all have packets of that many units.
fn farthest_off(weights: &[u32], unit: u32, most: u32, packet: u32) -> f64 {
    let packets =
        |weight: u32| -> u32 { split(weight * unit, most).map(|turn| turn.div_ceil(packet)).sum() };
    let packets: Vec<u32> = weights.iter().map(|&weight| packets(weight)).collect();
    let [all, sum] = [&packets[..], weights].map(|of| f64::from(of.iter().sum::<u32>()));
    let off = |(&packets, &weight): (&u32, &u32)| {
        (f64::from(packets) / all / (f64::from(weight) / sum) - 1.0).abs()
    };
    packets.iter().zip(weights).map(off).fold(0.0, f64::max)
}

impl VlArbTable {
    /// A table of all turns that there can be, by which lanes share a link by weights ([`entries_by_weight`]), all
    /// of low priority: with none of high priority there is no more to it (IBTA 7.6.9.2).
    pub fn by_weight(lanes: &[Vl], weights: &[u8], mtu: u16) -> Self {
        let low = entries_by_weight(lanes, weights, Self::MAX_ENTRIES, mtu);
        // Of weights up to 255 even 15 lanes fit, in units of 64 bytes.
        let low = low.expect("a table has room for each lane");
        VlArbTable { high: Vec::new(), low, high_limit: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::VlArbiter;
    use super::*;
    use proptest::prelude::*;

    fn lanes(count: usize) -> Vec<Vl> {
        (0..count as u8).map(|vl| Vl::try_from(vl).unwrap()).collect()
    }

    /// Packets of each lane while all have full ones, in so many of them.
    fn sent(table: &VlArbTable, lanes: usize, mtu: u16, packets: usize) -> Vec<usize> {
        let mut arbiter = VlArbiter::new(table).unwrap();
        let mut sent = vec![0; lanes];
        for _ in 0..packets {
            let vl = arbiter.choose((1 << lanes) - 1).unwrap();
            arbiter.sent(vl, u32::from(mtu) + 30);
            sent[usize::from(vl)] += 1;
        }
        sent
    }

    #[test]
    fn one_to_three_is_one_packet_to_three() {
        let table = VlArbTable::by_weight(&lanes(2), &[85, 255], 4096);
        assert_eq!(sent(&table, 2, 4096, 400), [100, 300]);
        // What one turn for each gives: two packets to four.
        let entry = |vl: u8, weight| VlArbEntry { vl: Vl::try_from(vl).unwrap(), weight };
        let naive = VlArbTable { low: vec![entry(0, 85), entry(1, 255)], ..table };
        assert_eq!(sent(&naive, 2, 4096, 600), [200, 400]);
    }

    /// There is no room for 383 packets. Turns of one size each are 21 packets to 11 at best, a twentieth too much.
    #[test]
    fn nearly_one_to_two_is_nearly_that_in_packets() {
        let table = VlArbTable::by_weight(&lanes(2), &[255, 128], 4096);
        let sent = sent(&table, 2, 4096, 25_300);
        let off = sent[0] as f64 / sent[1] as f64 / (255.0 / 128.0) - 1.0;
        assert!(off.abs() < 0.01, "{sent:?}: {off}");
    }

    #[test]
    fn lanes_without_a_weight_have_the_least() {
        let entries = entries_by_weight(&lanes(4), &[2, 1], 5, 2048).unwrap();
        let texts: Vec<String> = entries.iter().map(VlArbEntry::to_string).collect();
        assert_eq!(texts, ["0:66", "1:33", "2:1", "3:1"]);
        assert_eq!(entries_by_weight(&lanes(4), &[2, 1], 3, 2048), None);
    }

    #[test]
    fn turns_are_spread_over_the_round() {
        let entries = entries_by_weight(&lanes(2), &[9, 2], 64, 4096).unwrap();
        let texts: Vec<String> = entries.iter().map(VlArbEntry::to_string).collect();
        assert_eq!(texts, ["0:195", "0:195", "1:130", "0:195"]);
    }

    proptest! {
        #[test]
        fn shares_of_full_packets_are_weights(
            weights in prop::collection::vec(1u8..=12, 1..6),
            mtu in prop::sample::select(vec![256u16, 512, 1024, 2048, 4096]),
        ) {
            let count = weights.len();
            let table = VlArbTable::by_weight(&lanes(count), &weights, mtu);
            let weights = lowest_terms(&weights.iter().map(|&w| w.into()).collect::<Vec<_>>());
            let a_turn: u32 = weights.iter().sum();
            let sent = sent(&table, count, mtu, 7 * a_turn as usize);
            prop_assert!(sent.iter().zip(&weights).all(|(&sent, &weight)| sent as u32 == 7 * weight));
        }

        #[test]
        fn any_weights_fit_in_proportion(
            weights in prop::collection::vec(1u8..=255, 1..=15),
            mtu in prop::sample::select(vec![256u16, 1024, 4096]),
        ) {
            let count = weights.len();
            let table = VlArbTable::by_weight(&lanes(count), &weights, mtu);
            prop_assert_eq!(table.validate(), Ok(()));
            let total = |vl: usize| -> u64 {
                let of_lane = table.low.iter().filter(|entry| usize::from(entry.vl.get()) == vl);
                of_lane.map(|entry| u64::from(entry.weight)).sum()
            };
            for vl in 0..count {
                let (one, other) = (total(vl) * u64::from(weights[0]), total(0) * u64::from(weights[vl]));
                prop_assert_eq!(one, other);
            }
        }
    }
}
