//! How a port is to be configured.

use super::occupancy::Sender;
use super::roster::{Merging, Roster};
use super::shares::Shares;
use super::{ApplicationId, PortConfig, Settings, Weighting};
use crate::mapping::arbitration;
use crate::weights::ModelId;
use std::collections::{BTreeMap, BTreeSet};
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
    let senders: Vec<(Sender, u32)> =
        senders.filter(|of| roster.models.contains_key(&of.0.0)).collect();
    if senders.is_empty() {
        return PortConfig::default();
    }
    let present: BTreeSet<_> = senders.iter().map(|of| of.0.1).collect();
    let table = merging.queues(&present, queues);
    let count = table.values().max().map_or(0, |&last| usize::from(last) + 1);
    let mut of_queue = vec![0.0; count];
    match settings.weighting {
        Weighting::EqualQueues => of_queue.fill(1.0),
        Weighting::Sensitivity => {
            let mut connections: BTreeMap<ApplicationId, u32> = BTreeMap::new();
            for ((application, _), count) in &senders {
                *connections.entry(*application).or_default() += count;
            }
            let mut members: Vec<(ModelId, ApplicationId)> =
                connections.keys().map(|id| (roster.models[id], *id)).collect();
            members.sort_unstable();
            let models: Vec<ModelId> = members.iter().map(|member| member.0).collect();
            let shares = shares.of(&models, settings);
            // In the order of the members, so that sums are the same at ports that are alike.
            for (&(_, application), share) in members.iter().zip(shares) {
                let from = senders.partition_point(|of| of.0.0 < application);
                let own = senders[from..].iter().take_while(|of| of.0.0 == application);
                for &((_, level), count) in own {
                    // Where it has connections with several levels, each has its part of the share.
                    let part = f64::from(count) / f64::from(connections[&application]);
                    of_queue[usize::from(table[&level])] += share * part;
                }
            }
        }
    }
    PortConfig { table, weights: arbitration(&of_queue, settings.most_weight.get()) }
}
