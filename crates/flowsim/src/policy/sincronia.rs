//! [`Sincronia`].

use super::demands::Demands;
use super::ranks::Ranks;
use super::smallest::by_group;
use super::{Moves, Newcomer, Place, Policy, Scene};
use std::cmp::Ordering;

/// Sincronia (Agarwal and others, "Sincronia: Near-Optimal Network Design for Coflows", SIGCOMM 2018; Saba
/// 4.6.4): coflows in an order by "bottleneck, select, scale, iterate", and strict priority in that order at
/// every link. Within a coflow flows share max-min fairly; the paper's bound, an average completion time of
/// at most four times the best, holds for any work-conserving rates that keep the order, when all coflows
/// are there from the beginning.
///
/// The order is worked out for what is left of all coflows when a flow has started or a coflow has ended.
#[derive(Debug, Clone, Default)]
pub struct Sincronia {
    demands: Demands,
    ranks: Ranks,
}

impl Policy for Sincronia {
    fn place(&mut self, flow: &Newcomer<'_>) -> Place {
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

/// The order of groups (by their places), first to last, over links that carry so many bits per second: the link with the most to do decides who is last.
/// That is the group with the least weight for what it has there; the weights of the others fall by what
/// they have there, and so on without it (section 3 of the paper, "BSSI").
pub(crate) fn order(demands: &Demands, capacities: &[f64]) -> Vec<usize> {
    let count = demands.groups.len();
    // The seconds that a group takes of a link.
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
