//! The conclusions of a plan, in sentences.

use super::gain::PAIRS;
use super::{BASELINE, Findings};
use crate::jobs::{LOSS, SharedJob, SharingPolicy, Summary};

/// Returns the sentences.
pub(super) fn of(jobs: &[SharedJob], findings: &Findings) -> Vec<String> {
    let sentences = [gain_and_loss(jobs, findings), best(findings)];
    // The effect of floors has its own sentence.
    let pairs = PAIRS.into_iter().filter(|pair| pair.0 != SharingPolicy::SabaNoFloor);
    let weights = pairs.filter_map(|pair| weights(findings, pair));
    sentences.into_iter().flatten().chain(weights).chain(floors(findings)).collect()
}

/// The most jobs that a sentence names.
const NAMED: usize = 5;

/// Returns the jobs that gain with Saba and those that lose.
fn gain_and_loss(jobs: &[SharedJob], findings: &Findings) -> Option<String> {
    let results = findings.comparison.of(SharingPolicy::Saba)?;
    let speedups: Vec<f64> = findings.speedups(results)?.into_iter().collect::<Option<_>>()?;
    let of = |is_one: fn(f64) -> bool| -> Vec<(&str, f64)> {
        let mut selected: Vec<(&str, f64)> = jobs
            .iter()
            .zip(&speedups)
            .filter(|of| is_one(*of.1))
            .map(|(job, speedup)| (job.name.as_str(), 1.0 / speedup - 1.0))
            .collect();
        // Equals stay in the order of jobs.
        selected.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        selected
    };
    let (gain, lose) = (of(|speedup| speedup > 1.0 + LOSS), of(|speedup| speedup < 1.0 - LOSS));
    let rest = jobs.len() - gain.len() - lose.len();
    let mut parts = Vec::new();
    if !gain.is_empty() {
        parts.push(format!(
            "{} ({})",
            counted(gain.len(), "gains", "gain"),
            named(&gain, "less time")
        ));
    }
    if !lose.is_empty() {
        parts.push(format!(
            "{} ({})",
            counted(lose.len(), "loses", "lose"),
            named(&lose, "more time")
        ));
    }
    if rest > 0 {
        parts.push(format!("{} as long", counted(rest, "takes", "take")));
    }
    Some(format!(
        "With saba in place of {}, of {} {}.",
        BASELINE.as_str(),
        if jobs.len() == 1 { "1 job".to_owned() } else { format!("{} jobs", jobs.len()) },
        parts.join(", ")
    ))
}

fn counted(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// Returns jobs with the changes of their times.
fn named(jobs: &[(&str, f64)], what: &str) -> String {
    let one = |(i, &(name, change)): (usize, &(&str, f64))| {
        let percent = (change.abs() * 100.0).round();
        match i {
            0 => format!("{name} takes {percent}% {what}"),
            _ => format!("{name} {percent}%"),
        }
    };
    let mut parts: Vec<String> = jobs.iter().take(NAMED).enumerate().map(one).collect();
    if jobs.len() > NAMED {
        parts.push(format!("{} others", jobs.len() - NAMED));
    }
    parts.join(", ")
}

/// A policy and its results.
type Of = (SharingPolicy, Summary);

/// Returns the best of two or more complete policies.
fn best(findings: &Findings) -> Option<String> {
    if findings.summaries.len() < 2 {
        return None;
    }
    let by_mean = |a: &&Of, b: &&Of| a.1.mean_slowdown.total_cmp(&b.1.mean_slowdown);
    let (best, summary) = findings.summaries.iter().min_by(by_mean)?;
    let base = findings.summary(BASELINE)?;
    Some(match *best == BASELINE {
        true => format!(
            "Change nothing: no policy has a lower mean slowdown than {}, {:.2}.",
            best.as_str(),
            base.mean_slowdown
        ),
        false => format!(
            "{} ({}) has the lowest mean slowdown: {:.2}; {} has {:.2}.",
            best.as_str(),
            best.title(),
            summary.mean_slowdown,
            BASELINE.as_str(),
            base.mean_slowdown
        ),
    })
}

/// Compares weights by sensitivity with equal ones in the same queues.
fn weights(findings: &Findings, pair: (SharingPolicy, SharingPolicy)) -> Option<String> {
    let (saba, equal) = pair;
    let (a, b) = (findings.summary(saba)?.mean_slowdown, findings.summary(equal)?.mean_slowdown);
    let verdict = match () {
        () if a < b * (1.0 - LOSS) => "are better for these jobs than equal weights",
        () if a > b * (1.0 + LOSS) => "are worse for these jobs than equal weights",
        () => "make no difference to these jobs",
    };
    Some(format!(
        "Weights by sensitivity {verdict}: mean slowdown {a:.2} with {}, {b:.2} with {}, which has the same \
         queues.",
        saba.as_str(),
        equal.as_str()
    ))
}

/// Returns the effect of floors on shares, if there is one.
fn floors(findings: &Findings) -> Option<String> {
    let mean = |policy| Some(findings.summary(policy)?.mean_slowdown);
    let (with, without) = (mean(SharingPolicy::Saba)?, mean(SharingPolicy::SabaNoFloor)?);
    let verdict = match () {
        () if without < with * (1.0 - LOSS) => "cost these jobs",
        () if without > with * (1.0 + LOSS) => "help these jobs",
        () => return None,
    };
    Some(format!(
        "Floors, which keep shares above the smallest measured one, {verdict}: mean slowdown {with:.2} with {}, \
         {without:.2} with {}.",
        SharingPolicy::Saba.as_str(),
        SharingPolicy::SabaNoFloor.as_str()
    ))
}
