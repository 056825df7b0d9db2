//! [`Claims`]: the groups that a controller claims and releases. No I/O and no clock.
//!
//! Each live controller holds its own group. The group of a dead controller is held by the first
//! controller that claims it. A holding is a key in the store that exists as long as the holder's
//! lease, and is created only if it is absent. So no group has two holders. A group returns to its
//! own controller when that controller is alive again and no order at the group's ports is
//! outstanding.
//!
//! A store that was emptied, or restored from an old copy, has lost holdings, and their holders may
//! not know that yet. So other controllers claim these groups when a lease has passed since.

use crate::core::Group;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The holder of a group: a controller with its name and its lease in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The name of the controller.
    pub instance: Group,
    /// The controller's lease. A controller gets a new one after its lease has ended.
    pub lease: i64,
}

/// The next actions of a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Groups to claim: to put into the store if they are absent.
    pub claim: Vec<Group>,
    /// Groups to release at once.
    pub free: Vec<Group>,
}

/// The knowledge of a controller about live controllers and holders, and its decisions.
#[derive(Debug, Clone)]
pub struct Claims {
    me: Holder,
    groups: BTreeSet<Group>,
    alive: BTreeSet<Group>,
    holders: BTreeMap<Group, Holder>,
    /// Groups with a claim that is not answered yet.
    claimed: BTreeSet<Group>,
    /// Groups that the controller holds and has to release.
    given_back: BTreeSet<Group>,
    /// The groups last reported to the core.
    reported: BTreeSet<Group>,
    /// Groups whose former holder may still write their ports.
    unsure: BTreeSet<Group>,
}

impl Claims {
    /// Returns the state before anything is known.
    pub fn new(me: Holder, groups: impl IntoIterator<Item = Group>) -> Self {
        Claims {
            me,
            groups: groups.into_iter().collect(),
            alive: BTreeSet::new(),
            holders: BTreeMap::new(),
            claimed: BTreeSet::new(),
            given_back: BTreeSet::new(),
            reported: BTreeSet::new(),
            unsure: BTreeSet::new(),
        }
    }

    /// Starts a new session with this lease. Outstanding claims belong to an earlier one and are dropped.
    pub fn begin(&mut self, me: Holder) {
        self.claimed.clear();
        if self.me != me {
            self.given_back.clear();
            self.me = me;
        }
    }

    /// Replaces the known live controllers and holders.
    pub fn see(
        &mut self,
        alive: impl IntoIterator<Item = Group>,
        holders: BTreeMap<Group, Holder>,
    ) {
        self.alive = alive.into_iter().collect();
        self.holders = holders;
        self.claimed.clear();
        self.given_back.retain(|group| self.holders.get(group) == Some(&self.me));
    }

    /// Replaces the known live controllers and holders, after the store may have lost any. `is_holder` says whether the
    /// lease of this controller has not ended, by its own clock.
    pub fn see_again(
        &mut self,
        alive: impl IntoIterator<Item = Group>,
        holders: BTreeMap<Group, Holder>,
        is_holder: bool,
    ) {
        let is_mine = |group: &Group| is_holder && self.holders.get(group) == Some(&self.me);
        let is_lost = |group: &&Group| !holders.contains_key(*group) && !is_mine(group);
        self.unsure = self.groups.iter().filter(is_lost).cloned().collect();
        self.see(alive, holders);
    }

    /// Handles the end of a lease since the store was read again: former holders know now what the store has lost.
    pub fn is_sure(&mut self) {
        self.unsure.clear();
    }

    /// Returns whether these are the known live controllers and holders.
    pub fn knows(&self, alive: &BTreeSet<Group>, holders: &BTreeMap<Group, Holder>) -> bool {
        (&self.alive, &self.holders) == (alive, holders)
    }

    /// Returns this controller as a holder.
    pub fn me(&self) -> &Holder {
        &self.me
    }

    /// Handles the start or the end of a controller.
    pub fn alive(&mut self, instance: Group, is_alive: bool) {
        match is_alive {
            true => self.alive.insert(instance),
            false => self.alive.remove(&instance),
        };
    }

    /// Handles a change of a group's holder.
    pub fn held(&mut self, group: Group, holder: Option<Holder>) {
        self.claimed.remove(&group);
        self.unsure.remove(&group);
        if holder.as_ref() != Some(&self.me) {
            self.given_back.remove(&group);
        }
        match holder {
            Some(holder) => drop(self.holders.insert(group, holder)),
            None => drop(self.holders.remove(&group)),
        }
    }

    /// Handles the answer to a claim. Its effect arrives as an event; a failed claim may be repeated.
    pub fn answered(&mut self, group: &Group) {
        self.claimed.remove(group);
    }

    /// Returns the groups that this controller holds and does not have to release. The core holds
    /// them from now on.
    pub fn ours(&mut self) -> Vec<Group> {
        let ours = self.holders.iter().filter(|of| *of.1 == self.me).map(|of| of.0);
        self.reported = ours.filter(|group| !self.given_back.contains(*group)).cloned().collect();
        self.reported.iter().cloned().collect()
    }

    /// Returns the next actions. A group to release is not [ours](Self::ours) from now on. It is
    /// free when no order at its ports is outstanding, or at once if the core never held it.
    pub fn decide(&mut self) -> Decided {
        let Claims { me, groups, alive, holders, claimed, given_back, reported, unsure } = self;
        let is_mine = |group: &Group| *group == me.instance;
        let mut free = Vec::new();
        for (group, holder) in &*holders {
            if *holder == *me
                && !is_mine(group)
                && alive.contains(group)
                && given_back.insert(group.clone())
                && !reported.contains(group)
            {
                free.push(group.clone());
            }
        }
        let is_free = |group: &&Group| {
            !holders.contains_key(*group)
                && !unsure.contains(*group)
                && (is_mine(group) || !alive.contains(*group))
        };
        let wanted = groups.iter().filter(is_free);
        let new: Vec<Group> = wanted.filter(|of| !claimed.contains(*of)).cloned().collect();
        claimed.extend(new.iter().cloned());
        Decided { claim: new, free }
    }

    /// Iterates over the groups that the controller has to release.
    pub fn given_back(&self) -> impl Iterator<Item = &Group> {
        self.given_back.iter()
    }

    /// Returns whether a group has to be released when no order at its ports is outstanding.
    pub fn is_given_back(&self, group: &Group) -> bool {
        self.given_back.contains(group)
    }
}

#[cfg(test)]
mod tests;
