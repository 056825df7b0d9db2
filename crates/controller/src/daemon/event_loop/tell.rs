//! What people are told of what the core says.

use super::EventLoop;
use crate::core::Output;

impl<S> EventLoop<S> {
    /// Writes lines for people, and the trail.
    pub(super) fn tell(&mut self, output: &Output) {
        let port = match output {
            Output::Order { port, .. }
            | Output::Written { port, .. }
            | Output::Overwritten { port, .. }
            | Output::Failed { port, .. }
            | Output::Late { port, .. } => *port,
            Output::Dropped { client } => {
                tracing::warn!(client = client.0, "dropped: its lease has ended");
                return;
            }
            Output::StoodStill { late } => {
                tracing::warn!(
                    late_s = late.as_secs_f64(),
                    "stood still; all clients have a whole lease"
                );
                return;
            }
            Output::Lost { name, .. } => {
                tracing::warn!(port = name, "is no longer there");
                return;
            }
            Output::PassedOver { said } => {
                tracing::error!(said, "passed over what somebody else has stored");
                return;
            }
            Output::Moved { connections } => {
                tracing::info!(connections, "take another way");
                return;
            }
            Output::Store { .. }
            | Output::Answer { .. }
            | Output::Discover
            | Output::Released { .. } => return,
        };
        let name = self.core.port(port).map_or("", |port| &port.name);
        match output {
            Output::Written { after, why, .. } => {
                tracing::info!(port = name, weights = ?after.weights, cause = ?why.cause, "written");
            }
            Output::Overwritten { found, .. } => {
                tracing::warn!(port = name, weights = ?found.weights, "was overwritten by somebody else");
            }
            Output::Failed { said, .. } => tracing::error!(port = name, said, "failed"),
            Output::Late { .. } => tracing::error!(port = name, "an order does not end"),
            _ => {}
        }
        if let Some(audit) = &mut self.audit {
            audit.line(output, name);
        }
    }
}
