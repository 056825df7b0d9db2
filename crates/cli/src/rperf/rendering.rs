//! Rendering that all measurements share, simulated ones and those over devices.

use bandwise_report::{Axis, Cell, Figure, Point, Scale, Series, SeriesKind, SourceKind};
use bandwise_rperf::{Bandwidth, Summary};
use serde::Serialize;

/// A statistic of a distribution.
pub(super) type Statistic = fn(&Summary) -> f64;

/// The statistics that tables and plots show, with their names.
pub(super) const QUANTILES: [(&str, Statistic); 6] = [
    ("p50", |s| s.p50_ns),
    ("p90", |s| s.p90_ns),
    ("p99", |s| s.p99_ns),
    ("p99.9", |s| s.p99_9_ns),
    ("p99.99", |s| s.p99_99_ns),
    ("max", |s| s.max_ns),
];

/// Returns a row of a table that begins with a name.
pub(super) fn row(name: &str, cells: Vec<Cell>) -> Vec<Cell> {
    [vec![Cell::text(name)], cells].concat()
}

/// Returns the unit in which to show a distribution, and its factor from nanoseconds: microseconds from a
/// median of 10 us on.
pub(super) fn unit_of(measured: &Summary) -> (&'static str, f64) {
    if measured.p50_ns.abs() < 10_000.0 { ("ns", 1.0) } else { ("us", 1e-3) }
}

/// Returns a figure of round-trip times by percentile; `None` without series.
pub(super) fn percentiles(caption: &str, series: Vec<Series>) -> Option<Figure> {
    (!series.is_empty()).then(|| Figure {
        id: "latency".to_owned(),
        group: String::new(),
        title: "Round-trip time".to_owned(),
        caption: caption.to_owned(),
        x: Axis {
            label: "Percentile".to_owned(),
            unit: String::new(),
            scale: Scale::Category(QUANTILES.map(|(name, _)| name.to_owned()).to_vec()),
        },
        y: Axis { label: "Round trip".to_owned(), unit: "us".to_owned(), scale: Scale::Linear },
        series,
    })
}

/// Returns a series for [`percentiles`].
pub(super) fn curve(name: String, source: SourceKind, summary: &Summary) -> Series {
    let values = QUANTILES.iter().map(|(_, of)| of(summary) / 1e3);
    let points = values.enumerate().map(|(i, y)| Point::new(i as f64, y)).collect();
    Series { name, kind: SeriesKind::Line, source, points }
}

/// A bandwidth in JSON.
#[derive(Serialize)]
pub(super) struct BandwidthRow {
    direction: &'static str,
    gbps: f64,
    bytes: u64,
    messages: u64,
    window_s: f64,
}

impl From<Bandwidth> for BandwidthRow {
    fn from(bandwidth: Bandwidth) -> Self {
        BandwidthRow {
            direction: "one way",
            gbps: bandwidth.rate().as_gbps_f64(),
            bytes: bandwidth.bytes.get(),
            messages: bandwidth.messages,
            window_s: bandwidth.to.saturating_sub(bandwidth.from).as_s_f64(),
        }
    }
}
