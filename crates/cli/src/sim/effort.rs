//! [`Effort`].

/// The time and the memory that a run took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Elapsed time.
    pub(super) wall_s: f64,
    /// CPU time over all cores, if the operating system provides it.
    pub(super) cpu_s: Option<f64>,
    /// Peak memory, if the operating system provides it.
    pub(super) peak_rss_bytes: Option<u64>,
}
