//! Runs of scenarios.

mod arrivals;
mod congestion;
mod host_ports;
mod limits;
mod link_rates;
mod mixed;
mod ports;
mod reads;
mod requests;
mod shortfalls;
mod turns;

use bandwise_input::Source;
use bandwise_scenario::Stop;
use bandwise_scenario::infiniband::{FlowResult, InfinibandResults, InfinibandScenario};
use std::ops::ControlFlow;

fn run(text: &str) -> InfinibandResults {
    let scenario =
        InfinibandScenario::from_toml(&Source::new("s.toml", text), bandwise_scenario::no_files);
    let scenario = scenario.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let results = scenario.run(|_| ControlFlow::Continue(()));
    assert_eq!(results.stop, Stop::Complete, "{text}");
    results
}

/// The median of what a latency flow measured, and how many samples it has.
fn median_ns(flow: &FlowResult) -> (f64, u64) {
    let measured =
        flow.latency.unwrap_or_else(|| panic!("{} measured nothing", flow.name)).measured;
    (measured.p50_ns, measured.count)
}

/// The payload rate of a bulk flow.
fn gbps(flow: &FlowResult) -> f64 {
    flow.bandwidth.unwrap_or_else(|| panic!("{} is not bulk", flow.name)).rate().as_gbps_f64()
}
