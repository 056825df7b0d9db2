//! [`Record`]: which namespaces were made for a lab. It stands in a file before they do.

use super::namespaces::Identity;
use super::parts::Lab;
use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where records stand. It is empty after a start of the machine, as namespaces are gone then.
const FOLDER: &str = "/run/bandwise";

/// What was made for a lab.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    schema: u32,
    /// What it consists of.
    pub lab: Lab,
    /// Whether all of it was made.
    pub is_complete: bool,
    /// In the order in which they were made.
    pub namespaces: Vec<Made>,
}

/// A namespace that was made, or was about to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// By which it is known from another of that name; none if we did not live to see it.
    pub identity: Option<Identity>,
}

/// That nobody else changes a lab at the same time, as long as this is kept.
#[derive(Debug)]
pub struct Locked(#[expect(dead_code, reason = "it is unlocked when it is closed")] File);

/// Waits until no other program changes a lab.
pub fn lock() -> Result<Locked> {
    std::fs::create_dir_all(FOLDER).with_context(|| FOLDER.to_owned())?;
    let path = Path::new(FOLDER).join("lock");
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let file = file.with_context(|| path.display().to_string())?;
    file.lock().with_context(|| path.display().to_string())?;
    Ok(Locked(file))
}

impl Record {
    /// Begins the record of a lab that isn't there.
    pub fn create(lab: Lab) -> Result<Self> {
        let (name, path) = (lab.name.clone(), path(&lab.name));
        if path.exists() {
            bail!(
                "the lab {name:?} is there already; `bandwise lab down{}` takes it away, and --name makes another beside it",
                flag(&name)
            );
        }
        let record = Record { schema: 1, lab, is_complete: false, namespaces: Vec::new() };
        record.save()?;
        Ok(record)
    }

    /// The record of a lab that is there, or was begun; none if there is none.
    pub fn find(name: &str) -> Result<Option<Self>> {
        let path = path(name);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(anyhow!(error).context(path.display().to_string())),
        };
        let record: Record = serde_json::from_slice(&text).with_context(|| {
            format!("{}: is no record of a lab; what it was made of is not known", path.display())
        })?;
        match record.schema == 1 && record.lab.name == name {
            true => Ok(Some(record)),
            false => bail!("{}: is the record of something else", path.display()),
        }
    }

    /// The record of a lab that is whole.
    pub fn open(name: &str) -> Result<Self> {
        let flag = flag(name);
        match Record::find(name)? {
            Some(record) if record.is_complete => Ok(record),
            Some(_) => bail!(
                "the lab {name:?} was not made to its end; `bandwise lab down{flag}` takes away what there is"
            ),
            None => bail!("there is no lab {name:?}; `bandwise lab up{flag}` makes one"),
        }
    }

    /// Writes it, as a whole or not at all.
    pub fn save(&self) -> Result<()> {
        let path = path(&self.lab.name);
        let attempt = || {
            let mut file = tempfile::Builder::new().prefix(".record-").tempfile_in(FOLDER)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.persist(&path)?;
            anyhow::Ok(())
        };
        attempt().with_context(|| path.display().to_string())
    }

    /// Forgets the lab.
    pub fn remove(self) -> Result<()> {
        let path = path(&self.lab.name);
        std::fs::remove_file(&path).with_context(|| path.display().to_string())
    }

    /// The namespace of a host or of the switch, which must be the one that was made.
    pub fn namespace(&self, node: &str) -> Result<String> {
        let name = self.lab.namespace(node);
        let made = self.namespaces.iter().find(|made| made.name == name);
        let made = made.with_context(|| format!("{name} was never made"))?;
        match Identity::of(&name)? {
            Some(there) if made.identity == Some(there) => Ok(name),
            Some(_) => bail!("the namespace {name} is not the one that was made for this lab"),
            None => bail!("the namespace {name} is gone; `bandwise lab down` takes away the rest"),
        }
    }
}

fn path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(format!("lab-{name}.json"))
}

/// What to add to a command that is about this lab.
fn flag(name: &str) -> String {
    if name == "lab" { String::new() } else { format!(" --name {name}") }
}
