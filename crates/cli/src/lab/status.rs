//! `bandwise lab status`, and how what stands at a port is shown.

use super::parts::Lab;
use super::record::Record;
use super::{NameFlag, root};
use crate::failure::Failure;
use crate::output::Json;
use anyhow::Result;
use bandwise_enforce::tc::LinuxTc;
use bandwise_enforce::{Fault, Switches};
use bandwise_report::{Cell, Table, text as tables};
use bandwise_saba::controller::{PortConfig, PortId};
use bandwise_units::BitRate;
use serde_json::{Value, json};

/// Flags of `bandwise lab status`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Weights are read from the ports, in lowest terms. `at least` is what packets with such marks get whatever
the others do.

Examples:
  bandwise lab status
  bandwise lab status --name rack2 --json")]
pub struct Flags {
    #[command(flatten)]
    name: NameFlag,
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Looks and prints.
    pub fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        root::needs_root()?;
        let record = Record::open(&self.name.name)?;
        let lab = &record.lab;
        for node in lab.nodes() {
            record.namespace(&node)?;
        }
        let mut switches = lab.switches().map_err(anyhow::Error::from)?;
        let failed = |fault: Fault| Failure::Work(fault.into());
        let mut ports = Vec::new();
        for port in switches.discover().map_err(failed)? {
            let config = switches.read_back(port.id).map_err(failed)?;
            ports.push(Shown::new(lab, &switches, port.id, config)?);
        }
        let host = |(number, name): (u8, String)| {
            let namespace = lab.namespace(&name);
            vec![name, Lab::address(number), namespace].into_iter().map(Cell::text).collect()
        };
        let hosts = Table {
            title: format!("Hosts of {}", lab.name),
            caption: String::new(),
            header: ["host", "address", "namespace"].map(String::from).into(),
            rows: (1..).zip(lab.host_names()).map(host).collect(),
        };
        let document = json!({
            "schema": 1,
            "lab": lab.name,
            "hosts": (1..).zip(lab.host_names()).map(|(number, name)| json!({
                "host": name, "address": Lab::address(number), "namespace": lab.namespace(&name),
            })).collect::<Vec<_>>(),
            "ports": ports.iter().map(Shown::json).collect::<Vec<_>>(),
            "stats": { "version": env!("CARGO_PKG_VERSION") },
        });
        outputs.emit(&format!("{}\n{}", tables::table(&hosts), text(&ports)), &document)
    }
}

/// A port and what was read from it.
#[derive(Debug)]
pub struct Shown {
    name: String,
    rate: BitRate,
    others: f64,
    /// Marks, weight, bits a second at least.
    queues: Vec<(Vec<u16>, u8, u64)>,
}

impl Shown {
    /// What was read from a port of a lab.
    pub fn new(lab: &Lab, switches: &LinuxTc, id: PortId, read: PortConfig) -> Result<Self> {
        let port = switches.port(id)?;
        let sum: u64 = read.weights.iter().map(|&weight| u64::from(weight)).sum();
        let queue = |(at, &weight): (u8, &u8)| {
            let marks = read.table.iter().filter(|of| of.1 == at).map(|of| of.0.0).collect();
            let saba = port.layout.link().as_bps() as f64 * (1.0 - lab.others);
            (marks, weight, (saba * f64::from(weight) / sum as f64).round() as u64)
        };
        Ok(Shown {
            name: port.name.clone(),
            rate: port.layout.link(),
            others: lab.others,
            queues: (0..).zip(&read.weights).map(queue).collect(),
        })
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let queue = |(marks, weight, least): &(Vec<u16>, u8, u64)| json!({ "dscp": marks, "weight": weight, "least_bps": least });
        json!({
            "port": self.name,
            "rate_bps": self.rate.as_bps(),
            "others_percent": (self.others * 100.0).round(),
            "queues": self.queues.iter().map(queue).collect::<Vec<_>>(),
        })
    }
}

/// A row for each queue of ports, and for everyone else there.
pub fn text(ports: &[Shown]) -> String {
    let rate = |bps: f64| Cell::number(bps / 1e6, "Mbps");
    let mut rows = Vec::new();
    for port in ports {
        let link = port.rate.as_bps() as f64;
        let mut name = Cell::text(port.name.clone());
        for (marks, weight, least) in &port.queues {
            let marks: Vec<String> = marks.iter().map(u16::to_string).collect();
            let name = std::mem::replace(&mut name, Cell::text(""));
            let weight = Cell::text(weight.to_string());
            rows.push(vec![
                name,
                Cell::text(marks.join(", ")),
                weight,
                rate(*least as f64),
                rate(link),
            ]);
        }
        let others =
            [Cell::text("all others"), Cell::text(""), rate(link * port.others), rate(link)];
        rows.push([name].into_iter().chain(others).collect());
    }
    let header = ["port", "DSCP", "weight", "at least", "at most"].map(String::from).into();
    tables::table(&Table { title: "Ports".into(), caption: String::new(), header, rows })
}
