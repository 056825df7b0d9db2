//! `bandwise lab`: a fabric on this machine, made of network namespaces by [`bandwise_lab`].

mod down;
mod exec;
mod name;
mod status;
mod up;
mod weights;

use crate::failure::Failure;

/// The subcommands of `bandwise lab`.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Needs root, and the program ip (Debian: iproute2).

Examples:
  bandwise lab up --hosts 4 --rate 200Mbit
  bandwise lab exec h1 -- ping -c 3 10.0.0.2
  bandwise lab weights h3 10=3 12=1
  bandwise lab status
  bandwise lab down")]
pub(crate) enum Command {
    /// Make hosts and a switch in network namespaces
    Up(up::Flags),
    /// Run a command on a host of the lab
    Exec(exec::Flags),
    /// Show hosts, ports and the share of each mark
    Status(status::Flags),
    /// Set or show the weights on the link to a host, by the mark (DSCP) of packets
    Weights(weights::Flags),
    /// Remove the lab
    Down(down::Flags),
}

impl Command {
    /// Runs the subcommand.
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Command::Up(flags) => flags.run(),
            Command::Exec(flags) => flags.run(),
            Command::Status(flags) => flags.run(),
            Command::Weights(flags) => flags.run(),
            Command::Down(flags) => flags.run(),
        }
    }
}
