//! Whoever stores changes, one write after another.

use super::Metrics;
use super::handle::Message;
use crate::core::Change;
use crate::store::Store;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Instant;

/// Stores what comes, and says so.
pub(super) fn run(
    store: &mut dyn Store,
    metrics: &Metrics,
    writes: &Receiver<(u64, Vec<Change>)>,
    desk: &SyncSender<Message>,
) {
    while let Ok((write, changes)) = writes.recv() {
        let began = Instant::now();
        let error = store.write(&changes).err().map(|error| error.to_string());
        metrics.store_s.observe(began.elapsed().as_secs_f64());
        if desk.send(Message::Stored { write, error }).is_err() {
            return;
        }
    }
}
