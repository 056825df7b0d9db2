//! [`turns`]: weights of queues as entries of an arbitration table.

use super::tables::Turn;
use crate::htb::lowest_terms;
use bandwise_rdma::qos::Vl;

/// The largest weight of an entry.
const MOST: u32 = 255;

/// Turns of lanes that are to share a link by weights, at most so many of them; none if each lane can't have one.
/// Lanes that have no weight get the least there is.
///
/// **Ratios survive**: the turns of a lane add up to its weight times the same number, of units of 64 bytes.
/// But an arbiter sends whole packets, and who has sent too much in one turn does not pay for it in the next
/// (IBTA 7.6.9.2): a turn below a packet is a packet. So weights count packets of the link's largest size
/// where there are entries enough, a lane having several where one does not hold its weight; what they share
/// is then exact for large packets. Where there are not, the number is as large as there is room for.
pub(crate) fn turns(lanes: &[Vl], weights: &[u8], room: usize, mtu: u16) -> Option<Vec<Turn>> {
    let weights = lowest_terms(&weights.iter().map(|&weight| weight.into()).collect::<Vec<_>>());
    let spare = lanes.len() - weights.len();
    let room = room.checked_sub(spare)?;
    // A packet's headers and its payload (of an RDMA WRITE: 42 bytes, IBTA 5.2.1), in whole units.
    let packet = u32::from(mtu) / 64 + 1;
    // An entry that is full of whole packets.
    let full = MOST / packet * packet;
    let fits = |unit: u32, most: u32| {
        let needed: u32 = weights.iter().map(|weight| (weight * unit).div_ceil(most)).sum();
        needed as usize <= room
    };
    let (unit, most, step) = match fits(packet, full) {
        true => (packet, full, packet),
        false => ((1..packet).rev().find(|&unit| fits(unit, MOST))?, MOST, 1),
    };
    let mut pieces: Vec<Vec<u32>> =
        weights.iter().map(|weight| split(weight * unit, most, step)).collect();
    pieces.extend(vec![vec![1]; spare]);
    // One turn of each lane after another, so that no lane has all of its turns in a row.
    let rounds = pieces.iter().map(Vec::len).max().unwrap_or(0);
    let turn = |round: usize, at: usize| {
        let weight = *pieces[at].get(round)?;
        // No piece is larger than an entry holds.
        Some(Turn { vl: lanes[at].get(), weight: weight as u8 })
    };
    let turns = |round| (0..lanes.len()).filter_map(move |at| turn(round, at));
    Some((0..rounds).flat_map(turns).collect())
}

/// A number in as few pieces as possible that are not larger than `most`, as equal as multiples of `step` are.
fn split(number: u32, most: u32, step: u32) -> Vec<u32> {
    let pieces = number.div_ceil(most).max(1);
    let steps = number / step;
    (0..pieces).map(|at| (steps / pieces + u32::from(at < steps % pieces)) * step).collect()
}
