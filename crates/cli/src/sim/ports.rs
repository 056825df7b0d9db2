//! The counters of ports as CSV and as JSON; pause storms and deadlocks.

use super::nanoseconds::Ns;
use bandwise_scenario::Stop;
use bandwise_scenario::ethernet::{EthernetResults, EthernetScenario, PauseStorm, PortResult};
use bandwise_topology::Fabric;
use serde::Serialize;
use std::fmt::Write;

/// Returns the counters as CSV, with a line for each port.
pub(super) fn csv(fabric: &Fabric, results: &EthernetResults) -> String {
    let mut text = "port,peer,sent,dropped,dropped_leaving,marked,pauses_sent,pauses_received,\
                    paused_ns,longest_pause_ns,peak_buffer,peak_queue\n"
        .to_owned();
    for PortResult { port, peer, counters, pauses, paused, longest_pause } in &results.ports {
        writeln!(
            text,
            "{},{},{},{},{},{},{},{pauses},{},{},{},{}",
            quoted(&fabric.describe(*port)),
            quoted(&fabric.describe(*peer)),
            counters.sent,
            counters.dropped,
            counters.dropped_leaving,
            counters.marked,
            counters.pauses,
            Ns(*paused),
            Ns(*longest_pause),
            counters.peak.get(),
            counters.peak_queue.get(),
        )
        .expect("a String takes anything");
    }
    text
}

/// Returns a name as a value of CSV (RFC 4180), because names may contain commas.
fn quoted(name: &str) -> String {
    match name.contains([',', '"']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

/// The counters of a port.
#[derive(Serialize)]
pub(super) struct PortRow {
    port: String,
    peer: String,
    sent: u64,
    dropped: u64,
    dropped_leaving: u64,
    marked: u64,
    pauses_sent: u64,
    pauses_received: u64,
    paused_s: f64,
    longest_pause_s: f64,
    peak_buffer_bytes: u64,
    peak_queue_bytes: u64,
}

/// Returns the counters of all ports.
pub(super) fn rows(fabric: &Fabric, results: &EthernetResults) -> Vec<PortRow> {
    let row = |result: &PortResult| {
        let counters = &result.counters;
        PortRow {
            port: fabric.describe(result.port),
            peer: fabric.describe(result.peer),
            sent: counters.sent,
            dropped: counters.dropped,
            dropped_leaving: counters.dropped_leaving,
            marked: counters.marked,
            pauses_sent: counters.pauses,
            pauses_received: result.pauses,
            paused_s: result.paused.as_s_f64(),
            longest_pause_s: result.longest_pause.as_s_f64(),
            peak_buffer_bytes: counters.peak.get(),
            peak_queue_bytes: counters.peak_queue.get(),
        }
    };
    results.ports.iter().map(row).collect()
}

/// A pause storm.
#[derive(Serialize)]
pub(super) struct StormRow {
    port: String,
    by: String,
    longest_pause_s: f64,
    paused_s: f64,
}

/// Returns the pause storms.
pub(super) fn storms(fabric: &Fabric, results: &EthernetResults) -> Vec<StormRow> {
    let row = |storm: &PauseStorm| StormRow {
        port: fabric.describe(storm.port),
        by: fabric.describe(storm.by),
        longest_pause_s: storm.longest.as_s_f64(),
        paused_s: storm.paused.as_s_f64(),
    };
    results.storms.iter().map(row).collect()
}

/// The most pause storms that are listed one by one.
const TOLD: usize = 5;

/// Returns a line for each pause storm.
pub(super) fn warnings(scenario: &EthernetScenario, results: &EthernetResults) -> Vec<String> {
    let name = |port| scenario.fabric().describe(port);
    let line = |storm: &PauseStorm| {
        let (longest, all) = (storm.longest, storm.paused);
        let share = all.as_s_f64() / results.simulated.as_s_f64() * 100.0;
        let (port, by) = (name(storm.port), name(storm.by));
        format!(
            "pause storm: {port} was paused by {by} for {longest} without a break, {share:.0}% of the \
             run in all"
        )
    };
    let mut lines: Vec<String> = results.storms.iter().take(TOLD).map(line).collect();
    if let Some(more) = results.storms.len().checked_sub(TOLD).filter(|&more| more > 0) {
        lines.push(format!(
            "pause storm: {more} more ports, paused for {} or longer",
            scenario.storm()
        ));
    }
    lines
}

/// Returns the ports of the deadlock, if the run ended in one.
pub(super) fn deadlock(fabric: &Fabric, results: &EthernetResults) -> Option<Vec<String>> {
    match &results.stop {
        Stop::Deadlock(ports) => Some(ports.iter().map(|&port| fabric.describe(port)).collect()),
        _ => None,
    }
}
