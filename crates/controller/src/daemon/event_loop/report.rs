//! The log lines and audit lines of outputs.

use super::EventLoop;
use crate::core::{Output, Owner, Refusal};
use crate::daemon::Call;
use crate::daemon::audit::OperatorOrder;
use bandwise_saba::controller::PortId;

impl<S> EventLoop<S> {
    /// Writes an operator's order to the log and to the audit log.
    pub(super) fn report_order(&mut self, owner: &Owner, order: OperatorOrder, call: &Call) {
        let name = |&port: &PortId| self.core.port(port).map_or("", |port| &port.name);
        let ports = if let Call::Drain(ports, _) = call { &ports[..] } else { &[] };
        let ports: Vec<&str> = ports.iter().map(name).collect();
        let clients = self.core.state().clients().len();
        match order {
            OperatorOrder::Reset => tracing::warn!(%owner, clients, "asked to end all clients"),
            _ => {
                tracing::info!(%owner, ?order, ?ports, "asked to drain ports, or to share them again")
            }
        }
        if let Some(audit) = &mut self.audit {
            audit.operator_order(owner, order, &ports);
        }
    }

    /// Writes that an operator's order was refused, and had no effect, to the log and to the audit log.
    pub(super) fn report_refused(
        &mut self,
        owner: &Owner,
        order: OperatorOrder,
        refusal: &Refusal,
    ) {
        let error = refusal.to_string();
        tracing::warn!(%owner, ?order, error, "refused an order");
        if let Some(audit) = &mut self.audit {
            audit.refused(owner, order, &error);
        }
    }

    /// Writes an output to the log and to the audit log.
    pub(super) fn report(&mut self, output: &Output) {
        let port = match output {
            Output::Order { port, .. }
            | Output::Written { port, .. }
            | Output::Overwritten { port, .. }
            | Output::Failed { port, .. }
            | Output::Late { port, .. } => *port,
            Output::Dropped { client } => {
                tracing::warn!(client = client.0, "dropped client: lease expired");
                return;
            }
            Output::Stalled { late } => {
                tracing::warn!(late_s = late.as_secs_f64(), "woke late: renewed all leases");
                return;
            }
            Output::Lost { name, .. } => {
                tracing::warn!(port = name, "lost port");
                return;
            }
            Output::RecordIgnored { error } => {
                tracing::error!(error, "ignored invalid record in the store");
                return;
            }
            Output::Rerouted { connections } => {
                tracing::info!(connections, "rerouted connections");
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
                tracing::info!(port = name, weights = ?after.weights, cause = ?why.cause, "wrote port");
            }
            Output::Overwritten { found, .. } => {
                tracing::warn!(port = name, weights = ?found.weights, "found overwritten port");
            }
            Output::Failed { error, .. } => {
                tracing::error!(port = name, error, "order to port failed")
            }
            Output::Late { .. } => tracing::error!(port = name, "order to port is late"),
            _ => {}
        }
        if let Some(audit) = &mut self.audit {
            audit.line(output, name);
        }
    }
}
