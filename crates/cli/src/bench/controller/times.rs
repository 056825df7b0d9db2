//! Times of many requests, and the machine, as text and as JSON.

use crate::bench::facts::{cores, or_not_known};
use crate::machine;
use bandwise_stats::Percentile;
use serde::Serialize;
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
pub(super) fn line(what: &str, ms: &[f64]) -> String {
    let [median, p90, longest] = summary(ms);
    format!(
        "{what:<10}  median {median:.2} ms, 90th percentile {p90:.2} ms, longest {longest:.2} ms\n"
    )
}

/// The times of many requests in JSON.
#[derive(Serialize)]
pub(super) struct TimesRow {
    median_ms: f64,
    p90_ms: f64,
    longest_ms: f64,
}

impl TimesRow {
    /// Returns the times of many requests, given in ascending order.
    ///
    /// # Panics
    ///
    /// Panics if there are no times.
    pub(super) fn of(ms: &[f64]) -> Self {
        let [median_ms, p90_ms, longest_ms] = summary(ms);
        TimesRow { median_ms, p90_ms, longest_ms }
    }
}

/// Returns the folder of the store, the machine and the version as text.
pub(super) fn here(folder: &Path) -> String {
    [
        format!("store       in {}\n", folder.parent().unwrap_or(folder).display()),
        format!("processor   {}, ", or_not_known(machine::cpu_model())),
        format!("{}\n", or_not_known(machine::cores().map(cores))),
        format!("bandwise    {}\n", env!("CARGO_PKG_VERSION")),
    ]
    .concat()
}

/// The machine and the version in JSON.
#[derive(Serialize)]
pub(super) struct HereRow {
    version: &'static str,
    runs: u64,
    cpu_model: Option<String>,
    cores: Option<usize>,
    peak_rss_bytes: Option<u64>,
}

impl HereRow {
    /// Returns the machine and its memory at present.
    pub(super) fn new(runs: u64) -> Self {
        HereRow {
            version: env!("CARGO_PKG_VERSION"),
            runs,
            cpu_model: machine::cpu_model(),
            cores: machine::cores(),
            peak_rss_bytes: machine::peak_rss_bytes(),
        }
    }
}
