//! [`Metrics`]: the daemon's metrics for Prometheus.

use crate::core::{Core, Output, PortState};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The daemon's metrics.
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
    cut_off: Gauge,
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
    /// Returns metrics with all counters at zero.
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("bandwise_controller");
        let of = &mut registry;
        let clients = add(of, Gauge::default(), "clients", "Clients with a lease");
        let applications = add(of, Gauge::default(), "applications", "Registered applications");
        let connections = add(of, Gauge::default(), "connections", "Open connections");
        let ports = add(of, Gauge::default(), "ports", "Ports of the network");
        let unsettled = add(
            of,
            Gauge::default(),
            "ports_unsettled",
            "Ports without their wanted configuration",
        );
        let failing = add(of, Gauge::default(), "ports_failing", "Ports whose last order failed");
        let late = add(of, Gauge::default(), "ports_late", "Ports with a late order");
        let requests = add(of, Counter::default(), "requests", "Answered requests");
        let refused = add(of, Counter::default(), "requests_refused", "Refused requests");
        let orders = add(of, Counter::default(), "orders", "Orders to ports, including checks");
        let written = add(of, Counter::default(), "ports_written", "Orders that wrote something");
        let failed = add(of, Counter::default(), "orders_failed", "Orders that failed");
        let dropped =
            add(of, Counter::default(), "clients_dropped", "Clients whose leases expired");
        let overwritten =
            add(of, Counter::default(), "ports_overwritten", "Ports found overwritten");
        let lost = add(of, Counter::default(), "ports_lost", "Ports that disappeared");
        let moved = add(of, Counter::default(), "connections_moved", "Rerouted connections");
        let discoveries = add(of, Counter::default(), "discoveries", "Discoveries of the network");
        let learned = add(
            of,
            Counter::default(),
            "writes_of_others",
            "Writes to the store by other controllers",
        );
        let groups =
            add(of, Gauge::default(), "groups", "Groups of ports that this controller holds");
        let cut_off =
            add(of, Gauge::default(), "cut_off", "1 if the shared store is out of reach, else 0");
        let discoveries_failed =
            add(of, Counter::default(), "discoveries_failed", "Failed discoveries of the network");
        let store_s = add(of, seconds(), "store_seconds", "Duration of writes to the store");
        let order_s = add(of, seconds(), "order_seconds", "Duration of orders to ports");
        let connection_s = add(
            of,
            seconds(),
            "connection_to_port_seconds",
            "Time from a connection request to the port's weights read back",
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
            cut_off,
            store_s,
            order_s,
            connection_s,
        }
    }

    /// Observes the duration of a write to the store.
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
            Output::Rerouted { connections } => {
                self.moved.inc_by(u64::from(*connections));
                return;
            }
            Output::Store { .. }
            | Output::Late { .. }
            | Output::Stalled { .. }
            | Output::RecordIgnored { .. }
            | Output::Released { .. } => return,
        };
        counter.inc();
    }

    /// Returns all metrics in the text format of OpenMetrics, with gauges of the core's current state.
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
            (&self.cut_off, usize::from(core.is_cut_off())),
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

/// Registers a metric and returns it.
fn add<M: Metric + Clone>(registry: &mut Registry, metric: M, name: &str, help: &str) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Returns a histogram of durations from 0.1 ms to 3 s.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(1e-4, 2.0, 16))
}
