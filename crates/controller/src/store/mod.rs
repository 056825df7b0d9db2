//! [`Store`]: where changes are kept.

mod embedded;

pub use embedded::Embedded;

use crate::core::{Change, State};
use std::io;
use std::path::PathBuf;

/// Where changes are kept. This is the seam at which another store than a file of one process comes in: whoever
/// runs the core waits for [`write`](Store::write) before it tells anybody.
pub trait Store: Send {
    /// All that was kept.
    fn load(&mut self) -> Result<State, StoreError>;

    /// Keeps all of these, or none: what an error was said of is not there, however it failed.
    fn write(&mut self, changes: &[Change]) -> Result<(), StoreError>;
}

/// How many bits the number of a new store's first client has: so many that nobody has them by chance, and few enough for
/// any reader of JSON.
const FIRST_BITS: u32 = 40;

/// What was stored; where nothing ever was, clients begin with a number that is drawn by lot. Else a client of a store that
/// is gone could take itself for one of this, as it has the number of another.
pub fn begun(stored: State) -> io::Result<State> {
    let mut drawn = [0; 8];
    getrandom::fill(&mut drawn).map_err(io::Error::other)?;
    Ok(stored.or_first(u64::from_le_bytes(drawn) >> (u64::BITS - FIRST_BITS)))
}

/// Why something could not be kept or had.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another program has it.
    #[error("{}: another program has this store open", .0.display())]
    InUse(PathBuf),
    /// It was cut, or changed by somebody else.
    #[error("{}: {why}; not a controller's store, or damaged; move it away to start without it", .path.display())]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It is of another version of this program.
    #[error("{}: store format {found} (this program reads format {known})", .path.display())]
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
