//! What was measured, for programs.

use super::super::device::json::name;
use super::settings::Settings;
use bandwise_agents::coordinator::{Ended, FlowOutcome, Outcome};
use bandwise_agents::{Counted, End, Flow, Span};
use bandwise_report::json::rounded;
use bandwise_session::{Method, Task};
use serde_json::{Value, json};

/// The document.
pub(super) fn of(settings: &Settings, outcome: &Outcome) -> Value {
    let plan = &settings.plan;
    let (stop, failure) = match &outcome.end {
        Ended::Complete => ("complete", None),
        Ended::Interrupted => ("interrupted", None),
        Ended::Failed(why) => ("failed", Some(why)),
    };
    let hosts = plan.hosts.iter().zip(&outcome.hosts).map(|(host, found)| {
        json!({
            "name": host.name,
            "agent": host.agent.to_string(),
            "device": found.device,
            "clock": found.clock,
            "clock_error_ns": found.clock_error.map(|error| error.as_ns_f64()),
        })
    });
    let flows = plan.flows.iter().zip(&outcome.flows).map(|(f, found)| flow(settings, f, found));
    rounded(json!({
        "schema": 1,
        "title": plan.title,
        "hosts": hosts.collect::<Vec<_>>(),
        "flows": flows.collect::<Vec<_>>(),
        "window_s": outcome.window.map(span),
        "stop": stop,
        "failure": failure,
        "stats": { "version": env!("CARGO_PKG_VERSION"), "seed": plan.seed },
    }))
}

fn span(span: Span) -> [f64; 2] {
    [span.from().as_s_f64(), span.to().as_s_f64()]
}

fn flow(settings: &Settings, flow: &Flow, found: &FlowOutcome) -> Value {
    let task = &flow.task;
    let host = |place: usize| &settings.plan.hosts[place].name;
    let report = found.report.as_ref();
    let (end, failure) = match report.map(|report| &report.end) {
        None => ("missing", None),
        Some(End::Complete) => ("complete", None),
        Some(End::Stopped) => ("stopped", None),
        Some(End::Failed(why)) => ("failed", Some(why)),
    };
    let active = report.and_then(|report| report.active);
    json!({
        "name": flow.name,
        "role": flow.role,
        "method": name(task.method),
        "operation": task.method.operation(),
        "transport": task.transport,
        "from": host(flow.from),
        "to": host(flow.to),
        "sl": task.sl.get(),
        "traffic_class": task.traffic_class.get(),
        "bytes": task.bytes.get(),
        "queue_pairs": task.queue_pairs.get(),
        "depth": task.depth.get(),
        "store": store(task),
        "completion": if task.events { "events" } else { "busy" },
        "mtu_bytes": found.mtu.map(|mtu| mtu.get()),
        "wanted_s": span(flow.active),
        "active_s": active.map(|(from, to)| [from.as_s_f64(), to.as_s_f64()]),
        "end": end,
        "failure": failure,
        "cpu": report.and_then(|report| report.cpu),
        "values_checked": report.and_then(|report| report.values),
        "window": report.map(|report| counted(&report.window)),
        "whole": report.map(|report| counted(&report.whole)),
    })
}

/// What is said of a key-value store alone.
fn store(task: &Task) -> Value {
    match task.method {
        Method::KeyValue(store) => json!({
            "clients": store.clients.get(),
            "workers": store.workers.get(),
            "put_every": store.put_every,
        }),
        _ => Value::Null,
    }
}

fn counted(counted: &Counted) -> Value {
    json!({
        "messages": counted.messages,
        "payload_bytes": counted.bytes.get(),
        "over_s": counted.over.as_s_f64(),
        "gbps": counted.rate().map(|rate| rate.as_gbps_f64()),
        "messages_per_s": counted.per_second(),
        "latency": counted.latency,
    })
}
