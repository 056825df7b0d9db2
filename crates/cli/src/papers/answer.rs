//! [`PaperAnswer`]: the results of a paper's run, beside the published values.

use super::claim_row::ClaimRow;
use super::{report, text};
use crate::answer::Answer;
use bandwise_papers::{Options, Paper, PaperResults};
use bandwise_report::{Report, Row, json};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// The results of a paper's run, which do not depend on the machine.
pub(super) struct PaperAnswer<'a> {
    rows: &'a [Row],
    stats: PaperStats<'a>,
    paper: &'a Paper,
    options: &'a Options,
    results: &'a PaperResults,
}

/// The effort of the run, and the claims of the paper.
#[derive(Serialize)]
struct PaperStats<'a> {
    version: &'static str,
    seed: u64,
    quick: bool,
    runs: usize,
    packets_delivered: u64,
    packet_hops: u64,
    events: u64,
    simulated_s: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    claims: Vec<ClaimRow>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unfinished: &'a [String],
}

impl<'a> PaperAnswer<'a> {
    /// Returns the answer of a run.
    pub(super) fn new(paper: &'a Paper, options: &'a Options, results: &'a PaperResults) -> Self {
        let counters = &results.effort;
        PaperAnswer {
            rows: &results.rows,
            stats: PaperStats {
                version: env!("CARGO_PKG_VERSION"),
                seed: options.seed,
                quick: options.quick,
                runs: results.runs,
                packets_delivered: counters.packets_delivered,
                packet_hops: counters.packet_hops,
                events: counters.events,
                simulated_s: results.effort.simulated.as_s_f64(),
                claims: (paper.claims)(&results.findings).iter().map(ClaimRow::from).collect(),
                unfinished: &results.unfinished,
            },
            paper,
            options,
            results,
        }
    }
}

impl Serialize for PaperAnswer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stats = serde_json::to_value(&self.stats).unwrap_or(Value::Null);
        json::rows(self.rows, stats).serialize(serializer)
    }
}

impl Answer for PaperAnswer<'_> {
    fn text(&self) -> String {
        text::text_of(self.paper, self.options, self.results)
    }

    fn report(&self) -> Option<Report> {
        Some(report::report(self.paper, self.options, self.results))
    }
}
