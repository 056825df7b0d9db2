//! The command line as a whole. Each command's flags are defined in the command's own file.

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
pub(crate) struct Args {
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

Exit codes: 0 success, 1 failure, 2 wrong input, 130 interrupted (results so far are printed).
`bandwise COMMAND --help` has more examples.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a paper's evaluation and compare the results with the published values
    #[command(subcommand)]
    Papers(papers::Command),
    /// Measure latency or bandwidth between hosts of a simulated fabric, or between real hosts
    Rperf(Box<rperf::Flags>),
    /// Measure how two flows share a link between two real hosts
    Isolation(Box<isolation::Flags>),
    /// Run scenarios: Ethernet (RoCE, IRN, iWARP, Homa), InfiniBand and jobs
    #[command(subcommand)]
    Sim(sim::Command),
    /// Share bandwidth among applications by their sensitivity (Saba)
    #[command(subcommand)]
    Saba(saba::Command),
    /// Make a network of namespaces on this machine, to try sharing of links
    #[command(subcommand)]
    Lab(lab::Command),
    /// Schedule the coflows of a trace: fair sharing, smallest first, Varys, Sincronia
    Coflows(coflows::Flags),
    /// Show or convert a fabric file, or share links of a real fabric
    #[command(subcommand)]
    Fabric(fabric::Command),
    /// List the RDMA devices of this host
    Devices(devices::Flags),
    /// Measure the speed of simulator, measuring loop and controller on this machine
    Bench(bench::Flags),
    /// Print the completion script of a shell
    Completions(completions::Flags),
}

impl Args {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<(), Failure> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The most columns of a help line.
    const COLUMNS: usize = 100;

    /// The value names of quantities.
    const QUANTITIES: [&str; 6] = ["N", "SIZE", "TIME", "RATE", "LIST", "AMOUNT"];

    /// Adds the too long lines of the help of a command and its subcommands. Texts after the help are checked as
    /// they are written: clap would wrap a long line of theirs with a ragged edge.
    fn too_long(command: &mut clap::Command, found: &mut Vec<String>) {
        let name = command.get_bin_name().unwrap_or_default().to_owned();
        let written = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let rendered = command.render_long_help().to_string();
        let lines = rendered.lines().chain(written.lines());
        let long = lines.filter(|line| line.chars().count() > COLUMNS);
        found.extend(long.map(|line| format!("{name}: {line}")));
        command.get_subcommands_mut().for_each(|command| too_long(command, found));
    }

    #[test]
    fn help_lines_fit_100_columns() {
        let mut command = Args::command();
        command.build();
        assert!(command.get_subcommands().count() > 5);
        let mut found = Vec::new();
        too_long(&mut command, &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    /// Adds the flags for quantities that take `-1` for another flag, and so would not name what is allowed.
    fn unread(command: &clap::Command, found: &mut Vec<String>) {
        for flag in command.get_arguments() {
            let kinds = flag.get_value_names().unwrap_or_default();
            let is_quantity = kinds.iter().any(|of| QUANTITIES.contains(&of.as_str()));
            let is_read = flag.is_allow_hyphen_values_set() || flag.is_allow_negative_numbers_set();
            if is_quantity && !is_read {
                found.push(format!("{} {flag}", command.get_name()));
            }
        }
        command.get_subcommands().for_each(|command| unread(command, found));
    }

    #[test]
    fn negative_quantities_are_refused_as_values() {
        let mut found = Vec::new();
        unread(&Args::command(), &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
