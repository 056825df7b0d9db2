//! [`Metrics`]: what the daemon counts, for Prometheus.

use crate::core::{Core, Output, PortState};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::sync::{Arc, Mutex};

/// What the daemon counts.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Mutex<Registry>>,
    clients: Gauge,
    applications: Gauge,
    connections: Gauge,
    ports: Gauge,
    unsettled: Gauge,
    failing: Gauge,
    late: Gauge,
    requests: Counter,
    refused: Counter,
    orders: Counter,
    written: Counter,
    failed: Counter,
    dropped: Counter,
    pub(super) store_s: Histogram,
    pub(super) order_s: Histogram,
    pub(super) connection_s: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics::new()
    }
}

impl Metrics {
    /// Nothing counted yet.
    pub fn new() -> Self {
        // 0.1 ms to 3 s.
        let seconds = || Histogram::new(exponential_buckets(1e-4, 2.0, 16));
        let mut registry = Registry::with_prefix("bandwise_controller");
        let mut gauge = |name, help| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let clients = gauge("clients", "Clients that have a lease");
        let applications = gauge("applications", "Applications that are registered");
        let connections = gauge("connections", "Connections that are open");
        let ports = gauge("ports", "Ports that are there");
        let unsettled = gauge("ports_unsettled", "Ports that are not as they are to be yet");
        let failing = gauge("ports_failing", "Ports whose last order failed");
        let late = gauge("ports_late", "Ports whose order takes longer than it should");
        let mut counter = |name, help| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let requests = counter("requests", "Requests that were answered");
        let refused = counter("requests_refused", "Requests that were refused");
        let orders = counter("orders", "Orders to ports, to look at them too");
        let written = counter("ports_written", "Orders that wrote something");
        let failed = counter("orders_failed", "Orders that failed");
        let dropped = counter("clients_dropped", "Clients whose leases ended");
        let mut histogram = |name, help| {
            let histogram = seconds();
            registry.register(name, help, histogram.clone());
            histogram
        };
        let store_s = histogram("store_seconds", "How long writes to the store take");
        let order_s = histogram("order_seconds", "How long orders to ports take");
        let connection_s = histogram(
            "connection_to_port_seconds",
            "From a request for a connection to the port with its weights read back",
        );
        let registry = Arc::new(Mutex::new(registry));
        Metrics {
            registry,
            clients,
            applications,
            connections,
            ports,
            unsettled,
            failing,
            late,
            requests,
            refused,
            orders,
            written,
            failed,
            dropped,
            store_s,
            order_s,
            connection_s,
        }
    }

    pub(super) fn count(&self, output: &Output) {
        let counter = match output {
            Output::Answer { answer, .. } => {
                if answer.is_err() {
                    self.refused.inc();
                }
                &self.requests
            }
            Output::Order { .. } => &self.orders,
            Output::Written { .. } => &self.written,
            Output::Failed { .. } => &self.failed,
            Output::Dropped { .. } => &self.dropped,
            Output::Store { .. } | Output::Late { .. } => return,
        };
        counter.inc();
    }

    /// All of it as Prometheus reads it, with what the core holds now.
    pub fn text(&self, core: &Core) -> String {
        let state = core.state();
        let count = |is: &dyn Fn(&PortState) -> bool| core.ports().filter(|of| is(of.1)).count();
        let now = [
            (&self.clients, state.clients().len()),
            (&self.applications, state.applications().len()),
            (&self.connections, state.connections().len()),
            (&self.ports, count(&|_| true)),
            (&self.unsettled, count(&|port| !port.is_settled())),
            (&self.failing, count(&|port| port.failures > 0)),
            (&self.late, count(&PortState::is_late)),
        ];
        for (gauge, value) in now {
            gauge.set(value as i64);
        }
        let mut text = String::new();
        let registry = self.registry.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match encode(&mut text, &registry) {
            Ok(()) => text,
            Err(_) => String::new(),
        }
    }
}
