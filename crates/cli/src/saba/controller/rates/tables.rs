//! The text of a [`RatesAnswer`].

use super::By;
use super::answer::{Application, Rate, RatesAnswer, Row};
use bandwise_enforce_simulated::Times;
use bandwise_report::{Cell, Table, text as tables};
use bandwise_units::BitRate;

/// Returns the tables and the lines below them.
pub(super) fn text(answer: &RatesAnswer) -> String {
    let table = |title: &str, header: &[&str], rows| Table {
        title: title.into(),
        caption: String::new(),
        header: header.iter().copied().map(String::from).collect(),
        rows,
    };
    let number = |n: u64| Cell::text(n.to_string());
    let rates = |rate: &Rate| {
        let gbps = |rate: BitRate| Cell::number(rate.as_gbps_f64(), "Gbps");
        let most = rate.port.as_ref().zip(rate.part);
        let most = most.map(|(port, part)| format!("{:.1} % at {port}", part * 100.0));
        [gbps(rate.gets), gbps(rate.max_min), Cell::text(most.unwrap_or_default())]
    };
    let application = |of: &Application| -> Vec<Cell> {
        let (job, connections) = (of.job.clone().unwrap_or_default(), of.connections as u64);
        let subject = [number(of.application.0), Cell::text(&of.name), Cell::text(job)];
        subject.into_iter().chain([number(connections)]).chain(rates(&of.rate)).collect()
    };
    let connection = |of: &Row| -> Vec<Cell> {
        let subject =
            [number(of.connection.0), number(of.application.0), number(of.level.0.into())];
        let ends = [&of.from, &of.to].map(Cell::text);
        subject.into_iter().chain(ends).chain(rates(&of.rate)).collect()
    };
    let applications = table(
        "Applications, if all send at once",
        &["application", "name", "job", "connections", "gets", "max-min", "most of a link"],
        answer.applications.iter().map(application).collect(),
    );
    let connections = table(
        "Connections",
        &[
            "connection",
            "application",
            "level",
            "from",
            "to",
            "gets",
            "max-min",
            "of the fullest link",
        ],
        answer.connections.iter().map(connection).collect(),
    );
    let being_written = match answer.settled {
        true => "",
        false => {
            "Ports are being written, or the controller is cut off: these rates follow from the weights read back last.\n"
        }
    };
    format!(
        "{}\n{}\n{}\nMax-min is the rate without weights, at flow level.\n{being_written}",
        tables::table(&applications),
        tables::table(&connections),
        answer.by.sentence(),
    )
}

impl By {
    fn sentence(self) -> String {
        match self {
            By::Flows { is_at_rest: true } => {
                "By rates: queues share a link by weight, connections within a queue max-min fairly.".into()
            }
            By::Flows { is_at_rest: false } => "By rates, which don't come to rest with these weights: no link has more than it \
                 carries, but some\nconnections may have less than they could."
                .into(),
            By::Packets(Times { warmup, measured }) => format!(
                "Packet by packet: WRITEs of 64 KiB over InfiniBand, counted with all headers where they arrive,\n\
                 for {measured} after {warmup} of warm-up."
            ),
        }
    }
}
