//! `bandwise saba rates`: the rate of each application of a controller if all send at once.
//!
//! This command computes the rates, not the controller: the controller has to answer within
//! milliseconds, and a simulation of packets takes longer. The controller only reports connections
//! and weights.

mod answer;
mod tables;

use super::{Config, network};
use crate::failure::Failure;
use crate::output::Json;
use crate::values::duration;
use answer::RatesAnswer;
use anyhow::Error;
use bandwise_controller::client;
use bandwise_controller::http::{ConnectionStatus, ConnectionsDocument, StatusDocument};
use bandwise_controller::settings::{Network, Settings, Store, names_of};
use bandwise_enforce_simulated::{Connection, Simulated, Times, Traffic, Uncarried};
use bandwise_saba::controller::ApplicationId;
use bandwise_switches::{Names, Switches, Wanted};
use bandwise_units::{BitRate, Time};
use std::collections::BTreeSet;
use std::path::Path;

/// Flags of `bandwise saba rates`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For a running controller with a network in memory ([simulated]). Rates follow from the weights at
its ports; the table also has the rates under max-min fairness, without Saba.

Examples:
  bandwise saba rates --config controller.toml
  bandwise saba rates --config controller.toml --engine packets --duration '5 ms'
  bandwise saba rates --config controller.toml --json")]
pub(crate) struct Flags {
    #[command(flatten)]
    config: Config,
    /// Engine that computes the rates
    #[arg(long, value_name = "WHICH", default_value = "flows")]
    engine: Engine,
    /// Simulated time in which arriving packets count, after a warm-up of half of it; packets only
    /// [default: the time of 4096 packets on the slowest link in use]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    #[arg(allow_hyphen_values = true)]
    duration: Option<Time>,
    #[command(flatten)]
    json: Json,
}

/// The engine that computes rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    /// Rates of flows: exact and fast
    Flows,
    /// Packets over InfiniBand hosts, switches, lanes and credits
    Packets,
}

/// The engine of an answer, and its outcome.
#[derive(Debug, Clone, Copy)]
enum By {
    Flows { is_at_rest: bool },
    Packets(Times),
}

impl Flags {
    /// Queries the controller, computes the rates and prints them.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let file = &self.config.config;
        let outputs = self.json.resolve(&[file])?;
        if self.engine == Engine::Flows && self.duration.is_some() {
            let message = "--duration is of packets, and rates of flows take no time";
            return Err(Failure::usage(message, "--engine packets with it"));
        }
        let (settings, _) = self.config.read()?;
        let network = in_memory(&settings, file)?;
        // Connections are read first: those of an application that ends between the two requests
        // are dropped.
        let ConnectionsDocument { mut connections } = client::connections(&settings.listen)?;
        let status = client::status(&settings.listen)?;
        if status.own_only {
            return Err(Failure::usage(
                "the controller shows you your own connections only, and rates depend on all",
                "root, the controller's user, or any user of a controller that listens at loopback",
            ));
        }
        let known: BTreeSet<ApplicationId> =
            status.applications.iter().map(|of| of.application).collect();
        connections.retain(|of| known.contains(&of.application));
        let traffic = traffic(network, &settings, file, &status, &connections)?;
        let (rates, by) =
            connection_rates(&traffic, self.engine, self.duration).map_err(Error::from)?;
        let max_min = traffic.max_min();
        let rates = [&rates[..], &max_min[..]];
        outputs.answer(&RatesAnswer::new(&traffic, &status, &connections, rates, by))
    }
}

/// Returns the rate of each connection.
fn connection_rates(
    traffic: &Traffic,
    engine: Engine,
    duration: Option<Time>,
) -> Result<(Vec<BitRate>, By), Uncarried> {
    if engine == Engine::Flows {
        let flows = traffic.flows();
        return Ok((flows.rates, By::Flows { is_at_rest: flows.is_at_rest }));
    }
    let given = |measured| Times { warmup: measured / 2, measured };
    let times = duration.map_or_else(|| traffic.times(), given);
    Ok((traffic.packets(times)?, By::Packets(times)))
}

/// Returns the network in memory of the settings, with nothing written to it. Refuses a real
/// network, whose rates can be measured. To predict the rates of a real fabric, its file is used as
/// a network in memory.
fn in_memory(settings: &Settings, file: &Path) -> Result<Simulated, Failure> {
    let file = file.display();
    let Network::Simulated(given) = &settings.network else {
        return Err(Failure::usage(
            format!("{file} has ports of a real network, whose rates are measured, not computed"),
            "[simulated] settings; a real fabric can be simulated from a `fabric-file`, such as the output of ibnetdiscover",
        ));
    };
    if matches!(settings.store, Store::Cluster(_)) {
        return Err(Failure::usage(
            format!(
                "{file} has a [cluster], in which each controller has its own network in memory"
            ),
            "settings with a `store` of their own, with which one controller writes all ports",
        ));
    }
    network::simulated(given)
}

/// Returns the controller's connections over the network, with the weights that the controller read
/// back at its ports.
fn traffic(
    mut network: Simulated,
    settings: &Settings,
    file: &Path,
    status: &StatusDocument,
    connections: &[ConnectionStatus],
) -> Result<Traffic, Failure> {
    let another = |what: String| {
        let message =
            format!("{} is not what the controller was started with: {what}", file.display());
        Failure::usage(message, "its settings, and the fabric as it was then")
    };
    for port in &status.ports {
        let id = network.named(&port.name).filter(|&id| id == port.port);
        let id = id.ok_or_else(|| another(format!("it has no port {}", port.name)))?;
        let Some(read) = &port.read else {
            let name = &port.name;
            return Err(anyhow::anyhow!("{name} has not been read yet; ask again").into());
        };
        let plan = network.plan(id, &Wanted::Shared(read.clone()));
        plan.and_then(|plan| network.apply(&plan)).map_err(|fault| another(fault.to_string()))?;
    }
    let names = names_of(&settings.hosts);
    let named = connections.iter().map(|of| named(of, &names)).collect::<Vec<_>>();
    for (connection, of) in connections.iter().zip(&named) {
        let path = network.path(&of.from, &of.to).map_err(|fault| another(fault.to_string()))?;
        if path[..] != connection.path[..] {
            return Err(another(format!("{} sends to {} by other ports", of.from, of.to)));
        }
    }
    Ok(network.traffic(&named).map_err(Error::from)?)
}

/// Returns a connection with the names of hosts in the network.
fn named(connection: &ConnectionStatus, names: &Names) -> Connection {
    let known = |name: &String| names.get(&**name).cloned().unwrap_or_else(|| (&**name).into());
    let (from, to) = (known(&connection.from), known(&connection.to));
    Connection { from, to, level: connection.level }
}
