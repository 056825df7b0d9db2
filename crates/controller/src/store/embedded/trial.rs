//! [`Trial`]: a database file that stays as it is, whatever opening the database writes.

use redb::backends::FileBackend;
use redb::{BackendError, StorageBackend};
use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A database file whose changes are kept in memory. Opening a database repairs it after a crash, and a damaged file is
/// to be refused as it is.
#[derive(Debug)]
pub(super) struct Trial {
    file: FileBackend,
    changed: Mutex<Changed>,
}

#[derive(Debug)]
struct Changed {
    length: u64,
    /// Offsets and bytes, the latest last.
    writes: Vec<(u64, Box<[u8]>)>,
}

impl Trial {
    pub(super) fn new(file: File) -> Result<Self, redb::DatabaseError> {
        let file = FileBackend::new(file)?;
        let changed = Mutex::new(Changed { length: file.len()?, writes: Vec::new() });
        Ok(Trial { file, changed })
    }

    fn changed(&self) -> MutexGuard<'_, Changed> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StorageBackend for Trial {
    fn len(&self) -> io::Result<u64> {
        Ok(self.changed().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let changed = self.changed();
        let end = offset + out.len() as u64;
        if end > changed.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        out.fill(0);
        let there = self.file.len()?.clamp(offset, end) - offset;
        self.file.read(offset, &mut out[..there as usize])?;
        for (at, bytes) in &changed.writes {
            let (from, to) = ((*at).max(offset), (at + bytes.len() as u64).min(end));
            if from < to {
                let part = &bytes[(from - at) as usize..(to - at) as usize];
                out[(from - offset) as usize..(to - offset) as usize].copy_from_slice(part);
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.changed().length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.changed().writes.push((offset, data.into()));
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    // The file is locked as by the database itself.
    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }
}
