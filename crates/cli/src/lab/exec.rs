//! `bandwise lab exec`.

use super::parts::SWITCH;
use super::record::Record;
use super::{NameFlag, root};
use crate::failure::Failure;
use anyhow::anyhow;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Flags of `bandwise lab exec`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The command takes the place of this one: its exit code is what there is. Files, users and processes are
those of the machine; the network is the host's. SABA_HOST in its environment is the host, if it is not
set: `bandwise saba run` and libsaba go by it.

Examples:
  bandwise lab exec h1 -- ping -c 3 10.0.0.2
  bandwise lab exec h2 -- bash
  bandwise lab exec switch -- tc -s class show dev h1")]
pub struct Flags {
    /// h1 and so on, or switch
    host: String,
    #[command(flatten)]
    name: NameFlag,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Flags {
    /// Becomes the command, or says why not.
    pub fn run(self) -> Result<(), Failure> {
        root::needs_root()?;
        let record = Record::open(&self.name.name)?;
        if self.host != SWITCH && record.lab.number(&self.host).is_none() {
            return Err(no_such_host(&self.host, record.lab.hosts, " or switch"));
        }
        let namespace = record.namespace(&self.host)?;
        let mut ip = Command::new("ip");
        ip.args(["netns", "exec", &namespace]).args(&self.command);
        // The machine has one name, and its hosts are many.
        if self.host != SWITCH && std::env::var_os(saba::environment::HOST).is_none() {
            ip.env(saba::environment::HOST, &self.host);
        }
        Err(anyhow!(ip.exec()).context("the program ip can't be run").into())
    }
}

/// Says which hosts there are.
pub fn no_such_host(host: &str, hosts: u8, besides: &str) -> Failure {
    Failure::usage(format!("there is no host {host:?}"), format!("h1 to h{hosts}{besides}"))
}
