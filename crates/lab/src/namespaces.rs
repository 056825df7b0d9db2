//! Network namespaces, made and configured by the program `ip`.

use crate::{LabError, Result};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The folder in which `ip` has a file for each named namespace.
const FOLDER: &str = "/run/netns";

/// The identity of a namespace, which a renaming does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// Returns the identity of the namespace of that name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of the namespace can't be read.
    pub fn of(name: &str) -> Result<Option<Self>> {
        let path = Path::new(FOLDER).join(name);
        match std::fs::metadata(&path) {
            Ok(there) => Ok(Some(Identity { device: there.dev(), inode: there.ino() })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LabError::file(&path)(error)),
        }
    }
}

/// Makes a new namespace.
pub(crate) fn add(name: &str) -> Result<()> {
    ip(&["netns", "add", name], &[]).map(drop)
}

/// Deletes the name of a namespace. The kernel deletes the namespace when its last process ends.
pub(crate) fn delete(name: &str) -> Result<()> {
    ip(&["netns", "delete", name], &[]).map(drop)
}

/// Runs lines of `ip -batch` in a namespace and stops at the first that fails.
pub(crate) fn configure(name: &str, lines: &[String]) -> Result<()> {
    let done = ip(&["-netns", name, "-batch", "-"], lines).map(drop);
    done.map_err(|error| LabError::Configure { namespace: name.to_owned(), source: error.into() })
}

/// Returns the numbers of the processes in a namespace.
pub(crate) fn processes(name: &str) -> Result<Vec<u32>> {
    let listed = ip(&["netns", "pids", name], &[])?;
    Ok(listed.split_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}

/// Returns whether a namespace is in its initial state: no device has an address, and the
/// loopback is down.
pub(crate) fn is_bare(name: &str) -> Result<bool> {
    let listed = ip(&["-netns", name, "-oneline", "address", "show"], &[])?;
    Ok(listed.trim().is_empty())
}

/// Runs `ip` and returns its standard output.
fn ip(arguments: &[&str], lines: &[String]) -> Result<String> {
    let mut command = Command::new("ip");
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::piped());
    let attempt = || -> std::io::Result<Output> {
        let mut child = command.spawn()?;
        let mut text = lines.join("\n");
        text.push('\n');
        // A program that reads no lines, or stops at a line, closes the pipe early.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
        child.wait_with_output()
    };
    let output = { attempt }().map_err(LabError::NoIp)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let answer = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = answer.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    Err(LabError::Ip { arguments: arguments.join(" "), answer: lines.join(" ") })
}
