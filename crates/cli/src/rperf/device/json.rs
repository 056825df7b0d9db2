//! What was measured, for programs: the form of the simulator's measurements, with what is true left out.

use super::outcome::{Ended, Outcome};
use super::settings::{Settings, Until};
use crate::rperf::json::of_bandwidth;
use bandwise_report::json::rounded;
use bandwise_verbs::session::Method;
use serde_json::{Value, json};

/// A method's name, as the flag has it.
pub(in crate::rperf) fn name(method: Method) -> &'static str {
    match method {
        Method::Rperf => "rperf",
        Method::PingPong(_) => "ping-pong",
        Method::PostPoll => "post-poll",
        Method::ClosedLoop(_) => "closed-loop",
        Method::Bulk(_) => "bulk",
    }
}

/// The document.
pub(super) fn of(settings: &Settings, outcome: &Outcome) -> Value {
    let Settings { server, chosen, task, until, seed, .. } = settings;
    let (stop, failure) = match &outcome.end {
        Ended::Complete => ("complete", None),
        Ended::Interrupted => ("interrupted", None),
        Ended::Failed(why) => ("failed", Some(why)),
    };
    let latency = outcome.latency.as_ref().map(|measured| {
        json!({ "direction": "round trip", "measured": measured, "truth": null, "error": null })
    });
    let bandwidth = outcome.bandwidth.map(of_bandwidth);
    let (samples, duration) = match until {
        Until::Samples(samples) => (Some(samples), None),
        Until::Time(time) => (None, Some(time.as_s_f64())),
    };
    rounded(json!({
        "schema": 1,
        "title": format!("{} with {server}", name(task.method)),
        "flows": [{
            "run": 0,
            "name": name(task.method),
            "method": name(task.method),
            "operation": task.method.operation(),
            "transport": task.transport,
            "from": chosen.device,
            "to": outcome.peer,
            "server": server.to_string(),
            "sl": task.sl.get(),
            "traffic_class": task.traffic_class.get(),
            "bytes": task.bytes.get(),
            "queue_pairs": task.queue_pairs.get(),
            "completion": if task.events { "events" } else { "busy" },
            "mtu_bytes": outcome.mtu.get(),
            "samples_wanted": samples,
            "duration_wanted_s": duration,
            "latency": latency,
            "bandwidth": bandwidth,
        }],
        "stop": stop,
        "failure": failure,
        "stats": {
            "version": env!("CARGO_PKG_VERSION"),
            "seed": seed,
            "clock": outcome.clock,
            "measured_s": outcome.took.as_s_f64(),
            "processor_s": outcome.busy.as_s_f64(),
        },
    }))
}
