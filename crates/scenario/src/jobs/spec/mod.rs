//! Reader of scenario files of kind `jobs`.
//!
//! `kind` and at least one `[[job]]` are required. Every other key has the default that is shown here.
//!
//! ```toml
//! kind = "jobs"
//! title = "Three jobs in a rack"   # or the file's name
//!
//! [fabric]                     # see bandwise_topology::read::toml
//! build = { single-switch = 32 }
//! link = { rate = "56 Gbps", delay = "10 ns" }
//! # or, above the tables, fabric-file = "FILE": TOML, ibnetdiscover output or an ibsim netlist
//! # and also above the tables, models = "FILE": a sensitivity table, see bandwise_saba::table::read
//!
//! [queues]                     # of every port
//! queues = 8                   # virtual lanes
//! levels = 16                  # priority levels of applications
//! part = 1.0                   # part of a link's bandwidth that jobs share
//!
//! [model]                      # kind of sensitivity models
//! kind = "monotone"            # less bandwidth is never faster; or "polynomial", as published
//! degree = 3                   # of the polynomial, 1 to 3
//!
//! [[job]]
//! name = "lr"                  # [default: the workload's name, with a number if several jobs have it]
//! workload = "LR"              # of Saba's table 2.1: LR RF GBT SVM NI NW PR SQL WC TS; or synthetic: W1
//! instances = 8
//! data = 1.0                   # multiple of the profiled amount of data
//! count = 1                    # number of identical jobs
//! start = "0 s"
//! weight = 1.0                 # for policies with given weights
//! hosts = ["h0", "h1"]         # one for each instance [default: random hosts]
//!
//! [[job]]                      # or a job by its durations with parts of the bandwidth
//! name = "etl"
//! times = { "100%" = "120 s", "50%" = "150 s", "25%" = "230 s" }
//! measured-at = "56 Gbps"      # rate of the links at 100% [default: the slowest host link]
//! instances = 8
//!
//! [[job]]                      # or by an application of the table of models; with another
//! model = "sort"               # description, only the model that Saba uses for the job
//!
//! [[job]]                      # or by its stages
//! name = "train"
//! instances = 16
//! rounds = 100
//! stage = [
//!   { compute = "300 ms", pattern = "ring-all-reduce", bytes = "500 MB", overlap = 0.5 },
//! ]
//! # patterns: shuffle, broadcast, chain, ring-all-reduce, tree-all-reduce, { partition-aggregate = 1 }
//! # (aggregators), { parameter-server = 1 } (servers), { bulk-synchronous = 2 } (neighbours)
//!
//! [synthetic]                  # synthetic workloads W1, W2, … by falling sensitivity
//! count = 20
//!
//! [placement]                  # of jobs without `hosts`
//! jobs-per-host = 16           # most jobs on a host
//!
//! [run]
//! seed = 1
//! grain = "0 s"                # longest time that an ended flow's rate stays unused; saves work
//! ```

mod job;
mod model;
mod models;
mod pattern;
mod place;
mod stage;
mod synthetic;
mod times;

use super::builder::{BuildError, COARSEST};
use super::queues::PARTS;
use super::{JobsScenario, Models, Queues};
use crate::reader::files;
use crate::reader::files::File;
use crate::reader::kind::Kind;
use crate::reader::nodes::suggestion;
use crate::reader::parsed::Parsed;
use crate::reader::tables::{list, placed, table};
use crate::reader::text::check_scenario;
use crate::reader::values::{Given, decimal, number, place, text, within};
use bandwise_input::{InputError, Source};
use bandwise_topology::read::{FabricFile, FabricSpec};
use bandwise_topology::{Fabric, MAX_PORTS, builders};
use bandwise_units::{BitRate, Time};
use job::JobSpec;
use model::ModelSpec;
use place::PlacementSpec;
use serde::Deserialize;
use synthetic::SyntheticSpec;
use toml::Spanned;

/// A scenario as a TOML document states it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Spec {
    title: Option<String>,
    fabric_file: Given<String>,
    models: Given<String>,
    #[serde(default, deserialize_with = "placed")]
    fabric: Option<Spanned<FabricSpec>>,
    #[serde(default, deserialize_with = "table")]
    queues: QueuesSpec,
    #[serde(default, deserialize_with = "table")]
    model: ModelSpec,
    #[serde(default, deserialize_with = "list")]
    job: Vec<Spanned<JobSpec>>,
    #[serde(default, deserialize_with = "table")]
    placement: PlacementSpec,
    #[serde(default, deserialize_with = "table")]
    synthetic: SyntheticSpec,
    #[serde(default, deserialize_with = "table")]
    run: RunSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct QueuesSpec {
    #[serde(deserialize_with = "number")]
    queues: Given<u64>,
    #[serde(deserialize_with = "number")]
    levels: Given<u64>,
    #[serde(deserialize_with = "decimal")]
    part: Given<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct RunSpec {
    #[serde(deserialize_with = "number")]
    seed: Given<u64>,
    #[serde(deserialize_with = "text")]
    grain: Given<Time>,
}

/// The readable texts.
const READABLE: &str = "a TOML scenario with [[job]] tables, and optional ones such as [fabric] and \
                        [queues]";

/// Values in place of those of a document.
#[derive(Debug, Default)]
pub struct Overrides<'a> {
    /// Fabric, with its text. Of several parts it is the one with the jobs' hosts.
    pub fabric: Option<(FabricFile, Source<'a>)>,
    /// Models that jobs name.
    pub models: Option<Models>,
    /// Queues of a port, 1 to 16.
    pub queues: Option<u8>,
    /// Seed.
    pub seed: Option<u64>,
}

impl JobsScenario {
    /// Reads a TOML list of jobs. `files` returns the text of a file that the document names.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not TOML, states another kind, names a file that can't be
    /// read, or describes an impossible scenario.
    pub fn from_toml(
        source: &Source,
        overrides: Overrides,
        mut files: impl FnMut(&str) -> Result<File, String>,
    ) -> Result<Parsed<JobsScenario>, InputError> {
        check_scenario(source, READABLE)?;
        let mut document = source.document()?;
        Kind::Jobs.take(source, &mut document)?;
        let spec: Spec = source.read(document)?;
        let mut warnings = Vec::new();
        let (table, file) = (spec.fabric.as_ref(), spec.fabric_file.as_ref());
        let hosts = spec.hosts();
        let of_document =
            files::fabric(source, MAX_PORTS, table, file, &hosts, &mut files, &mut warnings)?;
        let Overrides { fabric, models, queues, seed } = overrides;
        let fabric = match (fabric, of_document) {
            (Some((file, text)), _) => {
                let (fabric, notes) = file.with_hosts(&text, &hosts)?;
                warnings.extend(notes);
                fabric
            }
            (None, Some((fabric, _))) => fabric,
            (None, None) => default_fabric(),
        };
        let models = match (models, &spec.models) {
            (Some(models), _) => Some(models),
            (None, Some(name)) => {
                let file = files::named(source, name, &mut files)?;
                Some(Models::read(&Source::new(&file.name, &file.text))?)
            }
            (None, None) => None,
        };
        let mut parsed = spec.resolve(source, fabric, models.as_ref(), queues, seed)?;
        parsed.warnings.splice(0..0, warnings);
        Ok(parsed)
    }
}

/// Returns the fabric of Saba 4.6.1: 32 servers with 56 Gbps at a switch of 36 ports.
fn default_fabric() -> Fabric {
    let (rate, delay) = (BitRate::from_gbps(56), Time::from_ns(10));
    builders::single_switch(32, rate, delay).expect("32 ports are few enough")
}

impl Spec {
    /// Returns the names of the jobs' hosts; none if a job is placed at random.
    fn hosts(&self) -> Vec<&str> {
        let hosts: Option<Vec<_>> = self.job.iter().map(|job| job.get_ref().host_names()).collect();
        hosts.into_iter().flatten().flatten().map(|name| name.get_ref().as_str()).collect()
    }

    fn resolve(
        self,
        source: &Source,
        fabric: Fabric,
        models: Option<&Models>,
        queues: Option<u8>,
        seed: Option<u64>,
    ) -> Result<Parsed<JobsScenario>, InputError> {
        let of_document = self.queues.resolve(source)?;
        let queues = Queues { queues: queues.unwrap_or(of_document.queues), ..of_document };
        let model = self.model.resolve(source)?;
        let of_document = self.run.seed.as_ref().map(|seed| *seed.get_ref());
        let seed = seed.or(of_document).unwrap_or(1);
        let grain = match &self.run.grain {
            Some(given) => within(source, "grain", given, Time::ZERO..=COARSEST)?,
            None => Time::ZERO,
        };
        if self.job.is_empty() {
            let error = source.error(0..0, "no jobs");
            return Err(error.allowed("one [[job]] or more"));
        }
        if let Some(models) = models
            && self.job.iter().all(|job| !job.get_ref().names_a_model())
        {
            let error = source.error(
                place(&self.models, 0..0),
                format!("models of {}, and no job that names one of them", models.file),
            );
            let names = suggestion("applications", models.names().into_iter(), "");
            return Err(error.allowed(format!("model = NAME in a [[job]], {names}")));
        }
        let mut warnings = Vec::new();
        let known = self.synthetic.resolve(source, seed)?;
        let wanted = job::resolve(source, &self.job, &known, &fabric, models, &mut warnings)?;
        warnings.extend(job::unplaced(source, &wanted, &fabric));
        let jobs = self.placement.resolve(source, wanted, &fabric, seed)?;
        let title = self.title.unwrap_or_else(|| source.name.to_owned());
        let builder = JobsScenario::builder(fabric).title(title).queues(queues).model(model);
        let mut builder = builder.seed(seed).grain(grain);
        let mut places = Vec::new();
        for (at, job) in jobs {
            places.push(at);
            builder = builder.job(job);
        }
        let scenario = builder.build().map_err(|error| match error {
            BuildError::Job(error) => {
                let at = places.get(error.number).cloned().unwrap_or(0..0);
                job::refused(source, at, error)
            }
            error => source.error(0..0, error.to_string()),
        })?;
        Ok(Parsed { scenario, warnings })
    }
}

impl QueuesSpec {
    fn resolve(&self, source: &Source) -> Result<Queues, InputError> {
        let up_to_16 = |name, given: &Given<u64>, or: u8| match given {
            Some(given) => within(source, name, given, 1..=16).map(|n| n as u8),
            None => Ok(or),
        };
        let usual = Queues::default();
        let part = match &self.part {
            None => usual.part,
            Some(part) if PARTS.contains(part.get_ref()) => *part.get_ref(),
            Some(part) => {
                let message = format!("a part of {} of each link", part.get_ref());
                let allowed = format!("{} to {}", PARTS.start(), PARTS.end());
                return Err(source.error(part.span(), message).allowed(allowed));
            }
        };
        let queues = up_to_16("queues", &self.queues, usual.queues)?;
        Ok(Queues { queues, levels: up_to_16("levels", &self.levels, usual.levels)?, part })
    }
}
