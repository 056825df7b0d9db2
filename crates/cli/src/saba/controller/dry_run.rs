//! `bandwise saba controller --dry-run`.

use super::network::{Opened, Use};
use super::run::core;
use crate::failure::Failure;
use anyhow::{Context, Error};
#[cfg(feature = "etcd")]
use bandwise_controller::cluster::{Endpoints, Etcd};
use bandwise_controller::core::{DiscoveredPort, Group, Input, Output, Profiles, State, Task};
use bandwise_controller::settings::{Settings, Store};
use bandwise_controller::store::{Embedded, Store as _};
use bandwise_switches::{Plan, Switches, Wanted};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// A dry run of a controller: prints the planned writes, and writes nothing.
pub(super) struct DryRun<'a> {
    pub settings: &'a Settings,
    pub profiles: Profiles,
}

/// Returns the state in the store.
fn stored(store: &Store) -> Result<State, Failure> {
    match store {
        Store::File(path) => in_file(path),
        #[cfg(not(feature = "etcd"))]
        Store::Cluster(_) => Err(Failure::without("etcd")),
        #[cfg(feature = "etcd")]
        Store::Cluster(cluster) => {
            let endpoints = Endpoints::new(cluster).map_err(Error::from)?;
            Ok(Etcd::read_state(&endpoints).map_err(Error::from)?)
        }
    }
}

/// Returns the state in a copy of a file, because opening a file writes to it.
fn in_file(path: &Path) -> Result<State, Failure> {
    if !path.exists() {
        return Ok(State::default());
    }
    let folder = tempfile::tempdir().map_err(Error::from)?;
    let copy = folder.path().join("store");
    std::fs::copy(path, &copy).with_context(|| path.display().to_string())?;
    let loaded = Embedded::open(&copy).and_then(|mut store| store.load());
    Ok(loaded.with_context(|| format!("a copy of {}", path.display()))?)
}

impl Use for DryRun<'_> {
    fn with<S: Switches + Send + 'static>(self, opened: Opened<S>) -> Result<(), Failure> {
        let DryRun { settings, profiles } = self;
        let Opened { ports, writer: mut switches, .. } = opened;
        let mut core = core(settings, profiles, stored(&settings.store)?)?;
        let seen = |port: &bandwise_switches::Port| {
            let (id, name, queues) = (port.id, port.name.clone(), port.queues);
            DiscoveredPort { port: id, name, queues, group: Group::default() }
        };
        let all = ports.iter().map(seen).collect();
        core.handle(Duration::ZERO, Input::Discovered { ports: all, routes: Vec::new() });
        let order = |output| match output {
            Output::Order { port, task, .. } => Some((port, task)),
            _ => None,
        };
        let mut tasks: BTreeMap<_, _> =
            std::iter::from_fn(|| core.poll()).filter_map(order).collect();
        let mut text = String::new();
        for port in ports {
            let wanted = match tasks.remove(&port.id) {
                Some(Task::Share(config)) => Wanted::Shared(config),
                Some(Task::AsFound) => Wanted::AsFound,
                // Weights of connections that no longer exist are removed.
                _ if !switches.read_back(port.id).map_err(Error::from)?.weights.is_empty() => {
                    Wanted::Shared(Default::default())
                }
                _ => {
                    let _ = writeln!(text, "{}: unchanged, no connection uses it", port.name);
                    continue;
                }
            };
            let plan = switches.plan(port.id, &wanted).map_err(Error::from)?;
            let _ = match plan.is_empty() {
                true => writeln!(text, "{}: unchanged, already configured", port.name),
                false => {
                    let lines: String =
                        plan.to_string().lines().map(|l| format!("  {l}\n")).collect();
                    write!(text, "{}: would be written\n{lines}", port.name)
                }
            };
        }
        let (applications, connections) =
            (core.state().applications().len(), core.state().connections().len());
        let _ = writeln!(
            text,
            "\n{applications} applications, {connections} connections in the store; nothing was written"
        );
        crate::output::print(&text)?;
        Ok(())
    }
}
