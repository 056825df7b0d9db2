//! [`Links`]: the links of a profiled program.

use crate::{Devices, Unfit};
use anyhow::{Context, Error, Result, bail};
use bandwise_lab::Limited;
use bandwise_saba::Share;
use std::fmt;
use std::process::{Command, Stdio};

/// The environment variable with the share, as a fraction of 1. Commands that limit links and
/// profiled programs have it.
pub const SHARE: &str = "BANDWISE_SHARE";

/// The links of a program's hosts, by the method of limiting them.
#[derive(Debug)]
pub enum Links {
    /// The links of a lab.
    Lab(Limited),
    /// The devices by which this host sends.
    Devices(Devices),
    /// Links that a command of the user limits. It reads [`SHARE`].
    Command(String),
}

impl fmt::Display for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Links::Lab(lab) => write!(f, "{lab}"),
            Links::Devices(devices) => write!(f, "{devices}"),
            Links::Command(line) => write!(f, "links limited by {line}"),
        }
    }
}

impl Links {
    /// Checks that the links can be limited to these shares. Changes nothing.
    ///
    /// # Errors
    ///
    /// Returns an error for the first share that is too small.
    pub fn check(&self, shares: &[Share]) -> Result<(), Unfit> {
        match self {
            Links::Lab(lab) => lab.check(shares).map_err(|error| {
                let allowed = "shares with which a link of the lab has 1 Mbps or more";
                Unfit::new(error.to_string(), allowed)
            }),
            Links::Devices(devices) => devices.check(shares),
            Links::Command(_) => Ok(()),
        }
    }

    /// Limits all links to a share of their rate.
    pub(crate) fn limit(&mut self, share: Share) -> Result<()> {
        match self {
            Links::Lab(lab) => lab.limit(share).map_err(Error::from),
            Links::Devices(devices) => devices.limit(share),
            Links::Command(line) => command(line, share),
        }
        .with_context(|| format!("limiting links to {share}"))
    }

    /// Restores the links.
    pub(crate) fn restore(&mut self) -> Result<()> {
        match self {
            Links::Lab(lab) => Ok(lab.restore()?),
            Links::Devices(devices) => devices.restore(),
            Links::Command(line) => command(line, Share::ALL),
        }
    }
}

fn command(line: &str, share: Share) -> Result<()> {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env(SHARE, share.get().to_string()).stdin(Stdio::null());
    let done = shell.output().context("sh can't be run")?;
    if done.status.success() {
        return Ok(());
    }
    let printed = String::from_utf8_lossy(&done.stderr);
    bail!("`{line}` ended with {}: {}", done.status, printed.trim())
}
