//! [`Leases`]: until when clients are taken for alive.

use super::request::ClientId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Until when clients are taken for alive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Kept", into = "Kept")]
pub(super) struct Leases {
    until: BTreeMap<ClientId, Duration>,
    ends: BTreeSet<(Duration, ClientId)>,
    /// Whose leases have ended, and who was not heard since.
    silent: BTreeSet<ClientId>,
}

/// The same, as it is written down.
#[derive(Serialize, Deserialize)]
struct Kept {
    until: Vec<(ClientId, Duration)>,
    silent: Vec<ClientId>,
}

impl From<Kept> for Leases {
    fn from(Kept { until, silent }: Kept) -> Self {
        let mut leases = Leases { silent: silent.into_iter().collect(), ..Leases::default() };
        until.into_iter().for_each(|(client, until)| leases.set(client, until));
        leases
    }
}

impl From<Leases> for Kept {
    fn from(Leases { until, silent, .. }: Leases) -> Self {
        Kept { until: until.into_iter().collect(), silent: silent.into_iter().collect() }
    }
}

impl Leases {
    /// Whether a client has a lease, or had one that was not taken away yet.
    pub(super) fn has(&self, client: ClientId) -> bool {
        self.until.contains_key(&client)
    }

    /// A client was heard.
    pub(super) fn renew(&mut self, client: ClientId, until: Duration) {
        self.silent.remove(&client);
        self.set(client, until);
    }

    /// All whose leases have not ended have until then. Nobody could be heard.
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

    /// A client whose lease has ended by now, if there is another. It is named again at `again`, unless it is heard
    /// or forgotten before.
    pub(super) fn ended(&mut self, now: Duration, again: Duration) -> Option<ClientId> {
        let &(_, client) = self.ends.first().filter(|first| first.0 <= now)?;
        self.set(client, again);
        self.silent.insert(client);
        Some(client)
    }

    /// Whether a client was not heard since its lease ended.
    pub(super) fn is_silent(&self, client: ClientId) -> bool {
        self.silent.contains(&client)
    }

    /// A client is none any more.
    pub(super) fn forget(&mut self, client: ClientId) {
        if let Some(until) = self.until.remove(&client) {
            self.ends.remove(&(until, client));
        }
        self.silent.remove(&client);
    }

    /// When the next ends.
    pub(super) fn next(&self) -> Option<Duration> {
        self.ends.first().map(|first| first.0)
    }
}
