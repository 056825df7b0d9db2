//! The remarks on a plan below its verdict, in sentences.

use super::Findings;
use super::gain::PAIRS;
use crate::jobs::{LOSS, SharingPolicy, Summary};

/// Returns the sentences.
pub(super) fn of(findings: &Findings) -> Vec<String> {
    // The effect of floors has its own sentence.
    let pairs = PAIRS.into_iter().filter(|pair| pair.0 != SharingPolicy::SabaNoFloor);
    let weights = pairs.filter_map(|pair| weights(findings, pair));
    best_of_all(findings).into_iter().chain(weights).chain(floors(findings)).collect()
}

/// A policy and its results.
type Of = (SharingPolicy, Summary);

/// Names the policy with the lowest mean slowdown if no policy that switches can carry out is near.
fn best_of_all(findings: &Findings) -> Option<String> {
    let by_mean = |a: &&Of, b: &&Of| a.1.mean_slowdown.total_cmp(&b.1.mean_slowdown);
    let (best, summary) = findings.summaries.iter().min_by(by_mean)?;
    let is_deployable = |of: &&Of| findings.deployable.contains(&of.0);
    let (_, near) = findings.summaries.iter().filter(is_deployable).min_by(by_mean)?;
    (summary.mean_slowdown < near.mean_slowdown * (1.0 - LOSS)).then(|| {
        format!(
            "{} ({}) has the lowest mean slowdown, {:.2}, and is no setting of a switch.",
            best.as_str(),
            best.title(),
            summary.mean_slowdown
        )
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
