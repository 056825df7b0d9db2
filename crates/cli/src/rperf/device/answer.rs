//! [`DeviceAnswer`]: the results between two devices, in the form of simulated measurements without the truth.

use super::super::rendering::BandwidthRow;
use super::method_name::method_name;
use super::tables;
use crate::answer::Answer;
use bandwise_measure::client::ClientSettings;
use bandwise_measure::outcome::{Outcome, Run, RunEnd, Throughput};
use bandwise_measure::program::Until;
use bandwise_rdma::verbs::Transport;
use bandwise_rperf::Summary;
use bandwise_session::Operation;
use bandwise_units::Time;
use serde::Serialize;
use serde_json::Value;

/// The results between two devices.
#[derive(Serialize)]
pub(super) struct DeviceAnswer<'a> {
    schema: u32,
    title: String,
    flows: Vec<FlowRow<'a>>,
    stop: &'static str,
    failure: Option<&'a str>,
    stats: DeviceStats<'a>,
    #[serde(skip)]
    settings: &'a ClientSettings,
    #[serde(skip)]
    outcome: &'a Outcome,
}

/// A flow and its results.
#[derive(Serialize)]
struct FlowRow<'a> {
    run: usize,
    name: &'static str,
    method: &'static str,
    operation: Operation,
    transport: Transport,
    from: &'a str,
    to: &'a str,
    server: String,
    sl: u64,
    traffic_class: u64,
    bytes: u64,
    queue_pairs: u64,
    depth: u64,
    threads: u64,
    connected_by: &'static str,
    completion: &'static str,
    mtu_bytes: u64,
    device_clock_khz: Option<u64>,
    samples_wanted: Option<u64>,
    duration_wanted_s: Option<f64>,
    rate_limit: Option<String>,
    measured_s: f64,
    processor_s: f64,
    latency: Option<LatencyRow>,
    bandwidth: Option<ThroughputRow>,
}

/// A latency, also by the device's clock.
#[derive(Serialize)]
struct LatencyRow {
    direction: &'static str,
    measured: Summary,
    /// Always null: a device does not know the truth.
    truth: Value,
    error: Value,
    by_device_clock: Option<Summary>,
    less_device_clock: Option<Summary>,
}

/// A bandwidth with its spread and that of each thread.
#[derive(Serialize)]
struct ThroughputRow {
    #[serde(flatten)]
    all: BandwidthRow,
    messages_per_s: f64,
    peak_gbps: Option<f64>,
    least_gbps: Option<f64>,
    slice_s: Option<f64>,
    slices: Option<u64>,
    by_thread: Vec<BandwidthRow>,
}

/// The circumstances of the measurement.
#[derive(Serialize)]
struct DeviceStats<'a> {
    version: &'static str,
    seed: u64,
    clock: &'a str,
    processors: Option<String>,
    memory: Option<String>,
    measured_s: f64,
    processor_s: f64,
}

impl<'a> DeviceAnswer<'a> {
    /// Returns the answer of a measurement.
    pub(super) fn new(settings: &'a ClientSettings, outcome: &'a Outcome) -> Self {
        let (stop, failure) = match &outcome.end {
            RunEnd::Complete => ("complete", None),
            RunEnd::Interrupted => ("interrupted", None),
            RunEnd::Failed(why) => ("failed", Some(why.as_str())),
        };
        let sum = |of: fn(&Run) -> Time| {
            outcome.runs.iter().fold(Time::ZERO, |all, run| all + of(run)).as_s_f64()
        };
        let flows = outcome.runs.iter().enumerate();
        DeviceAnswer {
            schema: 1,
            title: format!("{} with {}", method_name(settings.method()), settings.server),
            flows: flows.map(|(number, run)| FlowRow::new(settings, number, run)).collect(),
            stop,
            failure,
            stats: DeviceStats {
                version: env!("CARGO_PKG_VERSION"),
                seed: settings.seed,
                clock: &outcome.clock,
                processors: settings.placement.processors(),
                memory: outcome.runs.first().map(|run| tables::pages(&run.pages)),
                measured_s: sum(|run| run.took),
                processor_s: sum(|run| run.busy),
            },
            settings,
            outcome,
        }
    }
}

impl Answer for DeviceAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        tables::text(self.settings, self.outcome)
    }
}

impl<'a> FlowRow<'a> {
    fn new(settings: &'a ClientSettings, number: usize, run: &'a Run) -> Self {
        let ClientSettings { server, chosen, until, rate, .. } = settings;
        let task = &run.task;
        let name = method_name(task.method);
        let (samples_wanted, duration_wanted_s) = match until {
            Until::Samples(samples) => (Some(*samples), None),
            Until::Time(time) => (None, Some(time.as_s_f64())),
        };
        FlowRow {
            run: number,
            name,
            method: name,
            operation: task.method.operation(),
            transport: task.transport,
            from: &chosen.device,
            to: &run.peer,
            server: server.to_string(),
            sl: task.sl.get().into(),
            traffic_class: task.traffic_class.get().into(),
            bytes: task.bytes.get().into(),
            queue_pairs: task.queue_pairs.get().into(),
            depth: task.depth.get().into(),
            threads: task.threads.get().into(),
            connected_by: if task.manager { "rdma-cm" } else { "tcp" },
            completion: if task.events { "events" } else { "busy" },
            mtu_bytes: run.mtu.get().into(),
            device_clock_khz: run.stamped_at_khz,
            samples_wanted,
            duration_wanted_s,
            rate_limit: rate.map(|rate| rate.to_string()),
            measured_s: run.took.as_s_f64(),
            processor_s: run.busy.as_s_f64(),
            latency: run.latency.map(|measured| LatencyRow::new(measured, run)),
            bandwidth: run.bandwidth.as_ref().map(ThroughputRow::from),
        }
    }
}

impl LatencyRow {
    fn new(measured: Summary, run: &Run) -> Self {
        let (by_device_clock, less_device_clock) = run.by_stamps.unzip();
        LatencyRow {
            direction: "round trip",
            measured,
            truth: Value::Null,
            error: Value::Null,
            by_device_clock,
            less_device_clock,
        }
    }
}

impl From<&Throughput> for ThroughputRow {
    fn from(found: &Throughput) -> Self {
        let rates = found.peak_and_least();
        ThroughputRow {
            all: found.all.into(),
            messages_per_s: found.messages_per_s(),
            peak_gbps: rates.map(|(peak, _)| peak.as_gbps_f64()),
            least_gbps: rates.map(|(_, least)| least.as_gbps_f64()),
            slice_s: found.spread.map(|spread| spread.each.as_s_f64()),
            slices: found.spread.map(|spread| spread.count),
            by_thread: found.threads.iter().map(|&thread| thread.into()).collect(),
        }
    }
}
