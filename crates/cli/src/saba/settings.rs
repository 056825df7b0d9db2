//! Flags of `bandwise saba plan`, resolved to settings.

use super::engine::{self, PacketFlags, Packets};
use crate::failure::Failure;
use crate::files::{self, Text};
use crate::output::{Json, Outputs, Report, Rows, SavedModels};
use crate::values::number;
use bandwise_input::InputError;
use bandwise_scenario::Parsed;
use bandwise_scenario::jobs::{
    BASELINE, Doubt, Findings, JobsExperiment, JobsScenario, Models, PacketExperiment,
    SharingPolicy,
};
use std::path::{Path, PathBuf};

/// Flags of `bandwise saba plan`.
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Slowdown is the time of a job over that with the fabric to itself. Speedup is the time under max-min
fairness among flows, the aim of congestion control, over the time under the policy. The last
policies are controls: Saba's queues with equal weights show the gain of its weights. Rates of
several queues are exact to 0.1%. Only --engine packets simulates packets, headers and protocols.

Examples:
  # Three jobs on a switch of 32 hosts
  bandwise saba plan docs/examples/jobs.toml
  # Two of Saba's workloads side by side, on 8 hosts each
  printf 'kind = \"jobs\"\\n[[job]]\\nworkload = \"LR\"\\n[[job]]\\nworkload = \"TS\"\\n' |
    bandwise saba plan -
  # The same jobs on your fabric, with ports of 4 queues, as JSON
  bandwise saba plan docs/examples/jobs.toml --fabric net.topo --queues 4 --json -
  # The models in use, for jobs of another file with model = \"LR\"
  bandwise saba plan docs/examples/jobs.toml --policy saba --save-models models.toml
  # Packets over InfiniBand instead of rates, with a thousandth of all volumes
  bandwise saba plan docs/examples/jobs.toml --engine packets --scale 1000 --policy blocking,saba")]
pub(crate) struct Flags {
    /// Jobs in TOML; - for standard input
    #[arg(value_name = "JOBS.toml")]
    jobs: PathBuf,
    /// Fabric in place of the file's: TOML, ibnetdiscover output or an ibsim netlist
    #[arg(long, value_name = "FILE")]
    fabric: Option<PathBuf>,
    /// Sensitivity table in place of the file's, TOML or CSV; jobs name its applications
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// Queues of each port [default: the file's, else 8]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(1..=16))]
    queues: Option<u64>,
    /// Policies to compare, separated by commas: fair-flows, blocking, fair-jobs, saba,
    /// saba-no-floor, saba-distributed, equal-weights, saba-unlimited, given-weights, reserved,
    /// guaranteed, smallest-first, srpt, homa, sebf, sincronia; or all that apply to the file
    /// [default: those that switches with these queues carry out]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = policy)]
    policy: Vec<Choice>,
    /// Random seed [default: the scenario's, else 1]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = number(0..=u64::MAX))]
    seed: Option<u64>,
    #[command(flatten)]
    packets: PacketFlags,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    report: Report,
    #[command(flatten)]
    saved: SavedModels,
}

/// A policy, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    All,
    One(SharingPolicy),
}

impl Choice {
    fn as_str(self) -> &'static str {
        match self {
            Choice::All => "all",
            Choice::One(policy) => policy.as_str(),
        }
    }
}

fn policy(name: &str) -> Result<Choice, String> {
    if name == Choice::All.as_str() {
        return Ok(Choice::All);
    }
    let names = SharingPolicy::ALL.map(SharingPolicy::as_str).join(", ");
    name.parse().map(Choice::One).map_err(|()| format!("unknown policy; allowed: all, {names}"))
}

/// The scenario, the policies, and the outputs.
pub(super) struct Settings {
    /// The command line that repeats the plan.
    pub(super) command: String,
    /// The text of the file.
    pub(super) text: String,
    pub(super) scenario: JobsScenario,
    /// Warnings about the file.
    pub(super) warnings: Vec<InputError>,
    pub(super) experiment: Experiment,
    /// The policies in the order of [`SharingPolicy::ALL`], the baseline first.
    pub(super) policies: Vec<SharingPolicy>,
    /// Default policies that can't be run here.
    pub(super) left_out: Vec<String>,
    /// Settings of the packet level, if packets are simulated.
    pub(super) packets: Option<Packets>,
    pub(super) outputs: Outputs,
}

/// The scenario's jobs under the policies.
pub(super) enum Experiment {
    Flows(JobsExperiment),
    Packets(PacketExperiment, Packets),
}

impl Settings {
    /// Returns the warnings about the file and the policies, and the doubtful models.
    pub(super) fn warnings(&self, findings: &Findings) -> Vec<String> {
        let of_file = self.warnings.iter().map(ToString::to_string);
        let left_out = self.left_out.iter().map(|error| format!("left out: {error}"));
        of_file.chain(left_out).chain(Doubt::texts(&findings.doubts)).collect()
    }
}

/// The policies whose timelines a report shows.
pub(super) const RECORDED: [SharingPolicy; 2] = [BASELINE, SharingPolicy::Saba];

impl Flags {
    /// Returns the command line without flags for output files.
    fn command(&self) -> String {
        let mut parts = vec![format!("bandwise saba plan {}", self.jobs.display())];
        let paths = [("--fabric", &self.fabric), ("--models", &self.models)];
        for (flag, path) in paths {
            parts.extend(path.as_ref().map(|path| format!("{flag} {}", path.display())));
        }
        parts.extend(self.queues.map(|queues| format!("--queues {queues}")));
        let policies: Vec<&str> = self.policy.iter().map(|policy| policy.as_str()).collect();
        if !policies.is_empty() {
            parts.push(format!("--policy {}", policies.join(",")));
        }
        parts.extend(self.seed.map(|seed| format!("--seed {seed}")));
        parts.join(" ")
    }

    /// Returns the flags that run the jobs of a scenario file.
    pub(crate) fn of_scenario(
        jobs: PathBuf,
        seed: Option<u64>,
        json: Json,
        report: Report,
    ) -> Self {
        Flags { jobs, seed, json, report, ..Flags::default() }
    }

    /// Returns the input files, and their names in messages.
    fn inputs(&self) -> Vec<(&'static str, &Path)> {
        let mut inputs = vec![("the jobs", self.jobs.as_path())];
        inputs.extend(self.fabric.as_deref().map(|path| ("--fabric", path)));
        inputs.extend(self.models.as_deref().map(|path| ("--models", path)));
        inputs
    }

    /// Reads the file of jobs.
    pub(super) fn read(&self) -> Result<Text, Failure> {
        let is_stdin = |path: &Path| path == Path::new("-");
        if let [(first, _), (flag, _), ..] =
            self.inputs().iter().filter(|of| is_stdin(of.1)).collect::<Vec<_>>()[..]
        {
            let message = format!("{flag} -: standard input is {first} already");
            return Err(Failure::usage(message, "a file for one of the two"));
        }
        Text::read(&self.jobs)
    }

    /// Returns the settings for these flags and the text of the file.
    pub(super) fn resolve(self, text: Text) -> Result<Settings, Failure> {
        let command = self.command();
        let file = self.fabric.as_deref().map(Text::read).transpose()?;
        let read = |file: &Text| crate::fabric::read(&file.source(), bandwise_topology::MAX_PORTS);
        let fabric = file.as_ref().map(|file| Ok::<_, InputError>((read(file)?, file.source())));
        let fabric = fabric.transpose()?;
        let folder = self.jobs.parent().map(Path::to_owned).unwrap_or_default();
        let models = match &self.models {
            Some(path) => Some(Models::read(&Text::read(path)?.source())?),
            None => None,
        };
        let overrides = bandwise_scenario::jobs::Overrides {
            fabric,
            models,
            queues: self.queues.map(|queues| queues as u8),
            seed: self.seed,
        };
        let Parsed { scenario, warnings } =
            JobsScenario::from_toml(&text.source(), overrides, |name| {
                files::named(&folder.join(name))
            })?;
        let inputs: Vec<PathBuf> = self.inputs().iter().map(|of| of.1.to_owned()).collect();
        let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
        let outputs = Outputs::new(self.json, self.report, Rows::default(), &inputs)?;
        let outputs = outputs.with_models(self.saved)?;
        let packets = self.packets.resolve()?;
        let mut left_out = Vec::new();
        let wants_all = self.policy.contains(&Choice::All);
        let of_choice = |choice: &Choice| match choice {
            Choice::All => None,
            Choice::One(policy) => Some(*policy),
        };
        let mut policies: Vec<SharingPolicy> = self.policy.iter().filter_map(of_choice).collect();
        if wants_all || policies.is_empty() {
            let by_hand = scenario.has_weights();
            let is_wanted = |&policy: &SharingPolicy| match policy {
                SharingPolicy::GivenWeights
                | SharingPolicy::Reserved
                | SharingPolicy::Guaranteed
                    if !by_hand =>
                {
                    false
                }
                policy => wants_all || scenario.is_deployable(policy),
            };
            for policy in SharingPolicy::ALL.into_iter().filter(is_wanted) {
                match scenario.under(policy) {
                    Ok(_) => policies.push(policy),
                    Err(error) => left_out.push(error.to_string()),
                }
            }
            if let Some(packets) = packets {
                let settings = packets.settings;
                engine::keep_possible(&scenario, settings, &mut policies, &mut left_out);
            }
        }
        policies.push(BASELINE);
        policies.sort_unstable();
        policies.dedup();
        let flows = JobsExperiment::new(scenario.clone(), policies.clone());
        let flows = flows.map_err(|error| {
            let message = format!("--policy {}: {error}", error.policy.as_str());
            Failure::usage(message, error.allowed())
        })?;
        let recorded: &[SharingPolicy] = if outputs.wants_report() { &RECORDED } else { &[] };
        let experiment = match packets {
            None => Experiment::Flows(flows.recording(recorded)),
            Some(packets) => {
                let experiment =
                    PacketExperiment::new(scenario.clone(), &policies, packets.settings);
                Experiment::Packets(experiment.map_err(engine::refused)?, packets)
            }
        };
        let text = text.into_text();
        Ok(Settings {
            command,
            text,
            scenario,
            warnings,
            experiment,
            policies,
            left_out,
            packets,
            outputs,
        })
    }
}
