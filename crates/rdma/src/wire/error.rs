//! Errors of reading frames.

/// Reason why bytes are not a [`Frame`](super::Frame).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The bytes end too early, or a length in them is wrong.
    #[error("the frame ends too early")]
    Short,
    /// The bytes contain an unknown value.
    #[error("unknown {0}")]
    Unknown(&'static str),
    /// The bytes have changed in transit.
    #[error("the checksum of {0} is wrong")]
    Checksum(&'static str),
}
