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
pub(super) enum OnDevice {
    /// Run the server side of a measurement over RDMA
    Server(Server),
    /// Measure over RDMA to the host of a server
    Client(Box<Client>),
    /// Run an agent, by which coordinators with the token measure over several hosts
    Agent(Agent),
    /// Measure between several hosts with an agent on each
    Run(Plan),
}

impl OnDevice {
    /// Serves, or measures and prints.
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            OnDevice::Server(flags) => flags.run(),
            OnDevice::Client(flags) => flags.run(),
            OnDevice::Agent(flags) => flags.run(),
            OnDevice::Run(flags) => flags.run(),
        }
    }
}
