//! `bandwise saba controller --dry-run`.

use super::network::{Opened, Use};
use super::run::core;
use crate::answer::{Answer, Stats};
use crate::failure::Failure;
use crate::output::Outputs;
use anyhow::{Context, Error};
#[cfg(feature = "etcd")]
use bandwise_controller::cluster::{Endpoints, Etcd};
use bandwise_controller::core::{DiscoveredPort, Group, Input, Output, Profiles, State, Task};
use bandwise_controller::settings::{Settings, Store};
use bandwise_controller::store::{Embedded, Store as _};
use bandwise_switches::{Plan, Switches, Wanted};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// A dry run of a controller: prints the planned writes, and writes nothing.
pub(super) struct DryRun<'a> {
    pub settings: &'a Settings,
    pub profiles: Profiles,
    pub outputs: Outputs,
}

/// The writes that a controller would make.
#[derive(Serialize)]
struct DryRunAnswer {
    schema: u32,
    ports: Vec<PortRow>,
    /// Applications and connections in the store.
    applications: usize,
    connections: usize,
    stats: Stats,
}

/// A port, and the writes to it.
#[derive(Serialize)]
struct PortRow {
    port: String,
    state: PlannedState,
    /// The writes, one per line of the text.
    writes: Vec<String>,
}

/// The need of a port.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
enum PlannedState {
    /// No connection uses the port, and it has no weights.
    Unused,
    /// The port is configured already.
    Configured,
    /// The port would be written.
    Written,
}

impl Answer for DryRunAnswer {
    fn text(&self) -> String {
        let mut text = String::new();
        for PortRow { port, state, writes } in &self.ports {
            text += &match state {
                PlannedState::Unused => format!("{port}: unchanged, no connection uses it\n"),
                PlannedState::Configured => format!("{port}: unchanged, already configured\n"),
                PlannedState::Written => {
                    let lines: String = writes.iter().map(|line| format!("  {line}\n")).collect();
                    format!("{port}: would be written\n{lines}")
                }
            };
        }
        let DryRunAnswer { applications, connections, .. } = self;
        text += &format!(
            "\n{applications} applications, {connections} connections in the store; nothing was written\n"
        );
        text
    }
}

/// Returns the state in the store.
fn stored(store: &Store) -> Result<State, Failure> {
    match store {
        Store::File(path) => in_file(path),
        #[cfg(not(feature = "etcd"))]
        Store::Cluster(_) => Err(Failure::without("etcd")),
        #[cfg(feature = "etcd")]
        Store::Cluster(cluster) => Ok(Etcd::read_state(&Endpoints::new(cluster)?)?),
    }
}

/// Returns the state in a copy of a file, because opening a file writes to it.
fn in_file(path: &Path) -> Result<State, Failure> {
    if !path.exists() {
        return Ok(State::default());
    }
    let folder = tempfile::tempdir().map_err(Error::from)?;
    let copy = folder.path().join("store");
    let mut file = bandwise_files::open(path)?;
    let mut to = File::create(&copy).map_err(Error::from)?;
    std::io::copy(&mut file, &mut to).with_context(|| path.display().to_string())?;
    let loaded = Embedded::open(&copy).and_then(|mut store| store.load());
    Ok(loaded.map_err(|error| error.at(path))?)
}

impl Use for DryRun<'_> {
    fn with<S: Switches + Send + 'static>(self, opened: Opened<S>) -> Result<(), Failure> {
        let DryRun { settings, profiles, outputs } = self;
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
        let mut rows = Vec::new();
        for port in ports {
            let wanted = match tasks.remove(&port.id) {
                Some(Task::Share(config)) => Some(Wanted::Shared(config)),
                Some(Task::AsFound) => Some(Wanted::AsFound),
                // Weights of connections that no longer exist are removed.
                _ if !switches.read_back(port.id).map_err(Error::from)?.weights.is_empty() => {
                    Some(Wanted::Shared(Default::default()))
                }
                _ => None,
            };
            let plan = wanted.map(|wanted| switches.plan(port.id, &wanted)).transpose();
            let plan = plan.map_err(Error::from)?;
            let (state, writes) = match plan {
                None => (PlannedState::Unused, Vec::new()),
                Some(plan) if plan.is_empty() => (PlannedState::Configured, Vec::new()),
                Some(plan) => {
                    let lines = plan.to_string().lines().map(str::to_owned).collect();
                    (PlannedState::Written, lines)
                }
            };
            rows.push(PortRow { port: port.name, state, writes });
        }
        outputs.answer(&DryRunAnswer {
            schema: 1,
            ports: rows,
            applications: core.state().applications().len(),
            connections: core.state().connections().len(),
            stats: Stats::HERE,
        })
    }
}
