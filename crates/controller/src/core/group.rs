//! [`Group`] and [`Holding`]: the division of ports and clients among controllers that share a store (Saba 4.3.4).

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

/// A set of ports that one controller writes, and of clients whose leases the same controller
/// keeps. While all controllers are alive, each holds the group of its own name. A single
/// controller has a group without a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group(Box<str>);

impl Group {
    /// Returns whether this is the group of a single controller.
    pub fn is_nameless(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Group {
    fn from(name: &str) -> Self {
        Group(name.into())
    }
}

impl AsRef<str> for Group {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The groups that a controller holds. No other controller writes their ports or ends leases of their clients
/// meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Holding {
    pub(super) own: Group,
    pub(super) held: BTreeSet<Group>,
    /// The time at which other controllers may claim the groups; `None` without other controllers.
    pub(super) until: Option<Duration>,
}

impl Holding {
    /// Returns the holding of a single controller: everything.
    pub(super) fn alone() -> Self {
        Holding { own: Group::default(), held: BTreeSet::from([Group::default()]), until: None }
    }

    /// Returns an empty holding of one of several controllers.
    pub(super) fn of(own: Group) -> Self {
        Holding { own, held: BTreeSet::new(), until: None }
    }

    /// Returns whether other controllers write to the store too.
    pub(super) fn is_shared(&self) -> bool {
        !self.own.is_nameless()
    }

    pub(super) fn has(&self, group: &Group) -> bool {
        self.held.contains(group)
    }

    /// Returns the group that new clients join, or `None` if the controller holds no group. Without
    /// a group, the controller may be cut off from the others, and must not answer from state that
    /// they may not have.
    pub(super) fn home(&self) -> Option<&Group> {
        self.held.get(&self.own).or_else(|| self.held.first())
    }
}
