//! What was found out, for programs.

use super::effort::Effort;
use super::names::{group, percent, stop};
use super::ports;
use bandwise_netsim::ethernet::{Buffering, HostModel, InputBuffers, Routing, SharedBuffer};
use bandwise_rdma::congestion::Algorithm;
use bandwise_rdma::transport::{Acks, Recovery, Timeout, TransportSettings};
use bandwise_report::json::rounded;
use bandwise_scenario::ethernet::{Distribution, EthernetResults, EthernetScenario};
use serde_json::{Value, json};

/// The document. All but what `effort` tells depends on the scenario, the flows and the seed alone.
pub(super) fn of(scenario: &EthernetScenario, results: &EthernetResults, effort: Effort) -> Value {
    let counters = &results.counters;
    let hops = counters.packet_hops as f64;
    rounded(json!({
        "schema": 1,
        "title": scenario.title(),
        "settings": settings(scenario),
        "stop": stop(&results.stop),
        "deadlock": ports::deadlock(scenario.fabric(), results),
        "pause_storms": ports::storms(scenario.fabric(), results),
        "rows": rows(results),
        "ports": ports::json(scenario.fabric(), results),
        "stats": {
            "version": env!("CARGO_PKG_VERSION"),
            "seed": scenario.seed(),
            "flows_started": results.started,
            "flows_finished": results.finished,
            "packets_delivered": counters.packets_delivered,
            "packet_hops": counters.packet_hops,
            "packets_dropped": counters.packets_dropped,
            "packets_marked": counters.packets_marked,
            "packets_retransmitted": counters.packets_retransmitted,
            "timeouts": counters.timeouts,
            "pauses": counters.pauses,
            "paused_s": counters.paused.as_s_f64(),
            "peak_buffer_bytes": counters.peak_buffer.get(),
            "events": counters.events,
            "simulated_s": results.simulated.as_s_f64(),
            "wall_s": effort.wall_s,
            "cpu_s": effort.cpu_s,
            "packet_hops_per_s": hops / effort.wall_s,
            "packet_hops_per_cpu_s": effort.cpu_s.map(|cpu_s| hops / cpu_s),
            "peak_rss_bytes": effort.peak_rss_bytes,
        },
    }))
}

/// What was simulated, after all defaults.
fn settings(scenario: &EthernetScenario) -> Value {
    let (switch, host) = (&scenario.model().switch, &scenario.model().host);
    let TransportSettings { recovery, acks, window, timeout, fetch } = host.transport;
    json!({
        "hosts": scenario.fabric().hosts().len(),
        "switches": scenario.fabric().switches().len(),
        "queues": match switch.buffering {
            Buffering::PerInput(_) => "input",
            Buffering::Shared(_) => "output",
        },
        "buffer_bytes": switch.buffering.buffer().get(),
        "alpha": match &switch.buffering {
            Buffering::PerInput(_) => None,
            Buffering::Shared(shared) => Some(shared.alpha),
        },
        "pfc": pfc(&switch.buffering),
        "classes": scenario.model().classes.count,
        "routing": match scenario.model().routing {
            Routing::Ecmp => "ecmp",
            Routing::Spray => "spray",
        },
        "mtu": host.mtu,
        "poll": host.poll.map(|every| every.to_string()),
        "transport": scenario.transport().as_str(),
        "recovery": match recovery {
            Recovery::GoBackN => "go-back-n",
            Recovery::Selective { partial_acks: true } => "sack",
            Recovery::Selective { partial_acks: false } => "sack-only",
            Recovery::SelectiveWithoutSack => "no-sack",
            Recovery::Tcp { .. } => "tcp",
        },
        "bdp_cap": window,
        "timeout": match timeout {
            Timeout::None => Value::Null,
            Timeout::Fixed(time) => json!({ "fixed": time.to_string() }),
            Timeout::LowHigh { low, high, few } => {
                json!({ "low": low.to_string(), "high": high.to_string(), "few": few })
            }
            Timeout::Dynamic { initial, min, max } => json!({
                "initial": initial.to_string(), "min": min.to_string(), "max": max.to_string(),
            }),
        },
        "acks": match acks {
            Acks::EveryPacket => "every-packet",
            Acks::Delayed { .. } => "delayed",
            Acks::OnCompletion => "on-completion",
        },
        "fetch_delay": fetch.to_string(),
        "warm_up": scenario.warm_up().to_string(),
        "extra_header": host.extra_header,
        "congestion_control": congestion_control(host),
        "ecn": switch.ecn,
    })
}

/// The one that is used, and its parameters as they are called in scenarios, but for dashes.
fn congestion_control(host: &HostModel) -> Value {
    let settings = &host.congestion;
    let algorithm = settings.algorithm;
    let parameters = match algorithm {
        Algorithm::None => json!({}),
        Algorithm::Dcqcn => json!(settings.dcqcn),
        Algorithm::Timely => json!(settings.timely),
        Algorithm::Aimd => json!(settings.aimd),
        Algorithm::Dctcp => json!(settings.dctcp),
        Algorithm::Hpcc => json!(settings.hpcc),
        Algorithm::Swift => json!(settings.swift),
    };
    let mut told = json!({ "kind": algorithm });
    if let (Value::Object(told), Value::Object(parameters)) = (&mut told, parameters) {
        told.extend(parameters);
        if algorithm.needs_notifications() {
            told.insert("cnp_interval".to_owned(), json!(host.notification.interval));
        }
    }
    told
}

fn pfc(buffering: &Buffering) -> Value {
    match buffering {
        Buffering::PerInput(InputBuffers { pfc: Some(pfc), .. }) => {
            json!({ "xoff_bytes": pfc.xoff.get(), "xon_bytes": pfc.xon.get() })
        }
        Buffering::Shared(SharedBuffer { pfc: Some(pfc), .. }) => {
            json!({ "headroom_bytes": pfc.headroom.get(), "slack_bytes": pfc.slack.get() })
        }
        _ => Value::Null,
    }
}

fn row(case: &str, metric: &str, unit: &str, measured: f64, samples: u64) -> Value {
    json!({
        "case": case, "metric": metric, "unit": unit, "measured": measured, "samples": samples,
    })
}

/// One metric each.
fn rows(results: &EthernetResults) -> Vec<Value> {
    let mut rows = Vec::new();
    let us = |time: bandwise_units::Time| time.as_ns_f64() / 1e3;
    for (name, found) in &results.groups {
        let name = group(*name);
        let mut add = |metric: &str, unit: &str, value| {
            rows.push(row(&name, metric, unit, value, found.flows));
        };
        add("average slowdown", "", found.average_slowdown);
        add("average FCT", "us", us(found.average));
        for (share, time) in Distribution::PERCENTILES.into_iter().zip(found.percentiles) {
            add(&format!("FCT p{}", percent(share)), "us", us(time));
        }
        let slowdowns = Distribution::PERCENTILES.into_iter().zip(found.slowdown_percentiles);
        for (share, slowdown) in slowdowns {
            add(&format!("slowdown p{}", percent(share)), "", slowdown);
        }
    }
    let single = results
        .groups
        .iter()
        .find(|(group, _)| matches!(group, bandwise_scenario::ethernet::Group::SinglePacket));
    for &(share, time) in &results.single_packet_tail {
        let flows = single.map_or(0, |(_, found)| found.flows);
        let metric = format!("tail FCT p{}", percent(share));
        rows.push(row("single packet", &metric, "us", us(time), flows));
    }
    if let Some(requests) = &results.requests {
        let [half, most] = requests.percentiles;
        for (metric, time) in [
            ("average RCT", requests.average),
            ("RCT p50", half),
            ("RCT p99", most),
            ("longest RCT", requests.longest),
        ] {
            rows.push(row("incast requests", metric, "us", us(time), requests.requests));
        }
    }
    rows
}
