//! The evaluations of papers: the runs of each figure ([`rperf`], [`irn`], [`saba`], [`isolation`]),
//! and their results beside the published values ([`published`]).
//!
//! [`run()`] runs a [`Paper`], or an item of it, in parallel:
//!
//! ```
//! use bandwise_papers::{Options, paper, run};
//!
//! let saba = paper("saba").unwrap();
//! let item = Some("fig3.1".to_owned());
//! let options = Options { item, quick: true, seed: 1, threads: 1 };
//! let results = run(saba, &options, &()).unwrap();
//! let least = results.rows.iter().find(|row| row.case == "ten workloads at 25%: least").unwrap();
//! assert_eq!(least.agrees, Some(true));
//! ```

mod case;
mod claim;
mod collect;
mod finding;
pub mod irn;
pub mod isolation;
mod options;
mod paper;
pub mod published;
mod repeated;
pub mod rperf;
mod run;
pub mod saba;

pub use claim::{Claim, Holds};
pub use collect::Collected;
pub use finding::Finding;
pub use options::{Observer, Options, PaperError};
pub use paper::Paper;
pub use run::{PaperResults, run};

/// All papers, with the descriptions of their items.
pub const PAPERS: &[Paper] = &[rperf::PAPER, irn::PAPER, saba::PAPER, isolation::PAPER];

/// Returns the paper with a name.
pub fn paper(name: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|p| p.name == name)
}
