//! "Performance Isolation Anomalies in RDMA" (KBNets 2017, its slides): two flows that share a link, and
//! which of them gets what.

mod cases;
mod claims;
mod figures;
mod found;
mod study;

pub use study::{Outcome, Study};

use crate::Paper;
use crate::experiment::Cases;
use crate::published::Value;

/// The paper.
pub const PAPER: Paper = Paper {
    name: "isolation",
    title: "Performance Isolation Anomalies in RDMA (Zhang, Gu, Lee, Chowdhury, Shin, KBNets 2017)",
    question: "What happens when multiple RDMA-enabled applications share the network?",
    items: &[
        ("elephants", "bandwidth of 1 GB and 1 MB messages over each other, by verb, with events"),
        ("polling", "two elephants by who polls and who waits for events; CPU time"),
        ("waking", "what two elephants' ratio hangs on: idle states of cores, message size"),
        ("mice", "10 B beside 10 B, 100 B and 1 KB"),
        ("mouse-elephant", "10 B, 100 B and 1 KB beside 1 GB and 1 MB"),
        ("edr", "the same with ConnectX-4 at 100 Gbps"),
        ("kv", "requests of a key-value store (HERD) beside 1 GB and 1 MB"),
    ],
    scenarios: cases::SCENARIOS,
    rule: "A ratio agrees within 15% of the published one.",
    published: include_str!("../../../../papers/isolation/published.csv"),
    cases: Cases::Isolation(cases::cases),
    derived: found::with_derived,
    tells_spread: false,
    figures: figures::figures,
    tolerance,
    answer: claims::answer,
    claims: claims::claims,
    summary: |_| Vec::new(),
};

fn tolerance(_: &Value) -> f64 {
    0.15
}
