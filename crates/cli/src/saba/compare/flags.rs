//! Flags of `bandwise saba compare`, and what they mean.

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
In each round every program runs once alone, and all at once with links shared in three ways: by
nobody, by equal weights (each application a queue, all queues the same weight), and by Saba; in an
order that is drawn by lot. For the last two the controller is started with these settings, a store
of its own, and ports that are put back as they were found. None may run there meanwhile.

A command is run by sh, and ends when its program does. It finds the place of the controller in
SABA_CONTROLLER, as `bandwise saba run` does; while nobody shares, no controller answers there.
Programs that have been up for long, of which a command only orders a run, may take a while to find
a controller that has begun: --ready says when they have.
Ctrl-C ends what runs, puts ports back, and says what there is.

Examples:
  bandwise saba compare --config controller.toml --report compare.html \\
      --app LR='bandwise saba run --app LR -- ./train.sh' \\
      --app sort='bandwise saba run --app sort -- ./sort.sh'")]
pub struct Flags {
    #[command(flatten)]
    config: Config,
    /// An application of the sensitivity table, and a command that runs its program; two or more
    #[arg(long = "app", value_name = "NAME=COMMAND", value_parser = app, required = true)]
    apps: Vec<Program>,
    /// How many rounds
    #[arg(long, value_name = "N", value_parser = number(1..=1000), default_value = "6")]
    #[arg(allow_negative_numbers = true)]
    rounds: u64,
    /// How often runs are tried of which one fails
    #[arg(long, value_name = "N", value_parser = number(1..=100), default_value = "2")]
    #[arg(allow_negative_numbers = true)]
    attempts: u64,
    /// How long a run may take; if not given, as long as it likes
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Time>,
    /// What sh is to run, again and again until it ends well, between the controller's start and programs'
    #[arg(long, value_name = "COMMAND", value_parser = command)]
    ready: Option<String>,
    /// What the order of runs is drawn from
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), default_value = "1")]
    #[arg(allow_negative_numbers = true)]
    seed: u64,
    /// Where what programs and controllers print goes, behind what is there
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
        check(&self.apps, &Text::read(&settings.table)?)?;
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
            return Err(Failure::usage(message, "none: stop it first, as nobody is to share"));
        }
        let output = OutputFile::open(self.output.clone()).map_err(|error| {
            let why = crate::files::reason(&error);
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
        0 | 1 => Err(Failure::usage("--app: one alone shares with nobody", "two or more")),
        _ => Ok(()),
    }
}
