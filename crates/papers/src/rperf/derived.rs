//! Numbers that the paper's text derives from those of its figures.

use super::calculated::EQUATION;
use super::cases::SIZES;
use super::link::LINK_GBPS;
use super::setup::bsgs;
use crate::Finding;

/// Returns the findings, with all derived numbers.
pub(super) fn with_derived(mut findings: Vec<Finding>) -> Vec<Finding> {
    let found = Found(&findings);
    let derived =
        [tails(found), shares(found), steps(found), simulated_tails(found), levels(found)].concat();
    findings.extend(derived);
    findings
}

#[derive(Clone, Copy)]
struct Found<'a>(&'a [Finding]);

impl Found<'_> {
    fn value(self, item: &str, case: &str, metric: &str) -> Option<f64> {
        Finding::find(self.0, item, case, metric).map(Finding::value)
    }

    /// Returns the tail and the median of a round trip.
    fn rtt(self, item: &str, case: &str) -> Option<(f64, f64)> {
        Some((self.value(item, case, "RTT p99.9")?, self.value(item, case, "RTT p50")?))
    }
}

/// Returns a finding with a derived number; `None` if an input is missing.
fn number(
    item: &str,
    case: impl Into<String>,
    metric: &str,
    unit: &str,
    value: Option<f64>,
) -> Option<Finding> {
    let value = value?;
    Some(Finding {
        item: item.to_owned(),
        case: case.into(),
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        runs: vec![value],
    })
}

/// Returns the largest value; `None` if one is missing, as after an interrupted run.
fn most(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
}

/// Returns the distances of tails from medians, and the part that the switch adds. Section VI-B: "the
/// switch introduces at least a 170ns delay to the tail RTT".
fn tails(found: Found) -> Vec<Finding> {
    let above = |case: &str| found.rtt("fig4", case).map(|(tail, median)| tail - median);
    let metric = "tail above median";
    let mut all: Vec<Finding> = ["switch 64 B", "switch 4096 B"]
        .into_iter()
        .filter_map(|case| number("fig4", case, metric, "ns", above(case)))
        .collect();
    let direct = above("direct 64 B").zip(above("direct 4096 B")).map(|(a, b)| a.max(b));
    let added = above("switch 64 B").zip(direct).map(|(switch, direct)| switch - direct);
    let relative = found.rtt("fig4", "switch 64 B").map(|(tail, median)| tail / median - 1.0);
    let tail = |bytes: &u32| found.value("fig4", &format!("direct {bytes} B"), "RTT p99.9");
    let longest = most(SIZES.iter().map(tail));
    all.extend(number("fig4", "direct: most", metric, "ns", direct));
    all.extend(number("fig4", "direct: most", "RTT p99.9", "ns", longest));
    all.extend(number("fig4", "added by the switch", metric, "ns", added));
    all.extend(number("fig4", "switch 64 B", metric, "%", relative.map(|r| r * 100.0)));
    all
}

/// Returns the numbers of sections VI-A, VI-B and VII: shares of the link, the cost of the switch,
/// the loss of senders.
fn shares(found: Found) -> Vec<Finding> {
    let bandwidth = |case: &str| found.value("fig5", case, "bandwidth");
    let mut all: Vec<Finding> = ["direct 64 B", "direct 1024 B", "direct 4096 B"]
        .into_iter()
        .filter_map(|case| {
            let share = bandwidth(case).map(|gbps| 100.0 * gbps / LINK_GBPS);
            number("fig5", case, "share of the link", "%", share)
        })
        .collect();
    let cost = |size: &str| {
        Some(bandwidth(&format!("direct {size}"))? - bandwidth(&format!("switch {size}"))?)
    };
    let most = most(["64 B", "1024 B", "4096 B"].into_iter().map(cost));
    all.extend(number("fig5", "cost of the switch: most", "bandwidth", "Gbps", most));
    let total = |case: &str| found.value("fig7b", case, "total bandwidth");
    let lost = total("1 BSG").zip(total("5 BSGs")).map(|(one, five)| 100.0 * (one - five) / one);
    all.extend(number("fig7b", "from 1 to 5 BSGs", "bandwidth lost", "%", lost));
    all
}

/// Returns the numbers of sections VII and VIII-B: the increase of the median by each BSG beyond
/// the first. The sections state different ranges for the same curve of the testbed.
fn steps(found: Found) -> Vec<Finding> {
    let mut all = Vec::new();
    for (item, prefix, ranges) in
        [("fig7a", "", &[" (VII)", " (VIII-B)"][..]), ("fig10", "FCFS ", &[""][..])]
    {
        let median = |n: usize| found.value(item, &format!("{prefix}{}", bsgs(n)), "RTT p50");
        let steps: Option<Vec<f64>> = (1..5).map(|n| Some(median(n + 1)? - median(n)?)).collect();
        let Some(steps) = steps else { continue };
        let least = steps.iter().copied().fold(f64::INFINITY, f64::min);
        let most = steps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for range in ranges {
            let case = |which: &str| format!("{prefix}each further BSG{range}: {which}");
            all.extend(number(item, case("least"), "RTT p50", "us", Some(least)));
            all.extend(number(item, case("most"), "RTT p50", "us", Some(most)));
        }
    }
    let median = |n| found.value(EQUATION, &format!("FCFS {}", bsgs(n)), "RTT p50");
    let step = median(5).zip(median(1)).map(|(five, one)| (five - one) / 4.0);
    all.extend(number(EQUATION, "each further BSG: simulated", "wait", "us", step));
    all
}

/// Returns the longest distance of a tail from its median in the paper's simulator, section VIII-B.
fn simulated_tails(found: Found) -> Vec<Finding> {
    let above = |n| found.rtt("fig10", &format!("FCFS {}", bsgs(n))).map(|(p999, p50)| p999 - p50);
    let most = most((0..=5).map(above));
    number("fig10", "FCFS: most", "tail above median", "us", most).into_iter().collect()
}

/// Returns the numbers of section VIII-C: the gain of a dedicated service level, and the effect of
/// a pretend LSG.
fn levels(found: Found) -> Vec<Finding> {
    let case = "shared over dedicated SL";
    let ratio = |metric: &str| {
        let shared = found.value("fig12", "shared SL", metric)?;
        Some(shared / found.value("fig12", "dedicated SL", metric)?)
    };
    let pretend = found.value("fig13", "pretend LSG", "bandwidth");
    let honest = found.value("fig13", "BSG beside a pretend LSG: most", "bandwidth");
    let gain = pretend.zip(honest).map(|(p, h)| p / h);
    [
        number("fig12", case, "RTT p50", "x", ratio("RTT p50")),
        number("fig12", case, "RTT p99.9", "x", ratio("RTT p99.9")),
        number("fig13", "pretend LSG over an honest BSG", "bandwidth", "x", gain),
    ]
    .into_iter()
    .flatten()
    .collect()
}
