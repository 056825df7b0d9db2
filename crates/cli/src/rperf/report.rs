//! The report of a measurement.

use super::answer::RperfAnswer;
use super::assumptions;
use super::limits;
use super::measure::{Outcome, describe};
use super::rendering::{curve, percentiles};
use super::settings::Settings;
use super::tables::{self, flow_title};
use crate::warned;
use bandwise_report::{Figure, Provenance, Report, SourceKind};
use bandwise_scenario::infiniband::Flow;

/// Returns the report.
pub(super) fn report(answered: &RperfAnswer) -> Report {
    let RperfAnswer { given: settings, outcome, .. } = *answered;
    Report {
        title: settings.title().to_owned(),
        question: "Which latency does the network add, and which does the method measure?"
            .to_owned(),
        answer: answer(settings, outcome)
            .into_iter()
            .chain(warned::answer(&settings.warnings))
            .collect(),
        figures: figure(settings, outcome).into_iter().collect(),
        tables: tables::all(settings, outcome),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: settings.command.clone(),
            seed: settings.seed(),
            scenario: Some(settings.text.source().text.to_owned()),
            ..Provenance::default()
        },
        notes: warned::notes(&settings.warnings)
            .chain(assumptions::sentences(settings, outcome))
            .chain([tables::closing(settings, outcome)])
            .collect(),
        ..Report::default()
    }
}

/// Returns a sentence for each result of a flow, and first for each that is none.
fn answer(settings: &Settings, outcome: &Outcome) -> Vec<String> {
    let mut sentences = limits::impossible(outcome);
    let is_result = |flow: &Flow| !outcome.implausible.iter().any(|found| found.flow == flow.name);
    for (_, flow, result) in outcome.flows.iter().filter(|(_, flow, _)| is_result(flow)) {
        let (title, (method, ..)) = (flow_title(settings, flow), describe(&flow.method));
        if let Some(latency) = &result.latency {
            let us = |ns: f64| format!("{:.3} us", ns / 1e3);
            let m = &latency.measured;
            let truth = latency.truth.map(|t| format!(" (in truth {})", us(t.p50_ns)));
            sentences.push(format!(
                "{title}, by {method}: a round trip of {} at the median{}, {} at the 99.9th \
                 percentile.",
                us(m.p50_ns),
                truth.unwrap_or_default(),
                us(m.p99_9_ns),
            ));
        }
        if let Some(bandwidth) = result.bandwidth.filter(|_| !settings.compare) {
            let gbps = bandwidth.rate().as_gbps_f64();
            sentences.push(format!("{title}, bulk: {gbps:.2} Gbps of payload."));
        }
    }
    sentences
}

/// Returns the figure of the distributions, or `None` if there are none.
fn figure(settings: &Settings, outcome: &Outcome) -> Option<Figure> {
    let mut series = Vec::new();
    for (_, flow, result) in &outcome.flows {
        let Some(latency) = &result.latency else { continue };
        let name = if settings.compare { describe(&flow.method).0 } else { &flow.name };
        series.push(curve(name.to_owned(), SourceKind::Ours, &latency.measured));
        if let Some(truth) = &latency.truth {
            series.push(curve(format!("{name}, truth"), SourceKind::Truth, truth));
        }
    }
    percentiles("Measured, and the true time between the two ports.", series)
}
