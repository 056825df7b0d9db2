//! [`Bounds`]: what each caller may hold at a time.

use crate::core::Owner;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number that each caller may hold at a time. What one holds takes nothing from another. All clones share the bounds.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    most: u32,
    of: Arc<Mutex<BTreeMap<Owner, Arc<Semaphore>>>>,
}

/// A part of a caller's bound, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Held(
    #[expect(dead_code, reason = "held until it is dropped")] OwnedSemaphorePermit,
);

impl Bounds {
    /// Returns bounds of `most` for each caller.
    pub(crate) fn new(most: u32) -> Self {
        Bounds { most, of: Arc::default() }
    }

    /// Waits until the caller may hold `count` more, in the order of waiting. More than the bound counts as the bound.
    /// Returns `None` if that takes too long.
    pub(crate) async fn hold(&self, owner: &Owner, count: u32, wait: Duration) -> Option<Held> {
        let own = {
            let mut all = self.of.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(Semaphore::new(self.most as usize));
            all.entry(owner.clone()).or_insert_with(new).clone()
        };
        let holds = own.acquire_many_owned(count.min(self.most));
        tokio::time::timeout(wait, holds).await.ok()?.ok().map(Held)
    }
}
