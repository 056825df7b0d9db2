//! `bandwise saba run`: runs an unmodified program under a controller.

mod child;
mod library;
mod unseen;
mod variables;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::output::{Json, note};
use crate::values::{Refusal, number, refused};
use anyhow::Context;
use bandwise_files::FileError;
use child::{Ended, Signals};
use saba::{Application, Endpoints, Error, Options, TlsFiles};
use serde::Serialize;
use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Instant;
use unseen::Unseen;
use variables::Variables;

/// Flags of `bandwise saba run`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Registers the application, runs the command with the application's mark on its connections, and
deregisters at the end. A preloaded library marks sockets and queue pairs before they connect, and
reports connections to other hosts. NCCL and UCX are configured by their own variables; variables
that are set already stay, with a note. The command's processes on this host are one application,
and so are those on other hosts with the same --app and --job.

Without a controller the command runs too, and registers with one that starts later. The exit code
is that of the command; 128 plus the signal's number if a signal ended it; 127 if the command does
not exist; 126 if it can't be run. SIGTERM, SIGINT, SIGHUP and SIGQUIT are forwarded to the command.
If the controller refuses the application, the command does not run and the exit code is 1. After a
signal during the registration it does not run either, and the exit code is 130.

Examples:
  bandwise saba run --app LR -- ./train.sh
  bandwise saba run --app LR --nodes 4 --dataset '10000 samples' -- mpirun -n 4 ./lr
  # On each of several hosts
  bandwise saba run --app sort --job sort-17 --controller http://c1:7470 -- ./sort
  # On a host of a lab
  bandwise lab exec h1 -- bandwise saba run --app LR -- iperf3 -c 10.0.0.3")]
pub(crate) struct Flags {
    /// Name of the application in the controller's sensitivity table
    #[arg(long, value_name = "NAME", value_parser = named)]
    app: String,
    /// Job: commands with the same --app and --job, on any hosts, are one application [default:
    /// SABA_JOB, else a new job]
    #[arg(long, value_name = "JOB", value_parser = job)]
    job: Option<String>,
    /// Hosts of the application [default: SABA_NODES]
    #[arg(long, value_name = "N", value_parser = number(1..=u64::from(u32::MAX)))]
    nodes: Option<u64>,
    /// Amount of data, such as '10000 samples' [default: SABA_DATASET]
    #[arg(long, value_name = "DATA")]
    dataset: Option<String>,
    /// Address of the controller: unix:PATH, http://HOST:PORT or https://HOST:PORT; several,
    /// separated by commas, are tried in turn [default: SABA_CONTROLLER, else
    /// unix:/run/bandwise/controller.sock]
    #[arg(long, value_name = "ADDRESSES", value_parser = places)]
    controller: Option<Endpoints>,
    /// File with the token for the controller [default: SABA_TOKEN_FILE]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// CA certificates for controllers at https, in PEM [default: SABA_CA_FILE]
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// Client certificate for controllers at https, in PEM [default: SABA_CERTIFICATE_FILE]
    #[arg(long, value_name = "FILE")]
    certificate_file: Option<PathBuf>,
    /// Key of the client certificate, in PEM [default: SABA_KEY_FILE]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Name of this host at the controller [default: SABA_HOST, else the host's name]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// File in the format of /etc/hosts with the names of hosts at the controller [default:
    /// SABA_HOSTS, else /etc/hosts]
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,
    /// Library to preload [default: SABA_PRELOAD, else the one beside this program or in the
    /// library path]
    #[arg(long, value_name = "PATH")]
    preload: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
    /// Command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn places(text: &str) -> Result<Endpoints, Refusal> {
    let allowed = "unix:PATH, http://HOST:PORT or https://HOST:PORT; several with commas between";
    text.parse().or_else(|_| refused(None, allowed))
}

fn named(text: &str) -> Result<String, Refusal> {
    if text.is_empty() { refused(None, "a name of the table") } else { Ok(text.to_owned()) }
}

fn job(text: &str) -> Result<String, Refusal> {
    match (1..=256).contains(&text.len()) {
        true => Ok(text.to_owned()),
        false => refused(None, "1 to 256 bytes"),
    }
}

/// Returns the absolute path of a file that a flag gives, after a check that it can be read.
fn file(flag: &str, path: &Path) -> Result<PathBuf, Failure> {
    let wrong = |error| Failure::of_file(flag, error);
    let file = bandwise_files::open(path).map_err(wrong)?;
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        let why = "is a pipe, and the command reads the file again";
        return Err(wrong(FileError::new(path, why, "a regular file")));
    }
    Ok(path.canonicalize().with_context(|| path.display().to_string())?)
}

impl Flags {
    /// Runs the command, and returns its exit code.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        let library = library::find(self.preload.as_deref())?;
        let hosts = self.hosts.map(|path| file("--hosts", &path)).transpose()?;
        let token_file = self.token_file.map(|path| file("--token-file", &path)).transpose()?;
        let mut options = Options::from_environment_with(token_file.as_deref())
            .map_err(|error| unusable(&error))?;
        options.controller = self.controller.unwrap_or(options.controller).absolute();
        let given =
            |flag: &str, path: Option<PathBuf>| path.map(|path| file(flag, &path)).transpose();
        let default = options.tls.absolute();
        options.tls = TlsFiles {
            authorities: given("--ca-file", self.ca_file)?.or(default.authorities),
            certificate: given("--certificate-file", self.certificate_file)?
                .or(default.certificate),
            key: given("--key-file", self.key_file)?.or(default.key),
        };
        options.host = self.host.or(options.host);
        options.dataset = self.dataset.or(options.dataset);
        options.nodes = self.nodes.and_then(|n| u32::try_from(n).ok()).or(options.nodes);
        options.job = self.job.or(options.job);
        if options.job.is_none() {
            options.job = Some(own_job()?);
        }

        let exposed = options.controller.iter().find(|of| of.is_exposed());
        if let Some(place) = exposed.filter(|_| options.token.is_some()) {
            note(format_args!(
                "saba: warning: the token can be read on the network, as {place} is not encrypted"
            ));
        }

        // Signals are blocked before the first thread starts, because threads inherit the mask.
        let mut signals = Signals::block()?;
        let (name, registered) = (self.app.clone(), options.clone());
        let application =
            signals.unless_signalled(move || Application::register(&name, registered))?;
        let Some(application) = application else {
            return Err(Failure::Stopped("the command was not run".to_owned()));
        };
        let application = application.map_err(|error| match error {
            Error::Argument(_) => unusable(&error),
            Error::Refused(why) => anyhow::anyhow!(
                "the controller refuses the application, and nothing was run: {why}"
            )
            .into(),
            error => anyhow::anyhow!("nothing was run: {error}").into(),
        })?;
        let mark = application.mark();
        match &mark {
            Some(mark) => note(format_args!("saba: {} has the mark {mark}", self.app)),
            None => note(format_args!(
                "saba: no controller answers: {}; the command runs without a mark",
                application.unreachable().unwrap_or_else(|| options.controller.to_string())
            )),
        }
        let mut doubts = application.doubts();
        warn_of(&self.app, &doubts);
        let command = Path::new(&self.command[0]);
        let unseen = library.as_ref().and_then(|_| Unseen::of(command));
        if let Some(unseen) = unseen {
            note(format_args!(
                "saba: {} {unseen}: its connections are neither marked nor reported",
                command.display()
            ));
        }
        let library = library.filter(|_| !unseen.is_some_and(Unseen::breaks));
        let variables = Variables::new(&self.app, &options, mark)
            .files(token_file.as_deref(), hosts.as_deref())
            .preload(library.as_deref());
        let (all, kept) = variables.all(std::env::vars_os());
        for kept in kept {
            note(format_args!("saba: {kept}"));
        }
        let words = self.command.iter().map(|word| CString::new(word.as_bytes()));
        let words = words.collect::<Result<Vec<_>, _>>().expect("arguments have no zero");
        let began = Instant::now();
        let ended = signals.run(&words, &all)?;
        let took = began.elapsed();
        if doubts.is_empty() {
            // The controller may have appeared since.
            doubts = application.doubts();
            warn_of(&self.app, &doubts);
        }
        drop(application);

        outputs.answer(&RunAnswer {
            schema: 1,
            app: &self.app,
            job: options.job.as_deref(),
            controller: options.controller.to_string(),
            mark: mark.map(|mark| MarkRow {
                level: mark.level,
                dscp: mark.dscp,
                service_level: mark.service_level,
            }),
            doubts: &doubts,
            preload: library.as_deref(),
            exit_code: ended.code(),
            signal: ended.signal(),
            took_s: took.as_secs_f64(),
        })?;
        match ended {
            Ended::NotRun(why, code) => {
                note(format_args!("error: {}: {why}", self.command[0].to_string_lossy()));
                Err(Failure::Command(code))
            }
            _ if ended.code() == 0 => Ok(()),
            _ => Err(Failure::Command(ended.code())),
        }
    }
}

/// The end of the command, and the mark of its packets. The answer has no text, because the command
/// prints its own.
#[derive(Serialize)]
struct RunAnswer<'a> {
    schema: u32,
    app: &'a str,
    job: Option<&'a str>,
    controller: String,
    mark: Option<MarkRow>,
    /// The controller's doubts about the application's model.
    doubts: &'a [String],
    preload: Option<&'a Path>,
    exit_code: u8,
    signal: Option<i32>,
    took_s: f64,
}

/// A mark.
#[derive(Serialize)]
struct MarkRow {
    level: u16,
    dscp: Option<u8>,
    service_level: Option<u8>,
}

impl Answer for RunAnswer<'_> {
    fn text(&self) -> String {
        String::new()
    }
}

/// Prints a line for each doubt about the application's model.
fn warn_of(app: &str, doubts: &[String]) {
    for doubt in doubts {
        note(format_args!("saba: warning: model of {app}: {doubt}"));
    }
}

/// Returns the failure for an unusable flag or variable.
fn unusable(error: &Error) -> Failure {
    let message = error.to_string();
    match message.strip_suffix(')').and_then(|message| message.rsplit_once(" (allowed: ")) {
        Some((why, allowed)) => Failure::usage(why, allowed),
        None => Failure::usage(message, "see saba(3), or --help"),
    }
}

/// Returns a new unique job.
fn own_job() -> Result<String, Failure> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).context("no random name for the job")?;
    Ok(format!("run-{:016x}", u64::from_ne_bytes(bytes)))
}
