//! [`Keeper`]: whoever stores changes, one write after another.

use super::Metrics;
use super::handle::Message;
use crate::core::{Change, Group};
use crate::store::Store;
use std::sync::mpsc::SyncSender;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedReceiver;

/// A write to the store.
#[derive(Debug, Clone)]
pub struct Write {
    /// Its number.
    pub write: u64,
    /// What the store is to have come to: else it is not to be stored.
    pub after: u64,
    /// What: all of it or nothing, in this order.
    pub changes: Vec<Change>,
}

/// What a keeper is told.
#[derive(Debug)]
pub enum ToKeeper {
    /// To store something.
    Write(Write),
    /// Nothing is under way any more at ports of a group that was had.
    Released(Group),
}

/// What a keeper tells the desk.
#[derive(Debug, Clone)]
pub enum Kept {
    /// A write has ended.
    Stored {
        /// Which.
        write: u64,
        /// What went wrong, if it isn't there.
        error: Option<String>,
        /// What the store has come to.
        revision: u64,
    },
    /// Another has stored something.
    Learned {
        /// What the store has come to.
        revision: u64,
        /// What.
        changes: Vec<Change>,
    },
    /// All that is stored, after a time of which nothing is known.
    Known {
        /// What the store has come to.
        revision: u64,
        /// The last write that is there.
        write: u64,
        /// All that is there.
        records: Vec<Change>,
    },
    /// The groups that are had.
    Held {
        /// Which.
        groups: Vec<Group>,
        /// Until when.
        until: Instant,
    },
}

/// By which a keeper tells the desk.
#[derive(Clone)]
pub struct ToDesk(pub(super) SyncSender<Message>);

impl ToDesk {
    /// Tells it, unless it has ended.
    pub fn tell(&self, kept: Kept) -> Result<(), Ended> {
        self.0.send(Message::Kept(kept)).map_err(|_| Ended)
    }
}

/// The desk has ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended;

/// Whoever stores changes.
pub trait Keeper: Send {
    /// Stores what comes, and says so, until nothing comes any more.
    fn run(
        self: Box<Self>,
        told: UnboundedReceiver<ToKeeper>,
        desk: &ToDesk,
        metrics: &Metrics,
    ) -> Result<(), Ended>;
}

/// A store that nobody else writes to.
impl<S: Store + 'static> Keeper for S {
    fn run(
        mut self: Box<Self>,
        mut told: UnboundedReceiver<ToKeeper>,
        desk: &ToDesk,
        metrics: &Metrics,
    ) -> Result<(), Ended> {
        while let Some(told) = told.blocking_recv() {
            let ToKeeper::Write(Write { write, changes, .. }) = told else { continue };
            let began = Instant::now();
            let error = Store::write(&mut *self, &changes).err().map(|error| error.to_string());
            metrics.stored(began.elapsed());
            desk.tell(Kept::Stored { write, error, revision: 0 })?;
        }
        Ok(())
    }
}
