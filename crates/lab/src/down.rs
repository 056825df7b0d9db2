//! [`down`]: removal of a lab.

use crate::namespaces::{self, Identity};
use crate::record::{Made, Record, lock};
use crate::{LabError, Process, Result};

/// The outcome of a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Number of namespaces that were deleted.
    pub namespaces: usize,
    /// Namespaces with a name of the lab that another program made. They are not deleted.
    pub foreign: Vec<String>,
}

/// Removes a lab, complete or not. Returns `None` if there is none of that name.
///
/// With `force`, processes in the lab continue without a network.
///
/// # Errors
///
/// Returns [`LabError::Busy`] if processes run in the lab and `force` is false, or an error if a
/// namespace can't be deleted.
pub fn down(name: &str, force: bool) -> Result<Option<Removed>> {
    let _locked = lock()?;
    Record::find(name)?.map(|record| remove(record, force)).transpose()
}

/// Deletes the namespaces that a record lists, then the record.
pub(crate) fn remove(record: Record, force: bool) -> Result<Removed> {
    let (mut ours, mut foreign) = (Vec::new(), Vec::new());
    for made in &record.namespaces {
        match is_ours(made)? {
            Some(true) => ours.push(made),
            Some(false) => foreign.push(made.name.clone()),
            None => {}
        }
    }
    let mut busy = Vec::new();
    for made in ours.iter().filter(|_| !force) {
        let processes = namespaces::processes(&made.name)?;
        busy.extend(processes.into_iter().map(|pid| Process { name: program(pid), pid }));
    }
    if !busy.is_empty() {
        return Err(LabError::Busy(busy));
    }
    // The switch was made last. Its deletion also deletes all links.
    for made in ours.iter().rev() {
        namespaces::delete(&made.name)?;
    }
    let namespaces = ours.len();
    record.remove()?;
    Ok(Removed { namespaces, foreign })
}

/// Returns whether the namespace of that name was made for this lab; `None` if there is none.
fn is_ours(made: &Made) -> Result<Option<bool>> {
    let Some(there) = Identity::of(&made.name)? else { return Ok(None) };
    Ok(Some(match made.identity {
        Some(identity) => identity == there,
        // The process ended before it read the new namespace's identity, so the namespace is
        // bare.
        None => namespaces::is_bare(&made.name)? && namespaces::processes(&made.name)?.is_empty(),
    }))
}

/// Returns the name of a process; `?` if it has ended.
fn program(pid: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm"));
    name.map_or_else(|_| "?".to_owned(), |name| name.trim().to_owned())
}
