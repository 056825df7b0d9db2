//! "Evaluation of an InfiniBand Switch: Choose Latency or Bandwidth, but Not Both" (ISPASS 2020):
//! figures 4 to 13, on the paper's topologies (`papers/rperf/*.toml`), all with one calibration.

mod answer;
mod cases;
mod derived;
mod figures;
mod link;

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
        ("fig6", "round trip by perftest and qperf"),
        ("fig7a", "round trip beside 0 to 5 bulk senders (BSGs)"),
        ("fig7b", "bandwidth of 1 to 5 bulk senders"),
        ("fig8", "round trip beside five bulk senders, by their message size"),
        ("fig9", "bandwidth of five bulk senders, by their message size"),
        ("fig10", "FCFS against round-robin, 0 to 5 bulk senders (the paper's simulator)"),
        ("fig11", "FCFS against round-robin over two switches (the paper's simulator)"),
        ("fig12", "round trip with shared and dedicated service levels, and a pretend LSG"),
        ("fig13", "bandwidth with shared and dedicated service levels, and a pretend LSG"),
        (
            "truth",
            "each method's error against the simulator's ground truth (what the thesis of 2022, \
             section 5.3.2, leaves as future work)",
        ),
    ],
    scenarios: cases::SCENARIOS,
    rule: "A latency agrees within 15% or 0.15 us of the published one (20 ns in figure 4, whose \
           round trips are tens of ns), a bandwidth within 5% of the link's 56 Gbps.",
    published: include_str!("../../../../papers/rperf/published.csv"),
    collect: |options, observer| collect(cases::cases(options), options, observer),
    derived: derived::with_derived,
    tells_spread: false,
    figures: figures::figures,
    tolerance,
    answer: answer::answer,
    claims: |_| Vec::new(),
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
