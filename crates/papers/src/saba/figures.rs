//! The report's figures.

use super::calculation::{DEGREES, SHOWN};
use crate::Finding;
use crate::published::Published;
use bandwise_report::model::{Axis, Figure, Point, Scale, Series, SeriesKind, SourceKind};
use bandwise_workload::job::WORKLOADS;

/// Returns all figures that have findings.
pub(super) fn figures(findings: &[Finding], published: &Published) -> Vec<Figure> {
    let mut all = Vec::new();
    let ours = |item: &str, case: &str, metric: &str| {
        Finding::find(findings, item, case, metric).map(Finding::value)
    };
    let names: Vec<String> = WORKLOADS.iter().map(|name| (*name).to_owned()).collect();
    let bars = |item: &str, metric: &str, series: &[(&str, &str)]| -> Vec<Series> {
        let one = |&(called, after): &(&str, &str)| {
            let points = WORKLOADS.iter().enumerate().filter_map(|(i, name)| {
                Some(Point::new(i as f64, ours(item, &format!("{name}{after}"), metric)?))
            });
            let points: Vec<Point> = points.collect();
            let series =
                Series { name: called.into(), kind: SeriesKind::Bars, points, ..Series::default() };
            (!series.points.is_empty()).then_some(series)
        };
        series.iter().filter_map(one).collect()
    };
    let theirs = |item: &str, metric: &str, after: &str| {
        let points = WORKLOADS.iter().enumerate().filter_map(|(i, name)| {
            let case = format!("{name}{after}");
            let is_it = |v: &&crate::published::Value| {
                v.item == item && v.case == case && v.metric == metric
            };
            Some(Point::new(i as f64, published.values().iter().find(is_it)?.value))
        });
        Series {
            name: "published".into(),
            kind: SeriesKind::Points,
            source: SourceKind::Published,
            points: points.collect(),
        }
    };
    let figure = |id: &str, title: &str, caption: &str, label: &str, series: Vec<Series>| Figure {
        id: id.into(),
        title: title.into(),
        caption: caption.into(),
        x: Axis { scale: Scale::Category(names.clone()), ..Axis::default() },
        y: Axis { label: label.into(), ..Axis::default() },
        series,
        ..Figure::default()
    };
    let mut add = |mut figure: Figure, published: Series| {
        if !figure.series.is_empty() {
            if !published.points.is_empty() {
                figure.series.push(published);
            }
            all.push(figure);
        }
    };
    add(
        figure(
            "fig3.1",
            "Slowdown alone",
            "Each workload by itself, with a part of the bandwidth.",
            "slowdown",
            bars("fig3.1", "slowdown", &[("75%", " at 75%"), ("25%", " at 25%")]),
        ),
        theirs("fig3.1", "slowdown", " at 25%"),
    );
    add(
        figure(
            "fig4.4",
            "Accuracy of models",
            "R² on the samples that they were made of.",
            "R²",
            bars("fig4.4", "R2", &[("k=1", " k=1"), ("k=2", " k=2"), ("k=3", " k=3")]),
        ),
        theirs("fig4.4", "R2", " k=1"),
    );
    add(
        figure(
            "fig4.13",
            "Speedup over cluster setups",
            "Geometric mean over all jobs of a workload, over max-min among flows.",
            "speedup",
            bars(
                "fig4.13",
                "speedup",
                &[
                    ("Saba", ""),
                    ("Saba's queues, equal weights", ", equal-weights"),
                    ("a queue a job, equal weights", ", fair-jobs"),
                    ("smallest job first", ", smallest-first"),
                ],
            ),
        ),
        theirs("fig4.13", "speedup", ""),
    );
    all.extend(calculation(findings));
    all
}

/// Returns the figure of calculation times by the number of applications.
fn calculation(findings: &[Finding]) -> Option<Figure> {
    let series = |(_, called): (_, &str)| {
        let time = |size: usize| {
            let case = format!("{size} applications, {called}");
            let time = Finding::find(findings, "fig4.19", &case, "calculation time, mean")?;
            Some(Point::new(size as f64, time.value() * 1e3))
        };
        let points: Vec<Point> = SHOWN.into_iter().filter_map(time).collect();
        (!points.is_empty()).then(|| Series { name: called.into(), points, ..Series::default() })
    };
    let series: Vec<Series> = DEGREES.into_iter().filter_map(series).collect();
    (!series.is_empty()).then(|| Figure {
        id: "fig4.19".into(),
        title: "Calculation time".into(),
        caption: "All ports of 1,944 hosts, on one core of this machine; the mean.".into(),
        x: Axis { label: "applications".into(), ..Axis::default() },
        y: Axis { label: "ms".into(), ..Axis::default() },
        series,
        ..Figure::default()
    })
}
