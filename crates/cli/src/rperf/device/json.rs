//! What was measured, for programs: the form of the simulator's measurements, with what is true left out.

use super::super::rendering::bandwidth_json;
use bandwise_measure::client::ClientSettings;
use bandwise_measure::outcome::{Ended, Outcome, Run, Throughput};
use bandwise_measure::program::Until;
use bandwise_report::json::rounded;
use bandwise_session::Method;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::Pages;
use serde_json::{Value, json};

/// A method's name, as the flag has it.
pub(crate) fn name(method: Method) -> &'static str {
    match method {
        Method::Rperf => "rperf",
        Method::PingPong(_) => "ping-pong",
        Method::PostPoll => "post-poll",
        Method::ClosedLoop(_) => "closed-loop",
        Method::Bulk(_) => "bulk",
        Method::KeyValue(_) => "key-value",
    }
}

/// The document.
pub(super) fn of(settings: &ClientSettings, outcome: &Outcome) -> Value {
    let (stop, failure) = match &outcome.end {
        Ended::Complete => ("complete", None),
        Ended::Interrupted => ("interrupted", None),
        Ended::Failed(why) => ("failed", Some(why)),
    };
    let added = |of: fn(&Run) -> Time| {
        outcome.runs.iter().fold(Time::ZERO, |all, run| all + of(run)).as_s_f64()
    };
    let first = outcome.runs.first();
    rounded(json!({
        "schema": 1,
        "title": format!("{} with {}", name(settings.method()), settings.server),
        "flows": (0..).zip(&outcome.runs).map(|(i, run)| flow(settings, i, run)).collect::<Vec<_>>(),
        "stop": stop,
        "failure": failure,
        "stats": {
            "version": env!("CARGO_PKG_VERSION"),
            "seed": settings.seed,
            "clock": outcome.clock,
            "processors": settings.place.processors(),
            "memory": first.map(|run| pages(&run.pages)),
            "measured_s": added(|run| run.took),
            "processor_s": added(|run| run.busy),
        },
    }))
}

fn flow(settings: &ClientSettings, number: usize, run: &Run) -> Value {
    let ClientSettings { server, chosen, until, rate, .. } = settings;
    let task = &run.task;
    let latency = run.latency.as_ref().map(|measured| {
        let (stamps, difference) = run.by_stamps.unzip();
        json!({
            "direction": "round trip",
            "measured": measured,
            "truth": null,
            "error": null,
            "by_device_clock": stamps,
            "less_device_clock": difference,
        })
    });
    let (samples, duration) = match until {
        Until::Samples(samples) => (Some(samples), None),
        Until::Time(time) => (None, Some(time.as_s_f64())),
    };
    json!({
        "run": number,
        "name": name(task.method),
        "method": name(task.method),
        "operation": task.method.operation(),
        "transport": task.transport,
        "from": chosen.device,
        "to": run.peer,
        "server": server.to_string(),
        "sl": task.sl.get(),
        "traffic_class": task.traffic_class.get(),
        "bytes": task.bytes.get(),
        "queue_pairs": task.queue_pairs.get(),
        "depth": task.depth.get(),
        "threads": task.threads.get(),
        "connected_by": if task.manager { "rdma-cm" } else { "tcp" },
        "completion": if task.events { "events" } else { "busy" },
        "mtu_bytes": run.mtu.get(),
        "device_clock_khz": run.stamped_at_khz,
        "samples_wanted": samples,
        "duration_wanted_s": duration,
        "rate_limit": rate.map(|rate| rate.to_string()),
        "measured_s": run.took.as_s_f64(),
        "processor_s": run.busy.as_s_f64(),
        "latency": latency,
        "bandwidth": run.bandwidth.as_ref().map(bandwidth),
    })
}

/// In the form of the simulator's, and what a device alone has.
fn bandwidth(found: &Throughput) -> Value {
    let mut all = bandwidth_json(found.all);
    let rates = found.peak_and_least();
    all["messages_per_s"] = found.messages_per_s().into();
    all["peak_gbps"] = rates.map(|(peak, _)| peak.as_gbps_f64()).into();
    all["least_gbps"] = rates.map(|(_, least)| least.as_gbps_f64()).into();
    all["slice_s"] = found.spread.map(|spread| spread.each.as_s_f64()).into();
    all["slices"] = found.spread.map(|spread| spread.count).into();
    all["by_thread"] = found.threads.iter().map(|&thread| bandwidth_json(thread)).collect();
    all
}

/// Returns the kind of memory pages in words.
pub(super) fn pages(pages: &Pages) -> String {
    match pages {
        Pages::Huge(each) => format!("huge pages of {each}"),
        Pages::Ordinary { .. } => "ordinary pages".to_owned(),
    }
}
