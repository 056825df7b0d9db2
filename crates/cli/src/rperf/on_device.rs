//! The commands of `bandwise rperf` that measure by RDMA devices instead of in the simulator.

use crate::failure::Failure;

#[cfg(feature = "verbs")]
use super::{
    agents::{Flags as Agent, RunFlags as Plan},
    device::{Client, Server},
};
#[cfg(not(feature = "verbs"))]
use crate::absent::{Flags as Agent, Flags as Client, Flags as Plan, Flags as Server};

/// A command that measures by RDMA devices.
#[derive(Debug, clap::Subcommand)]
pub enum OnDevice {
    /// Answer those who measure by RDMA to this host
    Server(Server),
    /// Measure by RDMA to the host of a server
    Client(Box<Client>),
    /// Take part in measurements over several hosts, on the word of who has the token
    Agent(Agent),
    /// Measure between several hosts, on each of which an agent runs
    Run(Plan),
}

impl OnDevice {
    /// Serves, or measures and prints.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            OnDevice::Server(flags) => flags.run(),
            OnDevice::Client(flags) => flags.run(),
            OnDevice::Agent(flags) => flags.run(),
            OnDevice::Run(flags) => flags.run(),
        }
    }
}
