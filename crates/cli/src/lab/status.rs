//! `bandwise lab status`, and the rendering of ports.

use super::name::NameFlag;
use crate::answer::{Answer, Stats};
use crate::failure::Failure;
use crate::output::Json;
use bandwise_lab::{Lab, PortShares, QueueShare, Record, needs_root};
use bandwise_report::{Cell, Table, text as tables};
use serde::Serialize;

/// Flags of `bandwise lab status`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Weights are read from the ports, in lowest terms. The column `at least` is the bandwidth of packets
with these marks while all others are busy.

Examples:
  bandwise lab status
  bandwise lab status --name rack2 --json")]
pub(crate) struct Flags {
    #[command(flatten)]
    name: NameFlag,
    #[command(flatten)]
    json: Json,
}

impl Flags {
    /// Reads the ports and prints them.
    pub(crate) fn run(self) -> Result<(), Failure> {
        let outputs = self.json.resolve(&[])?;
        needs_root()?;
        let record = Record::open(&self.name.name)?;
        let ports = record.ports()?;
        let lab = &record.lab;
        outputs.answer(&StatusAnswer {
            schema: 1,
            lab: &lab.name,
            hosts: HostRow::all(lab),
            ports: ports.iter().map(PortRow::from).collect(),
            stats: Stats::HERE,
        })
    }
}

/// A lab's hosts and ports.
#[derive(Serialize)]
struct StatusAnswer<'a> {
    schema: u32,
    lab: &'a str,
    hosts: Vec<HostRow>,
    ports: Vec<PortRow<'a>>,
    stats: Stats,
}

/// A host of a lab.
#[derive(Serialize)]
pub(super) struct HostRow {
    host: String,
    address: String,
    namespace: String,
}

impl HostRow {
    /// Returns the hosts of a lab in order.
    pub(super) fn all(lab: &Lab) -> Vec<HostRow> {
        let row = |(number, host): (u8, String)| HostRow {
            address: Lab::address(number),
            namespace: lab.namespace(&host),
            host,
        };
        (1..).zip(lab.host_names()).map(row).collect()
    }
}

/// A port of a lab.
#[derive(Serialize)]
pub(super) struct PortRow<'a> {
    port: &'a str,
    rate_bps: u64,
    others_percent: f64,
    queues: Vec<QueueRow<'a>>,
    #[serde(skip)]
    shares: &'a PortShares,
}

/// A queue of a port.
#[derive(Serialize)]
struct QueueRow<'a> {
    dscp: &'a [u16],
    weight: u8,
    least_bps: u64,
}

impl Answer for StatusAnswer<'_> {
    fn text(&self) -> String {
        let host = |of: &HostRow| [&of.host, &of.address, &of.namespace].map(Cell::text).into();
        let hosts = Table {
            title: format!("Hosts of {}", self.lab),
            caption: String::new(),
            header: ["host", "address", "namespace"].map(String::from).into(),
            rows: self.hosts.iter().map(host).collect(),
        };
        format!("{}\n{}", tables::table(&hosts), text(&self.ports))
    }
}

impl<'a> From<&'a PortShares> for PortRow<'a> {
    fn from(shares: &'a PortShares) -> Self {
        let queue = |queue: &'a QueueShare| QueueRow {
            dscp: &queue.dscp,
            weight: queue.weight,
            least_bps: queue.least_bps,
        };
        PortRow {
            port: &shares.name,
            rate_bps: shares.rate.as_bps(),
            others_percent: (shares.others * 100.0).round(),
            queues: shares.queues.iter().map(queue).collect(),
            shares,
        }
    }
}

/// Returns the table of ports: a row for each queue, and one for packets without a weight.
pub(super) fn text(ports: &[PortRow]) -> String {
    let rate = |bps: f64| Cell::number(bps / 1e6, "Mbps");
    let mut rows = Vec::new();
    for PortRow { shares: port, .. } in ports {
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
