//! `bandwise saba controller`.

use super::{Config, network};
use crate::failure::Failure;
use crate::files::Text;
use crate::output::note;
use anyhow::{Context, Error};
use bandwise_controller::core::{Core, Input, Output, Profiles, State, Task};
use bandwise_controller::credentials::{Credentials, Gate};
use bandwise_controller::daemon::{Audit, Beginning, Desk, Metrics, Parts, Recording};
use bandwise_controller::settings::{Listen, Remote, Settings};
use bandwise_controller::store::{Embedded, Store};
use bandwise_controller::{Door, Tls};
use bandwise_enforce::{Plan, Switches, Wanted};
use bandwise_saba::table::read;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Flags of `bandwise saba controller`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Clients reach it by gRPC and HTTP, over a socket or loopback; those of other machines, where its settings say so,
with a client certificate or a token. Killed and started again, it goes on with what is in its store; ports
keep their weights meanwhile.

Examples:
  # What would be written to which port, with what is in the store
  bandwise saba controller --config controller.toml --dry-run
  bandwise saba controller --config controller.toml
  # What there is, in another shell
  bandwise saba status --config controller.toml")]
pub struct Flags {
    #[command(flatten)]
    config: Config,
    /// Check the settings, read the ports, say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Flags {
    /// Runs until somebody asks it to stop.
    pub fn run(self) -> Result<(), Failure> {
        let settings = self.config.read()?;
        let text = Text::read(&settings.table)?;
        let table = read::any(&text.source())?;
        if table.is_empty() {
            let error = text.source().error(0..0, "a sensitivity table without applications");
            return Err(error.allowed("one [[application]] or more").into());
        }
        let profiles = Profiles::new(table, settings.seed);
        let credentials = Credentials::new(&settings.credentials);
        let files = settings.remote.as_ref().and_then(|remote| remote.tls.as_ref());
        let tls = files.map(|files| Tls::read(files, &credentials)).transpose();
        let tls = tls.map_err(|error| Failure::usage(error.to_string(), error.allowed()))?;
        match self.dry_run {
            true => dry_run(&settings, profiles),
            false => run(&settings, profiles, text.into_text(), (credentials, tls)),
        }
    }
}

fn core(settings: &Settings, profiles: Profiles, stored: State) -> Result<Core, Failure> {
    let saba = bandwise_saba::controller::Settings::default();
    let core = Core::new(settings.rules, saba, profiles, stored, Duration::ZERO);
    Ok(core.with_context(|| settings.store.display().to_string())?)
}

fn run(
    settings: &Settings,
    profiles: Profiles,
    table: String,
    (credentials, tls): (Credentials, Option<Tls>),
) -> Result<(), Failure> {
    let mut switches = network::switches(&settings.network)?;
    let paths = network::switches(&settings.network)?;
    // Before anything is made: whether all ports are there.
    let count = switches.discover().map_err(Error::from)?.len();
    let mut store = Embedded::open(&settings.store).map_err(Error::from)?;
    let stored = store.load().map_err(Error::from)?;
    let beginning = Beginning::new(settings.rules, settings.seed, table, &stored);
    let core = core(settings, profiles, stored)?;
    let (mut place, door) = open_door(&settings.listen)?;
    let remote = settings.remote.as_ref().map(|remote| open_remote(remote, tls)).transpose()?;
    let named = |path: &Path| path.display().to_string();
    let audit = settings.audit.as_ref().map(|path| Audit::open(path).with_context(|| named(path)));
    let recording = settings.recording.as_ref();
    let recording =
        recording.map(|path| Recording::begin(path, &beginning).with_context(|| named(path)));
    bandwise_controller::log_to_standard_error();
    let metrics = Metrics::new();
    let parts = Parts {
        core,
        store: Box::new(store),
        switches,
        paths,
        recording: recording.transpose()?,
        audit: audit.transpose()?,
        metrics: metrics.clone(),
    };
    let (handle, desk) = Desk::start(parts).map_err(Error::from)?;
    let stops = handle.clone();
    ctrlc::set_handler(move || stops.stop()).map_err(Error::from)?;
    let gate = Gate::new(credentials);
    let router = bandwise_controller::router(handle, metrics, network::marks(), gate);
    if let Some((at, door)) = remote {
        place = format!("{place} and {at}");
        door.serve(router.clone()).context(at)?;
    }
    door.serve(router).context("HTTP")?;
    note(format_args!("controller: {count} ports, reached at {place}"));
    desk.join().map_err(|_| anyhow::anyhow!("the controller ended by a fault"))?;
    if let Listen::Unix { path, .. } = &settings.listen {
        // The next one takes it away if this fails.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

fn open_door(listen: &Listen) -> Result<(String, Door), Failure> {
    let place = match listen {
        Listen::Unix { path, .. } => format!("unix:{}", path.display()),
        Listen::Loopback(address) => format!("http://{address}"),
    };
    let door = Door::open(listen).with_context(|| place.clone())?;
    Ok((place, door))
}

fn open_remote(remote: &Remote, tls: Option<Tls>) -> Result<(String, Door), Failure> {
    let scheme = if tls.is_some() { "https" } else { "http" };
    let place = format!("{scheme}://{}", remote.listen);
    let door = Door::open_remote(remote.listen, tls).with_context(|| place.clone())?;
    Ok((place, door))
}

/// What is in the store, of a copy: opening one writes to it.
fn stored(path: &Path) -> Result<State, Failure> {
    if !path.exists() {
        return Ok(State::default());
    }
    let folder = tempfile::tempdir().map_err(Error::from)?;
    let copy = folder.path().join("store");
    std::fs::copy(path, &copy).with_context(|| path.display().to_string())?;
    let loaded = Embedded::open(&copy).and_then(|mut store| store.load());
    Ok(loaded.with_context(|| format!("a copy of {}", path.display()))?)
}

fn dry_run(settings: &Settings, profiles: Profiles) -> Result<(), Failure> {
    let mut core = core(settings, profiles, stored(&settings.store)?)?;
    let mut switches = network::switches(&settings.network)?;
    let mut said = String::new();
    for port in switches.discover().map_err(Error::from)? {
        let (id, name) = (port.id, port.name.clone());
        core.handle(Duration::ZERO, Input::Found { port: id, name, queues: port.queues });
        let task = std::iter::from_fn(|| core.poll()).find_map(|output| match output {
            Output::Order { task, .. } => Some(task),
            _ => None,
        });
        let wanted = match task {
            Some(Task::Share(config)) => Wanted::Shared(config),
            Some(Task::AsFound) => Wanted::AsFound,
            // What stands there of weights is nobody's any more.
            _ if !switches.read_back(id).map_err(Error::from)?.weights.is_empty() => {
                Wanted::Shared(Default::default())
            }
            _ => {
                let _ = writeln!(said, "{}: nobody sends there; stays as it is", port.name);
                continue;
            }
        };
        let plan = switches.plan(id, &wanted).map_err(Error::from)?;
        let _ = match plan.is_empty() {
            true => writeln!(said, "{}: is as it is to be", port.name),
            false => {
                let lines: String = plan.to_string().lines().map(|l| format!("  {l}\n")).collect();
                write!(said, "{}: would be written\n{lines}", port.name)
            }
        };
    }
    let (applications, connections) =
        (core.state().applications().len(), core.state().connections().len());
    let _ = writeln!(
        said,
        "\n{applications} applications, {connections} connections in the store; nothing was written"
    );
    crate::output::print(&said)?;
    Ok(())
}
