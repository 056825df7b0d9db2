//! What a plan comes to, as tables and sentences.

use super::settings::{BASELINE, Settings};
use bandwise_report::{Cell, Table, text};
use bandwise_scenario::sharing::{Comparison, LOSS, SharingPolicy, SharingResults, Summary};

/// Everything that is printed for people.
pub(super) fn text(settings: &Settings, comparison: &Comparison) -> String {
    let mut parts: Vec<String> = all(settings, comparison).iter().map(text::table).collect();
    parts.extend(answer(comparison).into_iter().map(|line| line + "\n"));
    parts.push(closing(settings));
    parts.join("\n")
}

/// All tables.
pub(super) fn all(settings: &Settings, comparison: &Comparison) -> Vec<Table> {
    vec![jobs(settings, comparison), summaries(comparison)]
}

/// A policy with its summary, for all that are whole.
pub(super) fn summarised(comparison: &Comparison) -> Vec<(SharingPolicy, Summary)> {
    let Some(baseline) = comparison.of(BASELINE) else { return Vec::new() };
    let summary =
        |results: &SharingResults| Some((results.policy, comparison.summary(results, baseline)?));
    comparison.results.iter().filter_map(summary).collect()
}

fn jobs(settings: &Settings, comparison: &Comparison) -> Table {
    let mut header = vec!["job".to_owned(), "instances".to_owned(), "alone".to_owned()];
    header.extend(comparison.results.iter().map(|results| results.policy.as_str().to_owned()));
    let slowdowns: Vec<_> =
        comparison.results.iter().map(|results| comparison.slowdowns(results)).collect();
    let row = |(i, job): (usize, &bandwise_scenario::sharing::SharedJob)| {
        let mut cells = vec![
            Cell::text(&job.name),
            Cell::number(f64::from(job.job.instances), ""),
            Cell::number(comparison.alone[i].as_s_f64(), "s"),
        ];
        cells.extend(slowdowns.iter().map(|of| Cell::number(of[i].unwrap_or(f64::NAN), "")));
        cells
    };
    Table {
        title: "Slowdown of each job".into(),
        caption: "Its time over that with the fabric to itself.".into(),
        header,
        rows: settings.scenario.jobs.iter().enumerate().map(row).collect(),
    }
}

fn summaries(comparison: &Comparison) -> Table {
    let row = |(policy, summary): (SharingPolicy, Summary)| {
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
            "Speedups are over {}, as geometric and as arithmetic means; a job loses if it takes over \
             {:.0}% longer than there.",
            BASELINE.as_str(),
            LOSS * 100.0
        ),
        header: header.map(str::to_owned).into(),
        rows: summarised(comparison).into_iter().map(row).collect(),
    }
}

/// What to do, in a sentence or two.
pub(super) fn answer(comparison: &Comparison) -> Vec<String> {
    let summaries = summarised(comparison);
    let of = |policy| summaries.iter().find(|of| of.0 == policy).map(|of| of.1);
    let mut answer = Vec::new();
    if let Some(((best, summary), base)) = summaries
        .iter()
        .min_by(|a, b| a.1.mean_slowdown.total_cmp(&b.1.mean_slowdown))
        .zip(of(BASELINE))
    {
        answer.push(match *best == BASELINE {
            true => format!(
                "Leave it as it is: no policy here has a lower mean slowdown than {}, {:.2}.",
                best.as_str(),
                base.mean_slowdown
            ),
            false => format!(
                "The lowest mean slowdown is that of {} ({}): {:.2}, with {} {:.2}.",
                best.as_str(),
                best.title(),
                summary.mean_slowdown,
                BASELINE.as_str(),
                base.mean_slowdown
            ),
        });
    }
    let pairs = [
        (SharingPolicy::Saba, SharingPolicy::EqualWeights),
        (SharingPolicy::SabaUnlimited, SharingPolicy::FairJobs),
    ];
    for (saba, equal) in pairs {
        if let (Some(weighted), Some(even)) = (of(saba), of(equal)) {
            let (a, b) = (weighted.mean_slowdown, even.mean_slowdown);
            let verdict = match () {
                () if a < b * (1.0 - LOSS) => "serve these jobs better than equal ones",
                () if a > b * (1.0 + LOSS) => "serve these jobs worse than equal ones",
                () => "make no difference to these jobs",
            };
            answer.push(format!(
                "Weights by sensitivity {verdict}: a mean slowdown of {a:.2} with {}, of {b:.2} with \
                 {}, which has the same queues.",
                saba.as_str(),
                equal.as_str()
            ));
        }
    }
    answer
}

/// What it was all made from.
pub(super) fn closing(settings: &Settings) -> String {
    let scenario = &settings.scenario;
    format!(
        "{} jobs on {} hosts, {} queues a port, seed {}, bandwise {}.\n",
        scenario.jobs.len(),
        scenario.fabric.hosts().len(),
        scenario.queues.queues,
        scenario.seed,
        env!("CARGO_PKG_VERSION")
    )
}
