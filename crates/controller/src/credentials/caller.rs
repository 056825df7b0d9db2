//! [`Caller`]: an authenticated caller and its permissions.

use crate::core::{Owner, Request};
use crate::daemon::Call;
use crate::pattern::Pattern;
use std::sync::Arc;

/// The permissions of a caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rights {
    /// Patterns of the applications that the caller may register.
    pub applications: Vec<Pattern>,
    /// Patterns of the hosts that the caller may name as ends of connections.
    pub hosts: Vec<Pattern>,
    /// True if the caller may drain ports, share them again, and end all clients.
    pub drain: bool,
    /// True if the caller sees the applications and connections of all callers, and not only its own.
    pub sees_all: bool,
}

/// An authenticated caller.
#[derive(Debug, Clone)]
pub struct Caller {
    owner: Owner,
    rights: Arc<Rights>,
}

/// A call for which the caller lacks the permission.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The caller may not register this application.
    #[error("{owner} may not register {name:?} (allowed: {allowed})")]
    Application {
        /// The caller.
        owner: Owner,
        /// The application's name.
        name: String,
        /// The patterns of names that the caller may register.
        allowed: String,
    },
    /// The caller may not name this host.
    #[error("{owner} may not connect host {name:?} (allowed: {allowed})")]
    Host {
        /// The caller.
        owner: Owner,
        /// The host's name.
        name: String,
        /// The patterns of names that the caller may give.
        allowed: String,
    },
    /// The caller may not read what concerns all callers.
    #[error(
        "{owner} may not read the metrics (allowed: credentials with `see = \"all\"`, root, and the controller's user)"
    )]
    Metrics {
        /// The caller.
        owner: Owner,
    },
    /// The caller may not give orders for all.
    #[error(
        "{owner} may not {order} (allowed: credentials with `drain = true`, root, and the controller's user)"
    )]
    Order {
        /// The order.
        order: &'static str,
        /// The caller.
        owner: Owner,
    },
}

impl Caller {
    /// Returns a caller with a name and permissions.
    pub fn new(owner: Owner, rights: Arc<Rights>) -> Self {
        Caller { owner, rights }
    }

    /// Returns a caller on this machine. Such a caller may register every application. An operator may drain ports and
    /// sees what belongs to others.
    pub fn local(owner: Owner, is_operator: bool) -> Self {
        let rights = Rights {
            applications: vec![Pattern::any()],
            hosts: vec![Pattern::any()],
            drain: is_operator,
            sees_all: is_operator,
        };
        Caller { owner, rights: Arc::new(rights) }
    }

    /// Returns the owner of the caller's clients, for which limits are counted.
    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    /// Returns the caller's permissions.
    pub fn rights(&self) -> &Rights {
        &self.rights
    }

    /// Returns whether the caller sees what belongs to an owner.
    pub fn sees(&self, owner: Option<&Owner>) -> bool {
        self.rights.sees_all || owner == Some(&self.owner)
    }

    /// Returns whether the caller sees what belongs to others.
    pub fn sees_all(&self) -> bool {
        self.rights.sees_all
    }

    /// Checks that the caller may make a call.
    ///
    /// # Errors
    ///
    /// Returns [`Denied`] if the caller lacks the permission.
    pub fn check(&self, call: &Call) -> Result<(), Denied> {
        let owner = || self.owner.clone();
        match call {
            Call::Drain(..) if !self.rights.drain => {
                Err(Denied::Order { order: "drain ports", owner: owner() })
            }
            Call::Reset if !self.rights.drain => {
                Err(Denied::Order { order: "end all clients", owner: owner() })
            }
            Call::Request(request) => match &request.request {
                Request::Register { name, .. } => self.check_application(name),
                Request::Connect { from, to, .. } => self.check_hosts([from, to]),
                // The core lets only the owner change a registration.
                Request::Deregister { .. } | Request::Close { .. } => Ok(()),
            },
            Call::Hello | Call::Renew(_) | Call::Goodbye(_) | Call::Drain(..) | Call::Reset => {
                Ok(())
            }
        }
    }

    /// Checks that the caller may register an application.
    ///
    /// # Errors
    ///
    /// Returns [`Denied`] if the caller may not register it.
    pub fn check_application(&self, name: &str) -> Result<(), Denied> {
        unlike(&self.rights.applications, [name]).map_or(Ok(()), |(name, allowed)| {
            Err(Denied::Application { owner: self.owner.clone(), name, allowed })
        })
    }

    /// Checks that the caller may name the hosts at the ends of a connection.
    ///
    /// # Errors
    ///
    /// Returns [`Denied`] for the first host that the caller may not name.
    pub fn check_hosts(&self, ends: [&str; 2]) -> Result<(), Denied> {
        unlike(&self.rights.hosts, ends).map_or(Ok(()), |(name, allowed)| {
            Err(Denied::Host { owner: self.owner.clone(), name, allowed })
        })
    }

    /// Checks that the caller may read the metrics, which count what belongs to all.
    ///
    /// # Errors
    ///
    /// Returns [`Denied`] if the caller sees only its own.
    pub fn check_metrics(&self) -> Result<(), Denied> {
        match self.rights.sees_all {
            true => Ok(()),
            false => Err(Denied::Metrics { owner: self.owner.clone() }),
        }
    }
}

/// Returns the first name that no pattern matches, with the patterns.
fn unlike<const N: usize>(patterns: &[Pattern], names: [&str; N]) -> Option<(String, String)> {
    let is_allowed = |name: &str| patterns.iter().any(|pattern| pattern.is_like(name));
    let name = names.into_iter().find(|name| !is_allowed(name))?;
    let allowed: Vec<String> = patterns.iter().map(Pattern::to_string).collect();
    Some((name.to_owned(), allowed.join(", ")))
}
