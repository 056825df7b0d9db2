//! `bandwise rperf server` and `bandwise rperf client`: between two hosts, by their RDMA devices.

pub(super) mod address;
mod client;
mod flags;
mod here;
pub(super) mod json;
pub(super) mod port;
mod rate;
mod server;
mod settings;
pub(super) mod tables;

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
            OnDevice::Agent(flags) => agents::agent::run(flags),
            OnDevice::Run(flags) => agents::plan::run(flags),
        }
    }
}
