//! How what stands at a port is shown.

use bandwise_enforce::Port;
use bandwise_enforce::infiniband::{Lanes, PortAt};
use bandwise_report::{Cell, Table, text as tables};
use bandwise_saba::controller::PortConfig;
use serde_json::{Value, json};

/// A port and what was read from it.
#[derive(Debug)]
pub struct Shown {
    name: String,
    at: PortAt,
    lanes: u8,
    /// Service levels, lane, weight.
    queues: Vec<(Vec<u8>, u8, u8)>,
}

impl Shown {
    /// What was read from a port.
    pub fn new(port: &Port, at: PortAt, read: &PortConfig, lanes: &Lanes) -> Self {
        let queue = |(queue, &weight): (u8, &u8)| {
            let of = read.table.iter().filter(|of| of.1 == queue);
            let sls = of.map(|of| lanes.sls()[usize::from(of.0.0)].get()).collect();
            (sls, lanes.vls()[usize::from(queue)].get(), weight)
        };
        let queues = (0..).zip(&read.weights).map(queue).collect();
        Shown { name: port.name.clone(), at, lanes: port.queues.get(), queues }
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let queue = |(sls, vl, weight): &(Vec<u8>, u8, u8)| json!({ "sl": sls, "vl": vl, "weight": weight });
        json!({
            "port": self.name,
            "guid": self.at.node.to_string(),
            "number": self.at.port,
            "lanes": self.lanes,
            "queues": self.queues.iter().map(queue).collect::<Vec<_>>(),
        })
    }
}

/// A row for each queue of ports, or one that says that there is none.
pub fn text(ports: &[Shown]) -> String {
    let mut rows = Vec::new();
    for port in ports {
        let mut name = Cell::text(port.name.clone());
        for (sls, vl, weight) in &port.queues {
            let sls: Vec<String> = sls.iter().map(u8::to_string).collect();
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
