//! [`RunnerError`]: the reasons for which runs can't begin.

use bandwise_input::InputError;

/// An unusable input of the user: the mistake, and the allowed values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; allowed: {allowed}")]
pub struct Unfit {
    /// The mistake.
    pub message: String,
    /// The allowed values.
    pub allowed: String,
}

/// An error before the first run.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// An unusable input of the user.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// A file has a mistake.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The preparation failed.
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}

impl Unfit {
    /// Returns an error with this mistake and these allowed values.
    pub(crate) fn new(message: impl Into<String>, allowed: impl Into<String>) -> Self {
        Unfit { message: message.into(), allowed: allowed.into() }
    }
}
