//! The parts of Saba's gain by queues and by weights, as JSON, table and figure.

use bandwise_report::{Axis, Cell, Figure, Point, Scale, Series, SeriesKind, Table};
use bandwise_scenario::jobs::{BASELINE, Findings, Gain};
use serde::Serialize;

/// A gain in JSON.
#[derive(Serialize)]
pub(super) struct GainRow {
    policy: &'static str,
    same_queues: &'static str,
    speedup_by_queues: f64,
    speedup_by_weights: f64,
    speedup: f64,
}

impl From<&Gain> for GainRow {
    fn from(gain: &Gain) -> Self {
        GainRow {
            policy: gain.policy.as_str(),
            same_queues: gain.equal.as_str(),
            speedup_by_queues: gain.queues,
            speedup_by_weights: gain.weights,
            speedup: gain.both(),
        }
    }
}

/// Returns a row for each gain.
pub(super) fn rows(findings: &Findings) -> Vec<GainRow> {
    findings.gains.iter().map(GainRow::from).collect()
}

/// Returns the table of gains, or `None` if no pair was run.
pub(super) fn table(findings: &Findings) -> Option<Table> {
    let row = |gain: &Gain| {
        vec![
            Cell::text(gain.policy.as_str()),
            Cell::text(gain.equal.as_str()),
            Cell::number(gain.queues, ""),
            Cell::number(gain.weights, ""),
            Cell::number(gain.both(), ""),
        ]
    };
    let rows: Vec<_> = findings.gains.iter().map(row).collect();
    let header = ["policy", "same queues", "by queues", "by weights", "speedup"];
    (!rows.is_empty()).then(|| Table {
        title: "Sources of Saba's gain".into(),
        caption: format!(
            "By queues: the same queues with equal weights, over {}. By weights: weights by sensitivity, over \
             equal weights. Geometric means over jobs, whose product is the speedup. Floors keep shares above \
             the smallest measured one.",
            BASELINE.as_str()
        ),
        header: header.map(str::to_owned).into(),
        rows,
    })
}

/// Returns the figure of gains, or `None` if no pair was run.
pub(super) fn figure(findings: &Findings) -> Option<Figure> {
    let gains = &findings.gains;
    let percent = |speedup: f64| (speedup - 1.0) * 100.0;
    let series = |name: &str, of: &dyn Fn(&Gain) -> f64| Series {
        name: name.into(),
        kind: SeriesKind::Bars,
        points: gains
            .iter()
            .enumerate()
            .map(|(i, gain)| Point::new(i as f64, percent(of(gain))))
            .collect(),
        ..Series::default()
    };
    let names = gains.iter().map(|gain| gain.policy.title().to_owned()).collect();
    (!gains.is_empty()).then(|| Figure {
        id: "gain".into(),
        title: "Sources of Saba's gain".into(),
        caption: format!(
            "Queues: the same queues with equal weights, over {}. Weights: weights by sensitivity, over equal \
             weights. Geometric means over jobs; both is the product of the two factors.",
            BASELINE.title()
        ),
        x: Axis { scale: Scale::Category(names), ..Axis::default() },
        y: Axis { label: "gain".into(), unit: "%".into(), ..Axis::default() },
        series: vec![
            series("queues", &|gain| gain.queues),
            series("weights", &|gain| gain.weights),
            series("both", &Gain::both),
        ],
        ..Figure::default()
    })
}
