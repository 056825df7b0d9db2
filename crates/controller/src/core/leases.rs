//! [`Leases`]: the expiry times of clients' leases.

use super::request::ClientId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The expiry times of clients' leases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub(super) struct Leases {
    until: BTreeMap<ClientId, Duration>,
    ends: BTreeSet<(Duration, ClientId)>,
    /// Clients with an expired lease and no later call.
    silent: BTreeSet<ClientId>,
}

/// The serialised form.
#[derive(Serialize, Deserialize)]
struct Saved {
    until: Vec<(ClientId, Duration)>,
    silent: Vec<ClientId>,
}

impl From<Saved> for Leases {
    fn from(Saved { until, silent }: Saved) -> Self {
        let mut leases = Leases { silent: silent.into_iter().collect(), ..Leases::default() };
        until.into_iter().for_each(|(client, until)| leases.set(client, until));
        leases
    }
}

impl From<Leases> for Saved {
    fn from(Leases { until, silent, .. }: Leases) -> Self {
        Saved { until: until.into_iter().collect(), silent: silent.into_iter().collect() }
    }
}

impl Leases {
    /// Returns whether a client has a lease. A client with an expired lease counts until it is
    /// removed.
    pub(super) fn has(&self, client: ClientId) -> bool {
        self.until.contains_key(&client)
    }

    /// Renews the lease of a client that made a call.
    pub(super) fn renew(&mut self, client: ClientId, until: Duration) {
        self.silent.remove(&client);
        self.set(client, until);
    }

    /// Extends every lease that has not expired, after a time in which the controller received no calls.
    pub(super) fn renew_all(&mut self, until: Duration) {
        let all = self.until.iter().filter(|of| !self.silent.contains(of.0));
        let renewed: Vec<ClientId> = all.map(|of| *of.0).collect();
        renewed.into_iter().for_each(|client| self.set(client, until));
    }

    fn set(&mut self, client: ClientId, until: Duration) {
        if let Some(before) = self.until.insert(client, until) {
            self.ends.remove(&(before, client));
        }
        self.ends.insert((until, client));
    }

    /// Returns the next client with an expired lease. The client is returned again at `again`,
    /// unless it makes a call or is removed before.
    pub(super) fn ended(&mut self, now: Duration, again: Duration) -> Option<ClientId> {
        let &(_, client) = self.ends.first().filter(|first| first.0 <= now)?;
        self.set(client, again);
        self.silent.insert(client);
        Some(client)
    }

    /// Returns whether a client's lease has expired and the client has not called since.
    pub(super) fn is_silent(&self, client: ClientId) -> bool {
        self.silent.contains(&client)
    }

    /// Removes a client.
    pub(super) fn forget(&mut self, client: ClientId) {
        if let Some(until) = self.until.remove(&client) {
            self.ends.remove(&(until, client));
        }
        self.silent.remove(&client);
    }

    /// Returns the time at which the next lease expires.
    pub(super) fn next(&self) -> Option<Duration> {
        self.ends.first().map(|first| first.0)
    }
}
