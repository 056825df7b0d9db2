//! The handling of updates from the persister in the event loop.

use super::EventLoop;
use crate::core::Input;
use bandwise_saba::controller::PortId;
use bandwise_switches::Switches;

impl<S: Switches + Send + 'static> EventLoop<S> {
    /// Passes stored changes or held groups to the core.
    pub(super) fn persisted(&mut self, update: Input) {
        match &update {
            Input::Stored { write, error: Some(error), .. } => {
                tracing::error!(write, error, "write to store failed");
            }
            Input::StoredByOther { .. } => {
                self.metrics.learned.inc();
            }
            _ => {}
        }
        self.handle(update);
        // A connection that changes no weights causes no order.
        let core = &self.core;
        let is_open = |port: &PortId| core.port(*port).is_some_and(|of| !of.is_settled());
        self.unplaced.retain(|port, _| is_open(port));
    }
}
