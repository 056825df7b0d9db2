//! Points and their metrics as CSV: a line for each point, a column for each axis and metric.

use super::point::Finished;
use anyhow::Context;
use bandwise_scenario::ethernet::{Metric, Study};

pub(super) fn of(study: &Study, finished: &[Option<Finished>]) -> anyhow::Result<String> {
    let mut to = csv::Writer::from_writer(Vec::new());
    let mut header: Vec<String> = study.axes.iter().map(|axis| axis.name.clone()).collect();
    header.extend(["stop", "flows"].map(str::to_owned));
    header.extend(Metric::ALL.map(|metric| match metric.unit() {
        "" => metric.name().to_owned(),
        unit => format!("{} ({unit})", metric.name()),
    }));
    to.write_record(&header)?;
    for (point, finished) in study.points.iter().zip(finished) {
        let Some(finished) = finished else { continue };
        let places = study.axes.iter().zip(&point.places);
        let mut line: Vec<String> = places.map(|(axis, &i)| axis.values[i].clone()).collect();
        line.push(finished.stop.clone());
        line.push(finished.flows_finished.to_string());
        let value = |metric| finished.metric(metric).map_or_else(String::new, |v| v.to_string());
        line.extend(Metric::ALL.map(value));
        to.write_record(&line)?;
    }
    let bytes = to.into_inner().context("the CSV of the points")?;
    Ok(String::from_utf8(bytes)?)
}
