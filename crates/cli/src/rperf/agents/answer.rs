//! [`PlanAnswer`]: the results of a plan of several hosts.

use super::super::device::method_name;
use super::settings::Settings;
use super::{report, tables};
use crate::answer::Answer;
use bandwise_agents::coordinator::{FlowOutcome, HostOutcome, Outcome, RunEnd};
use bandwise_agents::{Counted, Flow, FlowEnd, Host, Role, Span};
use bandwise_rdma::verbs::Transport;
use bandwise_report::Report;
use bandwise_rperf::Summary;
use bandwise_session::{Method, Operation};
use serde::Serialize;

/// The results of a plan of several hosts.
#[derive(Serialize)]
pub(super) struct PlanAnswer<'a> {
    schema: u32,
    title: &'a str,
    hosts: Vec<HostRow<'a>>,
    flows: Vec<FlowRow<'a>>,
    window_s: Option<[f64; 2]>,
    stop: &'static str,
    failure: Option<&'a str>,
    stats: PlanStats,
    #[serde(skip)]
    pub(super) settings: &'a Settings,
    #[serde(skip)]
    pub(super) outcome: &'a Outcome,
}

/// A host.
#[derive(Serialize)]
struct HostRow<'a> {
    name: &'a str,
    agent: String,
    device: Option<&'a str>,
    clock: Option<&'a str>,
    clock_error_ns: Option<f64>,
}

/// A flow and its results.
#[derive(Serialize)]
struct FlowRow<'a> {
    name: &'a str,
    role: Role,
    method: &'static str,
    operation: Operation,
    transport: Transport,
    from: &'a str,
    to: &'a str,
    sl: u64,
    traffic_class: u64,
    bytes: u64,
    queue_pairs: u64,
    depth: u64,
    store: Option<StoreRow>,
    completion: &'static str,
    mtu_bytes: Option<u64>,
    wanted_s: [f64; 2],
    active_s: Option<[f64; 2]>,
    end: &'static str,
    failure: Option<&'a str>,
    cpu: Option<f64>,
    values_checked: Option<u64>,
    window: Option<CountedRow>,
    whole: Option<CountedRow>,
}

/// The settings of a key-value store.
#[derive(Serialize)]
struct StoreRow {
    clients: u32,
    workers: u32,
    put_every: u32,
}

/// The counts of a time.
#[derive(Serialize)]
struct CountedRow {
    messages: u64,
    payload_bytes: u64,
    over_s: f64,
    gbps: Option<f64>,
    messages_per_s: Option<f64>,
    latency: Option<Summary>,
}

/// The version and the seed.
#[derive(Serialize)]
struct PlanStats {
    version: &'static str,
    seed: u64,
}

impl<'a> PlanAnswer<'a> {
    /// Returns the answer of a plan.
    pub(super) fn new(settings: &'a Settings, outcome: &'a Outcome) -> Self {
        let plan = &settings.plan;
        let (stop, failure) = match &outcome.end {
            RunEnd::Complete => ("complete", None),
            RunEnd::Interrupted => ("interrupted", None),
            RunEnd::Failed(why) => ("failed", Some(why.as_str())),
        };
        let hosts = plan.hosts.iter().zip(&outcome.hosts);
        let flows = plan.flows.iter().zip(&outcome.flows);
        PlanAnswer {
            schema: 1,
            title: &plan.title,
            hosts: hosts.map(|(host, found)| HostRow::new(host, found)).collect(),
            flows: flows.map(|(flow, found)| FlowRow::new(settings, flow, found)).collect(),
            window_s: outcome.window.map(span),
            stop,
            failure,
            stats: PlanStats { version: env!("CARGO_PKG_VERSION"), seed: plan.seed },
            settings,
            outcome,
        }
    }
}

impl Answer for PlanAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        tables::text(self.settings, self.outcome)
    }

    fn report(&self) -> Option<Report> {
        Some(report::report(self.settings, self.outcome))
    }
}

impl<'a> HostRow<'a> {
    fn new(host: &'a Host, found: &'a HostOutcome) -> Self {
        HostRow {
            name: &host.name,
            agent: host.agent.to_string(),
            device: found.device.as_deref(),
            clock: found.clock.as_deref(),
            clock_error_ns: found.clock_error.map(|error| error.as_ns_f64()),
        }
    }
}

impl<'a> FlowRow<'a> {
    fn new(settings: &'a Settings, flow: &'a Flow, found: &'a FlowOutcome) -> Self {
        let task = &flow.task;
        let host = |place: usize| &*settings.plan.hosts[place].name;
        let report = found.report.as_ref();
        let (end, failure) = match report.map(|report| &report.end) {
            None => ("missing", None),
            Some(FlowEnd::Complete) => ("complete", None),
            Some(FlowEnd::Stopped) => ("stopped", None),
            Some(FlowEnd::Failed(why)) => ("failed", Some(why.as_str())),
        };
        let active = report.and_then(|report| report.active);
        FlowRow {
            name: &flow.name,
            role: flow.role,
            method: method_name(task.method),
            operation: task.method.operation(),
            transport: task.transport,
            from: host(flow.from),
            to: host(flow.to),
            sl: task.sl.get().into(),
            traffic_class: task.traffic_class.get().into(),
            bytes: task.bytes.get().into(),
            queue_pairs: task.queue_pairs.get().into(),
            depth: task.depth.get().into(),
            store: StoreRow::of(task.method),
            completion: if task.events { "events" } else { "busy" },
            mtu_bytes: found.mtu.map(|mtu| mtu.get().into()),
            wanted_s: span(flow.active),
            active_s: active.map(|(from, to)| [from.as_s_f64(), to.as_s_f64()]),
            end,
            failure,
            cpu: report.and_then(|report| report.cpu),
            values_checked: report.and_then(|report| report.values),
            window: report.map(|report| CountedRow::from(&report.window)),
            whole: report.map(|report| CountedRow::from(&report.whole)),
        }
    }
}

impl StoreRow {
    /// Returns the settings, if the method is a key-value store.
    fn of(method: Method) -> Option<Self> {
        match method {
            Method::KeyValue(store) => Some(StoreRow {
                clients: store.clients.get(),
                workers: store.workers.get(),
                put_every: store.put_every,
            }),
            _ => None,
        }
    }
}

impl From<&Counted> for CountedRow {
    fn from(counted: &Counted) -> Self {
        CountedRow {
            messages: counted.messages,
            payload_bytes: counted.bytes.get(),
            over_s: counted.over.as_s_f64(),
            gbps: counted.rate().map(|rate| rate.as_gbps_f64()),
            messages_per_s: counted.per_second(),
            latency: counted.latency,
        }
    }
}

fn span(span: Span) -> [f64; 2] {
    [span.from().as_s_f64(), span.to().as_s_f64()]
}
