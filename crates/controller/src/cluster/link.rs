//! [`Link`]: the operations on etcd, each with a timeout.

use super::claims::Holder;
use super::keys::{Key, Keys};
use crate::core::{Change, Group};
use crate::daemon::Write;
use etcd_client::{
    Client, Compare, CompareOp, ConnectOptions, Error, EventType, GetOptions, KeyValue, PutOptions,
    Txn, TxnOp, WatchOptions, WatchResponse, WatchStream,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tonic::Code;

/// The timeout of each operation.
pub(super) const TIMEOUT: Duration = Duration::from_secs(1);

/// The number of records in one read.
const PAGE: i64 = 1000;

/// The largest response: a page of records, each smaller than etcd's limit.
const LARGEST: usize = 1 << 30;

/// The outcome of a failed operation.
#[derive(Debug)]
pub(super) enum Failure {
    /// The operation was not carried out.
    Rejected(String),
    /// The operation may have been carried out.
    Unknown(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match &error {
            // The lease has ended.
            Error::LeaseKeepAliveError(_) => Failure::Rejected(message),
            Error::GRpcStatus(status) => match status.code() {
                Code::ResourceExhausted
                | Code::InvalidArgument
                | Code::PermissionDenied
                | Code::Unauthenticated => Failure::Rejected(status.message().to_owned()),
                _ => Failure::Unknown(message),
            },
            _ => Failure::Unknown(message),
        }
    }
}

/// Waits for an operation, up to the timeout.
pub(super) async fn within<T>(what: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
    match tokio::time::timeout(TIMEOUT, what).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(Failure::Unknown(format!("no answer in {} s", TIMEOUT.as_secs()))),
    }
}

/// The author of a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Author {
    /// The controller.
    pub(super) instance: Group,
    /// A random number of the process.
    pub(super) run: u64,
    /// The number of the write.
    pub(super) write: u64,
}

/// A revision of etcd that a controller knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// The id of etcd's cluster.
    pub(super) cluster: u64,
    pub(super) revision: i64,
    /// The author of the last write.
    pub(super) author: Option<Author>,
}

/// The content of the store.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// The revision at which the store was read.
    pub(super) known: Known,
    /// The revision of the last write.
    pub(super) head: u64,
    pub(super) records: Vec<Change>,
    pub(super) rules: String,
    /// The last write of each controller.
    pub(super) written: BTreeMap<Group, Author>,
    pub(super) alive: BTreeSet<Group>,
    pub(super) holders: BTreeMap<Group, Holder>,
}

/// The events of one revision.
#[derive(Debug, Default)]
pub(super) struct RevisionEvents {
    pub(super) revision: i64,
    /// The author of `changes`, if a controller wrote them.
    pub(super) author: Option<Author>,
    pub(super) changes: Vec<Change>,
    /// A record is unreadable, or a key that all controllers need was removed.
    pub(super) is_unclear: bool,
    pub(super) alive: Vec<(Group, bool)>,
    pub(super) holders: Vec<(Group, Option<Holder>)>,
}

impl RevisionEvents {
    /// Returns whether records were edited by hand: a controller always names itself as the author.
    pub(super) fn is_manual_edit(&self) -> bool {
        self.is_unclear || self.author.is_none() && !self.changes.is_empty()
    }
}

/// A connection to one etcd.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) keys: Keys,
}

impl Link {
    pub(super) async fn open(
        endpoint: &str,
        options: ConnectOptions,
        keys: Keys,
    ) -> Result<Self, Failure> {
        let options = options
            .with_connect_timeout(TIMEOUT)
            .with_keep_alive(TIMEOUT, TIMEOUT)
            .with_require_leader(true);
        let client = within(Client::connect([endpoint], Some(options))).await?;
        Ok(Link { client, keys })
    }

    /// Returns whether etcd still has a known past: the last write at a revision is the known one. An older copy that
    /// has gone on since may have the same revision with another write.
    pub(super) async fn has(&mut self, known: &Known) -> Result<bool, Failure> {
        let options = GetOptions::new().with_revision(known.revision);
        let past = self.client.get(self.keys.head(), Some(options));
        let past = async {
            match past.await {
                // The revision is in the future, or compacted.
                Err(Error::GRpcStatus(status)) if status.code() == Code::OutOfRange => Ok(None),
                past => past.map(Some),
            }
        };
        let Some(past) = within(past).await? else { return Ok(false) };
        let cluster = past.header().map_or(0, |header| header.cluster_id());
        let author = past.kvs().first().map(json).transpose()?;
        Ok((cluster, &author) == (known.cluster, &known.author))
    }

    /// Reads the whole store at one revision.
    pub(super) async fn load(&mut self) -> Result<Loaded, Failure> {
        let mut loaded = Loaded::default();
        let mut from = self.keys.prefix().as_bytes().to_vec();
        // The end of the range: the first key after the prefix.
        let mut end = from.clone();
        *end.last_mut().expect("it ends with a slash") += 1;
        loop {
            let options = GetOptions::new().with_range(end.clone()).with_limit(PAGE);
            let options = match loaded.known.revision {
                0 => options,
                at => options.with_revision(at),
            };
            let mut kv = self.client.kv_client().max_decoding_message_size(LARGEST);
            let page = within(kv.get(from, Some(options))).await?;
            if let Some(header) = page.header().filter(|_| loaded.known.revision == 0) {
                loaded.known.cluster = header.cluster_id();
                loaded.known.revision = header.revision();
            }
            for of in page.kvs() {
                self.take(&mut loaded, of)?;
            }
            match page.kvs().last() {
                Some(last) if page.more() => from = [last.key(), &[0]].concat(),
                _ => return Ok(loaded),
            }
        }
    }

    fn take(&self, loaded: &mut Loaded, of: &KeyValue) -> Result<(), Failure> {
        match self.keys.read(of.key()) {
            Some(Key::Head) => {
                loaded.head = of.mod_revision() as u64;
                loaded.known.author = Some(json(of)?);
            }
            Some(Key::Written(name)) => drop(loaded.written.insert(name, json(of)?)),
            Some(Key::Rules) => loaded.rules = String::from_utf8_lossy(of.value()).into_owned(),
            Some(Key::Record(_)) => loaded.records.push(json(of)?),
            Some(Key::Instance(name)) => drop(loaded.alive.insert(name)),
            Some(Key::Holder(group)) => drop(loaded.holders.insert(group, json(of)?)),
            None => {}
        }
        Ok(())
    }

    /// Watches all events from a revision on.
    pub(super) async fn watch(&mut self, from: i64) -> Result<WatchStream, Failure> {
        let options = WatchOptions::new().with_prefix().with_start_revision(from);
        let mut watch = self.client.watch_client().max_decoding_message_size(LARGEST);
        within(watch.watch(self.keys.prefix(), Some(options))).await
    }

    /// Groups the events of a watch response by revision.
    pub(super) fn read(&self, response: &WatchResponse) -> Result<Vec<RevisionEvents>, Failure> {
        let mut all: Vec<RevisionEvents> = Vec::new();
        for event in response.events() {
            let Some(of) = event.kv() else { continue };
            let revision = of.mod_revision();
            if all.last().is_none_or(|last| last.revision != revision) {
                all.push(RevisionEvents { revision, ..RevisionEvents::default() });
            }
            let last = all.last_mut().expect("it was pushed");
            let is_there = event.event_type() == EventType::Put;
            match self.keys.read(of.key()) {
                Some(Key::Head) if is_there => last.author = Some(json(of)?),
                Some(Key::Head) => last.is_unclear = true,
                Some(Key::Record(_)) if is_there => match json(of) {
                    Ok(change) => last.changes.push(change),
                    Err(_) => last.is_unclear = true,
                },
                Some(Key::Record(ended)) => last.changes.push(ended),
                Some(Key::Instance(name)) => last.alive.push((name, is_there)),
                Some(Key::Holder(group)) => {
                    let holder = is_there.then(|| json(of)).transpose()?;
                    last.holders.push((group, holder));
                }
                Some(Key::Rules) if !is_there => last.is_unclear = true,
                Some(Key::Rules | Key::Written(_)) | None => {}
            }
        }
        Ok(all)
    }

    /// Stores the changes of a write if the store has not changed since the decision. The watch
    /// reports the outcome.
    pub(super) async fn write(&mut self, author: &Author, write: &Write) -> Result<(), Failure> {
        let head = self.keys.head();
        // etcd accepts each key once a transaction, so only the last change of each record is written.
        let mut last = BTreeMap::new();
        for (at, change) in write.changes.iter().enumerate() {
            last.insert(self.keys.record(change), at);
        }
        let record = text(author);
        let mut puts = vec![
            TxnOp::put(head.clone(), record.clone(), None),
            TxnOp::put(self.keys.written(&author.instance), record, None),
        ];
        for (at, change) in write.changes.iter().enumerate() {
            let name = self.keys.record(change);
            if last[&name] == at {
                puts.push(match change.is_end() {
                    true => TxnOp::delete(name, None),
                    false => TxnOp::put(name, text(change), None),
                });
            }
        }
        let guard = Compare::mod_revision(head, CompareOp::Equal, write.after as i64);
        within(self.client.txn(Txn::new().when([guard]).and_then(puts))).await?;
        Ok(())
    }

    /// Creates a key with a lease, or without an end (0), if the key is absent. Returns whether it was created.
    pub(super) async fn claim(
        &mut self,
        name: String,
        value: String,
        lease: i64,
    ) -> Result<bool, Failure> {
        let free = Compare::create_revision(name.clone(), CompareOp::Equal, 0);
        let put = TxnOp::put(name, value, Some(PutOptions::new().with_lease(lease)));
        let done = within(self.client.txn(Txn::new().when([free]).and_then([put]))).await?;
        Ok(done.succeeded())
    }

    /// Deletes a key if its value equals `value`.
    pub(super) async fn free(&mut self, name: String, value: String) -> Result<(), Failure> {
        let same = Compare::value(name.clone(), CompareOp::Equal, value);
        let delete = TxnOp::delete(name, None);
        within(self.client.txn(Txn::new().when([same]).and_then([delete]))).await?;
        Ok(())
    }
}

fn json<T: serde::de::DeserializeOwned>(of: &KeyValue) -> Result<T, Failure> {
    serde_json::from_slice(of.value()).map_err(|error| {
        let name = String::from_utf8_lossy(of.key()).into_owned();
        Failure::Rejected(format!("{name}: {error}: not written by a controller"))
    })
}

/// Returns a value in its stored form.
pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records are JSON")
}
