//! [`Ladder`]: rates rank after rank, where most flows change with every one that ends.

use super::links::{NO_CUT, Sharing};
use crate::policy::HELD;
use crate::rate::Rate;
use std::collections::BTreeMap;

/// The bundles of each rank. With one queue a link there is one allocation: within a rank max-min fairness in what
/// those before leave, and nothing of a link that is full for those after it. So it can be worked out from nothing,
/// the first rank first, each bundle once.
#[derive(Debug, Clone, Default)]
pub(super) struct Ladder {
    rungs: BTreeMap<u64, Vec<u32>>,
    /// By bundle: the rank under which it stands there, or none ([`NO_CUT`]).
    stands: Vec<u64>,
    /// By bundle: the round in which it had its rate last.
    seen: Vec<u64>,
    /// By link: what those before leave.
    rests: Vec<u64>,
}

impl Ladder {
    /// A bundle has flows, or another rank. Where it stood before it is forgotten when that rank's turn comes.
    pub(super) fn put(&mut self, bundle: u32, rank: u64) {
        if self.stands.len() <= bundle as usize {
            self.stands.resize(bundle as usize + 1, NO_CUT);
            self.seen.resize(bundle as usize + 1, 0);
        }
        if std::mem::replace(&mut self.stands[bundle as usize], rank) != rank && rank != HELD {
            self.rungs.entry(rank).or_default().push(bundle);
        }
    }
}

impl Sharing {
    /// Works out all rates, rank after rank.
    pub(super) fn climb(&mut self) {
        let Some(mut ladder) = self.ladder.take() else { return };
        let Ladder { rungs, stands, seen, rests } = &mut *ladder;
        let mut growth = std::mem::take(&mut self.growth);
        rests.clear();
        rests.extend(self.links.iter().map(|link| link.capacity.0));
        let links = self.count();
        let mut given = std::mem::take(&mut self.given_anew);
        rungs.retain(|&rank, rung| {
            rung.retain(|&bundle| {
                let (stands, seen) = (&mut stands[bundle as usize], &mut seen[bundle as usize]);
                let state = self.bundles.get(bundle);
                if *stands != rank || *seen == self.round {
                    return false;
                }
                if state.flows == 0 {
                    *stands = NO_CUT;
                    return false;
                }
                *seen = self.round;
                let hops = self.bundles.hops(bundle);
                if hops.iter().any(|hop| rests[hop.link as usize] == 0) {
                    if state.rate != Rate::ZERO {
                        given.push((bundle, Rate::ZERO));
                    }
                } else {
                    growth.add(&self.bundles, bundle, state.cap, links);
                }
                true
            });
            growth.run(&self.bundles, rests, |bundle, rate| given.push((bundle, rate)));
            !rung.is_empty()
        });
        for (bundle, rate) in given.drain(..) {
            self.give(bundle, rate);
        }
        (self.growth, self.given_anew, self.ladder) = (growth, given, Some(ladder));
    }
}
