//! Flow completion times by size of flow, kept one by one: percentiles are exact.

use super::results::Distribution;
use super::run::FlowRecord;
use bandwise_units::{Bytes, Time};

/// Flows of a range of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// All of them.
    All,
    /// Those that fit one packet.
    SinglePacket,
    /// Larger ones, up to that size.
    UpTo(Bytes),
    /// Those above the largest of these.
    Larger(Bytes),
}

/// Up to where the sizes of groups go; KB are thousands (IRN 4.1).
const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];

/// The least size, each with completion times and slowdowns.
#[derive(Debug)]
pub(super) struct Groups {
    mtu: u64,
    groups: [Samples; SIZES.len() + 2],
}

/// 16 bytes a flow.
#[derive(Debug, Default)]
struct Samples {
    times: Vec<u64>,
    slowdowns: Vec<f64>,
}

impl Groups {
    pub(super) fn new(mtu: u32) -> Self {
        Groups { mtu: mtu.into(), groups: Default::default() }
    }

    pub(super) fn add(&mut self, flow: &FlowRecord) {
        let group = match flow.bytes {
            bytes if bytes <= self.mtu => 0,
            bytes => 1 + SIZES.partition_point(|&most| most < bytes),
        };
        self.groups[group].times.push(flow.completion_time.as_ps());
        self.groups[group].slowdowns.push(flow.slowdown());
    }

    /// Puts completion times and slowdowns in order, which the rest needs.
    pub(super) fn sort(&mut self) {
        for Samples { times, slowdowns } in &mut self.groups {
            times.sort_unstable();
            slowdowns.sort_unstable_by(f64::total_cmp);
        }
    }

    /// The groups that there are flows of, all together first.
    pub(super) fn distributions(&self) -> Vec<(Group, Distribution)> {
        let name = |i: usize| match i {
            0 => Group::SinglePacket,
            i if i <= SIZES.len() => Group::UpTo(Bytes::new(SIZES[i - 1])),
            _ => Group::Larger(Bytes::new(SIZES[SIZES.len() - 1])),
        };
        let whole = std::iter::once((Group::All, &self.groups[..]));
        let parts = self.groups.chunks(1).enumerate().map(|(i, part)| (name(i), part));
        let distribution = |(group, part): (Group, &[Samples])| {
            let times: Vec<&[u64]> = part.iter().map(|s| &s.times[..]).collect();
            let slowdowns: Vec<&[f64]> = part.iter().map(|s| &s.slowdowns[..]).collect();
            Some((group, Distribution::of(&times, &slowdowns)?))
        };
        whole.chain(parts).filter_map(distribution).collect()
    }

    /// Completion times of flows of a single packet at these shares, in thousandths.
    pub(super) fn tail(&self, shares: &[u32]) -> Vec<(u32, Time)> {
        let single = &self.groups[0].times;
        let shares = shares.iter().filter(|_| !single.is_empty());
        shares.map(|&share| (share, Time::from_ps(single[place(single.len(), share)]))).collect()
    }
}

/// Where among `count` sorted values (at least one) the percentile at that many thousandths is: the
/// least value that this share of all does not exceed.
pub(super) fn place(count: usize, thousandths: u32) -> usize {
    ((count as u128 * u128::from(thousandths)).div_ceil(1000) as usize).clamp(1, count) - 1
}

/// The percentiles at `thousandths` (ascending) of values that are sorted in several parts.
pub(super) fn percentiles<T: Copy + PartialOrd, const N: usize>(
    parts: &[&[T]],
    thousandths: [u32; N],
) -> Option<[T; N]> {
    let count = parts.iter().map(|part| part.len()).sum();
    let mut next = vec![0; parts.len()];
    let mut found = [*parts.iter().find_map(|part| part.first())?; N];
    let mut wanted =
        thousandths.iter().map(|&share| place(count, share)).zip(&mut found).peekable();
    // The parts merged: where each is, and of their next values the least.
    for at in 0..count {
        let heads = (0..parts.len()).filter(|&i| next[i] < parts[i].len());
        let least =
            heads.reduce(|a, b| if parts[b][next[b]] < parts[a][next[a]] { b } else { a })?;
        while let Some((_, found)) = wanted.next_if(|(place, _)| *place == at) {
            *found = parts[least][next[least]];
        }
        next[least] += 1;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_percentile_is_the_least_value_that_the_share_does_not_exceed() {
        assert_eq!((place(1, 500), place(1, 999)), (0, 0));
        assert_eq!((place(2, 500), place(2, 501)), (0, 1));
        assert_eq!((place(100, 990), place(1000, 999), place(1001, 999)), (98, 998, 999));
    }

    proptest! {
        /// The oracle: everything in one sorted list.
        #[test]
        fn percentiles_of_parts_are_those_of_the_whole(
            mut parts in prop::collection::vec(prop::collection::vec(0u64..50, 0..30), 1..6),
        ) {
            parts.iter_mut().for_each(|part| part.sort_unstable());
            let mut all = parts.concat();
            all.sort_unstable();
            let wanted = [1, 500, 500, 900, 999];
            let slices: Vec<&[u64]> = parts.iter().map(|part| &part[..]).collect();
            let found = percentiles(&slices, wanted);
            let direct = (!all.is_empty()).then(|| wanted.map(|share| all[place(all.len(), share)]));
            prop_assert_eq!(found, direct);
        }
    }
}
