//! The mean sizes of flows.

use bandwise_scenario::ethernet::{EthernetResults, EthernetScenario, Generator, Workload};
use serde::Serialize;

/// The mean size of a generator's flows, by the distribution that it draws from, or of the flows of
/// a list that were run.
#[derive(Serialize)]
pub(super) struct MeanRow {
    generator: &'static str,
    mean_bytes: f64,
}

/// Returns a row for each generator with a distribution of sizes, or the row of a flow list.
pub(super) fn means(scenario: &EthernetScenario, results: &EthernetResults) -> Vec<MeanRow> {
    let Workload::Parts(parts) = scenario.workload() else {
        let row = |mean_bytes| MeanRow { generator: "flow list", mean_bytes };
        return results.mean_bytes().map(row).into_iter().collect();
    };
    let mean = |generator: &Generator| {
        let (generator, sizes) = match generator {
            Generator::Poisson(poisson) => ("poisson", poisson.sizes()),
            Generator::Permutation(permutation) => ("permutation", permutation.sizes()),
            Generator::Incast(_) => return None,
        };
        Some(MeanRow { generator, mean_bytes: sizes.mean() })
    };
    parts.iter().filter_map(|part| mean(&part.generator)).collect()
}

/// Returns a line with all means, or an empty text if there is none.
pub(super) fn line(scenario: &EthernetScenario, results: &EthernetResults) -> String {
    let mean = |row: &MeanRow| format!("{} ({})", in_words(row.mean_bytes), row.generator);
    let means: Vec<String> = means(scenario, results).iter().map(mean).collect();
    match means.is_empty() {
        true => String::new(),
        false => format!("Mean flow: {}.\n", means.join(", ")),
    }
}

/// Returns a number of bytes with a unit in powers of 1000.
fn in_words(bytes: f64) -> String {
    match bytes {
        ..1e3 => format!("{bytes:.0} B"),
        ..1e6 => format!("{:.1} kB", bytes / 1e3),
        ..1e9 => format!("{:.1} MB", bytes / 1e6),
        _ => format!("{:.1} GB", bytes / 1e9),
    }
}
