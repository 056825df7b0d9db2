//! The results of a plan as tables.

use super::configuration::{self, Room};
use super::gain;
use super::measured;
use super::packets;
use super::settings::Settings;
use bandwise_report::{Cell, Table, Verdict, text};
use bandwise_saba::sensitivity::Prediction;
use bandwise_scenario::jobs::{
    BASELINE, Findings, JobOutlook, LOSS, Promise, SharedJob, SharingPolicy, Summary,
};

/// The most kinds of ports and names on a terminal; a page has room for more.
const IN_TEXT: Room = Room { kinds: 8, names: 12 };
const ON_A_PAGE: Room = Room { kinds: 64, names: 200 };

/// Returns the verdict, the tables and the lines below them.
pub(super) fn text(settings: &Settings, findings: &Findings) -> String {
    let tables = all(settings, findings, IN_TEXT);
    let mut parts = Vec::new();
    if let Some(verdict) = &findings.verdict {
        parts.push(format!("{}\n", verdict.lines().join("\n")));
    }
    parts.extend(tables.iter().map(text::table));
    parts.extend(findings.remarks.iter().map(|line| format!("{line}\n")));
    parts.extend(measured::sentences(&settings.scenario).iter().map(|line| format!("{line}\n")));
    parts
        .extend(settings.warnings(findings).iter().map(|warning| format!("Warning: {warning}.\n")));
    parts.push(closing(settings));
    parts.join("\n")
}

/// Returns all tables of a page.
pub(super) fn of_page(settings: &Settings, findings: &Findings) -> Vec<Table> {
    all(settings, findings, ON_A_PAGE)
}

fn all(settings: &Settings, findings: &Findings, room: Room) -> Vec<Table> {
    let mut tables = vec![jobs(settings, findings), summaries(findings)];
    tables.extend(packets::table(settings, findings));
    tables.extend(gain::table(findings));
    tables.push(outlook(settings, findings));
    tables.extend(configuration::tables(settings, findings, room));
    tables
}

fn jobs(settings: &Settings, findings: &Findings) -> Table {
    let mut header = vec!["job".to_owned(), "instances".to_owned(), "alone".to_owned()];
    let comparison = &findings.comparison;
    header.extend(comparison.results.iter().map(|results| results.policy.as_str().to_owned()));
    let slowdowns: Vec<_> =
        comparison.results.iter().map(|results| comparison.slowdowns(results)).collect();
    let row = |(i, job): (usize, &SharedJob)| {
        let alone = comparison.alone[i].map_or(f64::NAN, |alone| alone.as_s_f64());
        let mut cells = vec![
            Cell::text(&job.name),
            Cell::number(f64::from(job.job.instances), ""),
            Cell::number(alone, "s"),
        ];
        cells.extend(slowdowns.iter().map(|of| Cell::number(of[i].unwrap_or(f64::NAN), "")));
        cells
    };
    Table {
        title: "Slowdown of each job".into(),
        caption: "Completion time divided by the time with the fabric to itself.".into(),
        header,
        rows: settings.scenario.jobs().iter().enumerate().map(row).collect(),
    }
}

/// Returns the predictions of models beside simulated slowdowns.
fn outlook(settings: &Settings, findings: &Findings) -> Table {
    let (now, saba) = (findings.slowdowns(BASELINE), findings.slowdowns(SharingPolicy::Saba));
    let row = |(i, (job, outlook)): (usize, (&SharedJob, &JobOutlook))| {
        let mut cells = vec![Cell::text(&job.name)];
        for Promise { share, slowdown } in [&outlook.equal, &outlook.saba] {
            cells.push(Cell::number(share.get() * 100.0, "%"));
            cells.push(predicted(*slowdown));
        }
        cells.extend([now[i], saba[i]].map(|of| Cell::number(of.unwrap_or(f64::NAN), "")));
        cells.push(verdict(now[i], saba[i]));
        cells
    };
    let header = [
        "job",
        "equal share",
        "predicted",
        "Saba's share",
        "predicted",
        BASELINE.as_str(),
        SharingPolicy::Saba.as_str(),
        "with saba",
    ];
    let jobs = settings.scenario.jobs().iter().zip(&findings.outlook.jobs);
    Table {
        title: "Completion times: predicted and simulated".into(),
        caption: "A share is the job's smallest one on the links of its paths, with all jobs present and sending \
                  continuously; beside it the slowdown that its model predicts, with ~ below the smallest \
                  measured share. The simulated slowdowns follow."
            .into(),
        header: header.map(str::to_owned).into(),
        rows: jobs.enumerate().map(row).collect(),
    }
}

fn predicted(slowdown: Prediction) -> Cell {
    match slowdown {
        Prediction::Measured { slowdown } => Cell::number(slowdown, ""),
        Prediction::Extrapolated { slowdown, .. } => Cell::text(format!("~ {slowdown:.3}")),
    }
}

/// Returns a job's gain or loss as text.
fn verdict(now: Option<f64>, saba: Option<f64>) -> Cell {
    let Some((now, saba)) = now.zip(saba) else { return Cell::verdict(Verdict::Neutral, "") };
    let percent = (saba / now - 1.0).abs() * 100.0;
    match now / saba {
        speedup if speedup > 1.0 + LOSS => {
            Cell::verdict(Verdict::Good, format!("gains, {percent:.0}% less time"))
        }
        speedup if speedup < 1.0 - LOSS => {
            Cell::verdict(Verdict::Bad, format!("loses, {percent:.0}% more time"))
        }
        _ => Cell::verdict(Verdict::Neutral, "as long"),
    }
}

fn summaries(findings: &Findings) -> Table {
    let row = |(policy, summary): &(SharingPolicy, Summary)| {
        vec![
            Cell::text(policy.as_str()),
            Cell::number(summary.mean_slowdown, ""),
            Cell::number(summary.worst_slowdown, ""),
            Cell::number(summary.speedup, ""),
            Cell::number(summary.arithmetic_speedup, ""),
            Cell::number(summary.losers as f64, ""),
            Cell::number(summary.worst_speedup, ""),
        ]
    };
    let header = [
        "policy",
        "mean slowdown",
        "worst slowdown",
        "speedup",
        "arithmetic",
        "losers",
        "least speedup",
    ];
    Table {
        title: "All jobs".into(),
        caption: format!(
            "Speedups are over {}, as geometric and as arithmetic means. A job that takes over {:.0}% longer \
             loses.",
            BASELINE.as_str(),
            LOSS * 100.0
        ),
        header: header.map(str::to_owned).into(),
        rows: findings.summaries.iter().map(row).collect(),
    }
}

/// Returns the line below the tables.
pub(super) fn closing(settings: &Settings) -> String {
    let scenario = &settings.scenario;
    format!(
        "{} jobs on {} hosts, {} queues a port, seed {}, bandwise {}.\n",
        scenario.jobs().len(),
        scenario.fabric().hosts().len(),
        scenario.queues().queues,
        scenario.seed(),
        env!("CARGO_PKG_VERSION")
    )
}
