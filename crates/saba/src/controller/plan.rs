//! How a port is to be configured.

use super::occupancy::Sender;
use super::roster::{Merging, Roster};
use super::shares::Shares;
use super::{PortConfig, Settings, Weighting};
use crate::mapping::{PriorityLevel, arbitration};
use crate::weights::ModelId;
use std::num::NonZeroU8;

/// The configuration of a port with so many queues, through which these send. Those that have no model
/// yet count for nothing.
pub(super) fn plan(
    senders: impl Iterator<Item = (Sender, u32)>,
    queues: NonZeroU8,
    roster: &Roster,
    merging: &Merging,
    shares: &mut Shares,
    settings: &Settings,
) -> PortConfig {
    let senders: Vec<(Sender, u32)> = senders.collect();
    // One application's stand together.
    let own = senders.chunk_by(|a, b| a.0.0 == b.0.0);
    let mut members: Vec<(ModelId, &[(Sender, u32)])> =
        own.filter_map(|own| Some((*roster.models.get(&own[0].0.0)?, own))).collect();
    if members.is_empty() {
        return PortConfig::default();
    }
    // Those of one model stay in the order of their ids.
    members.sort_by_key(|member| member.0);
    let mut present: Vec<PriorityLevel> =
        members.iter().flat_map(|member| member.1).map(|of| of.0.1).collect();
    present.sort_unstable();
    present.dedup();
    let table = merging.queues(&present, queues);
    let count = table.values().max().map_or(0, |&last| usize::from(last) + 1);
    let mut of_queue = vec![0.0; count];
    match settings.weighting {
        Weighting::EqualQueues => of_queue.fill(1.0),
        Weighting::Sensitivity => {
            let models: Vec<ModelId> = members.iter().map(|member| member.0).collect();
            // In the order of the members, so that sums are the same at ports that are alike.
            for (&(_, own), share) in members.iter().zip(shares.of(&models, settings)) {
                let all: u32 = own.iter().map(|of| of.1).sum();
                for &((_, level), count) in own {
                    // Where it has connections with several levels, each has its part of the share.
                    let part = f64::from(count) / f64::from(all);
                    of_queue[usize::from(table[&level])] += share * part;
                }
            }
        }
    }
    PortConfig { table, weights: arbitration(&of_queue, settings.most_weight.get()) }
}
