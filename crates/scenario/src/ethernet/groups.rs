//! Flow completion times by size of flow. All values are kept, so that percentiles are exact.

use super::distribution::Distribution;
use super::flow::FlowRecord;
use bandwise_stats::Percentile;
use bandwise_units::{Bytes, Time};

/// A range of flow sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// All flows.
    All,
    /// Flows of one packet.
    SinglePacket,
    /// Flows of several packets, up to this size.
    UpTo(Bytes),
    /// Flows above this size.
    Larger(Bytes),
}

/// Largest sizes of groups; a KB is 1,000 B (IRN 4.1).
const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];

/// The groups, smallest sizes first, with their completion times and slowdowns.
#[derive(Debug)]
pub(super) struct Groups {
    mtu: u64,
    groups: [Samples; SIZES.len() + 2],
}

/// The samples of a group, 16 bytes for each flow.
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

    /// Sorts completion times and slowdowns, for the methods below.
    pub(super) fn sort(&mut self) {
        for Samples { times, slowdowns } in &mut self.groups {
            times.sort_unstable();
            slowdowns.sort_unstable_by(f64::total_cmp);
        }
    }

    /// Returns the groups with flows, all flows together first.
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

    /// Returns the completion times of single-packet flows at percentiles, given in thousandths.
    pub(super) fn tail(&self, thousandths: &[u32]) -> Vec<(u32, Time)> {
        let times = &self.groups[0].times;
        let at = |&permille: &u32| {
            let ps = Percentile::from_permille(permille).of_sorted(times)?;
            Some((permille, Time::from_ps(ps)))
        };
        thousandths.iter().filter_map(at).collect()
    }
}
