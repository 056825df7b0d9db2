//! The results as tables, for the terminal and the report.

use super::assumptions;
use super::measure::{Outcome, describe};
use super::rendering::{QUANTILES, Statistic, row, unit_of};
use super::settings::Settings;
use crate::failure::Failure;
use anyhow::anyhow;
use bandwise_report::{Cell, Table, text};
use bandwise_rperf::Summary;
use bandwise_scenario::Stop;
use bandwise_scenario::infiniband::{Flow, LatencyResult};
use bandwise_units::Time;

/// Returns the tables and the line below them.
pub(super) fn text(settings: &Settings, outcome: &Outcome) -> String {
    let mut parts: Vec<String> = all(settings, outcome).iter().map(text::table).collect();
    let assumptions = assumptions::sentences(settings, outcome).join("\n");
    parts.push(format!("{}\n{assumptions}\n", closing(settings, outcome)));
    parts.join("\n")
}

/// Returns the line with the circumstances of all numbers.
pub(super) fn closing(settings: &Settings, outcome: &Outcome) -> String {
    let (hosts, switches) = (settings.fabric().hosts().len(), settings.fabric().switches().len());
    let partial = match &outcome.stop {
        Stop::Interrupted => "Partial: interrupted. ",
        Stop::Deadlock(_) => "Partial: ended by a deadlock. ",
        _ => "",
    };
    let without = without_samples(settings, outcome);
    let none = if without.is_empty() {
        String::new()
    } else {
        format!("No sample: {}. ", without.join(", "))
    };
    let switches = match switches {
        1 => "1 switch".to_owned(),
        n => format!("{n} switches"),
    };
    format!(
        "{partial}{none}{}: {hosts} hosts, {switches}; {:.3} ms simulated, seed {}, bandwise {}.",
        settings.title(),
        outcome.simulated.as_s_f64() * 1e3,
        settings.seed(),
        env!("CARGO_PKG_VERSION"),
    )
}

/// Returns the names of latency flows without a sample.
fn without_samples(settings: &Settings, outcome: &Outcome) -> Vec<String> {
    let without = outcome
        .flows
        .iter()
        .filter(|(_, flow, result)| describe(&flow.method).2.is_some() && result.latency.is_none());
    let name = |flow: &Flow| match settings.compare {
        true => describe(&flow.method).0.to_owned(),
        false => flow.name.clone(),
    };
    without.map(|(_, flow, _)| name(flow)).collect()
}

/// Returns an error if a flow that measures a latency has no sample.
pub(super) fn all_have_samples(settings: &Settings, outcome: &Outcome) -> Result<(), Failure> {
    let without = without_samples(settings, outcome);
    if without.is_empty() {
        return Ok(());
    }
    let (given, names) = (settings.runs[0].duration(), without.join(", "));
    let longer = (given * 10).clamp(Time::from_ms(1), Time::from_ms(3_600_000));
    Err(anyhow!(
        "no sample within {given}: {names}\n  needed: a longer duration, such as '{longer}', by --duration of \
         `bandwise rperf` or `duration` of [run]; the first rounds are not counted"
    )
    .into())
}

/// Returns an error if a result is one that no fabric has.
pub(super) fn all_are_plausible(outcome: &Outcome) -> Result<(), Failure> {
    if outcome.implausible.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = outcome.implausible.iter().map(ToString::to_string).collect();
    Err(anyhow!(lines.join("\n")).into())
}

/// Returns all tables.
pub(super) fn all(settings: &Settings, outcome: &Outcome) -> Vec<Table> {
    let mut tables = Vec::new();
    if settings.compare {
        tables.extend(comparison(settings, outcome));
    } else {
        let latency = outcome.flows.iter().filter_map(|(_, flow, result)| {
            Some(latency_table(settings, outcome, flow, result.latency.as_ref()?))
        });
        tables.extend(latency);
    }
    if outcome.flows.iter().any(|(_, _, result)| result.bandwidth.is_some()) {
        tables.push(bandwidth_table(settings, outcome));
    }
    tables
}

/// Returns a description such as `64 B on SL0 from h6 to dst`.
pub(super) fn flow_title(settings: &Settings, flow: &Flow) -> String {
    let fabric = settings.fabric();
    let name = |host: usize| &fabric.node(fabric.hosts()[host]).name;
    let (_, bytes, _) = describe(&flow.method);
    format!("{bytes} B on {} from {} to {}", flow.sl, name(flow.from), name(flow.to))
}

const MEASURED: &str = "Truth is the time between the two ports, there and back, from a message's last bit out \
                        to its last bit in; error is measured less true, sample by sample.";

fn latency_table(
    settings: &Settings,
    outcome: &Outcome,
    flow: &Flow,
    latency: &LatencyResult,
) -> Table {
    let wanted = describe(&flow.method).2;
    let flow_title = flow_title(settings, flow);
    let (unit, scale) = unit_of(&latency.measured);
    // Errors are small against the times, so they stay in nanoseconds.
    let columns = [
        (Some(&latency.measured), unit, scale),
        (latency.truth.as_ref(), unit, scale),
        (latency.error.as_ref(), "ns", 1.0),
    ];
    let times = |name: &str, of: Statistic| {
        let cell = |&(summary, unit, scale): &(Option<&Summary>, &str, f64)| {
            Cell::number(summary.map_or(f64::NAN, |s| of(s) * scale), unit)
        };
        row(name, columns.iter().map(cell).collect())
    };
    let mut rows = vec![row("samples", vec![Cell::number(latency.measured.count as f64, "")])];
    rows.extend(QUANTILES.iter().map(|&(name, of)| times(name, of)));
    rows.push(times("mean", |s| s.mean_ns));
    rows.push(row("negative", vec![Cell::number(latency.measured.negatives as f64, "")]));
    rows.push(row("zero", vec![Cell::number(latency.measured.zeros as f64, "")]));
    let few = missed(wanted, latency).map_or_else(String::new, |wanted| {
        format!(" It took {} of {wanted} samples{}.", latency.measured.count, hint(outcome))
    });
    Table {
        title: format!("{}: round-trip time of {flow_title}", flow.name),
        caption: format!("{MEASURED}{few}"),
        header: ["", "measured", "truth", "error"].map(str::to_owned).to_vec(),
        rows,
    }
}

/// Returns the number of wanted samples, if fewer were taken.
fn missed(wanted: Option<u64>, latency: &LatencyResult) -> Option<u64> {
    wanted.filter(|&wanted| latency.measured.count < wanted)
}

/// Returns a hint for a run that ended before all samples were taken.
fn hint(outcome: &Outcome) -> &'static str {
    if outcome.stop == Stop::Complete { "; a longer duration takes more" } else { "" }
}

/// Returns the table of the methods that have samples, side by side.
fn comparison(settings: &Settings, outcome: &Outcome) -> Option<Table> {
    let measured: Vec<(&Flow, &LatencyResult)> = outcome
        .flows
        .iter()
        .filter_map(|(_, flow, result)| Some((flow, result.latency.as_ref()?)))
        .collect();
    let (unit, scale) = unit_of(&measured.first()?.1.measured);
    let cells = |(flow, latency): &(&Flow, &LatencyResult)| {
        let time = |value: Option<f64>, unit: &str, scale: f64| {
            Cell::number(value.map_or(f64::NAN, |ns| ns * scale), unit)
        };
        let mut cells = vec![
            Cell::text(describe(&flow.method).0),
            Cell::number(latency.measured.count as f64, ""),
        ];
        for of in [|s: &Summary| s.p50_ns, |s: &Summary| s.p99_9_ns] {
            cells.push(time(Some(of(&latency.measured)), unit, scale));
            cells.push(time(latency.truth.as_ref().map(of), unit, scale));
            cells.push(time(latency.error.as_ref().map(of), "ns", 1.0));
        }
        cells.push(Cell::number(latency.measured.negatives as f64, ""));
        cells.push(Cell::number(latency.measured.zeros as f64, ""));
        cells
    };
    let header = [
        "method", "samples", "p50", "truth", "error", "p99.9", "truth", "error", "negative", "zero",
    ];
    let flow = &outcome.flows[0].1;
    let wanted = describe(&flow.method).2;
    let few = measured.iter().find_map(|(_, latency)| missed(wanted, latency));
    let few =
        few.map(|wanted| format!(" Not all took the {wanted} samples wanted{}.", hint(outcome)));
    Some(Table {
        title: format!("Round-trip time of {} by each method", flow_title(settings, flow)),
        caption: format!("{MEASURED}{}", few.unwrap_or_default()),
        header: header.map(str::to_owned).to_vec(),
        rows: measured.iter().map(cells).collect(),
    })
}

fn bandwidth_table(settings: &Settings, outcome: &Outcome) -> Table {
    let bulk = outcome.flows.iter().filter_map(|(run, flow, result)| {
        let bandwidth = result.bandwidth?;
        let mut cells = vec![
            Cell::text(&flow.name),
            Cell::text(flow_title(settings, flow)),
            Cell::number(bandwidth.rate().as_gbps_f64(), "Gbps"),
            Cell::number(bandwidth.messages as f64, ""),
        ];
        if settings.compare {
            let beside = outcome.flows.iter().find(|(r, ..)| r == run);
            cells.push(Cell::text(beside.map_or("", |(_, flow, _)| describe(&flow.method).0)));
        }
        Some(cells)
    });
    let mut header = vec!["flow", "messages of", "payload received", "messages"];
    if settings.compare {
        header.push("beside");
    }
    Table {
        title: "Bandwidth".to_owned(),
        caption:
            "Payload that arrived during the measurement, one way; messages are those completed."
                .to_owned(),
        header: header.into_iter().map(str::to_owned).collect(),
        rows: bulk.collect(),
    }
}
