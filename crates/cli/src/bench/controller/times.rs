//! Times of many requests, and the machine, in words and as JSON.

use crate::bench::facts::{cores, or_not_known};
use crate::machine;
use bandwise_stats::Percentile;
use serde_json::{Value, json};
use std::path::Path;

/// Returns the median, the 90th percentile and the maximum of times in ascending order.
///
/// # Panics
///
/// Panics if there are no times.
fn summary(ms: &[f64]) -> [f64; 3] {
    [Percentile::MEDIAN, Percentile::P90, Percentile::from_permille(1_000)]
        .map(|percentile| percentile.of_sorted(ms).expect("something has been timed"))
}

/// Returns a line with the times of many requests.
pub(super) fn took(what: &str, ms: &[f64]) -> String {
    let [median, p90, longest] = summary(ms);
    format!(
        "{what:<10}  median {median:.2} ms, 90th percentile {p90:.2} ms, longest {longest:.2} ms\n"
    )
}

/// Returns the times of many requests as JSON.
pub(super) fn took_json(ms: &[f64]) -> Value {
    let [median, p90, longest] = summary(ms);
    json!({ "median_ms": median, "p90_ms": p90, "longest_ms": longest })
}

/// Returns the place of the store, the machine and the version, in words.
pub(super) fn here(folder: &Path) -> String {
    [
        format!("store       in {}\n", folder.parent().unwrap_or(folder).display()),
        format!("processor   {}, ", or_not_known(machine::cpu_model())),
        format!("{}\n", or_not_known(machine::cores().map(cores))),
        format!("bandwise    {}\n", env!("CARGO_PKG_VERSION")),
    ]
    .concat()
}

/// Returns the machine and the version as JSON.
pub(super) fn here_json(runs: u64) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "runs": runs,
        "cpu_model": machine::cpu_model(),
        "cores": machine::cores(),
        "peak_rss_bytes": machine::peak_rss_bytes(),
    })
}
