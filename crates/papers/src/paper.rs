//! [`Paper`]: a paper, its items and their runs.

use crate::claim::Claim;
use crate::collect::Collected;
use crate::finding::Finding;
use crate::options::{Observer, Options, PaperError};
use crate::published::{Published, Value};
use bandwise_report::model::Figure;
use bandwise_report::{Row, Table};

/// A paper.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// Short name.
    pub name: &'static str,
    /// Title, authors and place of publication.
    pub title: &'static str,
    /// Question that the paper asks.
    pub question: &'static str,
    /// Items, as the paper numbers them, each with a description.
    pub items: &'static [(&'static str, &'static str)],
    /// Scenario files, as pairs of name and text.
    pub scenarios: &'static [(&'static str, &'static str)],
    /// Rule by which a value agrees, as text.
    pub rule: &'static str,
    /// Published values, as CSV.
    pub published: &'static str,
    /// Function that runs the cases of the items.
    pub collect: fn(&Options, &dyn Observer) -> Result<Collected, PaperError>,
    /// Function that adds the numbers that the paper's text derives from the findings of runs.
    pub derived: fn(Vec<Finding>) -> Vec<Finding>,
    /// True if rows show the smallest and the largest value of the runs beside their average.
    pub tells_spread: bool,
    /// Function that draws the figures of the report.
    pub figures: fn(&[Finding], &Published) -> Vec<Figure>,
    /// Function that returns the largest difference from a published value that agrees, as a fraction
    /// of it.
    pub tolerance: fn(&Value) -> f64,
    /// Function that answers the question from the findings, as sentences.
    pub answer: fn(&[Finding]) -> Vec<String>,
    /// Function that returns the verdicts on the paper's claims.
    pub claims: fn(&[Finding]) -> Vec<Claim>,
    /// Function that returns further tables.
    pub tables: fn(&[Finding]) -> Vec<Table>,
    /// Items whose numbers stand in claims and further tables, not in a table of their own.
    pub tabled: &'static [&'static str],
    /// Function that sums up the comparison, besides the count.
    pub summary: fn(&[Row]) -> Vec<String>,
}
