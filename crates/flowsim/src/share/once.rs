//! Rates in one pass, where asking links until they are at rest takes too long.

use super::Bundle;
use super::links::{Link, NO_CUT, Sharing};
use super::settle::ONE_QUEUE;
use crate::rate::Rate;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

impl Sharing {
    /// Asks each link once, from nothing, those first that offer the least; then shares equally among
    /// flows what is left on all their links.
    pub(super) fn settle_once(&mut self) {
        self.fresh.clear();
        for link in 0..self.count() {
            self.links[link as usize].cut = NO_CUT;
            if !self.members[link as usize].all().is_empty() {
                self.ask(link);
            }
        }
        for bundle in 0..self.bundles.len() {
            if self.bundles.get(bundle).flows > 0 {
                self.see(bundle);
            }
        }
        while let Some((link, cut)) = self.next_link() {
            // Marked, so that it is not asked again.
            let state = &mut self.links[link as usize];
            (state.round, state.visits) = (self.round, 1);
            self.visit(link, cut, &ONE_QUEUE);
        }
        self.share_rest();
    }

    /// Gives flows what is left on all their links, max-min fairly: all grow until a link is full or a flow
    /// has its cap.
    fn share_rest(&mut self) {
        let rest = |link: &Link| u128::from(link.capacity.0).saturating_sub(link.load) as u64;
        let mut rests: Vec<u64> = self.links.iter().map(rest).collect();
        let mut flows = vec![0u64; rests.len()];
        let mut can_grow: Vec<bool> = (0..self.bundles.len()).map(|b| self.can_grow(b)).collect();
        // By how much flows have grown when something ends that: a link, or behind all links a bundle.
        let mut ends = BinaryHeap::new();
        for bundle in (0..self.bundles.len()).filter(|&b| can_grow[b as usize]) {
            let Bundle { rate, cap, flows: count, .. } = *self.bundles.get(bundle);
            ends.push(Reverse((cap.0 - rate.0, self.count() + bundle)));
            for hop in self.bundles.hops(bundle) {
                flows[hop.link as usize] += u64::from(count);
            }
        }
        for link in (0..self.count()).filter(|&link| flows[link as usize] > 0) {
            ends.push(Reverse((rests[link as usize] / flows[link as usize], link)));
        }
        let mut done = Vec::new();
        while let Some(Reverse((grown, end))) = ends.pop() {
            match end.checked_sub(self.count()) {
                Some(bundle) => done.push(bundle),
                None if flows[end as usize] == 0 => {}
                None => {
                    let now = rests[end as usize] / flows[end as usize];
                    if now > grown {
                        ends.push(Reverse((now, end)));
                    } else {
                        done.extend(
                            self.members[end as usize].all().iter().map(|member| member.bundle),
                        );
                    }
                }
            }
            for bundle in done.drain(..) {
                if std::mem::replace(&mut can_grow[bundle as usize], false) {
                    let Bundle { rate, flows: count, .. } = *self.bundles.get(bundle);
                    self.give(bundle, Rate(rate.0 + grown));
                    for hop in self.bundles.hops(bundle) {
                        rests[hop.link as usize] -= grown * u64::from(count);
                        flows[hop.link as usize] -= u64::from(count);
                    }
                }
            }
        }
    }

    /// Whether a bundle has less than it could use where no link of it is full.
    fn can_grow(&self, bundle: u32) -> bool {
        let state = self.bundles.get(bundle);
        let is_free = |hop: &super::Hop| {
            let link = &self.links[hop.link as usize];
            // A reservation is not to be exceeded, and who comes after the cut gets nothing.
            link.load < u128::from(link.capacity.0)
                && (link.cut == NO_CUT || state.rank <= link.cut)
                && self.terms(hop.link, hop.queue).limit == Rate::UNLIMITED
        };
        state.flows > 0 && state.rate < state.cap && self.bundles.hops(bundle).iter().all(is_free)
    }
}
