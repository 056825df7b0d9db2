//! [`SessionInput`] and [`SessionOutput`]: the events that a session handles, and the actions that it asks for.

use crate::cluster::calls::{Call, Failure, Reply, Update};
use crate::core::{Group, Input};
use crate::daemon::PersisterMessage;
use std::time::Duration;

/// The number of a call, in the order in which calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallId(pub u64);

/// An event that a session handles.
#[derive(Debug)]
pub enum SessionInput {
    /// A connection to an etcd was opened, or not.
    Opened(Result<(), Failure>),
    /// A call has ended.
    Answered(CallId, Result<Reply, Failure>),
    /// A watch, by the call that began it, reports changes.
    Updated(CallId, Update),
    /// A watch has failed.
    WatchLost(CallId, Failure),
    /// The event loop has something to store or to release.
    Message(PersisterMessage),
    /// The event loop has ended.
    Stop,
    /// Time has passed.
    Tick,
}

/// An action that a session asks for.
#[derive(Debug)]
pub enum SessionOutput {
    /// Connect to the etcd with this index.
    Open(usize),
    /// Make a call, with a timeout.
    Call(CallId, Call),
    /// Close the connection, and drop the outstanding calls and the watch.
    Close,
    /// Pass an input to the core.
    Tell(Input),
    /// A write was stored after this time.
    Stored(Duration),
    /// Report an event to the operator.
    Notice(Notice),
    /// The session has ended.
    Ended,
}

/// An event for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The etcd with this index does not answer, or not as it should.
    Lost {
        /// The index.
        at: usize,
        /// The error.
        error: String,
    },
    /// etcd was replaced by another cluster or restored from an older copy.
    Replaced {
        /// The last revision that the session knows.
        known: i64,
    },
    /// Records were edited by hand, at this revision.
    Edited(i64),
    /// The controller holds these groups from now on.
    Holds(Vec<Group>),
    /// A controller has started or ended.
    Alive(Group, bool),
}
