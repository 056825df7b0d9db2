//! [`Store`]: the storage of changes.

mod embedded;

pub use embedded::Embedded;

use crate::core::{Change, State};
use bandwise_files::FileError;
use std::io;
use std::path::{Path, PathBuf};

/// The storage of changes. The owner of the core waits for [`write`](Store::write) before it
/// answers a caller.
pub trait Store: Send {
    /// Returns the stored state.
    ///
    /// # Errors
    ///
    /// Returns a [`StoreError`] if the store can't be read.
    fn load(&mut self) -> Result<State, StoreError>;

    /// Stores all changes or none. After an error none of them is stored, whatever the failure.
    ///
    /// # Errors
    ///
    /// Returns a [`StoreError`] if the changes can't be stored.
    fn write(&mut self, changes: &[Change]) -> Result<(), StoreError>;
}

/// The number of random bits in the first client's id of a new store: enough to avoid collisions, and few enough for
/// any JSON reader.
const FIRST_BITS: u32 = 40;

/// Returns the stored state. In a new store, client ids start at a random number. Otherwise a
/// client of a deleted store could have the same id as a client of the new store, and take its
/// place.
///
/// # Errors
///
/// Returns an error if the system provides no random numbers.
pub fn begun(stored: State) -> io::Result<State> {
    let mut drawn = [0; 8];
    getrandom::fill(&mut drawn).map_err(io::Error::other)?;
    Ok(stored.or_first(u64::from_le_bytes(drawn) >> (u64::BITS - FIRST_BITS)))
}

/// The reason why a store can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another program has the store open.
    #[error("{}: another program has this store open", .0.display())]
    InUse(PathBuf),
    /// The file is truncated, or was changed by another program.
    #[error("{}: {why}; not a controller's store, or damaged", .path.display())]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The damage.
        why: String,
    },
    /// The file was written in another format.
    #[error("{}: store format {found} (this program reads format {known})", .path.display())]
    OtherForm {
        /// The path of the file.
        path: PathBuf,
        /// The file's format.
        found: u64,
        /// This program's format.
        known: u64,
    },
    /// There is something else than a readable and writable file.
    #[error(transparent)]
    Unusable(FileError),
    /// The file can't be read or written.
    #[error("{}: {why}", .path.display())]
    Failed {
        /// The path of the file.
        path: PathBuf,
        /// The error.
        why: String,
    },
}

impl StoreError {
    /// Returns the error for a file of which another one is a copy.
    #[must_use]
    pub fn at(mut self, original: &Path) -> Self {
        let (StoreError::InUse(path)
        | StoreError::Damaged { path, .. }
        | StoreError::Unusable(FileError { path, .. })
        | StoreError::OtherForm { path, .. }
        | StoreError::Failed { path, .. }) = &mut self;
        original.clone_into(path);
        self
    }
}
