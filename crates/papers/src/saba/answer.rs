//! The answer to the thesis's question.

use crate::Finding;

/// Returns the answer, without sentences that lack their runs.
pub(super) fn answer(findings: &[Finding]) -> Vec<String> {
    let of = |item: &str, case: &str, metric: &str| {
        Finding::find(findings, item, case, metric).map(Finding::value)
    };
    let mut answer = Vec::new();
    let average = |case: &str| of("fig4.13", case, "average speedup");
    if let (Some(saba), Some(equal), Some(own)) = (
        average("ten workloads"),
        average("ten workloads, equal-weights"),
        average("ten workloads, fair-jobs"),
    ) {
        let verdict = match saba >= equal.max(own).max(1.0) {
            true => "Yes",
            false => "Not where the network is work-conserving and nothing blocks",
        };
        answer.push(format!(
            "{verdict}: over cluster setups, beside max-min among flows, jobs are {saba:.2} times as fast \
             with Saba, {equal:.2} times with equal weights in the same queues, and {own:.2} times with \
             a queue each."
        ));
    }
    if let Some(lose) = of("fig4.13", "all jobs", "jobs that lose") {
        answer.push(format!("With Saba {lose:.0}% of the jobs take longer than before."));
    }
    answer
}
