//! A plan for programs.

use super::configuration;
use super::findings::Findings;
use super::gain;
use super::packets;
use super::settings::{BASELINE, Settings};
use bandwise_report::json::rounded;
use bandwise_saba::sensitivity::Point;
use bandwise_saba::table::{Application, Entry};
use bandwise_scenario::jobs::{Doubt, JobsResults, Promise};
use serde_json::{Value, json};

/// The document. It depends on the scenario, the policies and the seed alone.
pub(super) fn of(settings: &Settings, findings: &Findings) -> Value {
    let (scenario, comparison) = (&settings.scenario, &findings.comparison);
    let told = comparison.alone.iter().zip(&findings.outlook.jobs);
    let jobs = scenario.jobs().iter().zip(told).map(|(job, (alone, outlook))| {
        let hosts = job.hosts.iter().map(|&rank| {
            scenario.fabric().node(scenario.fabric().hosts()[rank as usize]).name.as_str()
        });
        json!({
            "name": job.name,
            "workload": job.workload,
            "application": job.application.as_str(),
            "instances": job.job.instances,
            "hosts": hosts.collect::<Vec<_>>(),
            "start_s": job.start.as_s_f64(),
            "bytes": job.job.bytes().get(),
            "alone_s": alone.map(|alone| alone.as_s_f64()),
            "equal": promise(&outlook.equal),
            "saba": promise(&outlook.saba),
        })
    });
    let policy = |results: &JobsResults| {
        let took = results.took.iter().map(|took| took.map(|took| took.as_s_f64()));
        json!({
            "policy": results.policy.as_str(),
            "took_s": took.collect::<Vec<_>>(),
            "slowdown": comparison.slowdowns(results),
            "speedup": findings.speedups(results),
            "flows": results.flows,
        })
    };
    let summary = findings.summaries.iter().map(|(policy, summary)| {
        json!({
            "policy": policy.as_str(),
            "mean_slowdown": summary.mean_slowdown,
            "worst_slowdown": summary.worst_slowdown,
            "geometric_mean_speedup": summary.speedup,
            "arithmetic_mean_speedup": summary.arithmetic_speedup,
            "jobs_that_lose": summary.losers,
            "least_speedup": summary.worst_speedup,
        })
    });
    let mut document = json!({
        "schema": 1,
        "title": scenario.title(),
        "settings": {
            "hosts": scenario.fabric().hosts().len(),
            "switches": scenario.fabric().switches().len(),
            "queues": scenario.queues().queues,
            "levels": scenario.queues().levels,
            "part": scenario.queues().part,
            "baseline": BASELINE.as_str(),
        },
        "jobs": jobs.collect::<Vec<_>>(),
        "policies": comparison.results.iter().map(policy).collect::<Vec<_>>(),
        "summary": summary.collect::<Vec<_>>(),
        "gains": gain::json(findings),
        "answer": findings.answer,
        "configuration": configuration::json(settings, findings),
        "models": models(settings),
        "doubts": findings.doubts.iter().map(doubt).collect::<Vec<_>>(),
        "warnings": findings.warnings,
        "stats": { "version": env!("CARGO_PKG_VERSION"), "seed": scenario.seed() },
    });
    if let Some(packets) = packets::json(settings, findings) {
        document["packets"] = packets;
    }
    rounded(document)
}

/// The least share that a job has, and what its model says of that.
fn promise(promise: &Promise) -> Value {
    json!({
        "share": promise.share.get(),
        "predicted_slowdown": promise.slowdown.even_extrapolated(),
        "extrapolated": !promise.slowdown.is_measured(),
    })
}

/// What models are made of and how well they explain it, by application.
fn models(settings: &Settings) -> Value {
    let scenario = &settings.scenario;
    let model = |(application, entry): (&Application, &Entry)| {
        let job = scenario.jobs().iter().find(|job| job.application == *application);
        let model = job.expect("each application has a job").model(scenario.model());
        let point = |point: &Point| json!([point.share.get(), point.slowdown]);
        json!({
            "application": application.as_str(),
            "nodes": entry.setting.nodes,
            "dataset": entry.setting.dataset.as_ref().map(ToString::to_string),
            "measured": entry.measured.map(|day| day.to_string()),
            "slowdowns": entry.samples.points().iter().map(point).collect::<Vec<_>>(),
            "r_squared": model.r_squared(&entry.samples),
        })
    };
    scenario.models().iter().map(model).collect()
}

/// What makes a model doubtful.
fn doubt(doubt: &Doubt) -> Value {
    json!({
        "application": doubt.application,
        "jobs": doubt.jobs,
        "warning": doubt.warning.to_string(),
    })
}
