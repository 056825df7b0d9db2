//! Flags resolved to runs.

use super::flags::Flags;
use super::names;
use crate::fabric;
use crate::failure::Failure;
use crate::files::{self, Text};
use crate::output::{Outputs, Rows, note, warn};
use bandwise_input::Source;
use bandwise_scenario::Parsed;
use bandwise_scenario::infiniband::{
    BuildError, FlowError, FlowKey, FlowRequest, InfinibandScenario, MethodName, Senders,
};
use bandwise_topology::Fabric;
use bandwise_units::Bytes;
use std::ops::Range;
use std::path::Path;

/// Checked runs: one, or one for each compared method.
pub(super) struct Settings {
    pub(super) runs: Vec<InfinibandScenario>,
    /// Set if methods are compared.
    pub(super) compare: bool,
    /// The fabric's file, for the report.
    pub(super) text: Text,
    /// The command line that repeats the measurement.
    pub(super) command: String,
    pub(super) outputs: Outputs,
    /// The warnings about the file.
    pub(super) warnings: Vec<String>,
}

/// The methods of `--compare`.
const COMPARED: [MethodName; 3] = [MethodName::Rperf, MethodName::PingPong, MethodName::PostPoll];

impl Settings {
    /// Returns the fabric.
    pub(super) fn fabric(&self) -> &Fabric {
        self.runs[0].fabric()
    }
    /// Returns the title.
    pub(super) fn title(&self) -> &str {
        self.runs[0].title()
    }
    /// Returns the random seed.
    pub(super) fn seed(&self) -> u64 {
        self.runs[0].seed()
    }
}

impl Flags {
    /// Reads the file that `--fabric` names.
    pub(super) fn read(&self) -> Result<Text, Failure> {
        let Some(file) = &self.fabric else {
            let message = "neither --fabric nor a command such as `client` is given";
            let allowed = "--fabric FILE: a TOML scenario, ibnetdiscover output or an ibsim netlist; or on real \
                           hosts `bandwise rperf server` and `bandwise rperf client HOST`";
            return Err(Failure::usage(message, allowed));
        };
        Text::read(file)
    }

    /// Returns the runs that these flags and the file's text ask for.
    pub(super) fn resolve(self, text: Text) -> Result<Settings, Failure> {
        fabric::announce_routing_of(&text.source());
        let hosts: Vec<&str> =
            self.to.iter().chain(&self.from).chain(&self.background).map(String::as_str).collect();
        let folder = self.fabric.as_ref().and_then(|file| file.parent()).unwrap_or(Path::new(""));
        let Parsed { scenario, warnings } =
            InfinibandScenario::from_text(&text.source(), &hosts, |name| {
                files::named(&folder.join(name))
            })?;
        warnings.iter().for_each(warn);
        let scenario = self.changed(scenario)?;
        let runs = match &self.to {
            Some(to) => self.flows(to, &scenario, &text.source())?,
            None => {
                self.check_without_to(&text.name, !scenario.flows().is_empty())?;
                vec![scenario]
            }
        };
        let file = self.fabric.as_deref().unwrap_or(Path::new("-"));
        let command = self.command(file, &runs[0]);
        let outputs = Outputs::new(self.json, self.report, Rows::default(), &[file])?;
        let warnings = warnings.iter().map(ToString::to_string).collect();
        Ok(Settings { runs, compare: self.compare, text, command, outputs, warnings })
    }

    /// Returns the scenario with the seed, the duration and the scheduling of the flags.
    fn changed(&self, scenario: InfinibandScenario) -> Result<InfinibandScenario, Failure> {
        let seed = self.seed.unwrap_or(scenario.seed());
        let duration = self.duration.unwrap_or(scenario.duration());
        let builder = scenario.into_builder().seed(seed).duration(duration);
        let builder = builder.change_models(|models| {
            if let Some(scheduling) = self.scheduling {
                models.change_switches(|switch| switch.scheduling = scheduling.into());
            }
        });
        builder.build().map_err(|error| Failure::usage(error.to_string(), "other flags"))
    }

    /// Refuses flags about flows without `--to`, since the flows of the file are run.
    fn check_without_to(&self, file: &str, has_flows: bool) -> Result<(), Failure> {
        let flags = [
            ("--from", self.from.is_some()),
            ("--method", self.method.is_some()),
            ("--compare", self.compare),
            ("--size", self.size.is_some()),
            ("--samples", self.samples.is_some()),
            ("--sl", self.sl.is_some()),
            ("--background", !self.background.is_empty()),
        ];
        let given = flags.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag));
        match given {
            Some(flag) if has_flows => Err(Failure::usage(
                format!("{flag} does not apply to the flows of {file}, and --to is not given"),
                format!(
                    "--to HOST (with --from HOST), which replaces the file's flows; or its flows \
                     as they are, without {flag}"
                ),
            )),
            None if has_flows => Ok(()),
            _ => Err(Failure::usage(
                format!("{file} has no [[flow]], and --to is not given"),
                "--to HOST (with --from HOST) of `bandwise rperf`, or flows in the file",
            )),
        }
    }

    /// Returns the flows of the flags on the fabric of `base`, which `file` describes: a scenario
    /// for each method.
    fn flows(
        &self,
        to: &str,
        base: &InfinibandScenario,
        file: &Source,
    ) -> Result<Vec<InfinibandScenario>, Failure> {
        if !base.flows().is_empty() {
            note("note: the file's own flows are left out, because --to is given");
        }
        let methods = if self.compare { &COMPARED[..] } else { &[self.method()] };
        let line = &mut Line::default();
        let from = match &self.from {
            Some(from) => (from.clone(), line.flag("--from", from)),
            None => (self.free_host(to, base)?, 0..0),
        };
        let places = Places {
            from: from.1.clone(),
            to: line.flag("--to", to),
            background: line.list("--background", &self.background),
            bytes: line.optional("--size", self.size),
            sl: line.optional("--sl", self.sl),
            bulk_bytes: line.optional("--background-size", self.background_size),
            bulk_sl: line.optional("--background-sl", self.background_sl),
            samples: line.optional("--samples", self.samples),
        };
        let source = Source::new("<flags>", &line.0);
        let background = || self.background.iter().zip(places.background.iter().cloned());
        let named = [(&from.0, from.1.clone()), (&to.to_owned(), places.to.clone())];
        for (name, at) in named.into_iter().chain(background()) {
            names::check(file, base.fabric(), &source, name, at)?;
        }
        if let Some((twice, at)) = background().find(|(name, _)| **name == from.0) {
            let message =
                format!("{twice:?} measures: its own bulk traffic would delay its loopback");
            let allowed = "other hosts than that of --from";
            return Err(source.error(at, message).allowed(allowed).into());
        }

        let one = |&method: &MethodName| -> Result<InfinibandScenario, Failure> {
            let measured = FlowRequest {
                bytes: self.size,
                sl: self.sl,
                samples: self.samples,
                ..FlowRequest::new(Senders::One(from.0.clone()), to, method)
            };
            let mut builder = base.clone().into_builder().without_flows().request(measured);
            if !self.background.is_empty() {
                let senders = Senders::Each(self.background.clone());
                builder = builder.request(FlowRequest {
                    bytes: self.background_size,
                    sl: self.background_sl,
                    ..FlowRequest::new(senders, to, MethodName::Bulk)
                });
            }
            builder.build().map_err(|error| match error {
                BuildError::Flow(error) => {
                    let at = places.of(&error);
                    source.error(at, error.message).allowed(error.allowed).into()
                }
                other => Failure::usage(other.to_string(), "another fabric, or other flags"),
            })
        };
        methods.iter().map(one).collect()
    }

    fn method(&self) -> MethodName {
        self.method.map_or(MethodName::Rperf, |method| method.0)
    }

    /// Returns a host that neither receives nor sends background traffic.
    fn free_host(&self, to: &str, base: &InfinibandScenario) -> Result<String, Failure> {
        let background = self.background.iter().map(String::as_str);
        let busy: Vec<&str> = background.chain([to]).collect();
        base.free_host(&busy).map(str::to_owned).ok_or_else(|| {
            let allowed = "a host that neither --to nor --background names, or --from HOST";
            Failure::usage("the fabric has no host without another task", allowed)
        })
    }

    /// Returns the command line without flags that change no result.
    fn command(&self, file: &Path, run: &InfinibandScenario) -> String {
        let mut line = Line("bandwise rperf".to_owned());
        line.flag("--fabric", &file.display().to_string());
        for (flag, host) in [("--from", &self.from), ("--to", &self.to)] {
            if let Some(host) = host {
                line.flag(flag, host);
            }
        }
        if self.compare {
            line.0 += " --compare";
        } else if self.to.is_some() {
            line.value("--method", self.method());
        }
        line.list("--background", &self.background);
        let size = |size: Option<Bytes>| size.map(|size| size.get().to_string());
        let number = |number: Option<u64>| number.map(|number| number.to_string());
        let how = self.scheduling.as_ref().and_then(clap::ValueEnum::to_possible_value);
        for (flag, value) in [
            ("--size", size(self.size)),
            ("--background-size", size(self.background_size)),
            ("--sl", number(self.sl)),
            ("--background-sl", number(self.background_sl)),
            ("--samples", number(self.samples)),
            ("--scheduling", how.map(|how| how.get_name().to_owned())),
            ("--duration", self.duration.map(|time| time.to_string())),
        ] {
            if let Some(value) = value {
                line.flag(flag, &value);
            }
        }
        line.value("--seed", run.seed());
        line.0
    }
}

/// Places of values in the line of flags: the measured flow is request 0, the bulk flows request 1.
struct Places {
    from: Range<usize>,
    to: Range<usize>,
    background: Vec<Range<usize>>,
    bytes: Option<Range<usize>>,
    sl: Option<Range<usize>>,
    bulk_bytes: Option<Range<usize>>,
    bulk_sl: Option<Range<usize>>,
    samples: Option<Range<usize>>,
}

impl Places {
    /// Returns the place of an error; of a flag that is not given, the place of the host.
    fn of(&self, error: &FlowError) -> Range<usize> {
        let is_measured = error.number == 0;
        let place = match error.key {
            FlowKey::Bytes if is_measured => self.bytes.clone(),
            FlowKey::Bytes => self.bulk_bytes.clone(),
            FlowKey::Sl if is_measured => self.sl.clone(),
            FlowKey::Sl => self.bulk_sl.clone(),
            FlowKey::Samples => self.samples.clone(),
            FlowKey::From | FlowKey::Sender | FlowKey::Name | FlowKey::Qps => match is_measured {
                true => Some(self.from.clone()),
                false => self.background.get(error.sender).cloned(),
            },
            _ => None,
        };
        place.unwrap_or_else(|| self.to.clone())
    }
}

/// Flags as one line of text, in which errors point at a value.
#[derive(Debug, Default)]
struct Line(String);

impl Line {
    /// Adds a flag with a text, quoted where a shell needs it, and returns the place of the text.
    fn flag(&mut self, flag: &str, text: &str) -> Range<usize> {
        self.push(flag);
        self.place(text)
    }

    /// Adds a flag with a value.
    fn value<T: ToString>(&mut self, flag: &str, value: T) -> Range<usize> {
        self.flag(flag, &value.to_string())
    }

    /// Adds a flag, if it is given.
    fn optional<T: ToString>(&mut self, flag: &str, value: Option<T>) -> Option<Range<usize>> {
        value.map(|value| self.value(flag, value))
    }

    /// Adds a flag with texts between commas, unless there are none.
    fn list(&mut self, flag: &str, texts: &[String]) -> Vec<Range<usize>> {
        if texts.is_empty() {
            return Vec::new();
        }
        self.push(flag);
        let mut places = Vec::new();
        for (i, text) in texts.iter().enumerate() {
            if i > 0 {
                self.0.push(',');
            }
            places.push(self.place(text));
        }
        places
    }

    fn push(&mut self, flag: &str) {
        let space = if self.0.is_empty() { "" } else { " " };
        self.0 += &format!("{space}{flag} ");
    }

    fn place(&mut self, text: &str) -> Range<usize> {
        let start = self.0.len();
        let is_plain = |c: char| c.is_alphanumeric() || "-_.:/+".contains(c);
        match !text.is_empty() && text.chars().all(is_plain) {
            true => self.0 += text,
            false => self.0 += &format!("'{}'", text.replace('\'', r"'\''")),
        }
        start..self.0.len()
    }
}
