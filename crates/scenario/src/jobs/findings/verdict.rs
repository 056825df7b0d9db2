//! [`Verdict`]: the policy to choose, its gain, and the limit of the gain.

use super::{BASELINE, Findings};
use crate::jobs::{LOSS, SharedJob, SharingPolicy, Summary};

/// A verdict on a plan, in three sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The policy to choose, one that switches can carry out; [`BASELINE`] to change nothing.
    pub policy: SharingPolicy,
    /// The action.
    pub action: String,
    /// The jobs that gain and those that lose.
    pub gain: String,
    /// The cause for which the gain is no larger, or may not be met.
    pub limit: String,
}

/// The policies that switches can carry out, simplest first.
const BY_EFFORT: [SharingPolicy; 6] = [
    SharingPolicy::FairFlows,
    SharingPolicy::Blocking,
    SharingPolicy::FairJobs,
    SharingPolicy::EqualWeights,
    SharingPolicy::GivenWeights,
    SharingPolicy::Saba,
];

impl Verdict {
    /// Returns the verdict on complete results; `None` if the runs of the baseline were stopped.
    ///
    /// The chosen policy has the lowest mean slowdown. Of policies within [`LOSS`] of the lowest
    /// one, it is the simplest that gains more than [`LOSS`] over the baseline, or the baseline.
    pub(super) fn of(jobs: &[SharedJob], findings: &Findings) -> Option<Verdict> {
        let base = findings.summary(BASELINE)?;
        let run = |policy: SharingPolicy| {
            let is_deployable = findings.deployable.contains(&policy);
            findings.summary(policy).filter(|_| is_deployable).map(|summary| (policy, summary))
        };
        let candidates: Vec<_> = BY_EFFORT.into_iter().filter_map(run).collect();
        let lowest = candidates.iter().map(|of| of.1.mean_slowdown).fold(f64::INFINITY, f64::min);
        let is_worth_it = |(policy, summary): &&(SharingPolicy, Summary)| {
            let is_near = summary.mean_slowdown <= lowest * (1.0 + LOSS);
            let gains = summary.mean_slowdown * (1.0 + LOSS) < base.mean_slowdown;
            is_near && (gains || *policy == BASELINE)
        };
        let &(policy, summary) = candidates.iter().find(is_worth_it).unwrap_or(&(BASELINE, base));
        Some(Verdict {
            policy,
            action: action(policy, candidates.len()),
            gain: gain(jobs, findings, policy, [base, summary]),
            limit: limit(jobs, findings, policy, summary)?,
        })
    }

    /// Returns the sentences in order.
    pub fn lines(&self) -> [&str; 3] {
        [&self.action, &self.gain, &self.limit]
    }
}

/// Returns what to do for a policy that was chosen from `candidates`.
fn action(policy: SharingPolicy, candidates: usize) -> String {
    let action = match policy {
        SharingPolicy::Blocking => "turn congestion control off (blocking)",
        SharingPolicy::FairJobs => {
            "give each job a queue of its own at every port, with equal weights (fair-jobs)"
        }
        SharingPolicy::EqualWeights => {
            "set the levels and queues below, with equal weights in place of those shown \
             (equal-weights)"
        }
        SharingPolicy::GivenWeights => {
            "give each job a queue of its own at every port, with the file's weights (given-weights)"
        }
        SharingPolicy::Saba => "set the levels, queues and weights below (saba)",
        _ if candidates < 2 => {
            "nothing to choose: no other policy of today's switches was simulated beside fair-flows"
        }
        _ => "change nothing (fair-flows)",
    };
    format!("Do: {action}.")
}

/// Returns the gain of a policy over the baseline, or the best that others reach.
fn gain(
    jobs: &[SharedJob],
    findings: &Findings,
    policy: SharingPolicy,
    [base, chosen]: [Summary; 2],
) -> String {
    if policy == BASELINE {
        let saba = gain_and_loss(jobs, findings, SharingPolicy::Saba);
        let saba = saba.map_or(String::new(), |saba| format!("; {saba}"));
        let mean = base.mean_slowdown;
        return format!(
            "Gain: none of over {:.0}% in the mean slowdown, {mean:.2} with {}{saba}.",
            LOSS * 100.0,
            BASELINE.as_str()
        );
    }
    let who = gain_and_loss(jobs, findings, policy).expect("a policy with a summary has results");
    format!(
        "Gain: {who}; the mean slowdown is {:.2} instead of {:.2}.",
        chosen.mean_slowdown, base.mean_slowdown
    )
}

/// Returns the limit of a policy's gain: the job that waits most, and doubtful models.
fn limit(
    jobs: &[SharedJob],
    findings: &Findings,
    policy: SharingPolicy,
    summary: Summary,
) -> Option<String> {
    let slowdowns = findings.slowdowns(policy).into_iter().collect::<Option<Vec<f64>>>()?;
    let worst = slowdowns.iter().position(|&slowdown| slowdown >= summary.worst_slowdown)?;
    let mut limits = vec![match summary.worst_slowdown <= 1.0 + LOSS {
        true => "no job takes noticeably longer than alone, so sharing costs nothing".to_owned(),
        false => format!(
            "{} still takes {:.2} times as long as alone, the most of all",
            jobs[worst].name, summary.worst_slowdown
        ),
    }];
    if policy == SharingPolicy::Saba && !findings.doubts.is_empty() {
        limits.push("some models are doubtful, see the warnings".to_owned());
    }
    if findings.compared.is_none() {
        limits.push("rates of ideal switches, not packets, were simulated".to_owned());
    }
    Some(format!("Limit: {}.", limits.join("; ")))
}

/// The most jobs that a sentence names.
const NAMED: usize = 5;

/// Returns the jobs that gain with a policy and those that lose.
fn gain_and_loss(jobs: &[SharedJob], findings: &Findings, policy: SharingPolicy) -> Option<String> {
    let results = findings.comparison.of(policy)?;
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
        "with {} in place of {}, of {} {}",
        policy.as_str(),
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
