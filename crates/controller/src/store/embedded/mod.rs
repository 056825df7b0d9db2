//! [`Embedded`]: a store in a file (redb) with one writing process.

mod trial;

use super::{Store, StoreError};
use crate::core::{Change, State};
use redb::backends::FileBackend;
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, ReadableTable, StorageError,
    TableDefinition,
};
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use trial::Trial;

/// The last change of each key, as JSON.
const RECORDS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("records");
const NUMBERS: TableDefinition<&str, u64> = TableDefinition::new("numbers");
/// The format version of records.
const FORM: (&str, u64) = ("form", 2);
/// The number of the last write.
const WRITE: &str = "write";

/// The new value of each key; `None` removes it.
type Edits = Vec<(Vec<u8>, Option<Vec<u8>>)>;
type Open = Box<dyn Fn(&mut redb::Builder) -> Result<Database, DatabaseError> + Send>;

/// A store in a file.
pub struct Embedded {
    path: PathBuf,
    open: Open,
    /// The open database; `None` after a failure, since redb has to be opened again.
    database: Option<Database>,
    /// The number of the last attempted write.
    number: u64,
    /// A failed write with an unknown outcome: its number, and the edits that undo it.
    doubtful: Option<(u64, Edits)>,
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Embedded").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Embedded {
    /// Opens the store in this file, or creates it, readable only by its owner. The whole file is verified.
    ///
    /// # Errors
    ///
    /// Returns a [`StoreError`] if the file is in use, empty, damaged, of another format, or can't be accessed.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let unopened = |error: std::io::Error| match bandwise_files::misplaced(path, &error) {
            Some(error) => StoreError::Unusable(error),
            None => StoreError::Failed { path: path.to_owned(), why: error.to_string() },
        };
        match path.metadata() {
            Ok(about) if about.len() == 0 => {
                let why = "the file is empty".into();
                return Err(StoreError::Damaged { path: path.to_owned(), why });
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                create(path).map_err(unopened)?;
            }
            _ => {}
        }
        opened(path).map_err(unopened)?;
        let file = path.to_owned();
        let mut store = Embedded::with(path, Box::new(move |builder| builder.open(&file)));
        store.verify()?;
        store.database()?;
        Ok(store)
    }

    /// Verifies the whole file, which stays as it is.
    fn verify(&mut self) -> Result<(), StoreError> {
        let trial = || Trial::new(opened(&self.path)?);
        let mut builder = Database::builder();
        builder.set_check_integrity_on_open(true);
        let database = trial().and_then(|trial| builder.create_with_backend(trial));
        let database = database.map_err(|error| self.unusable(error))?;
        let (form, number) = numbers(&database).map_err(|error| self.damaged(&error))?;
        if form != FORM.1 {
            let (path, found, known) = (self.path.clone(), form, FORM.1);
            return Err(StoreError::OtherForm { path, found, known });
        }
        self.number = number;
        Ok(())
    }

    fn with(path: &Path, open: Open) -> Self {
        Embedded { path: path.to_owned(), open, database: None, number: 0, doubtful: None }
    }

    /// Returns the database. Opens it again if necessary, and then undoes a failed write that was stored after all.
    fn database(&mut self) -> Result<&Database, StoreError> {
        if self.database.is_none() {
            let database = (self.open)(&mut Database::builder());
            let database = database.map_err(|error| self.unusable(error))?;
            if let Some((number, before)) = &self.doubtful {
                let take_back = || match numbers(&database)?.1 == *number {
                    true => edit(&database, *number, before.clone()).map(|_| ()),
                    false => Ok(()),
                };
                take_back().map_err(|error| self.failed(&error))?;
                self.doubtful = None;
            }
            self.database = Some(database);
        }
        Ok(self.database.as_ref().expect("it was opened"))
    }

    fn unusable(&self, error: DatabaseError) -> StoreError {
        let path = self.path.clone();
        match error {
            DatabaseError::DatabaseAlreadyOpen => StoreError::InUse(path),
            DatabaseError::Storage(StorageError::Io(ref io))
                if io.kind() != std::io::ErrorKind::InvalidData
                    && io.kind() != std::io::ErrorKind::UnexpectedEof =>
            {
                StoreError::Failed { path, why: error.to_string() }
            }
            error => StoreError::Damaged { path, why: error.to_string() },
        }
    }

    fn failed(&self, error: &redb::Error) -> StoreError {
        StoreError::Failed { path: self.path.clone(), why: error.to_string() }
    }

    /// Returns the error of a database without the expected tables, or with unreadable ones.
    fn damaged(&self, error: &redb::Error) -> StoreError {
        match error {
            redb::Error::Io(_) => self.failed(error),
            _ => StoreError::Damaged { path: self.path.clone(), why: error.to_string() },
        }
    }
}

fn opened(path: &Path) -> std::io::Result<File> {
    File::options().read(true).write(true).open(path)
}

/// Creates an empty store. It appears in its place only when it is complete, so a process that is killed leaves no
/// store that can't be opened.
fn create(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let draft = tempfile::Builder::new().prefix(".new-store-").tempfile_in(folder)?;
    fill(draft.reopen()?).map_err(std::io::Error::other)?;
    draft.persist_noclobber(path)?;
    File::open(folder)?.sync_all()
}

/// Makes an empty store of an empty file.
fn fill(file: File) -> Result<(), redb::Error> {
    let database = Database::builder().create_with_backend(FileBackend::new(file)?)?;
    let transaction = database.begin_write()?;
    transaction.open_table(NUMBERS)?.insert(FORM.0, FORM.1)?;
    transaction.open_table(RECORDS)?;
    transaction.commit()?;
    Ok(database.close()?)
}

/// Returns the format version and the number of the last write.
fn numbers(database: &Database) -> Result<(u64, u64), redb::Error> {
    let transaction = database.begin_read()?;
    let numbers = transaction.open_table(NUMBERS)?;
    let number = |name| Ok::<u64, redb::Error>(numbers.get(name)?.map_or(0, |found| found.value()));
    Ok((number(FORM.0)?, number(WRITE)?))
}

/// Writes all edits or none.
fn edit(database: &Database, number: u64, edits: Edits) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(Durability::Immediate)?;
    // With one phase, an answered write whose bytes are damaged later counts as one that a crash cut off.
    transaction.set_two_phase_commit(true);
    {
        let mut records = transaction.open_table(RECORDS)?;
        for (key, value) in edits {
            match value {
                Some(value) => drop(records.insert(&*key, &*value)?),
                None => drop(records.remove(&*key)?),
            }
        }
        transaction.open_table(NUMBERS)?.insert(WRITE, number)?;
    }
    Ok(transaction.commit()?)
}

/// Returns the current values of these keys.
fn held(database: &Database, edits: &Edits) -> Result<Edits, redb::Error> {
    let transaction = database.begin_read()?;
    let records = transaction.open_table(RECORDS)?;
    let held = |key: &Vec<u8>| -> Result<_, redb::Error> {
        Ok((key.clone(), records.get(&**key)?.map(|found| found.value().to_vec())))
    };
    edits.iter().map(|of| held(&of.0)).collect()
}

impl Store for Embedded {
    fn load(&mut self) -> Result<State, StoreError> {
        let damaged = |path: &Path, why: String| StoreError::Damaged { path: path.to_owned(), why };
        let path = self.path.clone();
        let database = self.database()?;
        let read = || -> Result<Vec<Vec<u8>>, redb::Error> {
            let records = database.begin_read()?.open_table(RECORDS)?;
            records.iter()?.map(|record| Ok(record?.1.value().to_vec())).collect()
        };
        let records = read().map_err(|error| damaged(&path, error.to_string()))?;
        let change = |record: &Vec<u8>| serde_json::from_slice::<Change>(record);
        let changes: Result<Vec<Change>, _> = records.iter().map(change).collect();
        Ok(State::of(changes.map_err(|error| damaged(&path, error.to_string()))?))
    }

    fn write(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let edits: Edits = changes.iter().map(|change| (key(change), value(change))).collect();
        self.number += 1;
        let number = self.number;
        let database = self.database()?;
        let attempt = || -> Result<(), (redb::Error, Edits)> {
            let before = held(database, &edits).map_err(|error| (error, Edits::new()))?;
            edit(database, number, edits).map_err(|error| (error, before))
        };
        let Err((error, before)) = attempt() else { return Ok(()) };
        let error = self.failed(&error);
        self.database = None;
        // The write may have been stored after all. The next access to the database undoes it.
        self.doubtful = Some((number, before));
        // If the file can't be opened now, the next write tries again.
        let _ = self.database();
        Err(error)
    }
}

/// Returns the key of a record.
fn key(change: &Change) -> Vec<u8> {
    let (kind, ids): (u8, [Option<u64>; 2]) = match change {
        Change::Next(_) => (0, [None, None]),
        Change::Client(id, _) => (1, [Some(id.0), None]),
        Change::Answered(id, number, _) => (2, [Some(id.0), Some(*number)]),
        Change::Application(id, _) => (3, [Some(id.0), None]),
        Change::Connection(id, _) => (4, [Some(id.0), None]),
        Change::Drained(port, _) => (5, [Some(port.0), None]),
    };
    let ids = ids.into_iter().flatten().flat_map(u64::to_be_bytes);
    std::iter::once(kind).chain(ids).collect()
}

/// Returns the value of a record; `None` if the change removes the record.
fn value(change: &Change) -> Option<Vec<u8>> {
    (!change.is_end()).then(|| serde_json::to_vec(change).expect("a change is JSON"))
}

#[cfg(test)]
mod tests;
