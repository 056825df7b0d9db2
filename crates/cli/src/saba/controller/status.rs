//! `bandwise saba status`.

use super::Config;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::output::Json;
use bandwise_controller::client;
use bandwise_controller::http::{ApplicationStatus, PortStatus, StatusDocument};
use bandwise_report::{Cell, Table, text as tables};
use bandwise_saba::controller::{ApplicationId, PortConfig};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Flags of `bandwise saba status`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bandwise saba status --config controller.toml
  bandwise saba status --config controller.toml --json")]
pub(crate) struct Flags {
    #[command(flatten)]
    config: Config,
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Queries the controller and prints its status.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[&self.config.config])?;
        let (settings, _) = self.config.read()?;
        outputs.answer(&StatusAnswer(client::status(&settings.listen)?))
    }
}

/// The status document of a controller.
#[derive(Serialize)]
struct StatusAnswer(StatusDocument);

impl Answer for StatusAnswer {
    fn text(&self) -> String {
        let StatusAnswer(status) = self;
        let table = |title: &str, header: &[&str], rows| Table {
            title: title.into(),
            caption: String::new(),
            header: header.iter().copied().map(String::from).collect(),
            rows,
        };
        let applications = table(
            "Applications",
            &["application", "name", "job", "level", "parts", "connections"],
            applications(&status.applications),
        );
        let ports = table(
            "Ports: level=weight of each queue",
            &["port", "wanted", "read back, in lowest terms", "state"],
            status.ports.iter().map(port).collect(),
        );
        let others = match &status.instance {
            None => String::new(),
            Some(instance) => {
                let groups: Vec<String> = status.groups.iter().map(ToString::to_string).collect();
                let groups = if groups.is_empty() { "none".into() } else { groups.join(", ") };
                let cut_off = match status.cut_off {
                    true => {
                        "It is cut off from the store: requests are refused, and this may be out of date.\n"
                    }
                    false => "",
                };
                format!(
                    "\ncontroller {instance}; groups of ports that it writes: {groups}\n{cut_off}"
                )
            }
        };
        let own = match status.own_only {
            true => {
                "\nOnly your own applications are shown, and the ports on the paths of your connections.\n"
            }
            false => "",
        };
        let doubts = doubts(&status.applications);
        let (applications, ports) = (tables::table(&applications), tables::table(&ports));
        format!("{applications}{doubts}\n{ports}{own}{others}")
    }
}

/// Returns a row for each application in the order of ids; all parts of a job share a row.
fn applications(registrations: &[ApplicationStatus]) -> Vec<Vec<Cell>> {
    let mut all = BTreeMap::<ApplicationId, (&ApplicationStatus, usize, usize)>::new();
    for of in registrations {
        let (_, parts, connections) = all.entry(of.whole).or_insert((of, 0, 0));
        *parts += 1;
        *connections += of.connections;
    }
    let row =
        |(id, (of, parts, connections)): (ApplicationId, (&ApplicationStatus, usize, usize))| {
            vec![
                Cell::text(id.0.to_string()),
                Cell::text(&of.name),
                Cell::text(of.job.as_deref().unwrap_or_default()),
                Cell::text(of.level.0.to_string()),
                Cell::text(parts.to_string()),
                Cell::text(connections.to_string()),
            ]
        };
    all.into_iter().map(row).collect()
}

/// Returns a line for each doubt about a model. The parts of a job share their doubts.
fn doubts(registrations: &[ApplicationStatus]) -> String {
    let of = |of: &ApplicationStatus| {
        let (id, name) = (of.whole.0, of.name.clone());
        of.doubts.iter().cloned().map(move |doubt| (id, name.clone(), doubt)).collect::<Vec<_>>()
    };
    let all: BTreeSet<_> = registrations.iter().flat_map(of).collect();
    let line =
        |(id, name, doubt)| format!("Warning: model of {name}, application {id}: {doubt}.\n");
    let lines: String = all.into_iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn port(port: &PortStatus) -> Vec<Cell> {
    let state = match &port.fault {
        _ if port.foreign => format!("of group {}", port.group),
        Some(fault) => fault.clone(),
        None if port.late => "does not answer".into(),
        None if port.drained => "drained".into(),
        None if port.settled => "settled".into(),
        None => "being written".into(),
    };
    let read = port.read.as_ref().map_or("?".into(), queues);
    vec![
        Cell::text(&port.name),
        Cell::text(queues(&port.wanted)),
        Cell::text(read),
        Cell::text(state),
    ]
}

/// Returns a port's queues: `0,3=2 1=1` is a queue of levels 0 and 3 with weight 2, and one of
/// level 1 with weight 1.
fn queues(config: &PortConfig) -> String {
    let queue = |(at, weight): (u8, &u8)| {
        let levels = config.table.iter().filter(|of| of.1 == at);
        let levels: Vec<String> = levels.map(|of| of.0.0.to_string()).collect();
        format!("{}={weight}", levels.join(","))
    };
    let queues: Vec<String> = (0..).zip(&config.weights).map(queue).collect();
    queues.join(" ")
}
