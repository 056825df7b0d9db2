//! [`Links`]: the links that a program is to have less of.

use super::devices::Devices;
use crate::failure::Failure;
use anyhow::{Context, Error, Result, bail};
use bandwise_lab::Limited;
use bandwise_saba::Share;
use std::fmt;
use std::process::{Command, Stdio};

/// The links that a program's hosts have, and how they are limited.
#[derive(Debug)]
pub(super) enum Links {
    /// Those of a lab.
    Lab(Limited),
    /// Those that this host sends by.
    Devices(Devices),
    /// A command of the operator's does it, told by the environment to what.
    Command(String),
}

/// What a command is told the share by, as a fraction of 1; and so is the program that is profiled.
pub(super) const SHARE: &str = "BANDWISE_SHARE";

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
    /// Refuses shares that the links can't be limited to. Changes nothing.
    pub fn check(&self, shares: &[Share]) -> Result<(), Failure> {
        match self {
            Links::Lab(lab) => lab.check(shares).map_err(|error| {
                let allowed = "shares with which a link of the lab has 1 Mbps or more";
                Failure::usage(format!("--at: {error}"), allowed)
            }),
            Links::Devices(devices) => devices.check(shares),
            Links::Command(_) => Ok(()),
        }
    }

    /// Limits all links to a share of what they carry.
    pub fn limit(&mut self, share: Share) -> Result<()> {
        match self {
            Links::Lab(lab) => lab.limit(share).map_err(Error::from),
            Links::Devices(devices) => devices.limit(share),
            Links::Command(line) => command(line, share),
        }
        .with_context(|| format!("limiting links to {share}"))
    }

    /// The links as they were.
    pub fn restore(&mut self) -> Result<()> {
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
    let said = String::from_utf8_lossy(&done.stderr);
    bail!("`{line}` ended with {}: {}", done.status, said.trim())
}
