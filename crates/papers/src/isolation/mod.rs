//! "Performance Isolation Anomalies in RDMA" (KBNets 2017, its slides): the bandwidth and the
//! latency of two flows that share a link, simulated or between the devices of two hosts.

mod cases;
mod claims;
mod devices;
mod figures;
mod found;
mod study;

pub use devices::{DeviceCase, DeviceMeasurement, DeviceResults, DeviceStudy, Item};
pub use study::{Measured, Outcome, Study, Trial};

use crate::collect::collect;
use crate::paper::Paper;
use crate::published::Value;
use bandwise_report::model::Row;

/// The paper.
pub const PAPER: Paper = Paper {
    name: "isolation",
    title: "Performance Isolation Anomalies in RDMA (Zhang, Gu, Lee, Chowdhury, Shin, KBNets 2017)",
    question: "What happens when multiple RDMA-enabled applications share the network?",
    items: &[
        ("elephants", "bandwidth of 1 GB and 1 MB messages over each other, by verb, with events"),
        ("polling", "two elephants that poll or wait for events; CPU time"),
        ("waking", "causes of two elephants' ratio: idle states of cores, message size"),
        ("mice", "10 B beside 10 B, 100 B and 1 KB"),
        ("mouse-elephant", "10 B, 100 B and 1 KB beside 1 GB and 1 MB"),
        ("edr", "the same with ConnectX-4 at 100 Gbps"),
        ("kv", "requests of a key-value store (HERD) beside 1 GB and 1 MB"),
    ],
    scenarios: cases::SCENARIOS,
    rule: "A ratio agrees within 15% of the published one.",
    published: include_str!("../../../../papers/isolation/published.csv"),
    collect: |options, observer| collect(cases::cases(options), options, observer),
    derived: found::with_derived,
    tells_spread: false,
    figures: figures::figures,
    tolerance,
    answer: claims::answer,
    claims: claims::claims,
    tables: |_| Vec::new(),
    tabled: &[],
    summary,
};

/// Returns a sentence about the cells that agree.
fn summary(rows: &[Row]) -> Vec<String> {
    let cells = || rows.iter().filter(|row| row.item == "elephants");
    let is_uneven = |row: &&Row| row.case.contains("1 GB") && row.case.contains("1 MB");
    let (uneven, agree) = (
        cells().filter(is_uneven),
        cells().filter(is_uneven).filter(|row| row.agrees == Some(true)),
    );
    let (uneven, agree) = (uneven.count(), agree.count());
    let even = cells().count() - uneven;
    let sentence = format!(
        "Of the matrix {even} cells are of equal sizes and would be 1.00 in any model that shares evenly; \
         of the other {uneven}, {agree} agree."
    );
    Some(sentence).filter(|_| uneven > 0).into_iter().collect()
}

fn tolerance(_: &Value) -> f64 {
    0.15
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::Published;
    use crate::{Options, run};

    /// Not one number that the slides state is without a run of ours; the verdicts have theirs.
    #[test]
    fn every_published_value_has_a_run() {
        let options = Options { item: None, quick: true, seed: 1, threads: 0 };
        let results = run(&PAPER, &options, &()).unwrap();
        for v in Published::parse(PAPER.published).unwrap().values() {
            let is_it = |row: &&Row| {
                let key = (&row.item, &row.case, &row.metric, &row.unit);
                key == (&v.item, &v.case, &v.metric, &v.unit)
            };
            assert_eq!(results.rows.iter().filter(is_it).count(), 1, "{v:?}");
        }
        assert_eq!((PAPER.answer)(&results.findings).len(), 4);
        assert_eq!((PAPER.claims)(&results.findings).len(), 13);
        assert!((PAPER.summary)(&results.rows)[0].starts_with("Of the matrix 20 cells"));
    }
}
