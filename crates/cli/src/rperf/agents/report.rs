//! The report of a plan: one page for all hosts.

use super::super::rendering::{curve, percentiles};
use super::settings::Settings;
use super::tables::{self, flow_title};
use bandwise_agents::coordinator::{Outcome, RunEnd};
use bandwise_agents::{Flow, Role};
use bandwise_report::{
    Axis, Figure, Point, Provenance, Report, Scale, Series, SeriesKind, SourceKind,
};

/// Returns the report.
pub(super) fn report(settings: &Settings, outcome: &Outcome) -> Report {
    Report {
        title: settings.plan.title.clone(),
        question: "Which bandwidth and latency does each flow have while all are active?"
            .to_owned(),
        answer: answer(settings, outcome),
        figures: [latency(settings, outcome), bandwidth(settings, outcome)]
            .into_iter()
            .flatten()
            .collect(),
        tables: tables::all(settings, outcome),
        provenance: Provenance {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: settings.command.clone(),
            seed: settings.plan.seed,
            scenario: Some(settings.text.source().text.to_owned()),
            ..Provenance::default()
        },
        notes: vec![tables::closing(settings, outcome)],
        ..Report::default()
    }
}

/// Returns a sentence for each flow, after one for a partial result.
fn answer(settings: &Settings, outcome: &Outcome) -> Vec<String> {
    let mut sentences = match &outcome.end {
        RunEnd::Complete => Vec::new(),
        RunEnd::Interrupted => vec!["Partial: interrupted.".to_owned()],
        RunEnd::Failed(why) => vec![format!("Partial: {why}.")],
    };
    for (flow, found) in settings.plan.flows.iter().zip(&outcome.flows) {
        let Some(window) = found.report.as_ref().map(|report| report.window) else { continue };
        let title = format!("{} ({})", flow_title(settings, flow), tables::flow_traffic(flow));
        match (flow.role, window.latency, window.rate()) {
            (Role::Lsg, Some(latency), _) => sentences.push(format!(
                "{title}: {:.3} us at the median, {:.3} us at the 99.9th percentile.",
                latency.p50_ns / 1e3,
                latency.p99_9_ns / 1e3
            )),
            (Role::Bsg, _, Some(rate)) => {
                sentences.push(format!("{title}: {:.3} Gbps of payload.", rate.as_gbps_f64()));
            }
            _ => {}
        }
    }
    sentences
}

/// Returns a figure of the latency of LSG flows.
fn latency(settings: &Settings, outcome: &Outcome) -> Option<Figure> {
    let mut series = Vec::new();
    for (flow, found) in settings.plan.flows.iter().zip(&outcome.flows) {
        let summary = found.report.as_ref().and_then(|report| report.window.latency);
        let Some(summary) = summary.filter(|_| flow.role == Role::Lsg) else { continue };
        series.push(curve(flow.name.clone(), SourceKind::Ours, &summary));
    }
    percentiles("While all flows were active.", series)
}

/// Returns a figure of the bandwidth of bulk flows.
fn bandwidth(settings: &Settings, outcome: &Outcome) -> Option<Figure> {
    let flows = settings.plan.flows.iter().zip(&outcome.flows);
    let found: Vec<(&Flow, f64)> = flows
        .filter(|(flow, _)| flow.role == Role::Bsg)
        .filter_map(|(flow, found)| {
            let rate = found.report.as_ref()?.window.rate()?;
            Some((flow, rate.as_gbps_f64()))
        })
        .collect();
    let bar = |(i, &(flow, gbps)): (usize, &(&Flow, f64))| {
        Point::new(i as f64, gbps).note(flow_title(settings, flow))
    };
    (!found.is_empty()).then(|| Figure {
        id: "bandwidth".to_owned(),
        title: "Bandwidth".to_owned(),
        caption: "Payload while all flows were active.".to_owned(),
        x: Axis {
            label: "Flow".to_owned(),
            unit: String::new(),
            scale: Scale::Category(found.iter().map(|(flow, _)| flow.name.clone()).collect()),
        },
        y: Axis { label: "Payload".to_owned(), unit: "Gbps".to_owned(), scale: Scale::Linear },
        series: vec![Series {
            name: "payload".to_owned(),
            kind: SeriesKind::Bars,
            source: SourceKind::Ours,
            points: found.iter().enumerate().map(bar).collect(),
        }],
        ..Figure::default()
    })
}
