//! [`Store`]: where changes are kept.

mod embedded;

pub use embedded::Embedded;

use crate::core::{Change, State};
use std::path::PathBuf;

/// Where changes are kept. This is the seam at which another store than a file of one process comes in: whoever
/// runs the core waits for [`write`](Store::write) before it tells anybody.
pub trait Store: Send {
    /// All that was kept.
    fn load(&mut self) -> Result<State, StoreError>;

    /// Keeps all of these, or none: what an error was said of is not there, however it failed.
    fn write(&mut self, changes: &[Change]) -> Result<(), StoreError>;
}

/// Why something could not be kept or had.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another program has it.
    #[error("{}: another program has this store open", .0.display())]
    InUse(PathBuf),
    /// It was cut, or changed by somebody else.
    #[error("{}: {why}; it is no store of a controller, or damaged: move it away to begin without it", .path.display())]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It is of another version of this program.
    #[error("{}: written in form {found}, where this program knows form {known}", .path.display())]
    OtherForm {
        /// Where.
        path: PathBuf,
        /// What it is written in.
        found: u64,
        /// What this program knows.
        known: u64,
    },
    /// It can't be read or written.
    #[error("{}: {why}", .path.display())]
    Failed {
        /// Where.
        path: PathBuf,
        /// In whose words.
        why: String,
    },
}
