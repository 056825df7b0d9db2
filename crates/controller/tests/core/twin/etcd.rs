//! [`Etcd`]: a model of etcd in virtual time: revisions, transactions, leases, watches, and what operators do to it.

use bandwise_controller::cluster::Keys;
use bandwise_controller::cluster::calls::{
    Call, Condition, Content, Failure, KeyEvent, KeyValue, Reply, Step, Transaction, Update,
};
use bandwise_controller::cluster::claims::Holder;
use bandwise_controller::core::{Answer, Change, ClientId, Group, State};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A key.
#[derive(Debug, Clone)]
struct Value {
    text: String,
    modified: i64,
    lease: i64,
}

#[derive(Debug, Clone, Copy)]
struct Lease {
    lasts: Duration,
    ends: Duration,
}

/// The data of a cluster.
#[derive(Debug, Clone)]
struct Data {
    cluster: u64,
    revision: i64,
    values: BTreeMap<String, Value>,
    events: Vec<KeyEvent>,
    /// All changes of keys other than records.
    past: Vec<KeyEvent>,
    /// Events before this revision are gone.
    compacted: i64,
    leases: BTreeMap<i64, Lease>,
}

/// A model of etcd. Its members are alike; a network stands between them and controllers.
pub(super) struct Etcd {
    data: Data,
    backup: Option<Data>,
    last_cluster: u64,
    last_lease: i64,
    /// True if etcd refuses to store anything, since its space is used up.
    pub(super) is_full: bool,
    /// True if transactions ignore their condition: a test of the checker.
    pub(super) ignores_conditions: bool,
}

pub(super) fn keys() -> Keys {
    Keys::under("/twin")
}

/// Returns the key of a record that nobody can read.
fn scribbled() -> String {
    "/twin/record/connection/00000000009999999999".into()
}

fn empty(cluster: u64) -> Data {
    let (values, leases) = (BTreeMap::new(), BTreeMap::new());
    let (events, past) = (Vec::new(), Vec::new());
    Data { cluster, revision: 1, values, events, past, compacted: 0, leases }
}

impl Etcd {
    pub(super) fn new() -> Self {
        Etcd {
            data: empty(1),
            backup: None,
            last_cluster: 1,
            last_lease: 0,
            is_full: false,
            ignores_conditions: false,
        }
    }

    /// Carries out a call that arrives now.
    pub(super) fn call(&mut self, now: Duration, call: &Call) -> Result<Reply, Failure> {
        let gone = || Failure::Rejected("requested lease not found".into());
        let full = || Failure::Rejected("etcdserver: mvcc: database space exceeded".into());
        Ok(match call {
            Call::Recall(at) if *at > self.data.revision => Reply::Future,
            Call::Recall(at) if *at < self.data.compacted => Reply::Compacted,
            Call::Recall(at) => Reply::Content(self.recall(*at)),
            Call::Load => Reply::Content(self.content()),
            Call::Watch(_) => Reply::Watching,
            Call::Grant(_) if self.is_full => return Err(full()),
            &Call::Grant(lasts) => {
                self.last_lease += 1;
                self.data.leases.insert(self.last_lease, Lease { lasts, ends: now + lasts });
                Reply::Granted(self.last_lease)
            }
            Call::KeepAlive(id) => {
                let lease = self.data.leases.get_mut(id).ok_or_else(gone)?;
                lease.ends = now + lease.lasts;
                Reply::KeptAlive
            }
            Call::Revoke(id) => {
                self.data.leases.remove(id).ok_or_else(gone)?;
                self.remove_leased();
                Reply::Revoked
            }
            Call::Transact(transaction) => {
                let is_put = |step: &Step| matches!(step, Step::Put { .. });
                if self.is_full && transaction.steps.iter().any(is_put) {
                    return Err(full());
                }
                Reply::Transacted(self.transact(transaction)?)
            }
        })
    }

    pub(super) fn content(&self) -> Content {
        let key = |(key, of): (&String, &Value)| KeyValue {
            key: key.clone().into_bytes(),
            value: of.text.clone().into_bytes(),
            modified: of.modified,
        };
        let Data { cluster, revision, .. } = self.data;
        Content { cluster, revision, keys: self.data.values.iter().map(key).collect() }
    }

    fn transact(&mut self, of: &Transaction) -> Result<bool, Failure> {
        let values = &self.data.values;
        let holds = match &of.condition {
            Condition::Absent(key) => !values.contains_key(key),
            Condition::Value(key, value) => values.get(key).is_some_and(|of| of.text == *value),
            Condition::Modified(key, at) => values.get(key).map_or(0, |of| of.modified) == *at,
        };
        if !holds && !self.ignores_conditions {
            return Ok(false);
        }
        let leases = of.steps.iter().filter_map(|step| match step {
            Step::Put { lease, .. } if *lease != 0 => Some(lease),
            _ => None,
        });
        for lease in leases {
            if !self.data.leases.contains_key(lease) {
                return Err(Failure::Unknown("requested lease not found".into()));
            }
        }
        self.data.revision += 1;
        for step in &of.steps {
            match step {
                Step::Put { key, value, lease } => self.put(key, value, *lease),
                Step::Delete(key) => self.delete(key),
            }
        }
        Ok(true)
    }

    fn put(&mut self, key: &str, text: &str, lease: i64) {
        let modified = self.data.revision;
        let value = Value { text: text.to_owned(), modified, lease };
        self.data.values.insert(key.to_owned(), value);
        let key = KeyValue { key: key.into(), value: text.into(), modified };
        self.happened(KeyEvent { key, is_put: true });
    }

    fn delete(&mut self, key: &str) {
        if self.data.values.remove(key).is_some() {
            let modified = self.data.revision;
            let key = KeyValue { key: key.into(), value: Vec::new(), modified };
            self.happened(KeyEvent { key, is_put: false });
        }
    }

    fn happened(&mut self, event: KeyEvent) {
        if !String::from_utf8_lossy(&event.key.key).contains("/record/") {
            self.data.past.push(event.clone());
        }
        self.data.events.push(event);
    }

    fn recall(&self, at: i64) -> Content {
        let mut keys = BTreeMap::new();
        for event in self.data.past.iter().take_while(|of| of.key.modified <= at) {
            match event.is_put {
                true => drop(keys.insert(event.key.key.clone(), event.key.clone())),
                false => drop(keys.remove(&event.key.key)),
            }
        }
        Content { cluster: self.data.cluster, revision: at, keys: keys.into_values().collect() }
    }

    fn delete_if(&mut self, is_gone: impl Fn(&str, &Value) -> bool) {
        let gone = self.data.values.iter().filter(|of| is_gone(of.0, of.1));
        let gone: Vec<String> = gone.map(|of| of.0.clone()).collect();
        if !gone.is_empty() {
            self.data.revision += 1;
            gone.iter().for_each(|key| self.delete(key));
        }
    }

    fn remove_leased(&mut self) {
        let leases: BTreeSet<i64> = self.data.leases.keys().copied().collect();
        self.delete_if(|_, of| of.lease != 0 && !leases.contains(&of.lease));
    }

    /// Ends the leases that have expired by now. Returns true if there are any.
    pub(super) fn expire(&mut self, now: Duration) -> bool {
        let before = self.data.leases.len();
        self.data.leases.retain(|_, lease| lease.ends > now);
        self.remove_leased();
        before != self.data.leases.len()
    }

    /// Gives each lease its full length, as a new leader does.
    pub(super) fn elect(&mut self, now: Duration) {
        self.data.leases.values_mut().for_each(|lease| lease.ends = now + lease.lasts);
    }

    /// Returns what a watch from this revision on reports now, if anything, and the revision from which it goes on.
    pub(super) fn news(&self, from: i64) -> Option<(Update, i64)> {
        if from <= self.data.compacted {
            return Some((Update { events: Vec::new(), is_cancelled: true }, i64::MAX));
        }
        let first = self.data.events.partition_point(|event| event.key.modified < from);
        let events = self.data.events[first..].to_vec();
        let next = events.last()?.key.modified + 1;
        Some((Update { events, is_cancelled: false }, next))
    }

    /// Drops all past events.
    pub(super) fn compact(&mut self) {
        self.data.compacted = self.data.revision;
        self.data.events.clear();
    }

    /// Deletes everything under the prefix.
    pub(super) fn empty(&mut self) {
        self.delete_if(|_, _| true);
    }

    /// Writes a record that nobody can read.
    pub(super) fn scribble(&mut self) {
        self.data.revision += 1;
        self.put(&scribbled(), "{", 0);
    }

    /// Removes that record. Returns whether it was there.
    pub(super) fn wipe(&mut self) -> bool {
        let is_there = self.data.values.contains_key(&scribbled());
        self.delete_if(|key, _| key == scribbled());
        is_there
    }

    pub(super) fn back_up(&mut self) {
        self.backup = Some(self.data.clone());
    }

    /// Continues from the last backup, or from nothing. The cluster gets a new id, or keeps its own.
    pub(super) fn restore(&mut self, now: Duration, is_new_cluster: bool) {
        let cluster = match is_new_cluster {
            true => {
                self.last_cluster += 1;
                self.last_cluster
            }
            false => self.data.cluster,
        };
        let restored = self.backup.clone().unwrap_or_else(|| empty(cluster));
        self.data = Data { cluster, ..restored };
        self.elect(now);
    }

    /// Replaces etcd by an empty one.
    pub(super) fn replace(&mut self) {
        self.last_cluster += 1;
        self.data = empty(self.last_cluster);
    }

    /// Returns the stored records.
    pub(super) fn state(&self) -> State {
        State::of(self.records())
    }

    fn records(&self) -> impl Iterator<Item = Change> {
        let records = self.data.values.iter().filter(|of| of.0.contains("/record/"));
        records
            .filter(|of| *of.0 != scribbled())
            .map(|of| serde_json::from_str(&of.1.text).unwrap())
    }

    /// Returns the stored answers to a client's requests with smaller numbers.
    pub(super) fn answers(&self, client: ClientId, below: u64) -> Vec<Answer> {
        let key = |number| format!("/twin/record/answered/{:020}/{number:020}", client.0);
        let values = self.data.values.range(key(0)..key(below));
        let change = |of: (_, &Value)| serde_json::from_str(&of.1.text).unwrap();
        let answer = |change| match change {
            Change::Answered(_, _, Some(of)) => of.answer.ok(),
            _ => None,
        };
        values.map(change).filter_map(answer).collect()
    }

    /// Returns the holder of a group.
    pub(super) fn holder(&self, group: &Group) -> Option<Holder> {
        let key = format!("/twin/holder/{group}");
        Some(serde_json::from_str(&self.data.values.get(&key)?.text).unwrap())
    }
}
