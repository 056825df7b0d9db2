//! "Evaluation of an InfiniBand Switch: Choose Latency or Bandwidth, but Not Both" (ISPASS 2020):
//! figures 4 to 13, on the paper's topologies (`papers/rperf/*.toml`), all with one calibration.

mod answer;
mod calculated;
mod cases;
mod claim_runs;
mod claims;
mod derived;
mod fabrics;
mod figures;
mod link;
mod lookup;
mod sensitivity;
mod setup;
mod variant;
mod verdict;

use crate::collect::collect;
use crate::paper::Paper;
use crate::published::Value;
use link::LINK_GBPS;

/// The paper.
pub const PAPER: Paper = Paper {
    name: "rperf",
    title: "Evaluation of an InfiniBand Switch: Choose Latency or Bandwidth, but Not Both \
            (Katebzadeh, Costa, Grot, ISPASS 2020)",
    question: "What round-trip time does a latency-sensitive flow see while others push bulk \
               traffic through the same switch, and what helps?",
    items: &[
        ("fig4", "round trip by RPerf, with and without the switch"),
        ("fig5", "bandwidth of one sender, with and without the switch"),
        (calculated::TEXT, "headers and message rates of 64 B, calculated"),
        ("fig6", "round trip by perftest and qperf"),
        ("fig7a", "round trip beside 0 to 5 bulk senders (BSGs)"),
        ("fig7b", "bandwidth of 1 to 5 bulk senders"),
        ("fig8", "round trip beside five bulk senders, by their message size"),
        ("fig9", "bandwidth of five bulk senders, by their message size"),
        ("fig10", "FCFS against round-robin, 0 to 5 bulk senders (the paper's simulator)"),
        (calculated::EQUATION, "wait for a full input buffer, calculated and simulated"),
        ("fig11", "FCFS against round-robin over two switches (the paper's simulator)"),
        ("fig12", "round trip with shared and dedicated service levels, and a pretend LSG"),
        ("fig13", "bandwidth with shared and dedicated service levels, and a pretend LSG"),
        (
            "truth",
            "each method's error against the simulator's ground truth (what the thesis of 2022, \
             section 5.3.2, leaves as future work)",
        ),
        (
            claim_runs::ITEM,
            "further runs that the paper's claims need, among them its main setups with links of 100 \
             and 400 Gbps",
        ),
        (
            sensitivity::ITEM,
            "the main results with other limits of high priority, queue pairs, buffers of senders, and \
             flushes of remote writes",
        ),
    ],
    scenarios: setup::SCENARIOS,
    rule: "A latency agrees within 15% or 0.15 us of the published one (20 ns in figure 4, whose \
           round trips are tens of ns), a bandwidth within 5% of the link's 56 Gbps. A bound has no \
           tolerance.",
    published: include_str!("../../../../papers/rperf/published.csv"),
    collect: |options, observer| {
        let mut collected = collect(cases::cases(options), options, observer)?;
        collected.findings.extend(calculated::calculated(options));
        Ok(collected)
    },
    derived: derived::with_derived,
    tells_spread: false,
    figures: figures::figures,
    tolerance,
    answer: answer::answer,
    claims: claims::claims,
    tables: sensitivity::tables,
    tabled: &[claim_runs::ITEM, sensitivity::ITEM],
    summary: |_| Vec::new(),
};

/// Returns the largest difference that agrees, as a fraction of the published value: 15% or 0.15 us
/// for latencies (20 ns in figure 4, which is about nanoseconds), 5% of the link's capacity for
/// bandwidths.
fn tolerance(value: &Value) -> f64 {
    let floor = match (value.item.as_str(), value.unit.as_str()) {
        ("fig4", "ns") => 20.0,
        (_, "us") => 0.15,
        (_, "ns") => 150.0,
        (_, "Gbps") => return 0.05 * LINK_GBPS / value.value,
        (_, "%") => return 5.0 / value.value,
        _ => 0.0,
    };
    f64::max(0.15, floor / value.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::Published;
    use crate::{Finding, Options};

    /// Returns the findings if every reading gives a number.
    fn findings() -> Vec<Finding> {
        let options = Options { item: None, quick: true, seed: 1, threads: 1 };
        let cases = cases::cases(&options);
        let readings = cases.iter().flat_map(|case| &case.readings);
        let findings = readings.map(|reading| Finding {
            item: reading.item.to_owned(),
            case: reading.case.clone(),
            metric: reading.metric.to_owned(),
            unit: reading.unit.to_owned(),
            runs: vec![1.0],
        });
        derived::with_derived(findings.chain(calculated::calculated(&options)).collect())
    }

    #[test]
    fn every_published_value_has_a_measured_one() {
        let findings = findings();
        let all = Published::parse(PAPER.published).unwrap();
        let is_found = |v: &&Value| {
            let key = (&v.item, &v.case, &v.metric, &v.unit);
            findings.iter().filter(|f| (&f.item, &f.case, &f.metric, &f.unit) == key).count() == 1
        };
        let missing: Vec<&Value> = all.values().iter().filter(|v| !is_found(v)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
        for (item, _) in PAPER.items {
            assert!(findings.iter().any(|f| f.item == *item), "{item}");
        }
    }

    /// Five limits and three numbers of queue pairs; three, four and four settings of the senders, of
    /// which the last four have runs of qperf.
    #[test]
    fn every_setting_has_its_results() {
        use bandwise_report::Cell;
        let numbers = |table: &bandwise_report::Table| {
            let is_number = |cell: &&Cell| matches!(cell, Cell::Number { .. });
            table.rows.iter().map(|row| row.iter().filter(is_number).count()).collect::<Vec<_>>()
        };
        let tables = sensitivity::tables(&findings());
        assert_eq!(numbers(&tables[0]), [4, 4, 4, 4, 4, 3, 3, 3]);
        assert_eq!(numbers(&tables[1]), [4, 4, 4, 4, 4, 4, 4, 6, 6, 6, 6]);
        assert!(sensitivity::tables(&[]).is_empty());
        // The paper's fabric has all claims; those of today all but two.
        let claims = claims::claims(&findings());
        let at = |fabric| claims.iter().filter(|claim| claim.fabric == fabric).count();
        assert_eq!(["56 Gbps", "100 Gbps", "400 Gbps"].map(at), [15, 13, 13]);
    }

    /// 48.4 Gbps stand in three places and 0.4 us in four; each counts once. Of 102 numbers in the
    /// text, 11 repeat others and 20 follow from others: 71 are independent.
    #[test]
    fn independent_values_count_once() {
        let all = Published::parse(PAPER.published).unwrap();
        let count = |is: fn(&Value) -> bool| all.values().iter().filter(|v| is(v)).count();
        assert_eq!(all.values().len(), 102);
        assert_eq!(count(|v| v.repeats.is_some()), 11);
        assert_eq!(count(|v| v.derived.is_some()), 20);
        assert_eq!(count(|v| v.value == 48.4 && v.dependence().is_none()), 1);
    }
}
