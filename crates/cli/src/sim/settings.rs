//! Flags of `bandwise sim run`, and what they mean.

use super::list::FlowFile;
use crate::failure::Failure;
use crate::files::Text;
use crate::interrupt::Interrupt;
use crate::output::{Json, Outputs, Report, Rows, note};
use crate::values::number;
use bandwise_input::InputError;
use bandwise_scenario::network::{File, NetworkScenario, Workload};
use std::path::{Path, PathBuf};

/// Flags of `bandwise sim run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  # The default case of IRN: 54 hosts, 70% load, no priority flow control
  bandwise sim run papers/irn/default.toml
  # A list of your own on it; hosts count from 0
  printf 'start_ns,src,dst,bytes\\n0,3,17,1000\\n1250.5,8,3,2400000\\n' > my.csv
  bandwise sim run papers/irn/default.toml --flows my.csv --flow-results fct.csv --json -
  # RoCE with priority flow control, everything else as above: a scenario of two lines
  printf '[transport]\\nkind = \"roce\"\\n' | bandwise sim run - --seed 7

Slowdown is the flow completion time over that in an empty network, both until the last byte is at
the receiver. The JSON depends on the scenario, the flows and the seed alone, but for the times and
the memory that the run took. An interrupted run prints what it has and ends with exit code 130; a
deadlock of priority flow control ends with 1 and names its ports.")]
pub struct Flags {
    /// A network scenario in TOML; - for standard input
    #[arg(value_name = "SCENARIO.toml")]
    scenario: PathBuf,
    /// A list of flows in place of the scenario's: start_ns,src,dst,bytes; - for standard input
    #[arg(long, value_name = "FILE.csv")]
    flows: Option<PathBuf>,
    /// What all random numbers are made from; if not given, what the file says, or 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: Option<u64>,
    #[command(flatten)]
    rows: Rows,
    #[command(flatten)]
    json: Json,
}

/// What to run, and where the results go.
pub(super) struct Settings {
    pub(super) scenario: NetworkScenario,
    /// The list that flows come from, if they come from one.
    pub(super) list: Option<FlowFile>,
    /// How many flows there are, about.
    pub(super) expected: u64,
    pub(super) outputs: Outputs,
}

impl Flags {
    pub(super) fn resolve(self, interrupt: &Interrupt) -> Result<Settings, Failure> {
        let is_stdin = |path: &Path| path == Path::new("-");
        if is_stdin(&self.scenario) && self.flows.as_deref().is_some_and(is_stdin) {
            let message = "--flows -: standard input is the scenario already";
            return Err(Failure::usage(message, "a file for one of the two"));
        }
        let text = Text::read(&self.scenario)?;
        let folder = self.scenario.parent().map(Path::to_owned).unwrap_or_default();
        let mut scenario =
            NetworkScenario::from_toml(&text.source(), |name| read(&folder.join(name)))?;
        if let Some(seed) = self.seed {
            scenario.seed = seed;
        }
        let hosts = scenario.fabric.hosts().len() as u32;
        let path = match (self.flows, &scenario.workload) {
            (Some(path), _) => Some(path),
            (None, Workload::List(name)) => Some(folder.join(name)),
            (None, Workload::Parts(_)) => None,
        };
        let inputs: Vec<&Path> = [Some(&self.scenario), path.as_ref()]
            .into_iter()
            .flatten()
            .map(PathBuf::as_path)
            .collect();
        let outputs = Outputs::new(self.json, Report::default(), self.rows, &inputs)?;
        let list = path.map(|path| FlowFile::find(path, hosts)).transpose()?;
        scenario.warnings.iter().for_each(warn);
        let expected = match &list {
            Some(list) => list.count(interrupt)?,
            None => scenario.expected_flows(),
        };
        Ok(Settings { scenario, list, expected, outputs })
    }
}

/// What is allowed, and most likely not meant.
pub(super) fn warn(warning: &InputError) {
    note(format_args!("warning: {warning}"));
}

/// A file that the scenario names.
fn read(path: &Path) -> Result<File, String> {
    let text = Text::read(path).map_err(|failure| match failure {
        Failure::Input(error) => error.message().to_owned(),
        // It begins with the file's name, which is told already.
        Failure::Usage { message, .. } => {
            message.split_once(": ").map_or(message.clone(), |(_, why)| why.to_owned())
        }
        Failure::Work(error) => format!("{error:#}"),
        Failure::Interrupted => "interrupted".to_owned(),
    })?;
    Ok(File { name: text.name.clone(), text: text.into_text() })
}
