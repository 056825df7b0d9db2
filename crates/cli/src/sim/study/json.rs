//! Points and their numbers, for programs. Nothing here depends on the machine.

use super::point::Finished;
use bandwise_report::json::rounded;
use bandwise_scenario::ethernet::{Metric, Study};
use serde_json::{Map, Value, json};

pub(super) fn of(study: &Study, finished: &[Option<Finished>]) -> Value {
    let done: Vec<&Finished> = finished.iter().flatten().collect();
    let sum = |count: fn(&Finished) -> u64| done.iter().map(|point| count(point)).sum::<u64>();
    let unfinished: Vec<String> = study
        .points
        .iter()
        .zip(finished)
        .filter(|(_, finished)| finished.is_none())
        .map(|(point, _)| study.label(point))
        .collect();
    let mut stats = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "points": done.len(),
        "flows_started": sum(|point| point.flows_started),
        "flows_finished": sum(|point| point.flows_finished),
        "packets_delivered": sum(|point| point.packets_delivered),
        "packet_hops": sum(|point| point.packet_hops),
        "events": sum(|point| point.events),
        "simulated_s": done.iter().map(|point| point.simulated_ps).sum::<u64>() as f64 * 1e-12,
    });
    if !unfinished.is_empty() {
        stats["unfinished"] = json!(unfinished);
    }
    let axes = study.axes.iter().map(|axis| json!({ "name": axis.name, "values": axis.values }));
    rounded(json!({
        "schema": 1,
        "title": study.title,
        "axes": axes.collect::<Vec<_>>(),
        "points": points(study, finished),
        "rows": rows(study, finished),
        "stats": stats,
    }))
}

/// Where each finished point is, and what its network counted.
fn points(study: &Study, finished: &[Option<Finished>]) -> Vec<Value> {
    let point = |(point, finished): (&bandwise_scenario::ethernet::Point, &Option<Finished>)| {
        let finished = finished.as_ref()?;
        let places = study.axes.iter().zip(&point.places);
        let at = places.map(|(axis, &i)| (axis.name.clone(), json!(axis.values[i])));
        Some(json!({
            "case": study.label(point),
            "at": at.collect::<Map<_, _>>(),
            "seed": point.scenario.seed(),
            "stop": finished.stop,
            "flows_started": finished.flows_started,
            "flows_finished": finished.flows_finished,
            "packets_delivered": finished.packets_delivered,
            "packet_hops": finished.packet_hops,
            "packets_dropped": finished.packets_dropped,
            "packets_marked": finished.packets_marked,
            "packets_retransmitted": finished.packets_retransmitted,
            "timeouts": finished.timeouts,
            "pauses": finished.pauses,
            "simulated_s": finished.simulated_ps as f64 * 1e-12,
        }))
    };
    study.points.iter().zip(finished).filter_map(point).collect()
}

/// One metric of one point each.
fn rows(study: &Study, finished: &[Option<Finished>]) -> Vec<Value> {
    let mut rows = Vec::new();
    for (point, finished) in study.points.iter().zip(finished) {
        let Some(finished) = finished else { continue };
        for metric in Metric::ALL {
            let Some(measured) = finished.metric(metric) else { continue };
            rows.push(json!({
                "case": study.label(point), "metric": metric.name(), "unit": metric.unit(),
                "measured": measured, "samples": finished.flows_finished,
            }));
        }
    }
    rows
}
