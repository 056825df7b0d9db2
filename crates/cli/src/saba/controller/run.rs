//! `bandwise saba controller`.

use super::Config;
use super::dry_run::DryRun;
use super::network::{self, Opened, Use};
use super::signals::{Asked, Signals};
use crate::failure::Failure;
use crate::files::Text;
use crate::output::{Json, note};
use anyhow::{Context, Error};
use bandwise_controller::cluster::Groups;
#[cfg(feature = "etcd")]
use bandwise_controller::cluster::{Endpoints, Etcd};
use bandwise_controller::core::{Clustering, Core, Profiles, State};
use bandwise_controller::credentials::Authenticator;
use bandwise_controller::daemon::{
    Audit, Beginning, EventLoop, Metrics, Parts, Persister, Recording, RotatingFile,
};
use bandwise_controller::settings::{Listen, Remote, Settings, Store};
use bandwise_controller::store::{Embedded, Store as _, begun};
use bandwise_controller::{Admission, Listener, Marking};
use bandwise_saba::table::read;
use bandwise_switches::Switches;
use std::time::Duration;

/// Flags of `bandwise saba controller`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Clients connect by gRPC or HTTP over a socket or loopback, and from other machines with a client
certificate or a token if the settings have a [remote] table. After a restart the controller
continues from its store; ports keep their weights. With a [cluster] table, several controllers
share a store in etcd: each writes the ports of its group, and another takes over if one fails.

Examples:
  # Writes to each port, for the state in the store
  bandwise saba controller --config controller.toml --dry-run
  bandwise saba controller --config controller.toml --dry-run --json
  bandwise saba controller --config controller.toml
  # Reads credentials and certificates again, after a change
  systemctl reload bandwise-controller
  # Applications and ports, in another shell
  bandwise saba status --config controller.toml")]
pub(crate) struct Flags {
    #[command(flatten)]
    config: Config,
    /// Check the settings, read the ports and print what would be written; write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Runs until a signal ends the controller.
    pub(crate) fn run(self) -> Result<(), Failure> {
        if self.json.is_given() && !self.dry_run {
            return Err(Failure::usage("--json has the writes of a dry run", "--dry-run --json"));
        }
        let (settings, text) = self.config.read()?;
        let Config { config, .. } = &self.config;
        Settings::check_paths(&text.source(), self.config.folder(), config)?;
        let table = Text::read_regular(&settings.table)?;
        let read = read::any(&table.source())?;
        if read.is_empty() {
            let error = table.source().error(0..0, "a sensitivity table without applications");
            return Err(error.allowed("one [[application]] or more").into());
        }
        let marking = network::marking(&settings.network);
        let clustering = Clustering { levels: marking.levels(), seed: settings.seed };
        let profiles = Profiles::new(read, clustering);
        let admission = Admission::read(&settings)?;
        for doubt in admission.doubts() {
            note(format_args!("warning: {doubt}"));
        }
        match self.dry_run {
            true => {
                for (name, doubt) in profiles.doubts() {
                    note(format_args!("saba: warning: model of {name}: {doubt}"));
                }
                let outputs = self.json.resolve(&[&self.config.config])?;
                let would = DryRun { settings: &settings, profiles, outputs };
                network::open(&settings, &text.source(), would)
            }
            false => {
                let table = table.into_text();
                let signals = Signals::take()?;
                let run = Run {
                    settings: &settings,
                    config: self.config,
                    profiles,
                    clustering,
                    marking,
                    admission,
                    signals,
                    table,
                };
                network::open(&settings, &text.source(), run)
            }
        }
    }
}

/// Returns the core of a controller that starts from the stored state.
pub(crate) fn core(
    settings: &Settings,
    profiles: Profiles,
    stored: State,
) -> Result<Core, Failure> {
    let (rules, sharing) = (settings.rules, settings.rules.sharing());
    let core = Core::new(rules, sharing, profiles, stored, Duration::ZERO);
    core.map_err(|error| {
        let message =
            format!("{} does not fit {}: {error}", settings.store, settings.table.display());
        let allowed =
            "the applications with which the store was written; or, to begin anew, another store";
        Failure::usage(message, allowed)
    })
}

/// A controller that is about to run.
struct Run<'a> {
    settings: &'a Settings,
    /// The file of the settings, for reloads.
    config: Config,
    profiles: Profiles,
    clustering: Clustering,
    marking: Marking,
    admission: Admission,
    signals: Signals,
    /// The text of the sensitivity table.
    table: String,
}

impl Use for Run<'_> {
    fn with<S: Switches + Send + 'static>(self, opened: Opened<S>) -> Result<(), Failure> {
        let Run { settings, config, profiles, clustering, marking, admission, signals, table } =
            self;
        let Opened { ports, writer, paths, discovery } = opened;
        let (store, stored, revision) = match &settings.store {
            Store::File(path) => {
                let mut store = Embedded::open(path)?;
                let stored = store.load()?;
                (Box::new(store) as Box<dyn Persister>, stored, 0)
            }
            #[cfg(not(feature = "etcd"))]
            Store::Cluster(_) => return Err(Failure::without("etcd")),
            #[cfg(feature = "etcd")]
            Store::Cluster(cluster) => {
                let endpoints = Endpoints::new(cluster)?;
                let opened = Etcd::open(endpoints, &cluster.groups, clustering, &table);
                let (store, stored, revision) = opened?;
                (Box::new(store) as Box<dyn Persister>, stored, revision)
            }
        };
        let stored = begun(stored).map_err(Error::from)?;
        let mut beginning = Beginning::new(settings.rules, clustering, table, &stored);
        let mut core = core(settings, profiles, stored)?;
        let mut groups = Groups::alone();
        if let Store::Cluster(cluster) = &settings.store {
            beginning.shared = Some((cluster.instance.clone(), revision));
            core = core.shared(cluster.instance.clone(), revision);
            groups = cluster.groups.clone();
        }
        let (mut place, listener) = open_listener(&settings.listen)?;
        let remote = settings.remote.as_ref().map(|of| open_remote(of, &admission)).transpose()?;
        let audit = settings.audit.as_ref().map(open_audit).transpose()?;
        let recording = settings.recording.clone();
        bandwise_controller::log_to_standard_error();
        let recording = recording.map(|of| Recording::begin(of, beginning)).transpose()?;
        bandwise_controller::raise_descriptor_limit();
        let metrics = Metrics::new();
        let parts = Parts {
            core,
            store,
            groups,
            switches: writer,
            paths,
            discovery,
            recording,
            audit,
            metrics: metrics.clone(),
            restores: settings.restores,
        };
        let (handle, event_loop) = EventLoop::start(parts).map_err(Error::from)?;
        let authenticator = Authenticator::new(admission.credentials.clone());
        let stops = handle.clone();
        signals.handle(move |asked| match asked {
            Asked::Stop => stops.stop(),
            Asked::Reload => {
                let read = config.read();
                admission.reload(read.map(|of| of.0).map_err(|failure| failure.line()));
            }
        });
        let router = bandwise_controller::router(handle, metrics, marking, authenticator);
        if let Some((at, listener)) = remote {
            place = format!("{place} and {at}");
            listener.serve(router.clone()).context(at)?;
        }
        listener.serve(router).context("HTTP")?;
        note(format_args!("controller: {} ports, reached at {place}", ports.len()));
        let unrestored =
            event_loop.join().map_err(|_| anyhow::anyhow!("the controller ended by a fault"))?;
        if let Listen::Unix { path, .. } = &settings.listen {
            // If this fails, the next controller removes the socket.
            let _ = std::fs::remove_file(path);
        }
        match unrestored.is_empty() {
            true => Ok(()),
            false => {
                let ports = unrestored.join(", ");
                Err(anyhow::anyhow!("not restored: {ports}; the log has the reasons").into())
            }
        }
    }
}

fn open_audit(file: &RotatingFile) -> Result<Audit, Failure> {
    let path = file.path();
    Audit::open(file.clone()).map_err(|error| match bandwise_files::misplaced(path, &error) {
        Some(error) => error.into(),
        None => Error::from(error).context(path.display().to_string()).into(),
    })
}

fn open_listener(listen: &Listen) -> Result<(String, Listener), Failure> {
    let place = match listen {
        Listen::Unix { path, .. } => format!("unix:{}", path.display()),
        Listen::Loopback(address) => format!("http://{address}"),
    };
    let listener = Listener::open(listen).with_context(|| place.clone())?;
    Ok((place, listener))
}

fn open_remote(remote: &Remote, admission: &Admission) -> Result<(String, Listener), Failure> {
    let scheme = if remote.tls.is_some() { "https" } else { "http" };
    let place = format!("{scheme}://{}", remote.listen);
    let listener = Listener::open_remote(remote.listen, admission.tls.clone());
    let listener = listener.with_context(|| place.clone())?;
    Ok((place, listener))
}
