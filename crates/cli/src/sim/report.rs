//! A run's report: slowdown by size of flow, the tail of small messages, and the tables.

use super::answer::SimAnswer;
use super::names;
use super::tables;
use crate::warned;
use bandwise_report::model::{Axis, Figure, Point, Provenance, Report, Scale, Series, SeriesKind};
use bandwise_scenario::ethernet::{self, EthernetResults};

/// Returns the report. It depends only on scenario, flows and seed, not on the machine or the date.
pub(super) fn report(answer: &SimAnswer) -> Report {
    let SimAnswer { scenario, results, .. } = *answer;
    let mut figures = Vec::new();
    if !results.groups.is_empty() {
        figures.push(slowdowns(results));
    }
    if !results.single_packet_tail.is_empty() {
        let points = results.single_packet_tail.iter();
        let points = points
            .map(|&(share, time)| Point::new(f64::from(share) / 10.0, time.as_ns_f64() / 1e3));
        let series =
            Series { name: "single packet".into(), points: points.collect(), ..Series::default() };
        figures.push(tail_axes(vec![series]));
    }
    let mut provenance = provenance(answer.name, answer.text, None);
    provenance.seed = scenario.seed();
    Report {
        title: scenario.title().to_owned(),
        answer: warned::answer(&answer.warnings).into_iter().collect(),
        figures,
        tables: tables::all(scenario, results),
        provenance,
        notes: warned::notes(&answer.warnings)
            .chain([tables::closing(scenario, results)])
            .collect(),
        ..Report::default()
    }
}

fn slowdowns(results: &EthernetResults) -> Figure {
    let names = results.groups.iter().map(|(group, _)| names::group(*group)).collect();
    let series = |name: &str, value: fn(&ethernet::Distribution) -> f64| Series {
        name: name.to_owned(),
        kind: SeriesKind::Bars,
        points: results
            .groups
            .iter()
            .enumerate()
            .map(|(i, (_, found))| Point::new(i as f64, value(found)))
            .collect(),
        ..Series::default()
    };
    Figure {
        id: "slowdown".into(),
        group: String::new(),
        title: "Slowdown by size of flow".into(),
        caption: "Completion time over that in an empty network.".into(),
        x: Axis { scale: Scale::Category(names), ..Axis::default() },
        y: Axis { label: "slowdown".into(), ..Axis::default() },
        series: vec![
            series("average", |found| found.average_slowdown),
            series("p99", |found| found.slowdown_percentiles[2]),
        ],
    }
}

/// Returns the figure of the tails of single packets.
pub(super) fn tail_axes(series: Vec<Series>) -> Figure {
    Figure {
        id: "tail".into(),
        group: String::new(),
        title: "Tail of flows of a single packet".into(),
        caption: "Percentiles of the completion time.".into(),
        x: Axis { label: "flows".into(), unit: "%".into(), scale: Scale::Linear },
        y: Axis { label: "completion time".into(), unit: "us".into(), scale: Scale::Linear },
        series,
    }
}

/// Returns the facts that reproduce the page.
pub(super) fn provenance(name: &str, text: &str, point: Option<&ethernet::Point>) -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: format!("bandwise sim run {name} --report report.html"),
        seed: point.map_or(0, |point| point.scenario.seed()),
        scenario: Some(text.to_owned()),
        ..Provenance::default()
    }
}
