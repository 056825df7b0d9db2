//! [`StudyAnswer`]: the points of a sweep and their metrics.

use super::point::Finished;
use super::settings::StudySettings;
use super::{report, table};
use crate::answer::Answer;
use bandwise_report::Report;
use bandwise_scenario::ethernet::{Metric, Point, Study};
use serde::{Serialize, Serializer};

/// The points of a sweep and their metrics, which do not depend on the machine.
#[derive(Serialize)]
pub(super) struct StudyAnswer<'a> {
    schema: u32,
    title: &'a str,
    pub(super) warnings: Vec<String>,
    axes: Vec<AxisRow<'a>>,
    points: Vec<PointRow<'a>>,
    rows: Vec<MetricRow>,
    stats: StudyStats,
    #[serde(skip)]
    pub(super) settings: &'a StudySettings,
    /// The points in their order; `None` for a missing one.
    #[serde(skip)]
    pub(super) finished: &'a [Option<Finished>],
}

/// An axis of the sweep.
#[derive(Serialize)]
struct AxisRow<'a> {
    name: &'a str,
    values: &'a [String],
}

/// A finished point and the counters of its network.
#[derive(Serialize)]
struct PointRow<'a> {
    case: String,
    #[serde(serialize_with = "map")]
    at: Vec<(&'a str, &'a str)>,
    seed: u64,
    stop: &'a str,
    flows_started: u64,
    flows_finished: u64,
    packets_delivered: u64,
    packet_hops: u64,
    packets_dropped: u64,
    packets_marked: u64,
    packets_retransmitted: u64,
    timeouts: u64,
    pauses: u64,
    simulated_s: f64,
}

/// A metric of a point.
#[derive(Serialize)]
struct MetricRow {
    case: String,
    metric: &'static str,
    unit: &'static str,
    measured: f64,
    samples: u64,
}

/// Sums over all finished points.
#[derive(Serialize)]
struct StudyStats {
    version: &'static str,
    points: usize,
    flows_started: u64,
    flows_finished: u64,
    packets_delivered: u64,
    packet_hops: u64,
    events: u64,
    simulated_s: f64,
    /// The missing points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unfinished: Vec<String>,
}

impl<'a> StudyAnswer<'a> {
    /// Returns the answer of a sweep.
    pub(super) fn new(settings: &'a StudySettings, finished: &'a [Option<Finished>]) -> Self {
        let study = &settings.study;
        let axis = |axis: &'a bandwise_scenario::ethernet::Axis| AxisRow {
            name: &axis.name,
            values: &axis.values,
        };
        let pairs = || study.points.iter().zip(finished);
        let done = || pairs().filter_map(|(point, finished)| Some((point, finished.as_ref()?)));
        StudyAnswer {
            schema: 1,
            title: &study.title,
            warnings: study.warnings.iter().map(ToString::to_string).collect(),
            axes: study.axes.iter().map(axis).collect(),
            points: done().map(|(point, finished)| PointRow::new(study, point, finished)).collect(),
            rows: done().flat_map(|(point, finished)| metrics(study, point, finished)).collect(),
            stats: stats(study, finished),
            settings,
            finished,
        }
    }
}

impl Answer for StudyAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        table::text(&self.settings.study, self.finished)
    }

    fn report(&self) -> Option<Report> {
        Some(report::report(self))
    }
}

impl<'a> PointRow<'a> {
    fn new(study: &'a Study, point: &Point, finished: &'a Finished) -> Self {
        let places = study.axes.iter().zip(&point.places);
        PointRow {
            case: study.label(point),
            at: places.map(|(axis, &i)| (axis.name.as_str(), axis.values[i].as_str())).collect(),
            seed: point.scenario.seed(),
            stop: &finished.stop,
            flows_started: finished.flows_started,
            flows_finished: finished.flows_finished,
            packets_delivered: finished.packets_delivered,
            packet_hops: finished.packet_hops,
            packets_dropped: finished.packets_dropped,
            packets_marked: finished.packets_marked,
            packets_retransmitted: finished.packets_retransmitted,
            timeouts: finished.timeouts,
            pauses: finished.pauses,
            simulated_s: finished.simulated_ps as f64 * 1e-12,
        }
    }
}

/// Serialises pairs as an object.
fn map<S: Serializer>(pairs: &[(&str, &str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
}

fn metrics(study: &Study, point: &Point, finished: &Finished) -> Vec<MetricRow> {
    let row = |metric: Metric| {
        Some(MetricRow {
            case: study.label(point),
            metric: metric.name(),
            unit: metric.unit(),
            measured: finished.metric(metric)?,
            samples: finished.flows_finished,
        })
    };
    Metric::ALL.into_iter().filter_map(row).collect()
}

fn stats(study: &Study, finished: &[Option<Finished>]) -> StudyStats {
    let done: Vec<&Finished> = finished.iter().flatten().collect();
    let sum = |count: fn(&Finished) -> u64| done.iter().map(|point| count(point)).sum::<u64>();
    let missing = study.points.iter().zip(finished).filter(|(_, finished)| finished.is_none());
    StudyStats {
        version: env!("CARGO_PKG_VERSION"),
        points: done.len(),
        flows_started: sum(|point| point.flows_started),
        flows_finished: sum(|point| point.flows_finished),
        packets_delivered: sum(|point| point.packets_delivered),
        packet_hops: sum(|point| point.packet_hops),
        events: sum(|point| point.events),
        simulated_s: sum(|point| point.simulated_ps) as f64 * 1e-12,
        unfinished: missing.map(|(point, _)| study.label(point)).collect(),
    }
}
