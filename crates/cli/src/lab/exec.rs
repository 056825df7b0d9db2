//! `bandwise lab exec`.

use super::name::NameFlag;
use crate::failure::Failure;
use anyhow::anyhow;
use bandwise_lab::{Record, SWITCH, needs_root};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Flags of `bandwise lab exec`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Replaces this process by the command, whose exit code is returned. Files, users and processes are
those of the machine; the network is the host's. SABA_HOST is set to the host unless it is set
already; `bandwise saba run` and libsaba read it.

Examples:
  bandwise lab exec h1 -- ping -c 3 10.0.0.2
  bandwise lab exec h2 -- bash
  bandwise lab exec switch -- tc -s class show dev h1")]
pub(crate) struct Flags {
    /// The host, h1 and so on, or switch
    host: String,
    #[command(flatten)]
    name: NameFlag,
    /// Command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Flags {
    /// Replaces this process by the command.
    pub(crate) fn run(self) -> Result<(), Failure> {
        needs_root()?;
        let record = Record::open(&self.name.name)?;
        if self.host != SWITCH && record.lab.number(&self.host).is_none() {
            return Err(no_such_host(&self.host, record.lab.hosts, " or switch"));
        }
        let namespace = record.namespace(&self.host)?;
        let mut ip = Command::new("ip");
        ip.args(["netns", "exec", &namespace]).args(&self.command);
        // All hosts of the lab have the machine's host name, so that SABA_HOST has to name the
        // host.
        if self.host != SWITCH && std::env::var_os(saba::environment::HOST).is_none() {
            ip.env(saba::environment::HOST, &self.host);
        }
        Err(anyhow!(ip.exec()).context("the program ip can't be run").into())
    }
}

/// Returns an error that lists the hosts of the lab.
pub(super) fn no_such_host(host: &str, hosts: u8, besides: &str) -> Failure {
    Failure::usage(format!("there is no host {host:?}"), format!("h1 to h{hosts}{besides}"))
}
