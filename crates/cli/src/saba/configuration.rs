//! The configuration for Saba: a level for each application, queues and weights for each port.

use super::settings::Settings;
use bandwise_report::{Cell, Table};
use bandwise_saba::controller::PortConfig;
use bandwise_saba::mapping::Queues;
use bandwise_scenario::jobs::{Findings, JobOutlook, JobsScenario, SharedJob};
use bandwise_topology::{Fabric, NodeId, Port};
use serde::{Serialize, Serializer};

/// The most entries of a table of ports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    /// The largest number of kinds; those with the most ports are listed.
    pub(super) kinds: usize,
    /// The largest number of names of a kind.
    pub(super) names: usize,
}

/// Returns the table of levels and the table of ports.
pub(super) fn tables(settings: &Settings, findings: &Findings, room: Room) -> Vec<Table> {
    let ports = ports(settings.scenario.fabric(), findings, room);
    vec![levels(&settings.scenario, findings), ports]
}

/// Returns the level of each application.
fn levels(scenario: &JobsScenario, findings: &Findings) -> Table {
    let mut rows: Vec<(&str, u16, usize)> = Vec::new();
    for (job, outlook) in scenario.jobs().iter().zip(&findings.outlook.jobs) {
        let (application, level) = (job.application.as_str(), outlook.level.0);
        match rows.iter_mut().find(|row| (row.0, row.1) == (application, level)) {
            Some(row) => row.2 += 1,
            None => rows.push((application, level, 1)),
        }
    }
    rows.sort_by_key(|row| row.1);
    let row = |(application, level, jobs): (&str, u16, usize)| {
        vec![
            Cell::text(application),
            Cell::number(f64::from(level), ""),
            Cell::number(jobs as f64, ""),
        ]
    };
    Table {
        title: "To configure: the level of each application".into(),
        caption: "Levels are service levels (SL) in InfiniBand, from the least sensitive application to the most. \
                  All packets of an application carry its level."
            .into(),
        header: ["application", "level", "jobs"].map(str::to_owned).into(),
        rows: rows.into_iter().map(row).collect(),
    }
}

/// Returns queues and weights of ports; ports with the same settings share a row.
fn ports(fabric: &Fabric, findings: &Findings, room: Room) -> Table {
    let mut kinds: Vec<(String, Vec<Port>)> = Vec::new();
    for (port, config) in &findings.outlook.ports {
        let queues = queues(config);
        match kinds.iter_mut().find(|kind| kind.0 == queues) {
            Some(kind) => kind.1.push(*port),
            None => kinds.push((queues, vec![*port])),
        }
    }
    // Kinds with the most ports first; equals stay in the order of ports.
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.1.len()));
    let all = kinds.len();
    let left_out = kinds.get(room.kinds..).unwrap_or_default();
    let left_out: usize = left_out.iter().map(|kind| kind.1.len()).sum();
    let row = |(i, (queues, ports)): (usize, &(String, Vec<Port>))| {
        let which = match (i, all) {
            (0, 1) => format!("all {}", ports.len()),
            (0, _) => format!("all others ({})", ports.len()),
            _ => named(fabric, ports, room.names),
        };
        vec![Cell::text(which), Cell::text(queues)]
    };
    let mut rows: Vec<Vec<Cell>> = kinds.iter().take(room.kinds).enumerate().map(row).collect();
    if left_out > 0 {
        let what = format!("{left_out} ports of {} other kinds", all - room.kinds);
        rows.push(vec![Cell::text(what), Cell::text("in the JSON")]);
    }
    // The row of all other ports comes last.
    let others = usize::from(rows.len() > 1);
    rows.rotate_left(others);
    Table {
        title: "To configure: queues and weights of ports".into(),
        caption: "For the time in which all jobs are present. Queues are virtual lanes (VL) in InfiniBand, weights \
                  those of its arbitration tables. Ports that are not listed carry no packets of these jobs."
            .into(),
        header: ["ports", "queues: their levels, weight"].map(str::to_owned).into(),
        rows,
    }
}

/// Returns the queues of a port in a line. The number of an only level has no effect and is left out.
fn queues(config: &PortConfig) -> String {
    if config.table.iter().len() == 1 {
        return format!("0: its only level, {}", config.weights[0]);
    }
    let queue = |(queue, weight): (u8, &u8)| {
        let of_queue = config.table.iter().filter(|&(_, of)| of == queue);
        let levels: Vec<u32> = of_queue.map(|(level, _)| u32::from(level.0)).collect();
        format!("{queue}: level {}, {weight}", ranges(&levels))
    };
    let queues: Vec<String> = (0..).zip(&config.weights).map(queue).collect();
    queues.join("; ")
}

/// Returns rising numbers as ranges, such as "1-4, 7".
fn ranges(numbers: &[u32]) -> String {
    let range = |some: &[u32]| match some {
        [one] => one.to_string(),
        some => format!("{}-{}", some[0], some[some.len() - 1]),
    };
    let ranges: Vec<String> = numbers.chunk_by(|a, b| a + 1 == *b).map(range).collect();
    ranges.join(", ")
}

/// Returns the names of ports in the fabric's order. Consecutive nodes with the same ports are one entry; after `most`
/// entries, the number of ports follows.
fn named(fabric: &Fabric, ports: &[Port], most: usize) -> String {
    let of_node: Vec<(NodeId, String)> = ports
        .chunk_by(|a, b| a.node == b.node)
        .map(|of| (of[0].node, ranges(&of.iter().map(|p| u32::from(p.number)).collect::<Vec<_>>())))
        .collect();
    let follows = |a: &(NodeId, String), b: &(NodeId, String)| a.0.0 + 1 == b.0.0 && a.1 == b.1;
    let name = |node: NodeId| fabric.node(node).name.as_str();
    let run = |nodes: &[(NodeId, String)]| match nodes {
        [(node, ports)] => format!("{}:{ports}", name(*node)),
        nodes => format!("{}..{}:{}", name(nodes[0].0), name(nodes[nodes.len() - 1].0), nodes[0].1),
    };
    let mut runs: Vec<String> = of_node.chunk_by(follows).map(run).collect();
    if runs.len() > most {
        runs.truncate(most);
        runs.push(format!("… ({})", ports.len()));
    }
    runs.join(" ")
}

/// The configuration in JSON.
#[derive(Serialize)]
pub(super) struct Configuration<'a> {
    levels: Vec<LevelRow<'a>>,
    ports: Vec<PortRow<'a>>,
}

/// The level of a job.
#[derive(Serialize)]
struct LevelRow<'a> {
    job: &'a str,
    application: &'a str,
    level: u16,
}

/// The queues of a port.
#[derive(Serialize)]
struct PortRow<'a> {
    node: &'a str,
    port: u16,
    #[serde(serialize_with = "queue_of_level")]
    queue_of_level: &'a Queues,
    weights: &'a [u8],
}

/// Serialises the queue of each level as an object.
fn queue_of_level<S: Serializer>(queues: &Queues, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(queues.iter().map(|(level, queue)| (level.0.to_string(), queue)))
}

impl<'a> Configuration<'a> {
    /// Returns the level of each job and the queues of each port.
    pub(super) fn new(settings: &'a Settings, findings: &'a Findings) -> Self {
        let fabric = settings.scenario.fabric();
        let jobs = settings.scenario.jobs().iter().zip(&findings.outlook.jobs);
        let level = |(job, outlook): (&'a SharedJob, &JobOutlook)| LevelRow {
            job: &job.name,
            application: job.application.as_str(),
            level: outlook.level.0,
        };
        let port = |(port, config): &'a (Port, PortConfig)| PortRow {
            node: &fabric.node(port.node).name,
            port: port.number,
            queue_of_level: &config.table,
            weights: &config.weights,
        };
        Configuration {
            levels: jobs.map(level).collect(),
            ports: findings.outlook.ports.iter().map(port).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bandwise_topology::builders;
    use bandwise_units::{BitRate, Time};

    #[test]
    fn consecutive_numbers_are_one_range() {
        assert_eq!(ranges(&[1, 2, 3, 5, 7, 8]), "1-3, 5, 7-8");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn consecutive_nodes_share_an_entry() {
        let link = (BitRate::from_gbps(56), Time::from_ns(10));
        let fabric = builders::single_switch(4, link.0, link.1).unwrap();
        let ports: Vec<Port> = fabric
            .hosts()
            .iter()
            .take(3)
            .map(|&host| fabric.host_port(host))
            .chain(fabric.ports(fabric.switches()[0]).take(2))
            .collect();
        let mut ports = ports;
        ports.sort_by_key(|port| (port.node, port.number));
        let switch = &fabric.node(fabric.switches()[0]).name;
        let few = named(&fabric, &ports, 1);
        assert!(few.ends_with(" … (5)"), "{few}");
        let named = named(&fabric, &ports, 9);
        assert!(named.contains("h0..h2:1"), "{named}");
        assert!(named.contains(&format!("{switch}:1-2")), "{named}");
    }
}
