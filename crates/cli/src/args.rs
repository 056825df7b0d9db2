//! The command line as a whole. Each command's flags are defined in the command's own file.

use crate::failure::Failure;
use crate::{bench, coflows, completions, fabric, lab, papers, rperf, saba, sim};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::any::TypeId;
use std::path::PathBuf;

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
    /// Reads the command line of this process.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        Args::from_arg_matches(&command().try_get_matches()?)
    }

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

/// Returns the command line. A value that is no path may be a negative number, which is refused as the value and not
/// taken for another flag.
fn command() -> clap::Command {
    fn with_negative_numbers(command: clap::Command) -> clap::Command {
        let flag = |flag: Arg| match flag.get_action().takes_values() && !flag.is_positional() {
            true if !is_path(&flag) => flag.allow_negative_numbers(true),
            _ => flag,
        };
        command.mut_args(flag).mut_subcommands(with_negative_numbers)
    }
    with_negative_numbers(Args::command())
}

/// Returns whether the value of a flag is the path of a file.
fn is_path(flag: &Arg) -> bool {
    flag.get_value_parser().type_id() == TypeId::of::<PathBuf>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::bad_value;

    /// The most columns of a help line.
    const COLUMNS: usize = 100;

    /// The value names of quantities.
    const QUANTITIES: [&str; 9] =
        ["N", "SIZE", "TIME", "RATE", "LIST", "AMOUNT", "BYTES", "PERCENT", "PERCENTS"];

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

    /// Adds the flags of a command and its subcommands that do not refuse a negative number with what is allowed.
    /// `words` are those of the command.
    fn unread(command: &clap::Command, words: &[&str], found: &mut Vec<String>) {
        let is_value = |flag: &&Arg| {
            flag.get_action().takes_values() && !flag.is_require_equals_set() && !is_path(flag)
        };
        for flag in command.get_opts().filter(is_value) {
            let kinds = flag.get_value_names().unwrap_or_default();
            let is_quantity = kinds.iter().any(|of| QUANTITIES.contains(&of.as_str()));
            let name = flag.get_long().map(|name| format!("--{name}"));
            let Some(name) = name.or(flag.get_short().map(|name| format!("-{name}"))) else {
                continue;
            };
            for value in ["-1", "-0.5"] {
                let line = [words, &[&name, value]].concat();
                let is_refused = match super::command().try_get_matches_from(&line) {
                    Err(error) if is_quantity => bad_value(&error).is_some(),
                    Err(error) => error.kind() != clap::error::ErrorKind::UnknownArgument,
                    Ok(_) => !is_quantity,
                };
                found.extend((!is_refused).then(|| line.join(" ")));
            }
        }
        for command in command.get_subcommands() {
            unread(command, &[words, &[command.get_name()]].concat(), found);
        }
    }

    #[test]
    fn negative_numbers_are_refused_with_what_is_allowed() {
        let mut found = Vec::new();
        unread(&super::command(), &["bandwise"], &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
