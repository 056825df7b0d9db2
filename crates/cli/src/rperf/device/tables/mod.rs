//! The results between two devices as tables.

use super::super::rendering::{QUANTILES, row, unit_of};
use super::method_name::method_name;
use bandwise_measure::client::ClientSettings;
use bandwise_measure::outcome::{Outcome, Run, RunEnd};
use bandwise_measure::program::Until;
use bandwise_rdma::verbs::Transport;
use bandwise_report::{Cell, Table, text};
use bandwise_rperf::Summary;
use bandwise_session::{KeyValue, Method, Operation, Task};
use bandwise_units::{BitRate, Time};
use bandwise_verbs::ibverbs::Pages;

/// Returns the tables and the line below them.
pub(super) fn text(settings: &ClientSettings, outcome: &Outcome) -> String {
    let runs = &outcome.runs;
    let tables: Vec<_> = match (&runs[..], settings.method()) {
        (_, Method::Bulk(_)) => bandwidth(settings, runs).into_iter().collect(),
        ([run], _) if settings.tasks.len() == 1 => latency(settings, run).into_iter().collect(),
        _ => latencies(settings, runs).into_iter().collect(),
    };
    let tables = tables.iter().map(text::table);
    tables.chain([closing(settings, outcome)]).collect::<Vec<_>>().join("\n")
}

/// Returns a description such as `on SL0 from rxe0 to mlx5_0 at node1:18516`.
fn endpoints(settings: &ClientSettings, run: &Run) -> String {
    let ClientSettings { server, chosen, .. } = settings;
    format!("on SL{} from {} to {} at {server}", run.task.sl.get(), chosen.device, run.peer)
}

/// Returns a method's definition of latency, and the number of messages in flight.
fn meaning(task: &Task) -> String {
    let meaning = match task.method {
        Method::Rperf => {
            "The completion of a SEND over the wire less that of one over the loopback: from port to port, without \
             what the hosts add. Negative values are possible, and counted."
        }
        Method::PingPong(_) => {
            "From posting to the answer of the other side's program, with both hosts in it; perftest prints half."
        }
        Method::PostPoll | Method::ClosedLoop(_) | Method::Bulk(_) => {
            "From posting a request to its completion, with what both hosts and their RNICs add."
        }
        Method::KeyValue(_) => "From posting a request to its answer, with both hosts in it.",
    };
    match (task.method, task.depth.get()) {
        (Method::ClosedLoop(_), depth @ 2..) => {
            format!("{meaning} Behind up to {} others, posted before.", depth - 1)
        }
        _ => meaning.to_owned(),
    }
}

const BY_STAMPS: &str = " By stamps: the same by the device's own clock, which does not depend on when this \
                         host polled; difference: measured less that, sample by sample.";

fn latency(settings: &ClientSettings, run: &Run) -> Option<Table> {
    let measured = run.latency.as_ref()?;
    let (unit, scale) = unit_of(measured);
    let mut columns = vec![measured];
    columns.extend(run.by_stamps.iter().flat_map(|(stamps, difference)| [stamps, difference]));
    let count = |name: &str, of: fn(&Summary) -> u64| {
        row(name, columns.iter().map(|c| Cell::number(of(c) as f64, "")).collect())
    };
    let time = |name: &str, of: fn(&Summary) -> f64| {
        row(name, columns.iter().map(|c| Cell::number(of(c) * scale, unit)).collect())
    };
    let mut rows = vec![count("samples", |s| s.count)];
    rows.extend(QUANTILES.iter().map(|&(name, of)| time(name, of)));
    rows.push(time("mean", |s| s.mean_ns));
    rows.push(count("negative", |s| s.negatives));
    rows.push(count("zero", |s| s.zeros));
    let few = match settings.until {
        Until::Samples(wanted) if measured.count < wanted => {
            format!(" It took {} of {wanted} samples.", measured.count)
        }
        _ => String::new(),
    };
    let (method, bytes) = (run.task.method, run.task.bytes.get());
    let stamps = if run.by_stamps.is_some() { BY_STAMPS } else { "" };
    let header = ["", "measured", "by stamps", "difference"];
    let (method, endpoints) = (named(method), endpoints(settings, run));
    Some(Table {
        title: format!("{method}: round-trip time of {bytes} B {endpoints}"),
        caption: format!("{}{stamps}{few}", meaning(&run.task)),
        header: header[..=columns.len()].iter().map(|&name| name.to_owned()).collect(),
        rows,
    })
}

/// Returns a table with a row for each size.
fn latencies(settings: &ClientSettings, runs: &[Run]) -> Option<Table> {
    let last = runs.iter().rev().find_map(|run| run.latency.as_ref())?;
    let (unit, scale) = unit_of(last);
    let line = |run: &Run| {
        let measured = run.latency.as_ref()?;
        let time = |ns: f64| Cell::number(ns * scale, unit);
        let mut cells = vec![
            Cell::number(f64::from(run.task.bytes.get()), "B"),
            Cell::number(measured.count as f64, ""),
        ];
        cells.extend(QUANTILES.iter().map(|(_, of)| time(of(measured))));
        cells.push(time(measured.mean_ns));
        Some(cells)
    };
    let names = QUANTILES.iter().map(|&(name, _)| name);
    let header = ["payload", "samples"].into_iter().chain(names).chain(["mean"]);
    let method = settings.method();
    Some(Table {
        title: format!(
            "{}: round-trip times {}",
            named(method),
            endpoints(settings, runs.first()?)
        ),
        caption: meaning(&settings.tasks[0]),
        header: header.map(str::to_owned).collect(),
        rows: runs.iter().filter_map(line).collect(),
    })
}

/// Returns a table with a row for each size, and for a single size also a row for each of several
/// threads.
fn bandwidth(settings: &ClientSettings, runs: &[Run]) -> Option<Table> {
    let first = runs.first()?;
    let none = || Cell::text("-");
    let mut rows = Vec::new();
    let mut has_no_slice = false;
    let mut each = settings.window;
    for run in runs {
        let Some(found) = &run.bandwidth else { continue };
        let rates = found.peak_and_least();
        let rate = |rate: Option<BitRate>| {
            rate.map_or_else(none, |rate| Cell::number(rate.as_gbps_f64(), "Gbps"))
        };
        has_no_slice |= rates.is_none();
        each = found.spread.map_or(each, |spread| each.max(spread.each));
        let size = Cell::number(f64::from(run.task.bytes.get()), "B");
        rows.push(vec![
            size,
            Cell::number(found.all.messages as f64, ""),
            rate(Some(found.all.rate())),
            rate(rates.map(|(peak, _)| peak)),
            rate(rates.map(|(_, least)| least)),
            Cell::number(found.messages_per_s() / 1e6, "Mpps"),
        ]);
        if runs.len() > 1 || found.threads.len() == 1 {
            continue;
        }
        for (number, thread) in found.threads.iter().enumerate() {
            rows.push(vec![
                Cell::text(format!("thread {number}")),
                Cell::number(thread.messages as f64, ""),
                rate(Some(thread.rate())),
                none(),
                none(),
                none(),
            ]);
        }
    }
    let what = match first.task.transport {
        Transport::Rc => "Payload of messages completed during the measurement, one way.",
        Transport::Ud => "Payload of datagrams sent during the measurement, arrived or not.",
    };
    let slices = match has_no_slice {
        true => format!(" Where it took less than {each} there is no peak and no least."),
        false => String::new(),
    };
    let limit =
        settings.rate.map_or_else(String::new, |rate| format!(" The rate limit was {rate}."));
    let header = ["payload", "messages", "average", "peak", "least", "rate"];
    Some(Table {
        title: format!("{}: bandwidth {}", named(first.task.method), endpoints(settings, first)),
        caption: format!(
            "{what} Peak and least are of {each} each; Mpps are millions of messages a second.{slices}{limit}"
        ),
        header: header.map(str::to_owned).to_vec(),
        rows,
    })
}

/// Returns the name of the method, and its operation if the method has a choice.
pub(crate) fn named(method: Method) -> String {
    if let Method::KeyValue(KeyValue { clients, workers, .. }) = method {
        let many = |number: u32, one: &str| match number {
            1 => format!("1 {one}"),
            number => format!("{number} {one}s"),
        };
        let (clients, workers) = (many(clients.get(), "client"), many(workers.get(), "worker"));
        return format!("{} of {clients} and {workers}", method_name(method));
    }
    let by = match method.operation() {
        _ if matches!(method, Method::Rperf | Method::PostPoll) => {
            return method_name(method).to_owned();
        }
        Operation::Send => "SEND",
        Operation::Write => "WRITE",
        Operation::WriteImm => "WRITE with immediate",
        Operation::Read => "READ",
        Operation::Atomic => "atomic",
    };
    format!("{} by {by}", method_name(method))
}

/// Returns the kind of memory pages as text.
pub(super) fn pages(pages: &Pages) -> String {
    match pages {
        Pages::Huge(each) => format!("huge pages of {each}"),
        Pages::Ordinary { .. } => "ordinary pages".to_owned(),
    }
}

/// Returns the line with the circumstances of all numbers.
fn closing(settings: &ClientSettings, outcome: &Outcome) -> String {
    let partial = match &outcome.end {
        RunEnd::Complete => String::new(),
        RunEnd::Interrupted => "Partial: interrupted. ".to_owned(),
        RunEnd::Failed(why) => format!("Partial: {why}. "),
    };
    let has_some = |run: &Run| run.latency.is_some() || run.bandwidth.is_some();
    let none = if outcome.runs.iter().any(has_some) { "" } else { "No sample. " };
    let Some(run) = outcome.runs.first() else { return partial };
    let (chosen, task) = (&settings.chosen, &run.task);
    let gid = chosen.gid.map_or(String::new(), |(index, gid)| format!(", GID {index} ({gid})"));
    let transport = match task.transport {
        Transport::Rc => "RC",
        Transport::Ud => "UD",
    };
    let queue_pairs = match task.queue_pairs.get() {
        1 => format!("1 queue pair ({transport})"),
        n => format!("{n} queue pairs ({transport})"),
    };
    let by = if task.manager { " by RDMA-CM" } else { "" };
    let threads = match task.threads.get() {
        1 => String::new(),
        n => format!(" in each of {n} threads"),
    };
    let sum = |of: fn(&Run) -> Time| outcome.runs.iter().fold(Time::ZERO, |all, run| all + of(run));
    let (took, busy) = (sum(|run| run.took).as_s_f64(), sum(|run| run.busy).as_s_f64());
    let looks = if task.events { "sleeping until events" } else { "busy polling" };
    let stamps = match (task.method, run.stamped_at_khz) {
        (Method::Rperf, None) => "the device stamps no completions",
        (Method::Rperf, Some(_)) => "completions stamped by the device",
        _ => "",
    };
    let stamps = if stamps.is_empty() { String::new() } else { format!(" {stamps};") };
    format!(
        "{partial}{none}{} port {}{gid}, {queue_pairs}{by}{threads}, MTU {}; {took:.3} s by {}, {looks}, processors busy \
         for {busy:.3} s; {}, {};{stamps} seed {}, bandwise {}.\n",
        chosen.device,
        chosen.port,
        run.mtu,
        outcome.clock,
        settings.placement,
        pages(&run.pages),
        settings.seed,
        env!("CARGO_PKG_VERSION"),
    )
}

#[cfg(test)]
mod tests;
