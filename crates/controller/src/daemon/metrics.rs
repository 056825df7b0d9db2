//! [`Metrics`]: what the daemon counts, for Prometheus.

use crate::core::{Core, Output, PortState};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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
    overwritten: Counter,
    lost: Counter,
    moved: Counter,
    discoveries: Counter,
    pub(super) discoveries_failed: Counter,
    pub(super) learned: Counter,
    groups: Gauge,
    store_s: Histogram,
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
        let mut registry = Registry::with_prefix("bandwise_controller");
        let of = &mut registry;
        let clients = add(of, Gauge::default(), "clients", "Clients that have a lease");
        let applications =
            add(of, Gauge::default(), "applications", "Applications that are registered");
        let connections = add(of, Gauge::default(), "connections", "Connections that are open");
        let ports = add(of, Gauge::default(), "ports", "Ports that are there");
        let unsettled = add(
            of,
            Gauge::default(),
            "ports_unsettled",
            "Ports that are not as they are to be yet",
        );
        let failing = add(of, Gauge::default(), "ports_failing", "Ports whose last order failed");
        let late = add(
            of,
            Gauge::default(),
            "ports_late",
            "Ports whose order takes longer than it should",
        );
        let requests = add(of, Counter::default(), "requests", "Requests that were answered");
        let refused = add(of, Counter::default(), "requests_refused", "Requests that were refused");
        let orders = add(of, Counter::default(), "orders", "Orders to ports, to look at them too");
        let written = add(of, Counter::default(), "ports_written", "Orders that wrote something");
        let failed = add(of, Counter::default(), "orders_failed", "Orders that failed");
        let dropped = add(of, Counter::default(), "clients_dropped", "Clients whose leases ended");
        let overwritten = add(
            of,
            Counter::default(),
            "ports_overwritten",
            "Ports that somebody else had written",
        );
        let lost = add(of, Counter::default(), "ports_lost", "Ports that were no longer there");
        let moved =
            add(of, Counter::default(), "connections_moved", "Connections that took another way");
        let discoveries =
            add(of, Counter::default(), "discoveries", "How often the network was looked over");
        let learned =
            add(of, Counter::default(), "writes_of_others", "What other controllers have stored");
        let groups = add(of, Gauge::default(), "groups", "Groups of ports that it writes");
        let discoveries_failed =
            add(of, Counter::default(), "discoveries_failed", "How often that failed");
        let store_s = add(of, seconds(), "store_seconds", "How long writes to the store take");
        let order_s = add(of, seconds(), "order_seconds", "How long orders to ports take");
        let connection_s = add(
            of,
            seconds(),
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
            overwritten,
            lost,
            moved,
            discoveries,
            discoveries_failed,
            learned,
            groups,
            store_s,
            order_s,
            connection_s,
        }
    }

    /// A write to the store has taken so long.
    pub(crate) fn stored(&self, took: Duration) {
        self.store_s.observe(took.as_secs_f64());
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
            Output::Overwritten { .. } => &self.overwritten,
            Output::Lost { .. } => &self.lost,
            Output::Discover => &self.discoveries,
            Output::Moved { connections } => {
                self.moved.inc_by(u64::from(*connections));
                return;
            }
            Output::Store { .. }
            | Output::Late { .. }
            | Output::StoodStill { .. }
            | Output::PassedOver { .. }
            | Output::Released { .. } => return,
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
            (&self.groups, core.held().count()),
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

/// A metric that is in the registry.
fn add<M: Metric + Clone>(registry: &mut Registry, metric: M, name: &str, help: &str) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Times from 0.1 ms to 3 s.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(1e-4, 2.0, 16))
}
