//! A sweep's report: a figure for each metric, and all points in a table.

use super::answer::StudyAnswer;
use super::point::Finished;
use super::table::table;
use crate::sim::report::{provenance, tail_axes};
use crate::warned;
use bandwise_report::model::{Axis, Figure, Point, Report, Scale, Series, SeriesKind};
use bandwise_scenario::ethernet::{Metric, Study};

const AVERAGED: &str = "Averages over the seeds; whiskers reach from the least to the most.";

/// The drawn points of a tail, in thousandths of flows; whiskers of more points would touch.
const DRAWN: [u32; 8] = [900, 920, 940, 960, 980, 990, 995, 999];

/// The most tails in a figure; more curves would be hard to distinguish.
const MOST_TAILS: usize = 8;

/// Returns the report. It depends only on the scenario, not on the machine or the date.
pub(super) fn report(answer: &StudyAnswer) -> Report {
    let StudyAnswer { settings, finished, .. } = *answer;
    let study = &settings.study;
    let curves = curves(study, finished);
    let mut figures: Vec<Figure> =
        study.plot.y.iter().filter_map(|metric| figure(study, &curves, *metric)).collect();
    figures.extend(tails(study, &curves));
    let mut notes: Vec<String> = warned::notes(&answer.warnings).collect();
    if finished.iter().any(Option::is_none) {
        notes.push("The run was interrupted. Points are missing.".to_owned());
    }
    Report {
        title: study.title.clone(),
        answer: warned::answer(&answer.warnings).into_iter().collect(),
        figures,
        tables: vec![table(study, finished)],
        provenance: provenance(&settings.name, &settings.text, study.points.first()),
        notes,
        ..Report::default()
    }
}

/// Points that differ only in their value on the x-axis and in seeds.
struct Curve<'a> {
    name: String,
    /// The points of all seeds, by their value on the x-axis.
    places: Vec<(usize, String, Vec<&'a Finished>)>,
}

fn curves<'a>(study: &Study, finished: &'a [Option<Finished>]) -> Vec<Curve<'a>> {
    let others: Vec<usize> = (0..study.axes.len())
        .filter(|&axis| Some(axis) != study.plot.x && Some(axis) != study.seeds())
        .collect();
    let mut curves: Vec<(Vec<usize>, Curve)> = Vec::new();
    for (point, finished) in study.points.iter().zip(finished) {
        let Some(finished) = finished else { continue };
        let key: Vec<usize> = others.iter().map(|&axis| point.places[axis]).collect();
        let place = study.plot.x.map_or(0, |axis| point.places[axis]);
        let at = study.plot.x.map_or_else(String::new, |axis| study.axes[axis].place(place));
        let curve = match curves.iter_mut().position(|(other, _)| *other == key) {
            Some(i) => &mut curves[i].1,
            None => {
                let parts = others.iter().map(|&axis| study.axes[axis].place(point.places[axis]));
                let name = parts.collect::<Vec<_>>().join(", ");
                curves.push((key, Curve { name, places: Vec::new() }));
                let last = curves.len() - 1;
                &mut curves[last].1
            }
        };
        match curve.places.iter_mut().find(|(other, ..)| *other == place) {
            Some((.., points)) => points.push(finished),
            None => curve.places.push((place, at, vec![finished])),
        }
    }
    curves.into_iter().map(|(_, curve)| curve).collect()
}

fn figure(study: &Study, curves: &[Curve], metric: Metric) -> Option<Figure> {
    let axis = &study.axes[study.plot.x?];
    let (scale, kind) = match &axis.numbers {
        Some(_) => (Scale::Linear, SeriesKind::Line),
        None => (Scale::Category(axis.values.clone()), SeriesKind::Bars),
    };
    let mut series: Vec<Series> = curves
        .iter()
        .map(|curve| {
            let points = curve.places.iter().filter_map(|(place, _, points)| {
                let x = axis.numbers.as_ref().map_or(*place as f64, |numbers| numbers[*place]);
                let values: Vec<f64> = points.iter().filter_map(|p| p.metric(metric)).collect();
                averaged(x, &values)
            });
            let mut points: Vec<Point> = points.collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            Series { name: curve.name.clone(), kind, points, ..Series::default() }
        })
        .collect();
    series.retain(|series| !series.points.is_empty());
    (!series.is_empty()).then(|| Figure {
        id: metric.name().replace(' ', "-"),
        group: String::new(),
        title: metric.name().to_owned(),
        caption: study.seeds().map_or("", |_| AVERAGED).to_owned(),
        x: Axis { label: axis.title.clone(), unit: String::new(), scale },
        y: Axis {
            label: metric.name().to_owned(),
            unit: metric.unit().to_owned(),
            ..Axis::default()
        },
        series,
    })
}

/// Returns a point at the average of the values, with their range.
fn averaged(x: f64, values: &[f64]) -> Option<Point> {
    if values.is_empty() {
        return None;
    }
    let point = Point::new(x, values.iter().sum::<f64>() / values.len() as f64);
    Some(match values.len() {
        1 => point,
        _ => point
            .low(values.iter().copied().fold(f64::INFINITY, f64::min))
            .high(values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
    })
}

/// Returns the figure of the tails of single packets, unless there are too many to distinguish.
fn tails(study: &Study, curves: &[Curve]) -> Option<Figure> {
    let mut series = Vec::new();
    for curve in curves {
        for (_, place, points) in &curve.places {
            let shares = points.first()?.tail.iter().map(|&(share, _)| share);
            let shares = shares.filter(|share| DRAWN.contains(share));
            let points = shares.filter_map(|share| {
                let at = |p: &&Finished| p.tail.iter().find(|(s, _)| *s == share).map(|t| t.1);
                let values: Vec<f64> =
                    points.iter().filter_map(at).map(|ps| ps as f64 * 1e-6).collect();
                averaged(f64::from(share) / 10.0, &values)
            });
            let parts = [&curve.name, place];
            let name = parts.into_iter().filter(|part| !part.is_empty()).cloned();
            let name = name.collect::<Vec<_>>().join(", ");
            series.push(Series { name, points: points.collect(), ..Series::default() });
        }
    }
    series.retain(|series| !series.points.is_empty());
    ((1..=MOST_TAILS).contains(&series.len())).then(|| {
        let mut figure = tail_axes(series);
        if study.seeds().is_some() {
            figure.caption = format!("{} {AVERAGED}", figure.caption);
        }
        figure
    })
}
