//! [`Sincronia`].

use super::demands::Demands;
use super::ranks::Ranks;
use super::smallest::by_group;
use super::{Moves, Newcomer, Placement, Policy, Scene};
use std::cmp::Ordering;

/// Sincronia (Agarwal et al., "Sincronia: Near-Optimal Network Design for Coflows", SIGCOMM 2018;
/// Saba 4.6.4). Coflows are ordered by "bottleneck, select, scale, iterate", and each link serves
/// them by strict priority in that order. Within a coflow, flows share max-min fairly. The paper
/// bounds the average completion time by four times the optimum if all coflows are present from the
/// start. That bound holds for any work-conserving rates that keep the order.
///
/// The order is computed from the remaining bytes of all coflows when a flow has started or a
/// coflow has ended.
#[derive(Debug, Clone, Default)]
pub struct Sincronia {
    demands: Demands,
    ranks: Ranks,
}

impl Policy for Sincronia {
    fn place(&mut self, flow: &Newcomer<'_>) -> Placement {
        by_group(flow)
    }

    fn arrange(&mut self, scene: &Scene<'_>, moves: &mut Moves) {
        if !self.demands.see_changes(scene) {
            return;
        }
        let capacities = (0..scene.links()).map(|link| scene.capacity(link).as_bps() as f64);
        let order = order(&self.demands, &capacities.collect::<Vec<_>>()).into_iter();
        let groups: Vec<u32> = order.map(|group| self.demands.groups[group]).collect();
        for (group, rank) in self.ranks.follow(&groups) {
            moves.kin(u64::from(group), rank);
        }
    }
}

/// Returns the order of groups, by index, first to last. `capacities` has the capacity of each link
/// in bits per second. The link with the largest load decides the last group: the one with the
/// least weight per second there. The weights of the others decrease by their time there, and the
/// procedure repeats without that group (section 3 of the paper, "BSSI").
pub(crate) fn order(demands: &Demands, capacities: &[f64]) -> Vec<usize> {
    let count = demands.groups.len();
    // The seconds that a group occupies a link.
    let seconds =
        |group: usize, link: usize| demands.over(group, link).bits() as f64 / capacities[link];
    let mut load: Vec<f64> = vec![0.0; capacities.len()];
    for group in 0..count {
        for (link, &bytes) in demands.of(group).iter().enumerate() {
            if bytes > 0 {
                load[link] += seconds(group, link);
            }
        }
    }
    let mut weights = vec![1.0; count];
    let mut rest: Vec<usize> = (0..count).collect();
    let mut last_first = Vec::with_capacity(count);
    while !rest.is_empty() {
        let busiest =
            (0..load.len()).fold(0, |best, l| if load[l] > load[best] { l } else { best });
        let per_second = |group: usize| weights[group] / seconds(group, busiest);
        let there = (0..rest.len()).filter(|&i| demands.over(rest[i], busiest).get() > 0);
        let least = there.min_by(|&i, &j| {
            let by_weight = per_second(rest[i]).total_cmp(&per_second(rest[j]));
            // Of equal groups the later one goes last.
            by_weight.then(rest[j].cmp(&rest[i])).then(Ordering::Equal)
        });
        // Once only groups without bytes are left, no link has demand.
        let chosen = rest.remove(least.unwrap_or(rest.len() - 1));
        let scale = if least.is_some() { per_second(chosen) } else { 0.0 };
        for &group in &rest {
            weights[group] = (weights[group] - scale * seconds(group, busiest)).max(0.0);
        }
        for (link, &bytes) in demands.of(chosen).iter().enumerate() {
            if bytes > 0 {
                load[link] -= seconds(chosen, link);
            }
        }
        last_first.push(chosen);
    }
    last_first.reverse();
    last_first
}
