//! The warnings about a run, in text and JSON.

use super::{ports, tables};
use bandwise_rdma::transport::Recovery;
use bandwise_scenario::ethernet::{EthernetResults, EthernetScenario};
use bandwise_topology::Adapters;

/// Returns the warnings about the fabric and the results.
pub(super) fn warnings(scenario: &EthernetScenario, results: &EthernetResults) -> Vec<String> {
    let fabric = scenario.fabric();
    let names = fabric.hosts().iter().map(|&host| &*fabric.node(host).name);
    let mut warnings: Vec<String> = Vec::new();
    warnings.extend(Adapters::of(names).map(|adapters| adapters.to_string()));
    if results.is_all_warmup() {
        warnings.push(tables::all_warmup(scenario, results));
    }
    warnings.extend(collapse(scenario, results));
    warnings.extend(ports::warnings(scenario, results));
    warnings
}

/// Returns a warning about a network with go-back-N that resends more than it delivers, as at a full
/// buffer: each lost packet costs all packets in flight behind it.
fn collapse(scenario: &EthernetScenario, results: &EthernetResults) -> Option<String> {
    let counters = &results.counters;
    let (again, delivered) = (counters.packets_retransmitted, counters.packets_delivered);
    let goes_back = scenario.model().host.transport.recovery == Recovery::GoBackN;
    (goes_back && again > delivered).then(|| {
        format!(
            "the goodput has collapsed: {again} retransmissions for {delivered} packets delivered, \
             since a lost packet costs those behind it too; PFC, congestion control or IRN avoids this"
        )
    })
}
