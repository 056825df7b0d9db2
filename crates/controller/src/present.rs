//! [`Present`]: a value that counts until another one replaces it.

use std::sync::Arc;
use tokio::sync::watch;

/// A value that counts until another one replaces it. Clones share it.
#[derive(Debug, Clone)]
pub struct Present<T>(watch::Sender<Arc<T>>);

impl<T> Present<T> {
    /// Returns a holder of this value.
    pub fn new(value: T) -> Self {
        Present(watch::Sender::new(Arc::new(value)))
    }

    /// Returns the value.
    pub fn get(&self) -> Arc<T> {
        self.0.borrow().clone()
    }

    /// Replaces the value.
    pub fn replace(&self, value: T) {
        self.0.send_replace(Arc::new(value));
    }

    /// Returns the value, and what completes once it is replaced.
    pub(crate) fn until_replaced(&self) -> (Arc<T>, impl Future<Output = ()> + use<T>) {
        let mut changes = self.0.subscribe();
        let value = changes.borrow_and_update().clone();
        let replaced = async move {
            if changes.changed().await.is_err() {
                // Nobody is left who could replace it.
                std::future::pending().await
            }
        };
        (value, replaced)
    }
}
