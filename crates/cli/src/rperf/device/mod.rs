//! `bandwise rperf server` and `bandwise rperf client`: between two hosts, by their RDMA devices.

mod address;
mod client;
mod flags;
mod json;
mod measure;
mod outcome;
mod place;
mod port;
mod program;
mod rate;
mod server;
mod settings;
mod tables;
mod threads;

use crate::failure::Failure;

/// Where to measure, if not in the simulator.
#[derive(Debug, clap::Subcommand)]
pub enum OnDevice {
    /// Answer those who measure by RDMA to this host
    Server(flags::Server),
    /// Measure by RDMA to the host of a server
    Client(Box<flags::Client>),
}

impl OnDevice {
    /// Serves, or measures and prints.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            OnDevice::Server(flags) => server::run(flags),
            OnDevice::Client(flags) => client::run(*flags),
        }
    }
}
