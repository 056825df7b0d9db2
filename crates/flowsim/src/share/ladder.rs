//! [`Ladder`]: rates rank after rank, where most flows change with every one that ends.

use super::links::{NO_CUT, Sharing};
use super::{Bundle, Bundles};
use crate::policy::HELD;
use crate::rate::Rate;
use std::collections::BTreeMap;

/// The bundles of each rank. With one queue a link there is one allocation: within a rank max-min fairness in what
/// those before leave, and nothing of a link that is full for those after it. So it can be worked out the first rank
/// first, each bundle once; and where nothing has changed up to some rank, from there on.
#[derive(Debug, Clone)]
pub(super) struct Ladder {
    rungs: BTreeMap<u64, Rung>,
    /// By bundle.
    stands: Vec<Stand>,
    /// By link: what all leave.
    rests: Vec<u64>,
    /// The first rank at which something has changed.
    changed_from: u64,
    /// Ranks without bundles.
    empty: Vec<u64>,
}

/// A rank.
#[derive(Debug, Clone, Default)]
struct Rung {
    steps: Vec<Step>,
    /// By link: what those before leave; nothing is known yet where it is empty.
    rests: Vec<u64>,
}

/// A bundle on a rung, with what is looked at of those that get nothing, which are most.
#[derive(Debug, Clone, Copy)]
struct Step {
    bundle: u32,
    /// As many as the bundle has been put; another number is of a step that it has left.
    times: u32,
    /// The first and the last link of its path.
    ends: [u32; 2],
}

/// Where a bundle stands.
#[derive(Debug, Clone, Copy)]
struct Stand {
    /// Under which rank; [`NO_CUT`] for none.
    rank: u64,
    /// How often it has been put on a step, or taken away.
    times: u32,
    has_rate: bool,
}

impl Ladder {
    /// Without bundles, over links that carry so much.
    pub(super) fn new(capacities: impl Iterator<Item = u64>) -> Ladder {
        Ladder {
            rungs: BTreeMap::new(),
            stands: Vec::new(),
            rests: capacities.collect(),
            changed_from: NO_CUT,
            empty: Vec::new(),
        }
    }

    /// Flows of a bundle have come or gone, or it has another rank. The step that it leaves is taken away when that
    /// rank's turn comes.
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

    /// What is left for the first rank at which something has changed: a rank that is new finds what the next one
    /// did, for there was nobody between.
    fn left_for_changed(&mut self) {
        let known = self.rungs.range(self.changed_from..).find(|(_, rung)| !rung.rests.is_empty());
        if let Some((_, rung)) = known {
            self.rests.clone_from(&rung.rests);
        }
    }
}

impl Sharing {
    /// Works out the rates from the first rank on at which something has changed, rank after rank.
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
