//! The command line as a whole. What a command's flags are stands in the command's own file.

use crate::failure::Failure;
use crate::{bench, coflows, completions, fabric, lab, papers, rperf, saba, sim};
use clap::{Parser, Subcommand};

#[cfg(not(feature = "verbs"))]
use crate::{absent as devices, absent as isolation};
#[cfg(feature = "verbs")]
use crate::{devices, isolation};

/// Measures, predicts and allocates the bandwidth of RDMA fabrics.
#[derive(Debug, Parser)]
#[command(name = "bandwise", version, max_term_width = 100, after_help = AFTER_HELP)]
#[command(arg_required_else_help = true, subcommand_required = true)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  bandwise papers run rperf --quick --report report.html
  bandwise sim run papers/irn/default.toml
  bandwise rperf --fabric papers/rperf/rack.toml --from h6 --to dst --background h1,h2,h3
  bandwise saba plan docs/examples/jobs.toml
  bandwise fabric show papers/rperf/rack.toml

Exit codes: 0 done, 1 the work failed, 2 the input is wrong, 130 interrupted (what there was by
then is printed). `bandwise COMMAND --help` has more examples.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a paper's evaluation and set the results beside what was published
    #[command(subcommand)]
    Papers(papers::Command),
    /// Measure latency or bandwidth between two hosts: simulated ones of a fabric, or real ones
    Rperf(Box<rperf::Flags>),
    /// Measure which of two flows that share a link between two real hosts gets what
    Isolation(Box<isolation::Flags>),
    /// Simulate flows through an Ethernet fabric: RoCE, IRN, iWARP, Homa
    #[command(subcommand)]
    Sim(sim::Command),
    /// Share bandwidth among jobs by what each loses without it
    #[command(subcommand)]
    Saba(saba::Command),
    /// Make a network of namespaces on this machine, to try how a switch shares its links
    #[command(subcommand)]
    Lab(lab::Command),
    /// Schedule the coflows of a trace: fair sharing, smallest first, Varys, Sincronia
    Coflows(coflows::Flags),
    /// Look at a fabric file, convert it, or share links of a real fabric
    #[command(subcommand)]
    Fabric(fabric::Command),
    /// List the RDMA devices of this host
    Devices(devices::Flags),
    /// Measure how fast the simulator and the measuring loop are on this machine
    Bench(bench::Flags),
    /// Print the completion script of a shell
    Completions(completions::Flags),
}

impl Args {
    /// Does what was asked.
    pub fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Papers(command) => command.run(),
            Command::Rperf(flags) => flags.run(),
            Command::Isolation(flags) => flags.run(),
            Command::Sim(command) => command.run(),
            Command::Saba(command) => command.run(),
            Command::Lab(command) => command.run(),
            Command::Coflows(flags) => flags.run(),
            Command::Fabric(command) => command.run(),
            Command::Devices(flags) => flags.run(),
            Command::Bench(flags) => flags.run(),
            Command::Completions(flags) => flags.run(),
        }
    }
}
