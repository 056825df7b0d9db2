//! Flags of `bandwise saba compare`, resolved to settings.

use crate::failure::Failure;
use crate::files::Text;
use crate::output::{Json, Outputs, Report};
use crate::saba::controller::Config;
use crate::values::{Refusal, duration, number, refused};
use anyhow::Context;
use bandwise_controller::settings::Store;
use bandwise_runner::{ControllerSettings, OutputFile, Program, Together};
use bandwise_saba::table::read;
use bandwise_units::Time;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Flags of `bandwise saba compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
In each round, every program runs once alone, and all run at once with links shared in three ways:
without a controller, by equal weights (a queue for each application, all of the same weight), and
by Saba. The order is random. For the last two, the command starts a controller with these settings
and a store of its own, which restores its ports at the end. No other controller may run meanwhile.

Commands are run by sh and end with their program. SABA_CONTROLLER in their environment has the
address of the controller, as for `bandwise saba run`, also while none runs there. A service that
was started before may need time to find a new controller: --ready waits until it has. Ctrl-C ends
all programs, restores ports and prints the results so far.

Examples:
  bandwise saba compare --config controller.toml --report compare.html \\
      --app LR='bandwise saba run --app LR -- ./train.sh' \\
      --app sort='bandwise saba run --app sort -- ./sort.sh'")]
pub(crate) struct Flags {
    #[command(flatten)]
    config: Config,
    /// Application of the sensitivity table, and the command that runs its program; two or more
    #[arg(long = "app", value_name = "NAME=COMMAND", value_parser = app, required = true)]
    apps: Vec<Program>,
    /// Rounds
    #[arg(long, value_name = "N", value_parser = number(1..=1000), default_value = "6")]
    rounds: u64,
    /// Attempts at a step in which a program fails
    #[arg(long, value_name = "N", value_parser = number(1..=100), default_value = "2")]
    attempts: u64,
    /// Longest time of a run [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    #[arg(allow_hyphen_values = true)]
    timeout: Option<Time>,
    /// Command line for sh between the start of a controller and that of programs, repeated until
    /// it exits with 0
    #[arg(long, value_name = "COMMAND", value_parser = command)]
    ready: Option<String>,
    /// Seed of the random order of runs
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), default_value = "1")]
    seed: u64,
    /// File to which the output of programs and controllers is appended
    #[arg(long, value_name = "FILE", default_value = "compare.out")]
    output: PathBuf,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    report: Report,
}

fn app(text: &str) -> Result<Program, Refusal> {
    match text.split_once('=') {
        Some((name, command)) if !name.trim().is_empty() && !command.trim().is_empty() => {
            Ok(Program { name: name.trim().to_owned(), command: command.to_owned() })
        }
        _ => refused(None, "a name of the table, =, and a command: LR=./run-lr.sh"),
    }
}

fn command(text: &str) -> Result<String, Refusal> {
    match text.trim() {
        "" => refused(None, "a command: ./all-are-known.sh"),
        _ => Ok(text.to_owned()),
    }
}

/// The programs, the runs to make, and the outputs.
#[derive(Debug)]
pub(super) struct Settings {
    pub together: Together,
    pub rounds: u32,
    pub attempts: u32,
    pub seed: u64,
    pub outputs: Outputs,
}

impl Flags {
    pub(super) fn resolve(self) -> Result<Settings, Failure> {
        let (settings, text) = self.config.read()?;
        if let Store::Cluster(_) = settings.store {
            let message = format!(
                "{}: of several controllers that share a store",
                self.config.config.display()
            );
            return Err(Failure::usage(message, "the settings of one, with store = \"FILE\""));
        }
        check(&self.apps, &Text::read_regular(&settings.table)?)?;
        let inputs = [self.config.config.as_path(), settings.table.as_path(), &self.output];
        let outputs = Outputs::new(self.json, self.report, Default::default(), &inputs)?;
        let controller = ControllerSettings {
            executable: std::env::current_exe().context("the path of this program")?,
            config: self.config.config,
            text: text.into_text(),
            listen: settings.listen,
        };
        if controller.is_answered() {
            let message = format!("a controller runs at {}", controller.address());
            return Err(Failure::usage(
                message,
                "none: stop it first, as the programs run without one too",
            ));
        }
        let output = OutputFile::open(self.output.clone()).map_err(|error| {
            let why = bandwise_input::reason(&error);
            let message = format!("--output {}: {why}", self.output.display());
            Failure::usage(message, "a file that can be written")
        })?;
        Ok(Settings {
            together: Together {
                programs: self.apps,
                timeout: self.timeout.map(|time| Duration::from_nanos(time.as_ps() / 1_000)),
                ready: self.ready,
                controller,
                output,
            },
            rounds: self.rounds as u32,
            attempts: self.attempts as u32,
            seed: self.seed,
            outputs,
        })
    }
}

/// Refuses programs that can't be compared.
fn check(apps: &[Program], table: &Text) -> Result<(), Failure> {
    let source = table.source();
    let read = read::any(&source)?;
    let mut seen = BTreeSet::new();
    for app in apps {
        if read.get(&app.name).is_none() {
            let message = format!("--app {}: is not in the sensitivity table", app.name);
            return Err(Failure::usage(message, format!("an application of {}", source.name)));
        }
        if !seen.insert(&app.name) {
            return Err(Failure::usage(format!("--app {}: twice", app.name), "each name once"));
        }
    }
    match apps.len() {
        0 | 1 => Err(Failure::usage("--app: a comparison needs several programs", "two or more")),
        _ => Ok(()),
    }
}
