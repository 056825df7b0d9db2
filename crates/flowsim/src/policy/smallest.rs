//! [`SmallestGroup`].

use super::demands::Demands;
use super::ranks::Ranks;
use super::{LAST_RANK, Moves, Newcomer, Placement, Policy, QueueChoice, Scene};

/// The group (coflow, job) with the fewest remaining bytes goes first at every link, and its flows
/// share max-min fairly: shortest remaining processing time for groups. A control for policies that
/// use more information ("shortest coflow first": Chowdhury, Zhong and Stoica, "Efficient Coflow
/// Scheduling with Varys", SIGCOMM 2014, 7).
///
/// The order is computed when a flow has started or the last flow of a group has ended.
#[derive(Debug, Clone, Default)]
pub struct SmallestGroup {
    demands: Demands,
    ranks: Ranks,
}

impl Policy for SmallestGroup {
    fn place(&mut self, flow: &Newcomer<'_>) -> Placement {
        by_group(flow)
    }

    fn arrange(&mut self, scene: &Scene<'_>, moves: &mut Moves) {
        if !self.demands.see_changes(scene) {
            return;
        }
        let order = order(&self.demands).into_iter();
        let groups: Vec<u32> = order.map(|group| self.demands.groups[group]).collect();
        for (group, rank) in self.ranks.follow(&groups) {
            moves.kin(u64::from(group), rank);
        }
    }
}

/// Returns the order of groups (by index), first to last. Of equal groups the earlier goes first.
pub(crate) fn order(demands: &Demands) -> Vec<usize> {
    let mut order: Vec<usize> = (0..demands.groups.len()).collect();
    order.sort_by_key(|&group| demands.totals[group]);
    order
}

/// Returns the place of a flow in a group whose flows all move together.
pub(super) fn by_group(flow: &Newcomer<'_>) -> Placement {
    let kin = Some(u64::from(flow.group));
    Placement { rank: LAST_RANK, queue: QueueChoice::One, kin, until: None }
}
