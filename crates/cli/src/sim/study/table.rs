//! Points and their metrics, as a table for the terminal and the report.

use super::point::Finished;
use bandwise_report::{Cell, Table, text};
use bandwise_scenario::ethernet::{Metric, Study};

/// Returns the table and the lines below it.
pub(super) fn text(study: &Study, finished: &[Option<Finished>]) -> String {
    format!("{}\n{}", text::table(&table(study, finished)), closing(study, finished))
}

/// Returns a table with a row for each finished point.
pub(super) fn table(study: &Study, finished: &[Option<Finished>]) -> Table {
    let metrics = metrics(study, finished);
    let partial = finished.iter().flatten().any(|point| !point.is_complete());
    let mut header: Vec<String> = study.axes.iter().map(|axis| axis.title.clone()).collect();
    header.push("flows".into());
    header.extend(metrics.iter().map(|metric| metric.name().to_owned()));
    header.extend(partial.then(|| "ended".to_owned()));
    let rows = study.points.iter().zip(finished).filter_map(|(point, finished)| {
        let finished = finished.as_ref()?;
        let places = study.axes.iter().zip(&point.places);
        let mut cells: Vec<Cell> = places.map(|(axis, &i)| Cell::text(&axis.values[i])).collect();
        cells.push(Cell::number(finished.flows_finished as f64, ""));
        cells.extend(metrics.iter().map(|metric| match finished.metric(*metric) {
            Some(value) => Cell::number(value, metric.unit()),
            None => Cell::number(f64::NAN, ""),
        }));
        cells.extend(partial.then(|| Cell::text(&finished.stop)));
        Some(cells)
    });
    Table {
        title: study.title.clone(),
        caption: "FCT is the flow completion time, p99 its 99th percentile.".into(),
        header,
        rows: rows.collect(),
    }
}

/// Returns the metrics of the plot, and other metrics that are not zero at all points.
fn metrics(study: &Study, finished: &[Option<Finished>]) -> Vec<Metric> {
    let tells = |metric: &Metric| {
        let mut values = finished.iter().flatten().filter_map(|point| point.metric(*metric));
        values.any(|value| value > 0.0)
    };
    let besides = [Metric::AverageRct, Metric::Dropped];
    let wanted = |m: &Metric| study.plot.y.contains(m) || (besides.contains(m) && tells(m));
    Metric::ALL.into_iter().filter(wanted).collect()
}

/// Returns the lines with the circumstances of all numbers.
fn closing(study: &Study, finished: &[Option<Finished>]) -> String {
    let done: Vec<&Finished> = finished.iter().flatten().collect();
    let partial = match study.points.len() - done.len() {
        0 => String::new(),
        missing => format!("Partial: {missing} of {} points are missing. ", study.points.len()),
    };
    let flows: u64 = done.iter().map(|point| point.flows_finished).sum();
    let seed = match study.points.first() {
        Some(point) if study.seeds().is_none() => format!("seed {}, ", point.scenario.seed()),
        _ => String::new(),
    };
    format!(
        "{partial}{} points, {flows} flows, {seed}bandwise {}.\n",
        done.len(),
        env!("CARGO_PKG_VERSION")
    )
}
