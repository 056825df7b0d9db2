//! [`Claims`]: which groups a controller takes, and which it gives back. No I/O and no clock.
//!
//! Whoever is alive has its own group, and whoever is first has that of one that is not. What somebody has stands in the
//! store for as long as their lease and is put there only where nothing stands: so nobody has what another has. A
//! group goes back to the one that it is called after, when that is alive again and nothing is under way at its ports.

use crate::core::Group;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Who has a group: a controller, by its name and its lease in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its name.
    pub instance: Group,
    /// Its lease. After one that has ended it has another.
    pub lease: i64,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Groups that are to be claimed: put into the store, where nothing stands.
    pub claim: Vec<Group>,
    /// Groups that are to be given back at once.
    pub free: Vec<Group>,
}

/// What a controller knows of who is there, and what it makes of that.
#[derive(Debug, Clone)]
pub struct Claims {
    me: Holder,
    groups: BTreeSet<Group>,
    alive: BTreeSet<Group>,
    holders: BTreeMap<Group, Holder>,
    /// Asked for, and not answered yet.
    claimed: BTreeSet<Group>,
    /// Had, and to be given back.
    given_back: BTreeSet<Group>,
    /// What the controller was told last that it has.
    told: BTreeSet<Group>,
}

impl Claims {
    /// Nothing is known yet of anybody.
    pub fn new(me: Holder, groups: impl IntoIterator<Item = Group>) -> Self {
        Claims {
            me,
            groups: groups.into_iter().collect(),
            alive: BTreeSet::new(),
            holders: BTreeMap::new(),
            claimed: BTreeSet::new(),
            given_back: BTreeSet::new(),
            told: BTreeSet::new(),
        }
    }

    /// From now on this controller has that lease. What was claimed was with another, or of another etcd.
    pub fn begin(&mut self, me: Holder) {
        self.claimed.clear();
        if self.me != me {
            self.given_back.clear();
            self.me = me;
        }
    }

    /// Who is there, and who has what.
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

    /// This controller, as it claims.
    pub fn me(&self) -> &Holder {
        &self.me
    }

    /// A controller is alive, or not.
    pub fn alive(&mut self, instance: Group, is_alive: bool) {
        match is_alive {
            true => self.alive.insert(instance),
            false => self.alive.remove(&instance),
        };
    }

    /// Somebody has a group, or nobody.
    pub fn held(&mut self, group: Group, holder: Option<Holder>) {
        self.claimed.remove(&group);
        if holder.as_ref() != Some(&self.me) {
            self.given_back.remove(&group);
        }
        match holder {
            Some(holder) => drop(self.holders.insert(group, holder)),
            None => drop(self.holders.remove(&group)),
        }
    }

    /// A claim was answered: another was first, or it will be heard that it is so. Or it was not, and may be made again.
    pub fn answered(&mut self, group: &Group) {
        self.claimed.remove(group);
    }

    /// The groups that this controller has, but for those that it gives back. It knows of them from here on.
    pub fn ours(&mut self) -> Vec<Group> {
        let ours = self.holders.iter().filter(|of| *of.1 == self.me).map(|of| of.0);
        self.told = ours.filter(|group| !self.given_back.contains(*group)).cloned().collect();
        self.told.iter().cloned().collect()
    }

    /// What is to be done now. What is to be given back is no longer [ours](Self::ours) from here on; it is free when
    /// nothing is under way any more at its ports, at once where the controller never knew that it had it.
    pub fn decide(&mut self) -> Decided {
        let Claims { me, groups, alive, holders, claimed, given_back, told } = self;
        let is_mine = |group: &Group| *group == me.instance;
        let mut free = Vec::new();
        for (group, holder) in &*holders {
            if *holder == *me
                && !is_mine(group)
                && alive.contains(group)
                && given_back.insert(group.clone())
                && !told.contains(group)
            {
                free.push(group.clone());
            }
        }
        let is_free = |group: &&Group| {
            !holders.contains_key(*group) && (is_mine(group) || !alive.contains(*group))
        };
        let wanted = groups.iter().filter(is_free);
        let new: Vec<Group> = wanted.filter(|of| !claimed.contains(*of)).cloned().collect();
        claimed.extend(new.iter().cloned());
        Decided { claim: new, free }
    }

    /// Whether a group is to be given back, when nothing is under way any more at its ports.
    pub fn is_given_back(&self, group: &Group) -> bool {
        self.given_back.contains(group)
    }
}

#[cfg(test)]
mod tests;
