//! The papers' evaluations: what each figure's runs are ([`rperf`], [`irn`], [`saba`],
//! [`isolation`]), running them in
//! parallel ([`run()`]), and setting the results beside what was published ([`published`]).

pub mod claim;
pub mod experiment;
pub mod irn;
pub mod isolation;
pub mod published;
pub mod rperf;
pub mod run;
pub mod saba;

pub use claim::Claim;
pub use experiment::{Cases, Effort};
pub use run::{Finding, Observer, Options, PaperError, PaperResults, run};

/// The papers that can be run, with what their items are.
pub const PAPERS: &[Paper] = &[rperf::PAPER, irn::PAPER, saba::PAPER, isolation::PAPER];

/// A paper.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// Its short name.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// Its items, as it numbers them, with what each shows.
    pub items: &'static [(&'static str, &'static str)],
    /// The files that its runs start from: name and text.
    pub scenarios: &'static [(&'static str, &'static str)],
    /// When a value agrees, in words.
    pub rule: &'static str,
    /// What was published, as CSV.
    pub published: &'static str,
    /// The runs that items need.
    pub cases: Cases,
    /// All that is told: what was found, and what the paper's text computes from the numbers of its
    /// figures, computed from ours.
    pub derived: fn(Vec<Finding>) -> Vec<Finding>,
    /// Whether the least and the most of the runs are told beside their average.
    pub tells_spread: bool,
    /// The figures of the report.
    pub figures: fn(&[Finding], &published::Published) -> Vec<bandwise_report::model::Figure>,
    /// How far ours may be from a published value and still agree, as a fraction of it.
    pub tolerance: fn(&published::Value) -> f64,
    /// What follows from the findings: the question's answer, in sentences.
    pub answer: fn(&[Finding]) -> Vec<String>,
    /// What the paper claims, and whether it holds in our runs.
    pub claims: fn(&[Finding]) -> Vec<Claim>,
    /// What the comparison as a whole comes to, besides the count.
    pub summary: fn(&[bandwise_report::Row]) -> Vec<String>,
}

/// A paper by name.
pub fn paper(name: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|p| p.name == name)
}
