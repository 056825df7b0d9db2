//! Ports and their weights, as text and JSON.

use bandwise_enforce::infiniband::{Lanes, PortAt};
use bandwise_report::{Cell, Table, text as tables};
use bandwise_saba::controller::PortConfig;
use bandwise_switches::Port;
use serde::Serialize;

/// A port and the weights that were read from it.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    #[serde(rename = "port")]
    name: String,
    guid: String,
    number: u8,
    lanes: u8,
    queues: Vec<ShownQueue>,
}

/// A queue: its service levels, lane and weight.
#[derive(Debug, Serialize)]
struct ShownQueue {
    sl: Vec<u8>,
    vl: u8,
    weight: u8,
}

impl Shown {
    /// Returns a port with the configuration that was read from it.
    pub(super) fn new(port: &Port, at: PortAt, read: &PortConfig, lanes: &Lanes) -> Self {
        let queue = |(queue, &weight): (u8, &u8)| {
            let of = read.table.iter().filter(|of| of.1 == queue);
            let sls = of.map(|of| lanes.sls()[usize::from(of.0.0)].get()).collect();
            ShownQueue { sl: sls, vl: lanes.vls()[usize::from(queue)].get(), weight }
        };
        let queues = (0..).zip(&read.weights).map(queue).collect();
        Shown {
            name: port.name.clone(),
            guid: at.node.to_string(),
            number: at.port,
            lanes: port.queues.get(),
            queues,
        }
    }
}

/// Returns the table of ports: a row for each queue, or one row with `none` for a port without
/// queues.
pub(super) fn text(ports: &[Shown]) -> String {
    let mut rows = Vec::new();
    for port in ports {
        let mut name = Cell::text(port.name.clone());
        for ShownQueue { sl, vl, weight } in &port.queues {
            let sls: Vec<String> = sl.iter().map(u8::to_string).collect();
            let name = std::mem::replace(&mut name, Cell::text(""));
            let numbers = [vl, weight].map(|number| Cell::text(number.to_string()));
            rows.push([name, Cell::text(sls.join(", "))].into_iter().chain(numbers).collect());
        }
        if port.queues.is_empty() {
            rows.push([name].into_iter().chain(["none", "", ""].map(Cell::text)).collect());
        }
    }
    let header = ["port", "SL", "VL", "weight"].map(String::from).into();
    tables::table(&Table { title: "Ports".into(), caption: String::new(), header, rows })
}
