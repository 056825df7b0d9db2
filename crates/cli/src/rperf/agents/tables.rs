//! The results of a plan as tables.

use super::super::device::tables::named;
use super::super::rendering::{QUANTILES, unit_of};
use super::settings::Settings;
use crate::failure::Failure;
use anyhow::anyhow;
use bandwise_agents::coordinator::{FlowOutcome, Outcome, RunEnd};
use bandwise_agents::{Flow, FlowEnd, Report, Role};
use bandwise_measure::coordinator::size;
use bandwise_report::{Cell, Table, Verdict, text};
use bandwise_units::{Bytes, Time};

/// Returns the tables and the line below them.
pub(super) fn text(settings: &Settings, outcome: &Outcome) -> String {
    let mut parts: Vec<String> = all(settings, outcome).iter().map(text::table).collect();
    parts.push(format!("{}\n", closing(settings, outcome)));
    parts.join("\n")
}

/// Returns all tables.
pub(super) fn all(settings: &Settings, outcome: &Outcome) -> Vec<Table> {
    let latency = latency(settings, outcome);
    let rest = [bandwidth(settings, outcome), hosts(settings, outcome)];
    latency.into_iter().chain(rest).collect()
}

/// Returns each flow with its outcome.
fn reports<'a>(
    settings: &'a Settings,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (&'a Flow, &'a FlowOutcome)> {
    settings.plan.flows.iter().zip(&outcome.flows)
}

/// Returns a description such as `bulk by WRITE, 64 KiB, SL1`.
pub(super) fn flow_traffic(flow: &Flow) -> String {
    let bytes = Bytes::new(u64::from(flow.task.bytes.get()));
    format!("{}, {bytes}, SL{}", named(flow.task.method), flow.task.sl.get())
}

/// Returns a flow's name, with its two hosts unless the name ends with them.
pub(super) fn flow_title(settings: &Settings, flow: &Flow) -> String {
    let host = |place: usize| &settings.plan.hosts[place].name;
    let pair = format!("{}->{}", host(flow.from), host(flow.to));
    match flow.name.ends_with(&pair) {
        true => flow.name.clone(),
        false => format!("{} {pair}", flow.name),
    }
}

/// Returns the table of latencies.
fn latency(settings: &Settings, outcome: &Outcome) -> Option<Table> {
    let mut rows = Vec::new();
    for (flow, found) in reports(settings, outcome).filter(|(flow, _)| flow.role == Role::Lsg) {
        let mut row = vec![Cell::text(flow_title(settings, flow)), Cell::text(flow_traffic(flow))];
        let summary = found.report.as_ref().and_then(|report| report.window.latency.as_ref());
        row.push(Cell::number(summary.map_or(0.0, |summary| summary.count as f64), ""));
        row.extend(QUANTILES.iter().map(|&(_, of)| match summary {
            Some(summary) => {
                let (unit, scale) = unit_of(summary);
                Cell::number(of(summary) * scale, unit)
            }
            None => Cell::text("–"),
        }));
        rows.push(row);
    }
    let named = ["flow", "messages of", "samples"];
    let header = named.into_iter().chain(QUANTILES.iter().map(|&(name, _)| name));
    (!rows.is_empty()).then(|| Table {
        title: "Latency while all flows were active".to_owned(),
        caption: "Round trips, by the definition of each method: rperf from port to port, the others from \
                  program to program."
            .to_owned(),
        header: header.map(str::to_owned).collect(),
        rows,
    })
}

/// Returns the table of bandwidths.
fn bandwidth(settings: &Settings, outcome: &Outcome) -> Table {
    let mut rows = Vec::new();
    for (flow, found) in reports(settings, outcome) {
        let report = found.report.as_ref();
        let number = |value: Option<f64>, unit: &str| match value {
            Some(value) => Cell::number(value, unit),
            None => Cell::text("–"),
        };
        let rate = |counted: Option<bandwise_agents::Counted>| {
            number(counted.and_then(|c| c.rate()).map(|rate| rate.as_gbps_f64()), "Gbps")
        };
        let window = report.map(|report| report.window);
        rows.push(vec![
            Cell::text(flow_title(settings, flow)),
            Cell::text(flow_traffic(flow)),
            rate(window),
            number(window.map(|window| window.messages as f64), ""),
            number(window.and_then(|window| window.per_second()), "/s"),
            number(report.and_then(|report| report.cpu).map(|cpu| cpu * 100.0), "%"),
            end(report),
        ]);
    }
    let header = ["flow", "messages of", "payload", "messages", "rate", "CPU", "end"];
    let when = match outcome.window {
        Some(window) => format!("From {} to {} of the run", window.from(), window.to()),
        None => "At no time of the run".to_owned(),
    };
    Table {
        title: "Bandwidth while all flows were active".to_owned(),
        caption: format!(
            "{when}; of messages one at a time from the first that began to the last that ended in it. CPU is the part \
             of a flow's own time in which its thread had a processor."
        ),
        header: header.map(str::to_owned).to_vec(),
        rows,
    }
}

/// Returns the end of a flow as text.
fn end(report: Option<&Report>) -> Cell {
    match report.map(|report| &report.end) {
        Some(FlowEnd::Complete) => Cell::verdict(Verdict::Good, "complete"),
        Some(FlowEnd::Stopped) => Cell::verdict(Verdict::Neutral, "stopped"),
        Some(FlowEnd::Failed(_)) => Cell::verdict(Verdict::Bad, "failed"),
        None => Cell::verdict(Verdict::Bad, "not reported"),
    }
}

fn hosts(settings: &Settings, outcome: &Outcome) -> Table {
    let rows = settings.plan.hosts.iter().zip(&outcome.hosts).map(|(host, found)| {
        let text = |text: &Option<String>| Cell::text(text.as_deref().unwrap_or("–"));
        vec![
            Cell::text(&host.name),
            Cell::text(host.agent.to_string()),
            text(&found.device),
            text(&found.clock),
            match found.clock_error {
                Some(error) => Cell::number(error.as_ns_f64() / 1e3, "us"),
                None => Cell::text("–"),
            },
        ]
    });
    let header = ["host", "agent", "device", "clock", "known to"];
    Table {
        title: "Hosts".to_owned(),
        caption: format!(
            "The error of each clock, at the start and at the end. The margin of {} at both ends of the time must \
             exceed the error between any two.",
            settings.plan.margin
        ),
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// Returns the line with the circumstances of all numbers.
pub(super) fn closing(settings: &Settings, outcome: &Outcome) -> String {
    let plan = &settings.plan;
    let partial = match &outcome.end {
        RunEnd::Complete => String::new(),
        RunEnd::Interrupted => "Partial: interrupted. ".to_owned(),
        RunEnd::Failed(why) => format!("Partial: {why}. "),
    };
    let without = without_samples(settings, outcome);
    let none = match without.is_empty() {
        true => String::new(),
        false => format!("No message while all flows were active: {}. ", without.join(", ")),
    };
    let all_active = outcome.window.map_or(Time::ZERO, |window| window.to() - window.from());
    format!(
        "{partial}{none}{}: {}, {:.3} s in which all are active; seed {}, bandwise {}.",
        plan.title,
        size(plan),
        all_active.as_s_f64(),
        plan.seed,
        env!("CARGO_PKG_VERSION"),
    )
}

/// Returns the names of flows without a counted message.
fn without_samples(settings: &Settings, outcome: &Outcome) -> Vec<String> {
    let is_empty = |found: &FlowOutcome| {
        found
            .report
            .as_ref()
            .is_none_or(|report| report.window.messages == 0 || report.window.over == Time::ZERO)
    };
    let flows = reports(settings, outcome).filter(|(_, found)| is_empty(found));
    flows.map(|(flow, _)| flow.name.clone()).collect()
}

/// Returns an error if a flow has no counted message.
pub(super) fn all_have_samples(settings: &Settings, outcome: &Outcome) -> Result<(), Failure> {
    let without = without_samples(settings, outcome);
    match without.is_empty() {
        true => Ok(()),
        false => {
            let names = without.join(", ");
            Err(anyhow!("no message of {names} while all were active; needed: a longer duration")
                .into())
        }
    }
}
