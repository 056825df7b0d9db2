//! Flags of `bandwise sim run`, resolved to settings.

use super::list::FlowFile;
use super::study::StudySettings;
use super::trace::TraceFlags;
use crate::failure::Failure;
use crate::files::{self, Text};
use crate::interrupt::Interrupt;
use crate::machine;
use crate::output::{Json, Outputs, Points, Report, Rows, warn};
use crate::rperf;
use crate::saba;
use crate::values::number;
use bandwise_scenario::Kind;
use bandwise_scenario::ethernet::{EthernetScenario, Study, Workload, is_of_load};
use bandwise_threads::Team;
use bandwise_trace::Limits;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Flags of `bandwise sim run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Slowdown is the flow completion time over that in an empty network, both until the last byte is at
the receiver. The JSON depends on the scenario, the flows and the seed alone, except for the times
and the memory of the run in `stats`. A sweep has no such fields, and does not depend on --threads.
An interrupted run prints its results so far and exits with 130. A deadlock of priority flow control
exits with 1 and prints its ports.

Examples:
  # The default case of IRN: 54 hosts, 70% load, no priority flow control
  bandwise sim run papers/irn/default.toml
  # A flow list of your own; hosts are numbered from 0
  printf 'start_ns,src,dst,bytes\\n0,3,17,1000\\n1250.5,8,3,2400000\\n' > my.csv
  bandwise sim run papers/irn/default.toml --flows my.csv --flow-results fct.csv --json -
  # The same rows for pandas, Polars, DuckDB
  bandwise sim run papers/irn/default.toml --flow-results fct.parquet
  # RoCE with priority flow control, otherwise the same: a scenario of three lines
  printf 'kind = \"ethernet\"\\n[transport]\\nkind = \"roce\"\\n' | bandwise sim run - --seed 7
  # Homa: receivers send grants, switches schedule by priority
  printf 'kind = \"ethernet\"\\n[transport]\\nkind = \"homa\"\\n' | bandwise sim run -
  # Packets of the ports of host h3 and of flow 17, for Wireshark
  bandwise sim run papers/irn/default.toml --trace h3.pcapng --trace-port h3 --trace-flow 17
  # A file with a [sweep]: all points, on all cores; finished points are stored in a folder
  bandwise sim run docs/examples/sweep.toml --resume results --csv points.csv --report report.html
  # Programs on an InfiniBand fabric, as by bandwise rperf --fabric
  bandwise sim run docs/examples/two-lanes.toml
  # Jobs, as by bandwise saba plan
  bandwise sim run docs/examples/jobs.toml")]
pub(crate) struct Flags {
    /// Scenario in TOML, of kind infiniband, ethernet or jobs; - for standard input
    #[arg(value_name = "SCENARIO.toml")]
    scenario: PathBuf,
    /// Flow list in place of the scenario's flows: start_ns,src,dst,bytes(,priority); - for
    /// standard input
    #[arg(long, value_name = "FILE.csv")]
    flows: Option<PathBuf>,
    /// Random seed [default: the scenario's, else 1]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: Option<u64>,
    /// Threads for the points of a sweep, or for the parts of a single network [default: one per
    /// core]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(1..=1024))]
    threads: Option<u64>,
    /// Store each finished point of a sweep in this folder, and skip stored points
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    #[command(flatten)]
    points: Points,
    #[command(flatten)]
    rows: Rows,
    #[command(flatten)]
    trace: TraceFlags,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    report: Report,
}

/// The work by kind of scenario.
pub(super) enum Work {
    One(Box<Settings>),
    Study(Box<StudySettings>),
    /// A file of kind `infiniband`, as `bandwise rperf --fabric` runs it.
    Infiniband(Box<rperf::Flags>, Text),
    /// A file of kind `jobs`, as `bandwise saba plan` runs it.
    Jobs(Box<saba::PlanFlags>, Text),
}

/// The scenario, its flows, and the outputs.
pub(super) struct Settings {
    /// The name of the file, as it was given.
    pub(super) name: String,
    /// The text of the file.
    pub(super) text: String,
    pub(super) scenario: EthernetScenario,
    /// The warnings about the file.
    pub(super) warnings: Vec<String>,
    /// The flow list, if one is given in place of the scenario's flows.
    pub(super) list: Option<FlowFile>,
    /// The approximate number of flows.
    pub(super) expected: u64,
    pub(super) outputs: Outputs,
    /// The limits of the trace, if one is written.
    pub(super) trace: Option<Limits>,
    /// The threads of the run.
    pub(super) team: Team,
}

impl Flags {
    pub(super) fn resolve(self, interrupt: &Interrupt) -> Result<Work, Failure> {
        let is_stdin = |path: &Path| path == Path::new("-");
        if is_stdin(&self.scenario) && self.flows.as_deref().is_some_and(is_stdin) {
            let message = "--flows -: standard input is the scenario already";
            return Err(Failure::usage(message, "a file for one of the two"));
        }
        let text = Text::read(&self.scenario)?;
        match Kind::of(&text.source())? {
            Kind::Ethernet => {}
            Kind::Infiniband => {
                self.check_common(Kind::Infiniband)?;
                let Flags { scenario, seed, json, report, .. } = self;
                let flags = rperf::Flags::of_scenario(scenario, seed, json, report);
                return Ok(Work::Infiniband(Box::new(flags), text));
            }
            Kind::Jobs => {
                self.check_common(Kind::Jobs)?;
                let Flags { scenario, seed, json, report, .. } = self;
                let flags = saba::PlanFlags::of_scenario(scenario, seed, json, report);
                return Ok(Work::Jobs(Box::new(flags), text));
            }
        }
        let folder = self.scenario.parent().map(Path::to_owned).unwrap_or_default();
        let mut study = Study::from_toml(&text.source(), |name| files::named(&folder.join(name)))?;
        if let Some(seed) = self.seed {
            if study.seeds().is_some() {
                let message = "--seed: the file sweeps over run.seed";
                return Err(Failure::usage(message, "one of the two"));
            }
            study.set_seed(seed);
        }
        let lists =
            study.points.iter().map(|point| match (&self.flows, point.scenario.workload()) {
                (Some(path), _) => Some(path.clone()),
                (None, Workload::List(name)) => Some(folder.join(name)),
                (None, Workload::Parts(_)) => None,
            });
        let lists: Vec<Option<PathBuf>> = lists.collect();
        let inputs = std::iter::once(&self.scenario).chain(lists.iter().flatten());
        let inputs: Vec<&Path> = inputs.map(PathBuf::as_path).collect();
        if let Some(path) = &self.flows {
            study.set_list(&path.display().to_string());
            study.warnings.retain(|warning| !is_of_load(warning));
        }
        let outputs = Outputs::new(self.json, self.report, self.rows, &inputs)?.and(self.points)?;
        let lists = study.points.iter().zip(lists).map(|(point, path)| {
            path.map(|path| FlowFile::find(path, &point.scenario)).transpose()
        });
        let lists: Vec<Option<FlowFile>> = lists.collect::<Result<_, _>>()?;
        study.warnings.iter().for_each(warn);
        let name = text.name.clone();
        let threads = self.threads.map_or(machine::cores(), |n| Some(n as usize));
        let threads = threads.and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN);
        if study.axes.is_empty() {
            let of_sweeps =
                [(self.resume.is_some(), "--resume"), (outputs.wants_points(), "--csv")];
            if let Some((_, flag)) = of_sweeps.into_iter().find(|(given, _)| *given) {
                let message = format!("{flag}: {name} is a single run");
                return Err(Failure::usage(message, "a file with a [sweep]"));
            }
            let scenario = study.points.remove(0).scenario;
            let trace = self.trace.resolve(outputs.wants_trace(), &scenario)?;
            let list = lists.into_iter().next().flatten();
            let expected = match &list {
                Some(list) => list.count(interrupt)?,
                None => scenario.expected_flows(),
            };
            let text = text.into_text();
            let warnings = study.warnings.iter().map(ToString::to_string).collect();
            return Ok(Work::One(Box::new(Settings {
                name,
                text,
                scenario,
                warnings,
                list,
                expected,
                outputs,
                trace,
                team: Team::new(threads),
            })));
        }
        let text = text.into_text();
        let settings = StudySettings {
            name,
            text,
            study,
            lists,
            threads: threads.get(),
            store: None,
            outputs,
        };
        Ok(Work::Study(Box::new(settings.check(self.resume, interrupt)?)))
    }
}

impl Flags {
    /// Refuses flags that apply only to a file of kind `ethernet`.
    fn check_common(&self, kind: Kind) -> Result<(), Failure> {
        let given = [
            ("--flows", self.flows.is_some()),
            ("--threads", self.threads.is_some()),
            ("--resume", self.resume.is_some()),
        ];
        let given = given.into_iter().find_map(|(flag, given)| given.then_some(flag));
        let given = given.or(self.points.given()).or(self.rows.given()).or(self.trace.given());
        let Some(flag) = given else { return Ok(()) };
        let message = format!("{flag}: the scenario is of kind {:?}", kind.as_str());
        Err(Failure::usage(message, "this flag with a scenario of kind \"ethernet\""))
    }
}
