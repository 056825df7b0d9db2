//! Shares at a port of several tenants: each gets a guaranteed part, whatever the number of the
//! others' applications.
//!
//! The sum of slowdowns is to be least, as without tenants, but with a lower bound for the sum of
//! each tenant's shares. Tenants below the bound get just that, and share it among themselves; all
//! others share the rest as if there were no tenants. Less for these may bring further ones below
//! the bound, so this is repeated. For convex models the result is the optimum: a bound that holds
//! a tenant up with a larger capacity does so with a smaller one.

use super::{Member, Planner};
use crate::Share;
use crate::controller::senders::Senders;

/// A sum lower than its bound by less than this fraction is a rounding error.
const ROUNDING: f64 = 1e-9;

impl Planner<'_> {
    /// Returns whether applications of several tenants send through the port.
    pub(super) fn has_tenants(&self, senders: &Senders) -> bool {
        if self.roster.tenants() < 2 {
            return false;
        }
        let known = senders.cells().iter().filter(|cell| self.roster.model(cell.kind).is_some());
        let mut tenants = known.map(|cell| self.roster.tenant(cell.kind));
        let first = tenants.next();
        tenants.any(|tenant| Some(tenant) != first)
    }

    /// Adds up shares, of which each tenant gets at least the guaranteed fraction of an equal part.
    pub(super) fn add_tenants(&mut self, mut members: Vec<Member>, guaranteed: Share) {
        let mut present = vec![false; self.roster.tenants()];
        members.iter().for_each(|of| present[of.tenant as usize] = true);
        let count = present.iter().filter(|is_present| **is_present).count();
        let mut capacity = self.settings.part.get();
        let least = guaranteed.get() * capacity / count as f64;
        loop {
            let shares = self.shares_of(&members, capacity);
            let mut sums = vec![0.0; present.len()];
            for (member, share) in members.iter().zip(&shares) {
                sums[member.tenant as usize] += share;
            }
            let is_below =
                |tenant: usize| present[tenant] && sums[tenant] < least * (1.0 - ROUNDING);
            let below: Vec<usize> = (0..present.len()).filter(|&tenant| is_below(tenant)).collect();
            if below.is_empty() {
                return self.add_members(&members, &shares);
            }
            for tenant in below {
                let (own, others): (Vec<Member>, Vec<Member>) =
                    members.into_iter().partition(|of| of.tenant as usize == tenant);
                let shares = self.shares_of(&own, least);
                self.add_members(&own, &shares);
                members = others;
                present[tenant] = false;
                capacity -= least;
            }
        }
    }
}
