//! [`Effort`].

/// The time and the memory that a run took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Elapsed time.
    pub(super) wall_s: f64,
    /// Processor time over all cores, if the system tells it.
    pub(super) cpu_s: Option<f64>,
    /// The most memory, if the system tells it.
    pub(super) peak_rss_bytes: Option<u64>,
}
