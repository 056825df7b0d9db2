//! [`Group`] and [`Holding`]: which ports and clients are whose, where several controllers share a store (Saba 4.3.4).

use super::change::Client;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

/// Ports that one controller writes, and clients whose leases it keeps. It is called as the controller is that has it
/// while all are well. One that is alone has a group without a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Group(Box<str>);

impl Group {
    /// Whether it is that of a controller that is alone.
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

/// Which groups a controller has now: nobody else writes their ports meanwhile, or ends leases of their clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Holding {
    pub(super) own: Group,
    pub(super) held: BTreeSet<Group>,
    /// When others may take them for free; never where there are none.
    pub(super) until: Option<Duration>,
}

impl Holding {
    /// All that there is.
    pub(super) fn alone() -> Self {
        Holding { own: Group::default(), held: BTreeSet::from([Group::default()]), until: None }
    }

    /// Nothing yet.
    pub(super) fn of(own: Group) -> Self {
        Holding { own, held: BTreeSet::new(), until: None }
    }

    /// Whether others write to the store too.
    pub(super) fn is_shared(&self) -> bool {
        !self.own.is_nameless()
    }

    pub(super) fn has(&self, group: &Group) -> bool {
        self.held.contains(group)
    }

    /// Whether it is this controller that ends the client's lease.
    pub(super) fn has_client(&self, client: &Client) -> bool {
        self.has(&client.home)
    }

    /// The group of clients that come here. None where it has no group: then it may be cut off from the others, and
    /// says nothing that they might not know of.
    pub(super) fn home(&self) -> Option<&Group> {
        self.held.get(&self.own).or_else(|| self.held.first())
    }
}
