//! [`Record`]: a file that lists the namespaces made for a lab.

use crate::namespaces::Identity;
use crate::{Lab, LabError, Result};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The folder of the records. A reboot empties it, and deletes all namespaces too.
const FOLDER: &str = "/run/bandwise";

/// The parts of a lab that were made.
///
/// The file is written before each namespace is made, so that a killed process leaves a record of
/// everything that it made.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    schema: u32,
    /// Description of the lab.
    pub lab: Lab,
    /// True if all parts were made.
    pub is_complete: bool,
    /// Namespaces in the order in which they were made.
    pub namespaces: Vec<Made>,
}

/// A namespace that was made, or was about to be made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Made {
    /// Name of the namespace.
    pub name: String,
    /// Identity of the namespace; `None` if the process ended before it read the identity.
    pub identity: Option<Identity>,
}

/// A lock that keeps other programs from changing a lab until this value is dropped.
#[derive(Debug)]
pub(crate) struct Locked(#[expect(dead_code, reason = "it is unlocked when it is closed")] File);

/// Waits until no other program changes a lab, and locks.
pub(crate) fn lock() -> Result<Locked> {
    std::fs::create_dir_all(FOLDER).map_err(LabError::file(Path::new(FOLDER)))?;
    let path = Path::new(FOLDER).join("lock");
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let file = file.map_err(LabError::file(&path))?;
    file.lock().map_err(LabError::file(&path))?;
    Ok(Locked(file))
}

impl Record {
    /// Starts the record of a new lab.
    pub(crate) fn create(lab: Lab) -> Result<Self> {
        if path(&lab.name).exists() {
            return Err(LabError::Exists(lab.name));
        }
        let record = Record { schema: 1, lab, is_complete: false, namespaces: Vec::new() };
        record.save()?;
        Ok(record)
    }

    /// Returns the record of a lab, complete or not; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the record can't be read.
    pub fn find(name: &str) -> Result<Option<Self>> {
        let path = path(name);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(LabError::file(&path)(error)),
        };
        let record: Record = serde_json::from_slice(&text)
            .map_err(|source| LabError::BadRecord { path: path.clone(), source })?;
        match record.schema == 1 && record.lab.name == name {
            true => Ok(Some(record)),
            false => Err(LabError::ForeignRecord(path)),
        }
    }

    /// Returns the record of a complete lab.
    ///
    /// # Errors
    ///
    /// Returns [`LabError::Missing`] or [`LabError::Incomplete`] if there is no such lab, or an
    /// error if the record can't be read.
    pub fn open(name: &str) -> Result<Self> {
        match Record::find(name)? {
            Some(record) if record.is_complete => Ok(record),
            Some(_) => Err(LabError::Incomplete(name.to_owned())),
            None => Err(LabError::Missing(name.to_owned())),
        }
    }

    /// Writes the record atomically.
    pub(crate) fn save(&self) -> Result<()> {
        let path = path(&self.lab.name);
        let attempt = || {
            let mut file = tempfile::Builder::new().prefix(".record-").tempfile_in(FOLDER)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.persist(&path)?;
            Ok(())
        };
        attempt().map_err(LabError::file(&path))
    }

    /// Deletes the record.
    pub(crate) fn remove(self) -> Result<()> {
        let path = path(&self.lab.name);
        std::fs::remove_file(&path).map_err(LabError::file(&path))
    }

    /// Returns the name of the namespace of a host or of the switch.
    ///
    /// # Errors
    ///
    /// Returns an error if the namespace is gone or was not created for this lab.
    pub fn namespace(&self, node: &str) -> Result<String> {
        let name = self.lab.namespace(node);
        let Some(made) = self.namespaces.iter().find(|made| made.name == name) else {
            return Err(LabError::NeverMade(name));
        };
        match Identity::of(&name)? {
            Some(there) if made.identity == Some(there) => Ok(name),
            Some(_) => Err(LabError::Replaced(name)),
            None => Err(LabError::Gone(name)),
        }
    }

    /// Checks that all namespaces were made for this lab.
    ///
    /// # Errors
    ///
    /// Returns the error of the first namespace that is not, as [`Record::namespace`] does.
    pub fn verify(&self) -> Result<()> {
        self.lab.nodes().try_for_each(|node| self.namespace(&node).map(drop))
    }
}

fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("lab-{name}.json"))
}
