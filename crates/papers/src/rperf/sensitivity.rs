//! The sensitivity of the main results to settings that the paper does not give or that are fitted:
//! the limit of high priority, queue pairs, the senders' buffer, the flush of a remote write. Only the
//! named setting differs from the calibration.

use super::claim_runs::SAMPLES;
use super::setup::{
    BSG_BUFFER, Case, LSG_BYTES, RACK, THINK, bandwidth, base, bulk, flow, round_trip, run, sum,
};
use super::variant::variant;
use crate::Finding;
use bandwise_report::{Cell, Table};
use bandwise_scenario::infiniband::{Flow, LatencyTraffic, Method};
use bandwise_units::{Bytes, Time};

/// Item of these runs.
pub(super) const ITEM: &str = "sensitivity";

const OWN_LEVEL: &str = "dedicated SL";
const GAMED: &str = "beside a pretend LSG";
const MEDIAN: &str = "RTT p50";
const TAIL: &str = "RTT p99.9";
const TOTAL: &str = "total bandwidth";
const PRETENDING: &str = "pretend LSG";

/// A setting of the runs.
struct Setting {
    /// Name and value, as in the table.
    name: &'static str,
    /// Scenario of the rack with the setting.
    text: String,
    /// Queue pairs and buffer of a bulk sender.
    qps: u16,
    buffer: Bytes,
}

/// Settings of the service levels' runs, as the table names them; `*` marks the calibration.
const LIMITS: [(&str, u8); 5] = [
    ("high-limit 0", 0),
    ("high-limit 1 *", 1),
    ("high-limit 2", 2),
    ("high-limit 4", 4),
    ("high-limit 255 (none)", 255),
];
const PRETENDING_QPS: [(&str, u16); 3] =
    [("pretend LSG, 1 QP", 1), ("pretend LSG, 2 QPs *", 2), ("pretend LSG, 4 QPs", 4)];
/// Settings of the senders' runs.
const QPS: [(&str, u16); 3] =
    [("bulk sender, 1 QP *", 1), ("bulk sender, 2 QPs", 2), ("bulk sender, 4 QPs", 4)];
const BUFFERS: [(&str, u64); 4] = [
    ("bulk buffer 16 KiB", 16),
    ("bulk buffer 32 KiB *", 32),
    ("bulk buffer 64 KiB", 64),
    ("bulk buffer 128 KiB", 128),
];
const FLUSHES: [(&str, u64); 4] = [
    ("dma-flush 0", 0),
    ("dma-flush 0.61 us", 610),
    ("dma-flush 1.22 us *", 1_220),
    ("dma-flush 2.44 us", 2_440),
];

/// Returns all runs, the calibrated value of each setting among them.
pub(super) fn cases() -> Vec<Case> {
    let rack = |name: &'static str| Setting::new(name, RACK.to_owned());
    let mut cases = Vec::new();
    for (name, limit) in LIMITS {
        let text = variant(RACK, &[("high-limit = 1", &format!("high-limit = {limit}"))]);
        let setting = Setting::new(name, text);
        cases.extend([setting.own_level(), setting.pretending(2)]);
    }
    cases.extend(PRETENDING_QPS.map(|(name, qps)| rack(name).pretending(qps)));
    for (name, qps) in QPS {
        let setting = Setting { qps, ..rack(name) };
        cases.extend([1, 5].map(|n| setting.senders(n)));
    }
    for (name, kib) in BUFFERS {
        let setting = Setting { buffer: Bytes::from_kib(kib), ..rack(name) };
        cases.extend([1, 5].map(|n| setting.senders(n)));
    }
    for (name, ns) in FLUSHES {
        let preset = "preset = \"connectx4-56g\"";
        let changed = format!("{preset}\ndma-flush = \"{ns} ns\"");
        let setting = Setting::new(name, variant(RACK, &[(preset, &changed)]));
        cases.extend([1, 5].map(|n| setting.senders(n)));
        cases.extend([64, 4096].map(|bytes| setting.qperf(bytes)));
    }
    cases
}

fn traffic(bytes: u32, think: Time) -> LatencyTraffic {
    LatencyTraffic { bytes, warmup: 50, samples: SAMPLES, think }
}

fn lsg(level: u8) -> Flow {
    flow("LSG", 6, level, Method::RPerf(traffic(LSG_BYTES, THINK)))
}

impl Setting {
    /// Returns a setting with the calibration's senders.
    fn new(name: &'static str, text: String) -> Self {
        Setting { name, text, qps: 1, buffer: BSG_BUFFER }
    }

    /// Returns a run whose case is the setting and what was run.
    fn case(&self, what: &str, flows: Vec<Flow>) -> (Case, String) {
        let name = format!("{}: {what}", self.name);
        let scenario = base("rack", &self.text);
        (run(&format!("sensitivity {name}"), scenario, flows, 1_000), name)
    }

    fn bulk(&self, n: usize) -> Vec<Flow> {
        let method = || bulk(4096, self.qps, self.buffer);
        (1..=n).map(|i| flow(format!("BSG {i}"), i, 0, method())).collect()
    }

    fn senders(&self, n: usize) -> Case {
        let mut flows = self.bulk(n);
        flows.push(lsg(0));
        let (mut case, name) = self.case(&super::setup::bsgs(n), flows);
        case.readings = round_trip(ITEM, name.clone(), "us");
        case.readings.push(bandwidth(ITEM, name, TOTAL, "BSG", sum));
        case
    }

    fn own_level(&self) -> Case {
        let mut flows = self.bulk(5);
        flows.push(lsg(1));
        let (mut case, name) = self.case(OWN_LEVEL, flows);
        case.readings = round_trip(ITEM, name.clone(), "us");
        case.readings.push(bandwidth(ITEM, name, TOTAL, "BSG", sum));
        case
    }

    fn pretending(&self, qps: u16) -> Case {
        let mut flows = self.bulk(4);
        flows.push(flow("pretend LSG", 5, 1, bulk(256, qps, self.buffer)));
        flows.push(lsg(1));
        let (mut case, name) = self.case(GAMED, flows);
        case.readings = round_trip(ITEM, name.clone(), "us");
        case.readings.push(bandwidth(ITEM, name, PRETENDING, "pretend", sum));
        case
    }

    fn qperf(&self, bytes: u32) -> Case {
        let flows = vec![flow("LSG", 6, 0, Method::PostPoll(traffic(bytes, Time::ZERO)))];
        let (mut case, name) = self.case(&format!("qperf {bytes} B"), flows);
        case.readings = round_trip(ITEM, name, "us");
        case.readings.truncate(1);
        case
    }
}

/// A column of a table: its head, what was run, and the number.
type Column = (&'static str, &'static str, &'static str);

const LEVELS: [Column; 4] = [
    ("dedicated SL, us", OWN_LEVEL, MEDIAN),
    ("beside a pretend LSG, us", GAMED, MEDIAN),
    ("its tail, us", GAMED, TAIL),
    ("pretend LSG, Gbps", GAMED, PRETENDING),
];
const SENDERS: [Column; 6] = [
    ("1 BSG: us", "1 BSG", MEDIAN),
    ("Gbps", "1 BSG", TOTAL),
    ("5 BSGs: us", "5 BSGs", MEDIAN),
    ("Gbps", "5 BSGs", TOTAL),
    ("qperf 64 B, us", "qperf 64 B", MEDIAN),
    ("4096 B", "qperf 4096 B", MEDIAN),
];

/// Returns the tables of settings and main results, without rows that lack their runs.
pub(super) fn tables(findings: &[Finding]) -> Vec<Table> {
    let levels = LIMITS.iter().map(|of| of.0).chain(PRETENDING_QPS.iter().map(|of| of.0));
    let senders = QPS.iter().map(|of| of.0);
    let senders = senders.chain(BUFFERS.iter().map(|of| of.0)).chain(FLUSHES.iter().map(|of| of.0));
    let tables = [
        table(findings, "Sensitivity: a service level of its own", &LEVELS, levels),
        table(findings, "Sensitivity: bulk senders and hosts", &SENDERS, senders),
    ];
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn table(
    findings: &[Finding],
    title: &str,
    columns: &[Column],
    settings: impl Iterator<Item = &'static str>,
) -> Table {
    let cell = |setting: &str, (_, what, metric): &Column| {
        let found = Finding::find(findings, ITEM, &format!("{setting}: {what}"), metric);
        found.map(|found| Cell::number(found.value(), ""))
    };
    let row = |setting: &'static str| {
        let cells: Vec<Option<Cell>> = columns.iter().map(|column| cell(setting, column)).collect();
        cells.iter().any(Option::is_some).then(|| {
            let cells = cells.into_iter().map(|cell| cell.unwrap_or_else(|| Cell::text("")));
            std::iter::once(Cell::text(setting)).chain(cells).collect()
        })
    };
    let heads = columns.iter().map(|column| column.0);
    Table {
        title: title.to_owned(),
        caption: "Round trips of 64 B are medians, tails 99.9th percentiles. One setting differs \
                  from the calibration, which has those with *."
            .to_owned(),
        header: std::iter::once("setting").chain(heads).map(str::to_owned).collect(),
        rows: settings.filter_map(row).collect(),
    }
}
