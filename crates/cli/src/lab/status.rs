//! `bandwise lab status`, and the rendering of ports.

use super::name::NameFlag;
use crate::failure::Failure;
use crate::output::Json;
use bandwise_lab::{Lab, PortShares, QueueShare, Record, needs_root};
use bandwise_report::{Cell, Table, text as tables};
use serde_json::{Value, json};

/// Flags of `bandwise lab status`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Weights are read from the ports, in lowest terms. The column `at least` is the bandwidth of packets
with these marks while all others are busy.

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
    /// Reads the ports and prints them.
    pub fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        needs_root()?;
        let record = Record::open(&self.name.name)?;
        let ports = record.ports()?;
        let lab = &record.lab;
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
            "ports": ports.iter().map(json).collect::<Vec<_>>(),
            "stats": { "version": env!("CARGO_PKG_VERSION") },
        });
        outputs.emit(&format!("{}\n{}", tables::table(&hosts), text(&ports)), &document)
    }
}

/// Returns a port for programs.
pub fn json(port: &PortShares) -> Value {
    let queue = |queue: &QueueShare| json!({ "dscp": queue.dscp, "weight": queue.weight, "least_bps": queue.least_bps });
    json!({
        "port": port.name,
        "rate_bps": port.rate.as_bps(),
        "others_percent": (port.others * 100.0).round(),
        "queues": port.queues.iter().map(queue).collect::<Vec<_>>(),
    })
}

/// Returns the table of ports: a row for each queue, and one for packets without a weight.
pub fn text(ports: &[PortShares]) -> String {
    let rate = |bps: f64| Cell::number(bps / 1e6, "Mbps");
    let mut rows = Vec::new();
    for port in ports {
        let link = port.rate.as_bps() as f64;
        let mut name = Cell::text(port.name.clone());
        for QueueShare { dscp, weight, least_bps } in &port.queues {
            let marks: Vec<String> = dscp.iter().map(u16::to_string).collect();
            let name = std::mem::replace(&mut name, Cell::text(""));
            let weight = Cell::text(weight.to_string());
            rows.push(vec![
                name,
                Cell::text(marks.join(", ")),
                weight,
                rate(*least_bps as f64),
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
