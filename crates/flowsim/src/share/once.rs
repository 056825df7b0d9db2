//! Rates in one pass, for networks in which visits until convergence take too long.

use super::Bundle;
use super::links::{Link, NO_CUT, Sharing};
use super::settle::ONE_QUEUE;
use crate::rate::Rate;

impl Sharing {
    /// Visits each link once, from empty levels, the least offers first. Then shares the rest of
    /// all links equally among the flows that can use it.
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
            // The mark prevents another visit.
            let state = &mut self.links[link as usize];
            (state.round, state.visits) = (self.round, 1);
            self.visit(link, cut, &ONE_QUEUE);
        }
        self.share_rest();
    }

    /// Gives flows the rest of all their links, max-min fairly: until a link is full or a cap is
    /// reached.
    fn share_rest(&mut self) {
        let rest = |link: &Link| u128::from(link.capacity.0).saturating_sub(link.load) as u64;
        let mut rests: Vec<u64> = self.links.iter().map(rest).collect();
        let mut growth = std::mem::take(&mut self.growth);
        for bundle in (0..self.bundles.len()).filter(|&bundle| self.can_grow(bundle)) {
            let Bundle { rate, cap, .. } = *self.bundles.get(bundle);
            growth.add(&self.bundles, bundle, Rate(cap.0 - rate.0), self.count());
        }
        let mut given = std::mem::take(&mut self.given_anew);
        growth.run(&self.bundles, &mut rests, |bundle, grown| given.push((bundle, grown)));
        for (bundle, grown) in given.drain(..) {
            self.give(bundle, Rate(self.bundles.get(bundle).rate.0 + grown.0));
        }
        (self.growth, self.given_anew) = (growth, given);
    }

    /// Returns whether a bundle has less than its demand and no full link.
    fn can_grow(&self, bundle: u32) -> bool {
        let state = self.bundles.get(bundle);
        let is_free = |hop: &super::Hop| {
            let link = &self.links[hop.link as usize];
            // A reservation must not be exceeded, and flows after the cut get nothing.
            link.load < u128::from(link.capacity.0)
                && (link.cut == NO_CUT || state.rank <= link.cut)
                && self.terms(hop.link, hop.queue).limit == Rate::UNLIMITED
        };
        state.flows > 0 && state.rate < state.cap && self.bundles.hops(bundle).iter().all(is_free)
    }
}
