//! Flags of `bandwise saba profile`, resolved to settings.

use crate::failure::Failure;
use crate::files::Text;
use crate::output::{Json, Outputs, Report, check_table, note, write_table};
use crate::values::{Refusal, duration, number, refused};
use bandwise_enforce::htb::throttle;
use bandwise_lab::Limited;
use bandwise_profiler::{Plan, PlanError, ProfileResults};
use bandwise_runner::{Devices, Links, Profile};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Dataset, DatasetError, Setting};
use bandwise_saba::table::{Application, Date, Entry, NameError, Table, Text as Line, read};
use bandwise_units::{BitRate, Time};
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Flags of `bandwise saba profile`.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("links").required(true))]
#[command(override_usage = "\
bandwise saba profile [OPTIONS] --app <NAME> --lab <NAME> -- <COMMAND>...
       bandwise saba profile [OPTIONS] --app <NAME> --device <NAME> --rate <RATE> -- <COMMAND>...
       bandwise saba profile [OPTIONS] --app <NAME> --limit <COMMAND> -- <COMMAND>...")]
#[command(after_help = "\
The command runs with each share of the bandwidth, in random order, and is timed from its start to
its end. Its output is appended to JOURNAL.out. Failed runs are listed and repeated at the end.
Ctrl-C ends the present run. The same command line makes the remaining runs, also after a kill
or a reboot; with a larger --repeat it adds runs.

Links are those of a lab (`bandwise lab up`), the sending side of a device of this host (not the
receiving side), or links that your own command limits: sh runs it before each run with
BANDWISE_SHARE in its environment, 0.25 for 25%, and with 1 at the end.

Examples:
  # A program that a script starts on the hosts of a lab
  bandwise saba profile --app LR --lab lab --table table.toml -- ./train.sh
  # A program that sends by a device of this host
  bandwise saba profile --app put --device eth0 --rate 25Gbit --table table.toml -- ./put.sh
  # Fewer shares with more runs each, on your own machines
  bandwise saba profile --app sort --at 10,50,100 --repeat 5 --limit ./limit-all-nics.sh \\
      --table table.toml --report sort.html -- spark-submit sort.py")]
pub(crate) struct Flags {
    /// Name of the application in the table
    #[arg(long, value_name = "NAME", value_parser = application)]
    app: Application,
    /// Shares of the bandwidth in percent; must include 100
    #[arg(long, value_name = "PERCENTS", value_delimiter = ',', value_parser = percent)]
    #[arg(default_value = "5,10,25,50,75,90,100", allow_hyphen_values = true)]
    at: Vec<Share>,
    /// Runs of each share
    #[arg(long, value_name = "N", value_parser = number(1..=1000), default_value = "3")]
    repeat: u64,
    /// Runs with the whole bandwidth before the first sample
    #[arg(long, value_name = "N", value_parser = number(0..=1000), default_value = "1")]
    warmup: u64,
    /// Attempts at a run that fails
    #[arg(long, value_name = "N", value_parser = number(1..=100), default_value = "2")]
    attempts: u64,
    /// Longest time of a run [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    #[arg(allow_hyphen_values = true)]
    timeout: Option<Time>,
    /// Required precision of each slowdown: half its 95% interval, in percent of it
    #[arg(long, value_name = "PERCENT", value_parser = number(1..=100), default_value = "10")]
    within: u64,
    /// Seed of the random order of runs
    #[arg(long, value_name = "N", value_parser = number(0..=u64::MAX), default_value = "1")]
    seed: u64,
    /// Limit all links of this lab
    #[arg(long, value_name = "NAME", group = "links")]
    lab: Option<String>,
    /// Limit the sending rate of these devices of this host, separated by commas
    #[arg(long, value_name = "NAME", group = "links", value_delimiter = ',', requires = "rate")]
    device: Vec<String>,
    /// Rate of the device, 100% of the bandwidth
    #[arg(long, value_name = "RATE", value_parser = rate, requires = "device")]
    #[arg(conflicts_with_all = ["lab", "limit"])]
    #[arg(allow_hyphen_values = true)]
    rate: Option<BitRate>,
    /// Limit links by this command
    #[arg(long, value_name = "COMMAND", group = "links")]
    limit: Option<String>,
    /// Journal of the runs, from which an interrupted profile continues [default: NAME.profile]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Sensitivity table for the application, TOML or CSV by its ending; created if missing
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Hosts of the command, for the table
    #[arg(long, value_name = "N", value_parser = number(1..=u64::from(u32::MAX)))]
    nodes: Option<u64>,
    /// Amount of data, for the table
    #[arg(long, value_name = "AMOUNT", value_parser = dataset)]
    #[arg(allow_hyphen_values = true)]
    dataset: Option<Dataset>,
    #[command(flatten)]
    json: Json,
    #[command(flatten)]
    report: Report,
    /// Command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn application(text: &str) -> Result<Application, Refusal> {
    Application::try_from(text).map_err(|error| {
        let why = Some(error.to_string());
        Refusal { why, allowed: NameError::ALLOWED.to_owned() }
    })
}

fn percent(text: &str) -> Result<Share, Refusal> {
    let percent = text.trim().trim_end_matches('%').parse::<f64>().ok();
    match percent.filter(|percent| *percent >= 0.1).map(|percent| Share::try_from(percent / 100.0))
    {
        Some(Ok(share)) => Ok(share),
        _ => refused(None, "0.1 to 100, with commas, such as 5,10,25,50,75,90,100"),
    }
}

fn rate(text: &str) -> Result<BitRate, Refusal> {
    let allowed = "1 Mbps to 1 Tbps, such as 25Gbit or \"100 Gbps\"";
    match text.parse::<BitRate>() {
        Ok(rate) if throttle(rate).is_ok() => Ok(rate),
        Ok(_) => refused(None, allowed),
        Err(error) => refused(Some(error.to_string()), allowed),
    }
}

fn dataset(text: &str) -> Result<Dataset, Refusal> {
    let read = text.parse::<Dataset>();
    read.map_err(|_| Refusal { why: None, allowed: DatasetError::ALLOWED.to_owned() })
}

/// Refuses a command that can't be run, before links are limited.
fn check_program(name: &OsString) -> Result<(), Failure> {
    let is_program = |path: &Path| {
        std::fs::metadata(path)
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let found = match name.as_bytes().contains(&b'/') {
        true => is_program(Path::new(name)),
        false => {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&paths).any(|folder| is_program(&folder.join(name)))
        }
    };
    if found {
        return Ok(());
    }
    let message = format!("{}: can't be run", name.to_string_lossy());
    Err(Failure::usage(message, "a program by its path, or one that is found along PATH"))
}

/// The program, the runs to make, and the outputs.
#[derive(Debug)]
pub(super) struct Settings {
    pub application: Application,
    pub plan: Plan,
    pub within: f64,
    pub profile: Profile,
    pub journal: PathBuf,
    pub table: Option<PathBuf>,
    pub setting: Setting,
    pub outputs: Outputs,
}

impl Flags {
    pub(super) fn resolve(self) -> Result<Settings, Failure> {
        let some = |number: u64| NonZeroU32::new(number as u32).expect("from 1");
        let (repeat, attempts) = (some(self.repeat), some(self.attempts));
        let plan = Plan::new(&self.at, repeat, self.warmup as u32, attempts, self.seed)
            .map_err(|error| Failure::usage(format!("--at: {error}"), PlanError::ALLOWED))?;
        let journal = self.journal.unwrap_or_else(|| {
            let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
            PathBuf::from(format!("{}.profile", self.app.as_str().replace(|c| plain(c) != c, "-")))
        });
        let mut inputs = vec![journal.as_path()];
        inputs.extend(self.table.as_deref());
        let outputs = Outputs::new(self.json, self.report, Default::default(), &inputs)?;
        let settings = Settings {
            profile: Profile {
                command: self.command,
                timeout: self.timeout.map(|time| Duration::from_nanos(time.as_ps() / 1_000)),
                links: links(self.lab, self.device, self.rate, self.limit)?,
            },
            application: self.app,
            plan,
            within: self.within as f64 / 100.0,
            journal,
            table: self.table,
            setting: Setting { nodes: self.nodes.map(some), dataset: self.dataset },
            outputs,
        };
        check_program(&settings.profile.command[0])?;
        let shares = settings.profile.links.check(settings.plan.shares());
        shares.map_err(|unfit| Failure::unfit_for("--at:", unfit))?;
        // A table that can't be read fails here and not after hours of runs.
        settings.read_table()?;
        Ok(settings)
    }
}

/// Opens the links. The flags are exclusive: clap refuses a command line without exactly one.
fn links(
    lab: Option<String>,
    devices: Vec<String>,
    rate: Option<BitRate>,
    command: Option<String>,
) -> Result<Links, Failure> {
    Ok(match (lab, rate, command) {
        (Some(name), ..) => Links::Lab(Limited::open(&name)?),
        (_, Some(rate), _) => {
            let mut restored = |name: &str| {
                note(format_args!(
                    "{name} was left limited by a run that was killed; it is restored"
                ));
            };
            let opened = Devices::open(devices, rate, &mut restored);
            Links::Devices(opened.map_err(|error| Failure::of_runner("--device", error))?)
        }
        (.., line) => Links::Command(line.unwrap_or_default()),
    })
}

/// Returns the present date by the clock of this machine, in UTC.
fn today() -> Date {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Date::of_day(since.map_or(0, |since| since.as_secs() / 86_400))
}

impl Settings {
    /// Returns the command's words as text.
    pub(super) fn words(&self) -> Vec<String> {
        self.profile.command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Reads the table; a missing file is an empty table.
    fn read_table(&self) -> Result<Table, Failure> {
        match &self.table {
            Some(path) => {
                check_table("--table", path)?;
                match path.exists() {
                    true => Ok(read::any(&Text::read_regular(path)?.source())?),
                    false => Ok(Table::new()),
                }
            }
            None => Ok(Table::new()),
        }
    }

    /// Adds the application to the table, if one is given, and keeps all other entries. Returns
    /// `true` if the table was written.
    pub(super) fn store(&self, results: &ProfileResults) -> Result<bool, Failure> {
        let (Some(path), Ok(samples)) = (&self.table, &results.samples) else { return Ok(false) };
        // Reads the table again, because it may have changed during the runs.
        let mut table = self.read_table()?;
        let comment = format!("measured by bandwise saba profile, {}", self.profile.links);
        let entry = Entry {
            samples: samples.clone(),
            setting: self.setting.clone(),
            measured: Some(today()),
            comment: Line::try_from(comment.as_str()).unwrap_or_default(),
        };
        table.insert(self.application.clone(), entry);
        write_table(path, &table)?;
        Ok(true)
    }
}
