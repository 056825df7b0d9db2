//! "Application-Centric Bandwidth Allocation in Datacenters" (thesis, Edinburgh 2022), of which
//! chapters 3 and 4 are Saba (EuroSys 2023): the slowdown of workloads with less bandwidth, models
//! of it, and jobs that share a switch.

mod answer;
mod calculation;
mod cases;
mod derived;
mod figures;
mod large;
mod models;
mod packets;
mod setups;
mod study;

pub use study::{Outcome, PacketTrial, Study, Trial};

use crate::collect::collect;
use crate::paper::Paper;
use crate::published::Value;

/// The paper.
pub const PAPER: Paper = Paper {
    name: "saba",
    title: "Application-Centric Bandwidth Allocation in Datacenters (Katebzadeh, thesis, Edinburgh \
            2022)",
    question: "Should bandwidth go to the applications that lose most without it?",
    items: &[
        ("fig3.1", "slowdown of ten workloads alone, with 75% and 25% of the bandwidth"),
        ("fig3.2", "LR and TS side by side, max-min and with weights of 75 and 25"),
        ("fig3.3", "completion time of LR and TS alone"),
        ("fig4.3", "samples of SQL and LR"),
        ("fig4.4", "accuracy of models by degree"),
        ("fig4.5", "accuracy of models by size of the dataset"),
        ("fig4.6", "accuracy of models by number of nodes"),
        ("fig4.13", "speedup of each workload over 500 cluster setups of 16 jobs"),
        ("fig4.14", "average speedup of each of these setups"),
        ("fig4.15", "ten workloads on 8 nodes, by size of the dataset"),
        ("fig4.16", "ten workloads, by number of nodes"),
        ("fig4.17", "ten workloads on 8 nodes, by degree of the models"),
        (
            "fig4.18",
            "20 made-up workloads on 1,944 servers: policies, distribution, queues; for itself only",
        ),
        (
            packets::ITEM,
            "the same servers packet by packet, with a ten-thousandth of the data; for itself only",
        ),
        ("fig4.19", "time to work out all ports of 1,944 hosts, on this machine; for itself only"),
        ("queues", "ten workloads on 8 nodes, by number of queues (4.18c is of 1,944 servers)"),
    ],
    scenarios: &[],
    rule: "A number agrees within 15% of the published one.",
    published: include_str!("../../../../papers/saba/published.csv"),
    collect: |options, observer| collect(cases::cases(options), options, observer),
    derived: derived::with_derived,
    tells_spread: false,
    figures: figures::figures,
    tolerance,
    answer: answer::answer,
    claims: |_| Vec::new(),
    tables: |_| Vec::new(),
    tabled: &[],
    summary: |_| Vec::new(),
};

fn tolerance(_: &Value) -> f64 {
    0.15
}
