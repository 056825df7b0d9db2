//! What was measured, as tables.

use super::super::tables::{QUANTILES, row, unit_of};
use super::json::name;
use super::outcome::{Ended, Outcome};
use super::settings::{Settings, Until};
use bandwise_report::{Cell, Table, text};
use bandwise_rperf::{Bandwidth, Summary};
use bandwise_verbs::session::{Method, Operation};

/// Everything that is printed for people.
pub(super) fn text(settings: &Settings, outcome: &Outcome) -> String {
    let latency = outcome.latency.as_ref().map(|measured| latency(settings, outcome, measured));
    let bandwidth = outcome.bandwidth.as_ref().map(|found| bandwidth(settings, outcome, found));
    let tables = latency.into_iter().chain(bandwidth).map(|table| text::table(&table));
    tables.chain([closing(settings, outcome)]).collect::<Vec<_>>().join("\n")
}

/// `64 B on SL0 from rxe0 to mlx5_0 at node1:18516`
fn who(settings: &Settings, outcome: &Outcome) -> String {
    let Settings { server, chosen, task, .. } = settings;
    let (bytes, sl) = (task.bytes.get(), task.sl.get());
    format!("{bytes} B on SL{sl} from {} to {} at {server}", chosen.device, outcome.peer)
}

/// What a method takes for the latency.
fn meaning(method: Method) -> &'static str {
    match method {
        Method::Rperf => {
            "The completion of a SEND over the wire less that of one over the loopback: from port to port, without \
             what the hosts add. Fewer than none is possible, and counted."
        }
        Method::PingPong(_) => {
            "From posting to the answer of the other side's program, with both hosts in it; perftest prints half."
        }
        Method::PostPoll | Method::ClosedLoop(_) | Method::Bulk(_) => {
            "From posting a request to its completion, with what both hosts and their RNICs add."
        }
    }
}

fn latency(settings: &Settings, outcome: &Outcome, measured: &Summary) -> Table {
    let (unit, scale) = unit_of(measured);
    let count = |name: &str, count: u64| row(name, vec![Cell::number(count as f64, "")]);
    let time = |name: &str, ns: f64| row(name, vec![Cell::number(ns * scale, unit)]);
    let mut rows = vec![count("samples", measured.count)];
    rows.extend(QUANTILES.iter().map(|&(name, of)| time(name, of(measured))));
    rows.push(time("mean", measured.mean_ns));
    rows.push(count("negative", measured.negatives));
    rows.push(count("zero", measured.zeros));
    let few = match settings.until {
        Until::Samples(wanted) if measured.count < wanted => {
            format!(" It took {} of {wanted} samples.", measured.count)
        }
        _ => String::new(),
    };
    let method = settings.task.method;
    Table {
        title: format!("{}: round-trip time of {}", named(method), who(settings, outcome)),
        caption: meaning(method).to_owned() + &few,
        header: ["", "measured"].map(str::to_owned).to_vec(),
        rows,
    }
}

fn bandwidth(settings: &Settings, outcome: &Outcome, found: &Bandwidth) -> Table {
    let cells = vec![
        Cell::text(named(settings.task.method)),
        Cell::text(who(settings, outcome)),
        Cell::number(found.rate().as_gbps_f64(), "Gbps"),
        Cell::number(found.messages as f64, ""),
    ];
    let header = ["flow", "messages of", "payload", "messages"];
    Table {
        title: "Bandwidth".to_owned(),
        caption: "Payload of messages that completed while it was measured, one way.".to_owned(),
        header: header.map(str::to_owned).to_vec(),
        rows: vec![cells],
    }
}

/// The method and what it moves messages by, where it has a choice.
fn named(method: Method) -> String {
    let by = match method.operation() {
        _ if matches!(method, Method::Rperf | Method::PostPoll) => return name(method).to_owned(),
        Operation::Send => "SEND",
        Operation::Write => "WRITE",
        Operation::WriteImm => "WRITE with immediate",
        Operation::Read => "READ",
        Operation::Atomic => "atomic",
    };
    format!("{} by {by}", name(method))
}

/// The line that says what all numbers rest on.
fn closing(settings: &Settings, outcome: &Outcome) -> String {
    let partial = match &outcome.end {
        Ended::Complete => String::new(),
        Ended::Interrupted => "Partial: interrupted. ".to_owned(),
        Ended::Failed(why) => format!("Partial: {why}. "),
    };
    let none = match (&outcome.latency, &outcome.bandwidth) {
        (None, None) => "No sample. ",
        _ => "",
    };
    let (chosen, task) = (&settings.chosen, &settings.task);
    let gid = chosen.gid.map_or(String::new(), |(index, gid)| format!(", GID {index} ({gid})"));
    let queue_pairs = match task.queue_pairs.get() {
        1 => "1 queue pair (RC)".to_owned(),
        n => format!("{n} queue pairs (RC)"),
    };
    format!(
        "{partial}{none}{} port {}{gid}, {queue_pairs}, MTU {}; {:.3} s by {}; seed {}, bandwise {}.\n",
        chosen.device,
        chosen.port,
        outcome.mtu,
        outcome.took.as_s_f64(),
        outcome.clock,
        settings.seed,
        env!("CARGO_PKG_VERSION"),
    )
}
