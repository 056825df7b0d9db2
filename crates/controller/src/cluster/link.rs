//! [`Link`]: a connection to one etcd, which carries out [`Call`]s, each with a timeout.

use super::calls::{
    Call, Condition, Content, Failure, KeyEvent, KeyValue, Reply, Step, Transaction, Update,
};
use super::keys::Keys;
use etcd_client::{
    Client, Compare, CompareOp, ConnectOptions, Error, EventType, GetOptions, PutOptions, Txn,
    TxnOp, WatchOptions, WatchResponse, WatchStream,
};
use std::time::Duration;
use tonic::Code;

/// The timeout of each operation.
pub(super) const TIMEOUT: Duration = Duration::from_secs(1);

/// The number of records in one read.
const PAGE: i64 = 1000;

/// The largest response: a page of records, each smaller than etcd's limit.
const LARGEST: usize = 1 << 30;

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
                _ => Failure::Unknown(format!("{}{}", status.message(), cause(status))),
            },
            _ => Failure::Unknown(message),
        }
    }
}

/// Returns the first cause of an error, such as a refused connection, behind a colon.
fn cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.last().map_or_else(String::new, |cause| format!(": {cause}"))
}

/// Waits for an operation, up to the timeout.
async fn within<T>(what: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
    match tokio::time::timeout(TIMEOUT, what).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(Failure::Unknown(format!("no answer in {} s", TIMEOUT.as_secs()))),
    }
}

/// A connection to one etcd.
#[derive(Clone)]
pub(super) struct Link {
    client: Client,
    keys: Keys,
}

/// The result of a call: a reply, or a watch that has begun.
pub(super) enum Done {
    Reply(Reply),
    Watch(Box<WatchStream>),
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

    /// Carries out a call.
    pub(super) async fn call(&mut self, call: Call) -> Result<Done, Failure> {
        let reply = match call {
            Call::Recall(revision) => self.recall(revision).await?,
            Call::Load => Reply::Content(self.load().await?),
            Call::Watch(from) => return Ok(Done::Watch(Box::new(self.watch(from).await?))),
            Call::Grant(lasts) => {
                let granted = self.client.lease_grant(lasts.as_secs() as i64, None);
                Reply::Granted(within(granted).await?.id())
            }
            Call::KeepAlive(lease) => {
                within(self.client.lease_keep_alive(lease)).await?;
                Reply::KeptAlive
            }
            Call::Revoke(lease) => {
                within(self.client.lease_revoke(lease)).await?;
                Reply::Revoked
            }
            Call::Transact(transaction) => Reply::Transacted(self.transact(transaction).await?),
        };
        Ok(Done::Reply(reply))
    }

    /// Reads the head, the live controllers and the holders at a revision.
    async fn recall(&mut self, revision: i64) -> Result<Reply, Failure> {
        let mut content = Content { revision, ..Content::default() };
        for (key, is_prefix) in self.keys.of_controllers() {
            let options = GetOptions::new().with_revision(revision);
            let options = if is_prefix { options.with_prefix() } else { options };
            let get = self.client.get(key, Some(options));
            let answer = within(async {
                match get.await {
                    Err(Error::GRpcStatus(of)) if of.code() == Code::OutOfRange => Ok(Err(of)),
                    answer => answer.map(Ok),
                }
            });
            let answer = match answer.await? {
                Ok(answer) => answer,
                Err(status) if status.message().contains("future") => return Ok(Reply::Future),
                Err(_) => return Ok(Reply::Compacted),
            };
            content.cluster = answer.header().map_or(0, |header| header.cluster_id());
            content.keys.extend(answer.kvs().iter().map(key_value));
        }
        Ok(Reply::Content(content))
    }

    /// Reads the whole store at one revision.
    pub(super) async fn load(&mut self) -> Result<Content, Failure> {
        let mut content = Content::default();
        let mut from = self.keys.prefix().as_bytes().to_vec();
        // The end of the range: the first key after the prefix.
        let mut end = from.clone();
        *end.last_mut().expect("it ends with a slash") += 1;
        loop {
            let options = GetOptions::new().with_range(end.clone()).with_limit(PAGE);
            let options = match content.revision {
                0 => options,
                at => options.with_revision(at),
            };
            let mut kv = self.client.kv_client().max_decoding_message_size(LARGEST);
            let page = within(kv.get(from, Some(options))).await?;
            if let Some(header) = page.header().filter(|_| content.revision == 0) {
                (content.cluster, content.revision) = (header.cluster_id(), header.revision());
            }
            content.keys.extend(page.kvs().iter().map(key_value));
            match page.kvs().last() {
                Some(last) if page.more() => from = [last.key(), &[0]].concat(),
                _ => return Ok(content),
            }
        }
    }

    async fn watch(&mut self, from: i64) -> Result<WatchStream, Failure> {
        let options = WatchOptions::new().with_prefix().with_start_revision(from);
        let mut watch = self.client.watch_client().max_decoding_message_size(LARGEST);
        within(watch.watch(self.keys.prefix(), Some(options))).await
    }

    /// Carries out a transaction. Returns whether its condition held.
    pub(super) async fn transact(&mut self, of: Transaction) -> Result<bool, Failure> {
        let condition = match of.condition {
            Condition::Absent(key) => Compare::create_revision(key, CompareOp::Equal, 0),
            Condition::Value(key, value) => Compare::value(key, CompareOp::Equal, value),
            Condition::Modified(key, at) => Compare::mod_revision(key, CompareOp::Equal, at),
        };
        let step = |step| match step {
            Step::Put { key, value, lease: 0 } => TxnOp::put(key, value, None),
            Step::Put { key, value, lease } => {
                TxnOp::put(key, value, Some(PutOptions::new().with_lease(lease)))
            }
            Step::Delete(key) => TxnOp::delete(key, None),
        };
        let steps: Vec<TxnOp> = of.steps.into_iter().map(step).collect();
        let done = within(self.client.txn(Txn::new().when([condition]).and_then(steps))).await?;
        Ok(done.succeeded())
    }
}

/// Returns the changes that a response of a watch reports.
pub(super) fn update(response: &WatchResponse) -> Update {
    let event = |event: &etcd_client::Event| {
        let is_put = event.event_type() == EventType::Put;
        Some(KeyEvent { key: key_value(event.kv()?), is_put })
    };
    let events = response.events().iter().filter_map(event).collect();
    Update { events, is_cancelled: response.canceled() }
}

fn key_value(of: &etcd_client::KeyValue) -> KeyValue {
    let (key, value) = (of.key().to_vec(), of.value().to_vec());
    KeyValue { key, value, modified: of.mod_revision() }
}
