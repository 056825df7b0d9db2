//! What whoever keeps changes says to the desk.

use super::Desk;
use crate::core::Input;
use crate::daemon::Kept;
use bandwise_enforce::Switches;
use bandwise_saba::controller::PortId;

impl<S: Switches + Send + 'static> Desk<S> {
    /// Whoever keeps changes says something.
    pub(super) fn kept(&mut self, kept: Kept) {
        let input = match kept {
            Kept::Stored { write, error, revision } => {
                if let Some(error) = &error {
                    tracing::error!(write, error, "could not be stored");
                }
                Input::Stored { write, error, revision }
            }
            Kept::Learned { revision, changes } => {
                self.metrics.learned.inc();
                Input::Learned { revision, changes }
            }
            Kept::Known { revision, write, records } => Input::Known { revision, write, records },
            Kept::Held { groups, until } => {
                let until = until.saturating_duration_since(self.began);
                return self.hear(Input::Held { groups, until });
            }
        };
        self.hear(input);
        // A connection that changes no weights needs no order.
        let core = &self.core;
        let is_open = |port: &PortId| core.port(*port).is_some_and(|of| !of.is_settled());
        self.unplaced.retain(|port, _| is_open(port));
    }
}
