//! Network namespaces, by the program `ip`.

use anyhow::{Context, Result, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Where `ip` has a file for each namespace with a name.
const FOLDER: &str = "/run/netns";

/// What a namespace is known by as long as it lives, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// Of the namespace with a name; none if there is none.
    pub fn of(name: &str) -> Result<Option<Self>> {
        let path = Path::new(FOLDER).join(name);
        match std::fs::metadata(&path) {
            Ok(there) => Ok(Some(Identity { device: there.dev(), inode: there.ino() })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(anyhow!(error).context(path.display().to_string())),
        }
    }
}

/// Makes a namespace that isn't there.
pub fn add(name: &str) -> Result<()> {
    ip(&["netns", "add", name], &[]).map(drop)
}

/// Takes the name away, and with it the namespace when no process is in it any more.
pub fn delete(name: &str) -> Result<()> {
    ip(&["netns", "delete", name], &[]).map(drop)
}

/// Runs lines of `ip` in a namespace, all of them or up to the first that is refused.
pub fn configure(name: &str, lines: &[String]) -> Result<()> {
    ip(&["-netns", name, "-batch", "-"], lines).map(drop).with_context(|| name.to_owned())
}

/// The processes in a namespace, by number.
pub fn processes(name: &str) -> Result<Vec<u32>> {
    let listed = ip(&["netns", "pids", name], &[])?;
    Ok(listed.split_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}

/// Whether a namespace is as it was made: no device has an address, not even the loopback, which is down.
pub fn is_bare(name: &str) -> Result<bool> {
    let listed = ip(&["-netns", name, "-oneline", "address", "show"], &[])?;
    Ok(listed.trim().is_empty())
}

/// Runs `ip`; if it refuses, its words.
fn ip(arguments: &[&str], lines: &[String]) -> Result<String> {
    let mut command = Command::new("ip");
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::piped());
    let attempt = || -> std::io::Result<Output> {
        let mut child = command.spawn()?;
        let mut text = lines.join("\n");
        text.push('\n');
        // Whoever takes no lines, or stops at one, does not read the rest.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
        child.wait_with_output()
    };
    let output =
        { attempt }().context("the program ip can't be run (Debian: apt-get install iproute2)")?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    bail!("ip {}: {}", arguments.join(" "), said.join(" "))
}
