//! [`Ladder`]: rates rank by rank, for networks in which most flows change with every end of one.

use super::links::{NO_CUT, Sharing};
use super::{Bundle, Bundles};
use crate::rank::HELD;
use crate::rate::Rate;
use std::collections::BTreeMap;

/// The bundles of each rank. With one queue a link the allocation is unique: within a rank max-min
/// fairness in the rest of earlier ranks, and nothing of a full link for later ranks. So ranks are
/// computed in order, each bundle once, beginning at the first rank with a change.
#[derive(Debug, Clone)]
pub(super) struct Ladder {
    rungs: BTreeMap<u64, Rung>,
    /// The position of each bundle.
    stands: Vec<Stand>,
    /// The rest of each link after all ranks.
    rests: Vec<u64>,
    /// The first rank with a change.
    changed_from: u64,
    /// Ranks without bundles.
    empty: Vec<u64>,
}

/// A rank.
#[derive(Debug, Clone, Default)]
struct Rung {
    steps: Vec<Step>,
    /// The rest of each link after earlier ranks; empty if not known.
    rests: Vec<u64>,
}

/// A bundle of a rank, with the data that is read of bundles that get nothing, which are most.
#[derive(Debug, Clone, Copy)]
struct Step {
    bundle: u32,
    /// The bundle's counter when the step was added. Another counter marks an obsolete step.
    times: u32,
    /// The first and the last link of its path.
    ends: [u32; 2],
}

/// The position of a bundle.
#[derive(Debug, Clone, Copy)]
struct Stand {
    /// The rank, or [`NO_CUT`] for none.
    rank: u64,
    /// The number of times that the bundle has been put on a step or removed.
    times: u32,
    has_rate: bool,
}

impl Ladder {
    /// Returns a ladder without bundles, over links of these capacities.
    pub(super) fn new(capacities: impl Iterator<Item = u64>) -> Ladder {
        Ladder {
            rungs: BTreeMap::new(),
            stands: Vec::new(),
            rests: capacities.collect(),
            changed_from: NO_CUT,
            empty: Vec::new(),
        }
    }

    /// Updates a bundle with new or removed flows, or with another rank. The old step is removed
    /// when its rank is computed.
    pub(super) fn put(&mut self, bundles: &Bundles, bundle: u32) {
        if self.stands.len() <= bundle as usize {
            let none = Stand { rank: NO_CUT, times: 0, has_rate: false };
            self.stands.resize(bundle as usize + 1, none);
        }
        let stand = &mut self.stands[bundle as usize];
        let &Bundle { flows, rank, .. } = bundles.get(bundle);
        let rank = if flows == 0 || rank == HELD { NO_CUT } else { rank };
        self.changed_from = self.changed_from.min(stand.rank).min(rank);
        if std::mem::replace(&mut stand.rank, rank) == rank {
            return;
        }
        stand.times = stand.times.wrapping_add(1);
        if rank == NO_CUT {
            stand.has_rate = false;
            return;
        }
        let hops = bundles.hops(bundle);
        let ends = [hops[0].link, hops[hops.len() - 1].link];
        let step = Step { bundle, times: stand.times, ends };
        self.rungs.entry(rank).or_default().steps.push(step);
    }

    /// Returns the rests for the first rank with a change. A new rank has the rests of the next
    /// known rank, because no rank lay between.
    fn left_for_changed(&mut self) {
        let known = self.rungs.range(self.changed_from..).find(|(_, rung)| !rung.rests.is_empty());
        if let Some((_, rung)) = known {
            self.rests.clone_from(&rung.rests);
        }
    }
}

impl Sharing {
    /// Computes the rates from the first rank with a change on, rank by rank.
    pub(super) fn climb(&mut self) {
        let Some(mut ladder) = self.ladder.take() else { return };
        ladder.left_for_changed();
        let Ladder { rungs, stands, rests, changed_from, empty } = &mut *ladder;
        let mut growth = std::mem::take(&mut self.growth);
        let links = self.count();
        let mut given = std::mem::take(&mut self.given_anew);
        for (&rank, rung) in rungs.range_mut(std::mem::replace(changed_from, NO_CUT)..) {
            rung.rests.clone_from(rests);
            rung.steps.retain(|&Step { bundle, times, ends }| {
                let stand = &stands[bundle as usize];
                if stand.times != times {
                    return false;
                }
                let is_full = |link: u32| rests[link as usize] == 0;
                if ends.into_iter().any(is_full)
                    || self.bundles.hops(bundle).iter().any(|hop| is_full(hop.link))
                {
                    if stand.has_rate {
                        given.push((bundle, Rate::ZERO));
                    }
                } else {
                    growth.add(&self.bundles, bundle, self.bundles.get(bundle).cap, links);
                }
                true
            });
            growth.run(&self.bundles, rests, |bundle, rate| given.push((bundle, rate)));
            if rung.steps.is_empty() {
                empty.push(rank);
            }
        }
        for rank in empty.drain(..) {
            rungs.remove(&rank);
        }
        for (bundle, rate) in given.drain(..) {
            stands[bundle as usize].has_rate = rate != Rate::ZERO;
            self.give(bundle, rate);
        }
        (self.growth, self.given_anew, self.ladder) = (growth, given, Some(ladder));
    }
}
