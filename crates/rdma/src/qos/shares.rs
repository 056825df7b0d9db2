//! [`entries_by_weight`]: arbitration entries from the weights of lanes.

use super::{Vl, VlArbEntry, VlArbTable};
use bandwise_units::lowest_terms;

/// Largest weight of an entry.
const MOST: u32 = 255;

/// Returns at most `room` arbitration entries with which lanes share a link by weights, or `None`
/// if there is no room for one entry per lane. Lanes beyond those with a weight get the smallest
/// weight. Packets have at most `mtu` bytes of payload.
///
/// **Ratios are preserved**: the entries of each lane sum to its weight times a common factor, in
/// units of 64 bytes. But an arbiter sends whole packets, and an overdraft is not carried over
/// (IBTA 7.6.9.2), so an entry below a packet acts like a packet. If there are enough entries,
/// weights therefore count packets of the link's largest size, with several entries for a lane with
/// a weight above one. Shares are then exact for large packets. Otherwise the factor with the
/// smallest error is chosen. A lane's entries are spread over the round, since a packet that misses
/// one entry waits for the next.
pub fn entries_by_weight(
    lanes: &[Vl],
    weights: &[u8],
    room: usize,
    mtu: u16,
) -> Option<Vec<VlArbEntry>> {
    let weights = lowest_terms(&weights.iter().map(|&weight| weight.into()).collect::<Vec<_>>());
    let spare = lanes.len() - weights.len();
    let room = room.checked_sub(spare)?;
    // Headers and payload of a packet (of an RDMA WRITE: 42 bytes, IBTA 5.2.1), in whole units.
    let packet = u32::from(mtu) / 64 + 1;
    // Entries filled with whole packets, or as full as possible.
    let whole = (packet, MOST / packet * packet);
    let others = (1..packet).rev().map(|unit| (unit, MOST));
    let fits = |&(unit, most): &(u32, u32)| {
        let needed: u32 = weights.iter().map(|weight| (weight * unit).div_ceil(most)).sum();
        needed as usize <= room
    };
    let off = |&(unit, most): &(u32, u32)| farthest_off(&weights, unit, most, packet);
    let nearest = || others.filter(fits).min_by(|a, b| off(a).total_cmp(&off(b)));
    let (unit, most) = Some(whole).filter(fits).or_else(nearest)?;
    let parts = weights.iter().map(|weight| split(weight * unit, most).collect());
    let parts: Vec<Vec<u32>> = parts.chain(std::iter::repeat_n(vec![1], spare)).collect();
    // Sorted by the middle of each entry's part of the round, then by lane.
    let of_lane = |(lane, parts): (usize, &Vec<u32>)| {
        let count = parts.len();
        let middle = move |part| (2 * part + 1) as f64 / (2 * count) as f64;
        parts
            .clone()
            .into_iter()
            .enumerate()
            .map(move |(part, weight)| (middle(part), lane, weight))
    };
    let mut round: Vec<(f64, usize, u32)> = parts.iter().enumerate().flat_map(of_lane).collect();
    round.sort_by(|a, b| a.0.total_cmp(&b.0));
    // No value exceeds the largest weight of an entry.
    let entry =
        |(_, lane, weight): (f64, usize, u32)| VlArbEntry { vl: lanes[lane], weight: weight as u8 };
    Some(round.into_iter().map(entry).collect())
}

/// Splits a number into parts of `most`, and a last one with the rest.
fn split(number: u32, most: u32) -> impl Iterator<Item = u32> {
    let rest = number % most;
    let full = std::iter::repeat_n(most, (number / most) as usize);
    full.chain((rest > 0).then_some(rest))
}

/// Returns the largest relative error of a lane's share, with all lanes sending packets of `packet`
/// units.
fn farthest_off(weights: &[u32], unit: u32, most: u32, packet: u32) -> f64 {
    let packets =
        |weight: u32| -> u32 { split(weight * unit, most).map(|part| part.div_ceil(packet)).sum() };
    let packets: Vec<u32> = weights.iter().map(|&weight| packets(weight)).collect();
    let [all, sum] = [&packets[..], weights].map(|of| f64::from(of.iter().sum::<u32>()));
    let off = |(&packets, &weight): (&u32, &u32)| {
        (f64::from(packets) / all / (f64::from(weight) / sum) - 1.0).abs()
    };
    packets.iter().zip(weights).map(off).fold(0.0, f64::max)
}

impl VlArbTable {
    /// Returns a table of the largest size with which lanes share a link by weights
    /// ([`entries_by_weight`]), with all entries of low priority. Without high-priority entries,
    /// the limit has no effect (IBTA 7.6.9.2).
    ///
    /// # Panics
    ///
    /// If there are more than 15 lanes.
    pub fn by_weight(lanes: &[Vl], weights: &[u8], mtu: u16) -> Self {
        let low = entries_by_weight(lanes, weights, Self::MAX_ENTRIES, mtu);
        // With weights up to 255, even 15 lanes fit, in units of 64 bytes.
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

    /// Returns the packets sent by each lane, out of `packets`, while all have full packets.
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
    fn weights_one_to_three_send_one_packet_to_three() {
        let table = VlArbTable::by_weight(&lanes(2), &[85, 255], 4096);
        assert_eq!(sent(&table, 2, 4096, 400), [100, 300]);
        // The result of one entry per lane: two packets to four.
        let entry = |vl: u8, weight| VlArbEntry { vl: Vl::try_from(vl).unwrap(), weight };
        let naive = VlArbTable { low: vec![entry(0, 85), entry(1, 255)], ..table };
        assert_eq!(sent(&naive, 2, 4096, 600), [200, 400]);
    }

    /// There is no room for 383 packets. With entries of one size, 21 packets to 11 are the best, a
    /// twentieth too much.
    #[test]
    fn ratios_with_too_many_packets_are_approximated() {
        let table = VlArbTable::by_weight(&lanes(2), &[255, 128], 4096);
        let sent = sent(&table, 2, 4096, 25_300);
        let off = sent[0] as f64 / sent[1] as f64 / (255.0 / 128.0) - 1.0;
        assert!(off.abs() < 0.01, "{sent:?}: {off}");
    }

    #[test]
    fn lanes_without_a_weight_get_the_smallest() {
        let entries = entries_by_weight(&lanes(4), &[2, 1], 5, 2048).unwrap();
        let texts: Vec<String> = entries.iter().map(VlArbEntry::to_string).collect();
        assert_eq!(texts, ["0:66", "1:33", "2:1", "3:1"]);
        assert_eq!(entries_by_weight(&lanes(4), &[2, 1], 3, 2048), None);
    }

    #[test]
    fn entries_are_spread_over_the_round() {
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
            let a_round: u32 = weights.iter().sum();
            let sent = sent(&table, count, mtu, 7 * a_round as usize);
            prop_assert!(sent.iter().zip(&weights).all(|(&sent, &weight)| sent as u32 == 7 * weight));
        }

        #[test]
        fn any_weights_keep_their_proportion(
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
