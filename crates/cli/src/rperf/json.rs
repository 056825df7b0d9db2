//! What was measured, for programs. Nothing here depends on the machine or on how fast it was.

use super::measure::{Outcome, describe};
use super::rendering::bandwidth_json;
use super::settings::Settings;
use bandwise_report::json::rounded;
use bandwise_scenario::infiniband::{Flow, FlowResult, InfinibandStop};
use serde_json::{Value, json};

/// The document.
pub(super) fn of(settings: &Settings, outcome: &Outcome) -> Value {
    let flows = outcome.flows.iter().map(|(run, f, result)| flow(settings, *run, f, result));
    let (stop, ports) = match &outcome.stop {
        InfinibandStop::Complete => ("complete", None),
        InfinibandStop::Interrupted => ("interrupted", None),
        InfinibandStop::Deadlock(ports) => ("deadlock", Some(ports)),
    };
    let names = |ports: &Vec<_>| -> Vec<String> {
        ports.iter().map(|&port| settings.fabric().describe(port)).collect()
    };
    let counters = &outcome.counters;
    rounded(json!({
        "schema": 1,
        "title": settings.title(),
        "flows": flows.collect::<Vec<_>>(),
        "stop": stop,
        "deadlock": ports.map(names),
        "stats": {
            "version": env!("CARGO_PKG_VERSION"),
            "seed": settings.seed(),
            "packets_delivered": counters.packets_delivered,
            "packets_dropped": counters.packets_dropped,
            "packet_hops": counters.packet_hops,
            "events": counters.events,
            "simulated_s": outcome.simulated.as_s_f64(),
        },
    }))
}

fn flow(settings: &Settings, run: usize, flow: &Flow, result: &FlowResult) -> Value {
    let fabric = settings.fabric();
    let name = |host: usize| &fabric.node(fabric.hosts()[host]).name;
    let (method, bytes, samples) = describe(&flow.method);
    let latency = result.latency.as_ref().map(|latency| {
        json!({
            "direction": "round trip",
            "measured": latency.measured,
            "truth": latency.truth,
            "error": latency.error,
        })
    });
    let bandwidth = result.bandwidth.map(bandwidth_json);
    json!({
        "run": run,
        "name": flow.name,
        "method": method,
        "from": name(flow.from),
        "to": name(flow.to),
        "sl": flow.sl.get(),
        "bytes": bytes,
        "samples_wanted": samples,
        "latency": latency,
        "bandwidth": bandwidth,
    })
}
