//! [`PlanAnswer`]: the results of a plan of jobs.

use super::configuration::Configuration;
use super::gain::{self, GainRow};
use super::packets::PacketRows;
use super::settings::Settings;
use super::{report, tables};
use crate::answer::Answer;
use bandwise_report::Report;
use bandwise_saba::sensitivity::Point;
use bandwise_saba::table::{Application, Entry};
use bandwise_scenario::jobs::{
    BASELINE, Doubt, Findings, JobOutlook, JobsResults, Promise, SharedJob, SharingPolicy, Summary,
};
use bandwise_units::Time;
use serde::Serialize;
use std::num::NonZeroU32;

/// The results of a plan of jobs, which depend only on the scenario, the policies and the seed.
#[derive(Serialize)]
pub(super) struct PlanAnswer<'a> {
    schema: u32,
    title: &'a str,
    settings: SettingsRow,
    jobs: Vec<JobRow<'a>>,
    policies: Vec<PolicyRow>,
    summary: Vec<SummaryRow>,
    gains: Vec<GainRow>,
    /// Policy of the verdict; `None` if a run of the baseline was stopped.
    recommended: Option<&'static str>,
    answer: Vec<String>,
    configuration: Configuration<'a>,
    models: Vec<ModelRow>,
    doubts: Vec<DoubtRow<'a>>,
    warnings: Vec<String>,
    stats: PlanStats,
    /// The results at packet level, if packets were simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<PacketRows>,
    /// The settings behind all fields.
    #[serde(skip)]
    given: &'a Settings,
    /// The findings behind all fields.
    #[serde(skip)]
    findings: &'a Findings,
}

/// The sizes of fabric and controller.
#[derive(Serialize)]
struct SettingsRow {
    hosts: usize,
    switches: usize,
    queues: u8,
    levels: u8,
    part: f64,
    baseline: &'static str,
}

/// A job.
#[derive(Serialize)]
struct JobRow<'a> {
    name: &'a str,
    workload: &'a str,
    application: &'a str,
    instances: u32,
    hosts: Vec<&'a str>,
    start_s: f64,
    bytes: u64,
    alone_s: Option<f64>,
    /// Rate of the links at which the job's times were measured, if times describe it.
    measured_at_bps: Option<u64>,
    /// `host-link` (assumed), `key` or `workload`.
    measured_at_by: Option<&'static str>,
    equal: PromiseRow,
    saba: PromiseRow,
}

/// The least share of a job, and the slowdown that its model predicts with it.
#[derive(Serialize)]
struct PromiseRow {
    share: f64,
    predicted_slowdown: f64,
    extrapolated: bool,
}

/// The results of a policy, by job.
#[derive(Serialize)]
struct PolicyRow {
    policy: &'static str,
    took_s: Vec<Option<f64>>,
    slowdown: Vec<Option<f64>>,
    speedup: Option<Vec<Option<f64>>>,
    flows: u64,
}

/// The results of a policy over all jobs.
#[derive(Serialize)]
struct SummaryRow {
    policy: &'static str,
    mean_slowdown: f64,
    worst_slowdown: f64,
    geometric_mean_speedup: f64,
    arithmetic_mean_speedup: f64,
    jobs_that_lose: usize,
    least_speedup: f64,
}

/// The measured points of an application, and the fit of its model.
#[derive(Serialize)]
struct ModelRow {
    application: String,
    nodes: Option<NonZeroU32>,
    dataset: Option<String>,
    measured: Option<String>,
    /// Pairs of share and slowdown.
    slowdowns: Vec<[f64; 2]>,
    r_squared: f64,
}

/// A doubtful model.
#[derive(Serialize)]
struct DoubtRow<'a> {
    application: &'a str,
    jobs: &'a [String],
    warning: String,
}

/// The version and the seed.
#[derive(Serialize)]
struct PlanStats {
    version: &'static str,
    seed: u64,
}

impl<'a> PlanAnswer<'a> {
    /// Returns the answer of a plan.
    pub(super) fn new(settings: &'a Settings, findings: &'a Findings) -> Self {
        let (scenario, comparison) = (&settings.scenario, &findings.comparison);
        let results = comparison.alone.iter().zip(&findings.outlook.jobs);
        let jobs = scenario.jobs().iter().zip(results);
        PlanAnswer {
            schema: 1,
            title: scenario.title(),
            settings: SettingsRow {
                hosts: scenario.fabric().hosts().len(),
                switches: scenario.fabric().switches().len(),
                queues: scenario.queues().queues,
                levels: scenario.queues().levels,
                part: scenario.queues().part,
                baseline: BASELINE.as_str(),
            },
            jobs: jobs
                .map(|(job, (alone, outlook))| JobRow::new(settings, job, *alone, outlook))
                .collect(),
            policies: comparison.results.iter().map(|of| PolicyRow::new(findings, of)).collect(),
            summary: findings.summaries.iter().map(SummaryRow::from).collect(),
            gains: gain::rows(findings),
            recommended: findings.verdict.as_ref().map(|verdict| verdict.policy.as_str()),
            answer: findings.answer(),
            configuration: Configuration::new(settings, findings),
            models: models(settings),
            doubts: findings.doubts.iter().map(DoubtRow::from).collect(),
            warnings: settings.warnings(findings),
            stats: PlanStats { version: env!("CARGO_PKG_VERSION"), seed: scenario.seed() },
            packets: PacketRows::new(settings, findings),
            given: settings,
            findings,
        }
    }
}

impl Answer for PlanAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        tables::text(self.given, self.findings)
    }

    fn report(&self) -> Option<Report> {
        Some(report::report(self.given, self.findings))
    }
}

impl<'a> JobRow<'a> {
    fn new(
        settings: &'a Settings,
        job: &'a SharedJob,
        alone: Option<Time>,
        outlook: &JobOutlook,
    ) -> Self {
        let fabric = settings.scenario.fabric();
        let host = |&rank: &u32| &*fabric.node(fabric.hosts()[rank as usize]).name;
        JobRow {
            name: &job.name,
            workload: &job.workload,
            application: job.application.as_str(),
            instances: job.job.instances,
            hosts: job.hosts.iter().map(host).collect(),
            start_s: job.start.as_s_f64(),
            bytes: job.job.bytes().get(),
            alone_s: alone.map(Time::as_s_f64),
            measured_at_bps: job.measured_at.map(|at| at.rate.as_bps()),
            measured_at_by: job.measured_at.map(|at| at.by.as_str()),
            equal: PromiseRow::from(&outlook.equal),
            saba: PromiseRow::from(&outlook.saba),
        }
    }
}

impl From<&Promise> for PromiseRow {
    fn from(promise: &Promise) -> Self {
        PromiseRow {
            share: promise.share.get(),
            predicted_slowdown: promise.slowdown.even_extrapolated(),
            extrapolated: !promise.slowdown.is_measured(),
        }
    }
}

impl PolicyRow {
    fn new(findings: &Findings, results: &JobsResults) -> Self {
        PolicyRow {
            policy: results.policy.as_str(),
            took_s: results.took.iter().map(|took| took.map(Time::as_s_f64)).collect(),
            slowdown: findings.comparison.slowdowns(results),
            speedup: findings.speedups(results),
            flows: results.flows,
        }
    }
}

impl From<&(SharingPolicy, Summary)> for SummaryRow {
    fn from((policy, summary): &(SharingPolicy, Summary)) -> Self {
        SummaryRow {
            policy: policy.as_str(),
            mean_slowdown: summary.mean_slowdown,
            worst_slowdown: summary.worst_slowdown,
            geometric_mean_speedup: summary.speedup,
            arithmetic_mean_speedup: summary.arithmetic_speedup,
            jobs_that_lose: summary.losers,
            least_speedup: summary.worst_speedup,
        }
    }
}

/// Returns a row for each application.
fn models(settings: &Settings) -> Vec<ModelRow> {
    let scenario = &settings.scenario;
    let row = |(application, entry): (&Application, &Entry)| {
        let job = scenario.jobs().iter().find(|job| job.application == *application);
        let model = job.expect("each application has a job").model(scenario.model());
        let point = |point: &Point| [point.share.get(), point.slowdown];
        ModelRow {
            application: application.as_str().to_owned(),
            nodes: entry.setting.nodes,
            dataset: entry.setting.dataset.as_ref().map(ToString::to_string),
            measured: entry.measured.map(|day| day.to_string()),
            slowdowns: entry.samples.points().iter().map(point).collect(),
            r_squared: model.r_squared(&entry.samples),
        }
    };
    scenario.models().iter().map(row).collect()
}

impl<'a> From<&'a Doubt> for DoubtRow<'a> {
    fn from(doubt: &'a Doubt) -> Self {
        DoubtRow {
            application: &doubt.application,
            jobs: &doubt.jobs,
            warning: doubt.warning.to_string(),
        }
    }
}
