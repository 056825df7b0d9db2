//! [`Loaded`] and `RevisionEvents`: the meaning of keys in etcd, and the transactions that change them.

use super::calls::{Condition, Content, Failure, KeyEvent, KeyValue, Step, Transaction};
use super::claims::Holder;
use super::keys::{Key, Keys};
use crate::core::{Change, Group};
use crate::daemon::Write;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The author of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The controller.
    pub instance: Group,
    /// A random number of the process.
    pub run: u64,
    /// The number of the write.
    pub write: u64,
}

/// The content of the store.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The id of etcd's cluster.
    pub cluster: u64,
    /// The revision of etcd at which the store was read.
    pub at: i64,
    /// The revision of the last write.
    pub head: u64,
    /// The author of the last write.
    pub author: Option<Author>,
    /// The stored records.
    pub records: Vec<Change>,
    /// The rules that all controllers share.
    pub rules: String,
    /// The last write of each controller.
    pub written: BTreeMap<Group, Author>,
    /// The live controllers.
    pub alive: BTreeSet<Group>,
    /// The holders of groups.
    pub holders: BTreeMap<Group, Holder>,
}

impl Loaded {
    /// Reads the content of the store.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::Rejected`] if a value was not written by a controller.
    pub fn read(keys: &Keys, content: &Content) -> Result<Self, Failure> {
        let (cluster, at) = (content.cluster, content.revision);
        let mut loaded = Loaded { cluster, at, ..Loaded::default() };
        for of in &content.keys {
            match keys.read(&of.key) {
                Some(Key::Head) => {
                    (loaded.head, loaded.author) = (of.modified as u64, Some(json(of)?));
                }
                Some(Key::Written(name)) => drop(loaded.written.insert(name, json(of)?)),
                Some(Key::Rules) => loaded.rules = String::from_utf8_lossy(&of.value).into_owned(),
                Some(Key::Record(_) | Key::UnknownRecord) => loaded.records.push(record(keys, of)?),
                Some(Key::Instance(name)) => drop(loaded.alive.insert(name)),
                Some(Key::Holder(group)) => drop(loaded.holders.insert(group, json(of)?)),
                None => {}
            }
        }
        Ok(loaded)
    }
}

/// The events of one revision.
#[derive(Debug, Default)]
pub(super) struct RevisionEvents {
    pub(super) revision: i64,
    /// The author of `changes`, if a controller wrote them.
    pub(super) author: Option<Author>,
    pub(super) changes: Vec<Change>,
    /// A value is unreadable, or a key that all controllers need was removed.
    is_unclear: bool,
    pub(super) alive: Vec<(Group, bool)>,
    pub(super) holders: Vec<(Group, Option<Holder>)>,
}

impl RevisionEvents {
    /// Groups events by revision.
    pub(super) fn read(keys: &Keys, events: &[KeyEvent]) -> Vec<Self> {
        let mut all: Vec<RevisionEvents> = Vec::new();
        for KeyEvent { key: of, is_put } in events {
            let (revision, is_put) = (of.modified, *is_put);
            if all.last().is_none_or(|last| last.revision != revision) {
                all.push(RevisionEvents { revision, ..RevisionEvents::default() });
            }
            let last = all.last_mut().expect("it was pushed");
            match keys.read(&of.key) {
                Some(Key::Head) if is_put => match json(of) {
                    Ok(author) => last.author = Some(author),
                    Err(_) => last.is_unclear = true,
                },
                Some(Key::Head) => last.is_unclear = true,
                Some(Key::Record(_)) if is_put => match record(keys, of) {
                    Ok(change) => last.changes.push(change),
                    Err(_) => last.is_unclear = true,
                },
                Some(Key::Record(ended)) => last.changes.push(ended),
                Some(Key::UnknownRecord) => last.is_unclear = true,
                Some(Key::Instance(name)) => last.alive.push((name, is_put)),
                Some(Key::Holder(group)) => match is_put.then(|| json(of)).transpose() {
                    Ok(holder) => last.holders.push((group, holder)),
                    Err(_) => last.is_unclear = true,
                },
                Some(Key::Rules) if !is_put => last.is_unclear = true,
                Some(Key::Rules | Key::Written(_)) | None => {}
            }
        }
        all
    }

    /// Returns whether records were edited by hand: a controller always names itself as the author.
    pub(super) fn is_manual_edit(&self) -> bool {
        self.is_unclear || self.author.is_none() && !self.changes.is_empty()
    }
}

/// Returns the transaction that stores the changes of a write, if the store has not changed since the decision.
pub(super) fn write(keys: &Keys, author: &Author, write: &Write) -> Transaction {
    // etcd accepts each key once a transaction, so only the last change of each record is written.
    let mut last = BTreeMap::new();
    for (at, change) in write.changes.iter().enumerate() {
        last.insert(keys.record(change), at);
    }
    let put = |key, value| Step::Put { key, value, lease: 0 };
    let record = text(author);
    let mut steps =
        vec![put(keys.head(), record.clone()), put(keys.written(&author.instance), record)];
    for (at, change) in write.changes.iter().enumerate() {
        let key = keys.record(change);
        if last[&key] == at {
            steps.push(match change.is_end() {
                true => Step::Delete(key),
                false => put(key, text(change)),
            });
        }
    }
    Transaction { condition: Condition::Modified(keys.head(), write.after as i64), steps }
}

/// Returns the transaction that creates a key with a lease, or without an end (0), if the key is absent.
pub(super) fn claim(key: String, value: String, lease: i64) -> Transaction {
    let condition = Condition::Absent(key.clone());
    Transaction { condition, steps: vec![Step::Put { key, value, lease }] }
}

/// Returns the transaction that deletes a key if it has this value.
pub(super) fn free(key: String, value: String) -> Transaction {
    Transaction { condition: Condition::Value(key.clone(), value), steps: vec![Step::Delete(key)] }
}

/// Returns the transaction that replaces the shared rules if nobody has replaced them since they were read.
pub fn replace_rules(keys: &Keys, read: String, rules: String) -> Transaction {
    let key = keys.rules();
    let condition = match read.is_empty() {
        true => Condition::Absent(key.clone()),
        false => Condition::Value(key.clone(), read),
    };
    Transaction { condition, steps: vec![Step::Put { key, value: rules, lease: 0 }] }
}

/// Reads a record. Its key and its value have to be of the same.
fn record(keys: &Keys, of: &KeyValue) -> Result<Change, Failure> {
    let change = json(of)?;
    match keys.record(&change).as_bytes() == of.key {
        true => Ok(change),
        false => {
            let name = String::from_utf8_lossy(&of.key);
            Err(Failure::Rejected(format!("{name}: it holds another record than its key says")))
        }
    }
}

fn json<T: serde::de::DeserializeOwned>(of: &KeyValue) -> Result<T, Failure> {
    serde_json::from_slice(&of.value).map_err(|error| {
        let name = String::from_utf8_lossy(&of.key).into_owned();
        Failure::Rejected(format!("{name}: {error}: not written by a controller"))
    })
}

/// Returns a value in its stored form.
pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::ClientId;

    /// A record of another version, or under another record's key, makes the store unreadable: it is not left out.
    #[test]
    fn unknown_records_are_refused() {
        let keys = Keys::under("/saba");
        let [ended, other] = [3, 4].map(|id| Change::Client(ClientId(id), None));
        let read = |key: &str, value: &str| {
            let (key, value) = (key.as_bytes().to_vec(), value.as_bytes().to_vec());
            let of = KeyValue { key, value, modified: 7 };
            let events = RevisionEvents::read(&keys, &[KeyEvent { key: of.clone(), is_put: true }]);
            let is_unclear = events.iter().any(RevisionEvents::is_manual_edit);
            let read = Loaded::read(&keys, &Content { keys: vec![of], ..Content::default() });
            (read.map(|loaded| loaded.records).map_err(Failure::into_error), is_unclear)
        };
        let key = keys.record(&ended);
        assert_eq!(read(&key, &text(&ended)).0, Ok(vec![ended]));
        for (key, value, why) in [
            (&*key, text(&other), "it holds another record than its key says"),
            ("/saba/record/quota/1", text(&other), "it holds another record than its key says"),
            ("/saba/record/quota/1", "{\"quota\": 1}".into(), "not written by a controller"),
            (&*key, "{".into(), "not written by a controller"),
            ("/saba/head", "{".into(), "not written by a controller"),
            ("/saba/holder/a", "{".into(), "not written by a controller"),
        ] {
            let (read, is_unclear) = read(key, &value);
            let error = read.unwrap_err();
            assert!(error.starts_with(key) && error.contains(why) && is_unclear, "{error}");
        }
    }
}
