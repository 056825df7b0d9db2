//! [`Call`] and [`Reply`]: the operations on etcd that a session uses, as values.

use std::fmt;
use std::time::Duration;

/// An operation on etcd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Read the head, the live controllers and the holders as they were at this revision.
    Recall(i64),
    /// Read all keys under the prefix, at one revision.
    Load,
    /// Report all changes under the prefix from this revision on.
    Watch(i64),
    /// Start a lease of this length.
    Grant(Duration),
    /// Extend a lease to its full length.
    KeepAlive(i64),
    /// End a lease at once.
    Revoke(i64),
    /// Carry out all steps if the condition holds, or none.
    Transact(Transaction),
}

/// A condition and the steps that depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// The condition.
    pub condition: Condition,
    /// The steps; each key occurs once.
    pub steps: Vec<Step>,
}

/// The condition of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The key does not exist.
    Absent(String),
    /// The key has this value.
    Value(String, String),
    /// The key was last modified at this revision; 0 if it does not exist.
    Modified(String, i64),
}

/// A step of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Create or replace a key, which ends with a lease, or never (0).
    Put {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// The lease.
        lease: i64,
    },
    /// Remove a key.
    Delete(String),
}

/// The result of a successful call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The keys.
    Content(Content),
    /// etcd has not reached the revision.
    Future,
    /// etcd has dropped the revision.
    Compacted,
    /// The watch has begun. Its [`Update`]s follow.
    Watching,
    /// The id of the new lease.
    Granted(i64),
    /// The lease was extended.
    KeptAlive,
    /// The lease has ended.
    Revoked,
    /// True if the condition held and the steps were carried out.
    Transacted(bool),
}

/// Keys under a prefix.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// The id of the cluster.
    pub cluster: u64,
    /// The revision at which the keys were read.
    pub revision: i64,
    /// The keys.
    pub keys: Vec<KeyValue>,
}

/// A key.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// The name.
    pub key: Vec<u8>,
    /// The value.
    pub value: Vec<u8>,
    /// The revision of the last modification.
    pub modified: i64,
}

impl fmt::Debug for KeyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy;
        write!(f, "{} = {:?} at {}", text(&self.key), text(&self.value), self.modified)
    }
}

/// Changes that a watch reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Update {
    /// The changes, in the order of their revisions.
    pub events: Vec<KeyEvent>,
    /// The watch has ended, since single changes are no longer known.
    pub is_cancelled: bool,
}

/// A change of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEvent {
    /// The key; of a removed key, the value is empty.
    pub key: KeyValue,
    /// False if the key was removed.
    pub is_put: bool,
}

/// The outcome of a failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The operation was not carried out.
    Rejected(String),
    /// The operation may have been carried out.
    Unknown(String),
}

impl Failure {
    /// Returns the error.
    pub fn into_error(self) -> String {
        let (Failure::Rejected(error) | Failure::Unknown(error)) = self;
        error
    }
}
