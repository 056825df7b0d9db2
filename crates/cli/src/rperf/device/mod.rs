//! `bandwise rperf server` and `bandwise rperf client`: between two hosts, by their RDMA devices.

pub(super) mod address;
mod client;
mod flags;
pub(super) mod json;
mod measure;
mod outcome;
pub(super) mod place;
pub(super) mod port;
pub(super) mod program;
mod rate;
mod server;
pub(super) mod settings;
pub(super) mod tables;
pub(super) mod threads;

use super::agents;
use crate::failure::Failure;

/// Where to measure, if not in the simulator.
#[derive(Debug, clap::Subcommand)]
pub enum OnDevice {
    /// Answer those who measure by RDMA to this host
    Server(flags::Server),
    /// Measure by RDMA to the host of a server
    Client(Box<flags::Client>),
    /// Take part in measurements over several hosts, on the word of who has the token
    Agent(agents::Flags),
    /// Measure between several hosts, on each of which an agent runs
    Run(agents::RunFlags),
}

impl OnDevice {
    /// Serves, or measures and prints.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            OnDevice::Server(flags) => server::run(flags),
            OnDevice::Client(flags) => client::run(*flags),
            OnDevice::Agent(flags) => flags.run(),
            OnDevice::Run(flags) => flags.run(),
        }
    }
}
