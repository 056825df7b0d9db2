//! What was measured, as tables: for the terminal and for the report.

use super::measure::{Outcome, describe};
use super::settings::Settings;
use bandwise_report::{Cell, Table, text};
use bandwise_rperf::Summary;
use bandwise_scenario::{Flow, FlowResult, LatencyResult, Stop};

/// Everything that is printed for people.
pub(super) fn text(settings: &Settings, outcome: &Outcome) -> String {
    let tables: Vec<String> = all(settings, outcome).iter().map(text::table).collect();
    format!("{}\n{}\n", tables.join("\n"), closing(settings, outcome))
}

/// The line that says what all numbers rest on.
pub(super) fn closing(settings: &Settings, outcome: &Outcome) -> String {
    let (hosts, switches) = (settings.fabric().hosts().len(), settings.fabric().switches().len());
    let partial = match &outcome.stop {
        Stop::Complete => "",
        Stop::Interrupted => "Partial: interrupted. ",
        Stop::Deadlock(_) => "Partial: ended by a deadlock. ",
    };
    let switches = match switches {
        1 => "1 switch".to_owned(),
        n => format!("{n} switches"),
    };
    format!(
        "{partial}{}: {hosts} hosts, {switches}; {:.3} ms simulated, seed {}, bandwise {}.",
        settings.title(),
        outcome.simulated.as_s_f64() * 1e3,
        settings.seed(),
        env!("CARGO_PKG_VERSION"),
    )
}

/// All tables.
pub(super) fn all(settings: &Settings, outcome: &Outcome) -> Vec<Table> {
    let mut tables = Vec::new();
    if settings.compare {
        tables.push(comparison(settings, outcome));
    } else {
        let latency =
            outcome.flows.iter().filter(|(_, flow, _)| describe(&flow.method).2.is_some());
        tables.extend(latency.map(|(_, flow, result)| latency_table(settings, flow, result)));
    }
    if outcome.flows.iter().any(|(_, _, result)| result.bandwidth.is_some()) {
        tables.push(bandwidth_table(settings, outcome));
    }
    tables
}

/// `64 B on SL0 from h6 to dst`
pub(super) fn who(settings: &Settings, flow: &Flow) -> String {
    let fabric = settings.fabric();
    let name = |host: usize| &fabric.node(fabric.hosts()[host]).name;
    let (_, bytes, _) = describe(&flow.method);
    format!("{bytes} B on {} from {} to {}", flow.sl, name(flow.from), name(flow.to))
}

/// Nanoseconds, or microseconds where there are many.
fn unit_of(latency: &LatencyResult) -> (&'static str, f64) {
    if latency.measured.p50_ns.abs() < 10_000.0 { ("ns", 1.0) } else { ("us", 1e-3) }
}

const MEASURED: &str = "Truth is the time that the messages really spent between the two ports, there \
                        and back; error is measured less true, sample by sample.";

fn latency_table(settings: &Settings, flow: &Flow, result: &FlowResult) -> Table {
    let (method, _, wanted) = describe(&flow.method);
    let who = who(settings, flow);
    let Some(latency) = &result.latency else {
        let title = format!("{}: no sample", flow.name);
        let caption = format!("Round-trip time of {who} by {method}.");
        return Table { title, caption, ..Table::default() };
    };
    let (unit, scale) = unit_of(latency);
    // Errors are small beside what they are errors of, so they stay in nanoseconds.
    let columns = [
        (Some(&latency.measured), unit, scale),
        (latency.truth.as_ref(), unit, scale),
        (latency.error.as_ref(), "ns", 1.0),
    ];
    let times = |name: &str, of: Figure| {
        let cell = |&(summary, unit, scale): &(Option<&Summary>, &str, f64)| {
            Cell::number(summary.map_or(f64::NAN, |s| of(s) * scale), unit)
        };
        row(name, columns.iter().map(cell).collect())
    };
    let mut rows = vec![row("samples", vec![Cell::number(latency.measured.count as f64, "")])];
    rows.extend(QUANTILES.iter().map(|&(name, of)| times(name, of)));
    rows.push(times("mean", |s| s.mean_ns));
    rows.push(row("negative", vec![Cell::number(latency.measured.negatives as f64, "")]));
    let few = match wanted.filter(|&wanted| latency.measured.count < wanted) {
        Some(wanted) => format!(" It took {} of {wanted} samples.", latency.measured.count),
        None => String::new(),
    };
    Table {
        title: format!("{}: round-trip time of {who}", flow.name),
        caption: format!("{MEASURED}{few}"),
        header: ["", "measured", "truth", "error"].map(str::to_owned).to_vec(),
        rows,
    }
}

/// A figure of a distribution.
type Figure = fn(&Summary) -> f64;

/// What is printed of a distribution.
pub(super) const QUANTILES: [(&str, Figure); 6] = [
    ("p50", |s| s.p50_ns),
    ("p90", |s| s.p90_ns),
    ("p99", |s| s.p99_ns),
    ("p99.9", |s| s.p99_9_ns),
    ("p99.99", |s| s.p99_99_ns),
    ("max", |s| s.max_ns),
];

fn row(name: &str, cells: Vec<Cell>) -> Vec<Cell> {
    [vec![Cell::text(name)], cells].concat()
}

fn comparison(settings: &Settings, outcome: &Outcome) -> Table {
    let measured: Vec<(&Flow, &LatencyResult)> = outcome
        .flows
        .iter()
        .filter_map(|(_, flow, result)| Some((flow, result.latency.as_ref()?)))
        .collect();
    let (unit, scale) = measured.first().map_or(("ns", 1.0), |(_, latency)| unit_of(latency));
    // A method that no completion tells the truth is held against the truth of another's run.
    let any_truth = measured.iter().find_map(|(_, latency)| latency.truth);
    let cells = |(flow, latency): &(&Flow, &LatencyResult)| {
        let truth = latency.truth.or(any_truth);
        let time = |value: Option<f64>, unit: &str, scale: f64| {
            Cell::number(value.map_or(f64::NAN, |ns| ns * scale), unit)
        };
        let mut cells = vec![
            Cell::text(describe(&flow.method).0),
            Cell::number(latency.measured.count as f64, ""),
        ];
        for of in [|s: &Summary| s.p50_ns, |s: &Summary| s.p99_9_ns] {
            let (measured, truth) = (of(&latency.measured), truth.as_ref().map(of));
            let error = latency.error.as_ref().map(of).or(truth.map(|truth| measured - truth));
            cells.push(time(Some(measured), unit, scale));
            cells.push(time(truth, unit, scale));
            cells.push(time(error, "ns", 1.0));
        }
        cells.push(Cell::number(latency.measured.negatives as f64, ""));
        cells
    };
    let header =
        ["method", "samples", "p50", "truth", "error", "p99.9", "truth", "error", "negative"];
    let flow = &outcome.flows[0].1;
    Table {
        title: format!("Round-trip time of {} by each method", who(settings, flow)),
        caption: format!(
            "{MEASURED} Ping-pong's messages go one way each: its truth is that of rperf's run, \
             and its error the difference of both figures."
        ),
        header: header.map(str::to_owned).to_vec(),
        rows: measured.iter().map(cells).collect(),
    }
}

fn bandwidth_table(settings: &Settings, outcome: &Outcome) -> Table {
    let bulk = outcome.flows.iter().filter_map(|(run, flow, result)| {
        let bandwidth = result.bandwidth?;
        let mut cells = vec![
            Cell::text(&flow.name),
            Cell::text(who(settings, flow)),
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
        caption: "Payload of messages that completed while it was measured, one way.".to_owned(),
        header: header.into_iter().map(str::to_owned).collect(),
        rows: bulk.collect(),
    }
}
