//! [`Options`], [`Observer`] and [`PaperError`]: the input and the side outputs of a run.

/// Options of a run of a paper.
#[derive(Debug, Clone)]
pub struct Options {
    /// The only item to run.
    pub item: Option<String>,
    /// Takes fewer samples, and one run instead of three.
    pub quick: bool,
    /// Seed of the first run of each case; further runs count up from it.
    pub seed: u64,
    /// Threads; 0 for one per core.
    pub threads: usize,
}

/// An observer of a run, which may stop it. Many threads call it.
pub trait Observer: Sync {
    /// Takes the number of runs.
    fn begin(&self, _runs: usize) {}
    /// Takes the name of the case of a finished run.
    fn done(&self, _case: &str) {}
    /// Returns `true` to stop now. Finished runs are kept.
    fn stop(&self) -> bool {
        false
    }
}

impl Observer for () {}

/// A reason for which a paper can't be run.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// The paper has no such item.
    #[error("paper {paper} has no item {item:?} (allowed: {allowed})")]
    Item {
        /// Paper.
        paper: &'static str,
        /// Requested item.
        item: String,
        /// Items of the paper.
        allowed: String,
    },
    /// A case is impossible, or a run can't complete.
    #[error("{case}: {reason}")]
    Run {
        /// Case.
        case: String,
        /// Reason.
        reason: String,
    },
}
