//! The results as tables for the terminal.

use super::flow_sizes;
use super::headroom;
use super::names::{group, percent};
use bandwise_netsim::ethernet::{Buffering, InputBuffers, Routing, Schedule, SharedBuffer};
use bandwise_rdma::congestion::Algorithm;
use bandwise_rdma::homa;
use bandwise_rdma::transport::{Recovery, Timeout, TransportSettings};
use bandwise_report::{Cell, Table, text};
use bandwise_scenario::Stop;
use bandwise_scenario::ethernet::{
    Distribution, EthernetResults, EthernetScenario, Group, RequestResult, TransportKind,
};
use bandwise_units::{Bytes, Time};

/// Returns the tables and the lines below them.
pub(super) fn text(scenario: &EthernetScenario, results: &EthernetResults) -> String {
    let mut parts: Vec<String> = all(scenario, results).iter().map(text::table).collect();
    parts.push(closing(scenario, results));
    parts.join("\n")
}

/// Returns all tables.
pub(super) fn all(scenario: &EthernetScenario, results: &EthernetResults) -> Vec<Table> {
    let mut tables = Vec::new();
    if !results.groups.is_empty() {
        tables.push(completion_times(results));
        tables.push(slowdowns(results));
    }
    tables.extend(results.requests.as_ref().map(requests));
    tables.push(network(scenario, results));
    tables
}

fn header(first: &str) -> Vec<String> {
    let shares = Distribution::PERCENTILES.map(|share| format!("p{}", percent(share)));
    let mut header = vec![first.to_owned(), "flows".to_owned(), "average".to_owned()];
    header.extend(shares);
    header
}

fn us(time: Time) -> Cell {
    Cell::number(time.as_ns_f64() / 1e3, "us")
}

fn completion_times(results: &EthernetResults) -> Table {
    let row = |(name, found): &(Group, Distribution)| {
        let mut cells = vec![Cell::text(group(*name)), Cell::number(found.flows as f64, "")];
        cells.push(us(found.average));
        cells.extend(found.percentiles.map(us));
        cells
    };
    Table {
        title: "Flow completion time".into(),
        caption: String::new(),
        header: header("size"),
        rows: results.groups.iter().map(row).collect(),
    }
}

fn slowdowns(results: &EthernetResults) -> Table {
    let row = |(name, found): &(Group, Distribution)| {
        let mut cells = vec![Cell::text(group(*name)), Cell::number(found.flows as f64, "")];
        let values = [found.average_slowdown].into_iter().chain(found.slowdown_percentiles);
        cells.extend(values.map(|value| Cell::number(value, "")));
        cells
    };
    Table {
        title: "Slowdown".into(),
        caption: "Completion time over that in an empty network, both until the last byte is at \
                  the receiver."
            .into(),
        header: header("size"),
        rows: results.groups.iter().map(row).collect(),
    }
}

fn requests(found: &RequestResult) -> Table {
    let RequestResult { requests, average, percentiles: [half, most], longest } = *found;
    let header = ["requests", "average", "p50", "p99", "longest"];
    let mut cells = vec![Cell::number(requests as f64, "")];
    cells.extend([average, half, most, longest].map(us));
    Table {
        title: "Request completion time of the incast".into(),
        caption: String::new(),
        header: header.map(str::to_owned).to_vec(),
        rows: vec![cells],
    }
}

fn network(scenario: &EthernetScenario, results: &EthernetResults) -> Table {
    let counters = &results.counters;
    let count = |name: &str, value: u64| vec![Cell::text(name), Cell::number(value as f64, "")];
    let mut rows = vec![
        count("packets delivered", counters.packets_delivered),
        count("packet-hops", counters.packet_hops),
        count("packets dropped", counters.packets_dropped),
        count("packets marked", counters.packets_marked),
        count("packets retransmitted", counters.packets_retransmitted),
        count("timeouts", counters.timeouts),
        count("pauses", counters.pauses),
    ];
    let ms = counters.paused.as_s_f64() * 1e3;
    rows.push(vec![Cell::text("paused, all ports together"), Cell::number(ms, "ms")]);
    let kb = counters.peak_buffer.get() as f64 / 1e3;
    let fullest = match &scenario.model().switch.buffering {
        Buffering::PerInput(_) => "fullest input buffer",
        Buffering::Shared(_) => "fullest buffer of a switch",
    };
    rows.push(vec![Cell::text(fullest), Cell::number(kb, "kB")]);
    Table {
        title: "The network".into(),
        caption: "Packets with acknowledgements; a packet-hop is a link crossed by one.".into(),
        header: vec!["what".into(), "how much".into()],
        rows,
    }
}

/// Returns the lines with the circumstances of all numbers.
pub(super) fn closing(scenario: &EthernetScenario, results: &EthernetResults) -> String {
    let missing = results.started - results.finished;
    let why = match &results.stop {
        Stop::Complete => None,
        Stop::Limit => Some("ended at the limit of simulated time"),
        Stop::Stuck => Some("no event is pending"),
        Stop::Deadlock(_) => Some("ended by a deadlock"),
        Stop::Interrupted => Some("interrupted"),
    };
    let partial = why.map(|why| format!("Partial: {why}, {missing} flows have not arrived. "));
    let (hosts, switches) = (scenario.fabric().hosts().len(), scenario.fabric().switches().len());
    let warmup = match scenario.warmup() {
        Time::ZERO => String::new(),
        time => format!("Flows that started before {time} are not in the tables of flows.\n"),
    };
    let flows = match missing {
        0 => format!("{} flows", results.finished),
        _ => format!("{} of {} flows finished", results.finished, results.started),
    };
    let means = flow_sizes::line(scenario, results);
    let switches = if switches == 1 { "1 switch".into() } else { format!("{switches} switches") };
    format!(
        "{}{}: {hosts} hosts, {switches}.\n{}.\n{means}{warmup}{flows}, {:.3} ms simulated, seed {}, bandwise {}.\n",
        partial.unwrap_or_default(),
        scenario.title(),
        transport(scenario),
        results.simulated.as_s_f64() * 1e3,
        scenario.seed(),
        env!("CARGO_PKG_VERSION"),
    )
}

/// Returns the warning for a run in which all flows are warm-up.
pub(super) fn all_warmup(scenario: &EthernetScenario, results: &EthernetResults) -> String {
    let (flows, warmup) = (results.finished, scenario.warmup());
    format!("no flow counts: all {flows} started before warmup = \"{warmup}\" was over")
}

/// Returns the transport as text.
fn transport(scenario: &EthernetScenario) -> String {
    let (kind, mtu) = (scenario.transport().title(), scenario.model().host.mtu);
    let buffer = buffers(scenario);
    if let Some(homa) = &scenario.model().host.homa {
        return format!("{kind}; {}.\nMTU {mtu} B, {buffer}", messages(homa));
    }
    let TransportSettings { recovery, window, timeout, .. } = scenario.model().host.transport;
    let recovery = match (scenario.transport(), recovery) {
        (TransportKind::Irn, Recovery::GoBackN) => " with go-back-N",
        (TransportKind::Irn, Recovery::SelectiveWithoutSack) => " without SACK",
        (TransportKind::Roce, Recovery::Selective { .. }) => " with SACK",
        (TransportKind::Roce, Recovery::SelectiveWithoutSack) => " with selective retransmission",
        _ => "",
    };
    let pfc = match &scenario.model().switch.buffering {
        Buffering::PerInput(InputBuffers { pfc: Some(pfc), .. }) => {
            format!("with PFC (X-OFF at {} B)", pfc.xoff.get())
        }
        Buffering::Shared(SharedBuffer { pfc: Some(_), .. }) => match headroom::range(scenario) {
            Some((least, most)) if least < most => {
                format!("with PFC (headroom of {} to {} B by port)", least.get(), most.get())
            }
            range => {
                let each = range.map_or(0, |(_, most)| most.get());
                format!("with PFC (headroom of {each} B)")
            }
        },
        _ => "without PFC".to_owned(),
    };
    let cap = match window {
        Some(packets) => format!("at most {packets} packets in flight"),
        None => "no cap".to_owned(),
    };
    let timeout = match timeout {
        Timeout::None => "no timeout".to_owned(),
        Timeout::Fixed(time) => format!("timeout {time}"),
        Timeout::LowHigh { low, high, .. } => format!("timeouts {low} and {high}"),
        Timeout::Dynamic { initial, .. } => format!("dynamic timeout from {initial}"),
    };
    let congestion = match &scenario.model().host.congestion.algorithm {
        Algorithm::None => "",
        Algorithm::Dcqcn => ", DCQCN",
        Algorithm::Timely => ", Timely",
        Algorithm::Aimd => ", AIMD",
        Algorithm::Dctcp => ", DCTCP",
        Algorithm::Hpcc => ", HPCC",
        Algorithm::Swift => ", Swift",
    };
    let poll = match scenario.model().host.poll {
        Some(every) => format!(", flows poll every {every}"),
        None => String::new(),
    };
    let response = match scenario.model().pause_response {
        Time::ZERO => String::new(),
        time => format!(", pauses obeyed after {time}"),
    };
    let limit = headroom::limit(scenario).map(|limit| format!("\nNote: {limit}."));
    let limit = limit.unwrap_or_default();
    format!(
        "{kind}{recovery} {pfc}{congestion}; {cap}, {timeout}{poll}{response}.{limit}\nMTU {mtu} B, {buffer}"
    )
}

/// Returns the settings of Homa as text.
fn messages(homa: &homa::HomaSettings) -> String {
    let homa::HomaSettings { priorities, rtt, resend_after } = homa;
    let cutoffs: Vec<String> = priorities.cutoffs().iter().map(Bytes::to_string).collect();
    let unscheduled = match cutoffs.len() {
        0 => "1 priority".to_owned(),
        cut => format!("{} priorities (up to {}, larger)", cut + 1, cutoffs.join(", ")),
    };
    let scheduled = priorities.scheduled();
    format!(
        "{rtt} packets without a grant by {unscheduled}, {scheduled} messages granted at a time, \
         RESEND after {resend_after}"
    )
}

/// Returns the buffers of switches as text.
fn buffers(scenario: &EthernetScenario) -> String {
    let model = scenario.model();
    let buffer = model.switch.buffering.buffer().get();
    let mut text = match &model.switch.buffering {
        Buffering::PerInput(_) => format!("{buffer} B of buffer for each input port"),
        Buffering::Shared(shared) => {
            format!("{buffer} B of buffer shared in each switch (alpha {})", shared.alpha)
        }
    };
    if model.classes.count > 1 {
        let order = match model.classes.schedule {
            Schedule::Strict => "the highest first",
            Schedule::Weighted { strict: 0, .. } => "by weight",
            Schedule::Weighted { .. } => "strict ones first, then by weight",
        };
        text += match &model.switch.buffering {
            Buffering::PerInput(_) => " and class",
            Buffering::Shared(_) => "",
        };
        text += &format!(", {} classes, {order}", model.classes.count);
    }
    if model.routing == Routing::Spray {
        text += ", packets sprayed over equal paths";
    }
    text
}
