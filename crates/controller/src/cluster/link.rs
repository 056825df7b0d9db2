//! [`Link`]: what is asked of etcd, each within a time.

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

/// How long etcd may take for anything.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// How many records are read at once.
const PAGE: i64 = 1000;

/// The largest answer that is read: of a page of records, each of which is smaller than etcd takes by itself.
const LARGEST: usize = 1 << 30;

/// Why something was not done, as far as is known.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It was not, and never will be.
    Refused(String),
    /// It may be, or may have been.
    Lost(String),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        let said = error.to_string();
        match &error {
            // A lease that is over.
            Error::LeaseKeepAliveError(_) => Trouble::Refused(said),
            Error::GRpcStatus(status) => match status.code() {
                Code::ResourceExhausted
                | Code::InvalidArgument
                | Code::PermissionDenied
                | Code::Unauthenticated => Trouble::Refused(status.message().to_owned()),
                _ => Trouble::Lost(said),
            },
            _ => Trouble::Lost(said),
        }
    }
}

/// Waits for as long as etcd may take.
pub(super) async fn within<T>(what: impl Future<Output = Result<T, Error>>) -> Result<T, Trouble> {
    match tokio::time::timeout(PATIENCE, what).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(Trouble::Lost(format!("no answer in {} s", PATIENCE.as_secs()))),
    }
}

/// Who wrote last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Author {
    /// Which controller.
    pub(super) instance: Group,
    /// Which run of its program.
    pub(super) run: u64,
    /// The number of its write.
    pub(super) write: u64,
}

/// All that stands under the prefix.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// The revision of etcd that it was read at.
    pub(super) at: i64,
    /// The revision of the last write.
    pub(super) head: u64,
    pub(super) records: Vec<Change>,
    pub(super) rules: String,
    /// The last write of each controller.
    pub(super) written: BTreeMap<Group, Author>,
    pub(super) alive: BTreeSet<Group>,
    pub(super) holders: BTreeMap<Group, Holder>,
}

/// What happened at one revision.
#[derive(Debug, Default)]
pub(super) struct Happened {
    pub(super) revision: i64,
    /// Who wrote records, if a controller did, and what was written.
    pub(super) author: Option<Author>,
    pub(super) changes: Vec<Change>,
    /// A record can't be read, or what all writes have in common was taken away.
    pub(super) is_unclear: bool,
    pub(super) alive: Vec<(Group, bool)>,
    pub(super) holders: Vec<(Group, Option<Holder>)>,
}

impl Happened {
    /// Whether somebody has written records who is no controller: those all say who they are.
    pub(super) fn is_by_hand(&self) -> bool {
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
    ) -> Result<Self, Trouble> {
        let options = options
            .with_connect_timeout(PATIENCE)
            .with_keep_alive(PATIENCE, PATIENCE)
            .with_require_leader(true);
        let client = within(Client::connect([endpoint], Some(options))).await?;
        Ok(Link { client, keys })
    }

    /// Reads all that there is, as it is at one revision.
    pub(super) async fn load(&mut self) -> Result<Loaded, Trouble> {
        let mut loaded = Loaded::default();
        let mut from = self.keys.prefix().as_bytes().to_vec();
        // The first name that has another prefix.
        let mut end = from.clone();
        *end.last_mut().expect("it ends with a slash") += 1;
        loop {
            let options = GetOptions::new().with_range(end.clone()).with_limit(PAGE);
            let options = match loaded.at {
                0 => options,
                at => options.with_revision(at),
            };
            let mut kv = self.client.kv_client().max_decoding_message_size(LARGEST);
            let page = within(kv.get(from, Some(options))).await?;
            if loaded.at == 0 {
                loaded.at = page.header().map_or(0, |header| header.revision());
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

    fn take(&self, loaded: &mut Loaded, of: &KeyValue) -> Result<(), Trouble> {
        match self.keys.read(of.key()) {
            Some(Key::Head) => loaded.head = of.mod_revision() as u64,
            Some(Key::Written(name)) => drop(loaded.written.insert(name, json(of)?)),
            Some(Key::Rules) => loaded.rules = String::from_utf8_lossy(of.value()).into_owned(),
            Some(Key::Record(_)) => loaded.records.push(json(of)?),
            Some(Key::Instance(name)) => drop(loaded.alive.insert(name)),
            Some(Key::Holder(group)) => drop(loaded.holders.insert(group, json(of)?)),
            None => {}
        }
        Ok(())
    }

    /// All that happens from a revision on.
    pub(super) async fn watch(&mut self, from: i64) -> Result<WatchStream, Trouble> {
        let options = WatchOptions::new().with_prefix().with_start_revision(from);
        let mut watch = self.client.watch_client().max_decoding_message_size(LARGEST);
        within(watch.watch(self.keys.prefix(), Some(options))).await
    }

    /// What a watcher heard, one revision after another.
    pub(super) fn read(&self, response: &WatchResponse) -> Result<Vec<Happened>, Trouble> {
        let mut all: Vec<Happened> = Vec::new();
        for event in response.events() {
            let Some(of) = event.kv() else { continue };
            let revision = of.mod_revision();
            if all.last().is_none_or(|last| last.revision != revision) {
                all.push(Happened { revision, ..Happened::default() });
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

    /// Stores all changes of a write, if nobody has written since it was decided. Whether it is there is heard.
    pub(super) async fn write(&mut self, author: &Author, write: &Write) -> Result<(), Trouble> {
        let head = self.keys.head();
        // Of each record the last, as etcd takes each name once.
        let mut last = BTreeMap::new();
        for (at, change) in write.changes.iter().enumerate() {
            last.insert(self.keys.record(change), at);
        }
        let said = text(author);
        let mut puts = vec![
            TxnOp::put(head.clone(), said.clone(), None),
            TxnOp::put(self.keys.written(&author.instance), said, None),
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

    /// Puts a name for as long as a lease, or for ever (0), if nothing stands there; whether it did.
    pub(super) async fn claim(
        &mut self,
        name: String,
        value: String,
        lease: i64,
    ) -> Result<bool, Trouble> {
        let free = Compare::create_revision(name.clone(), CompareOp::Equal, 0);
        let put = TxnOp::put(name, value, Some(PutOptions::new().with_lease(lease)));
        let done = within(self.client.txn(Txn::new().when([free]).and_then([put]))).await?;
        Ok(done.succeeded())
    }

    /// Takes a name away, if it stands there so.
    pub(super) async fn free(&mut self, name: String, value: String) -> Result<(), Trouble> {
        let same = Compare::value(name.clone(), CompareOp::Equal, value);
        let delete = TxnOp::delete(name, None);
        within(self.client.txn(Txn::new().when([same]).and_then([delete]))).await?;
        Ok(())
    }
}

fn json<T: serde::de::DeserializeOwned>(of: &KeyValue) -> Result<T, Trouble> {
    serde_json::from_slice(of.value()).map_err(|error| {
        let name = String::from_utf8_lossy(of.key()).into_owned();
        Trouble::Refused(format!("{name}: {error}: somebody else has written there"))
    })
}

/// A value as it stands there.
pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("what stands in the store is JSON")
}
