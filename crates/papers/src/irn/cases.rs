//! The runs, and the numbers that each item reads from them. Points of several studies with the
//! same scenario are run once; most studies contain the default case.

use super::names::{FCT, NONE, RCT, SLOWDOWN, TABLES, TAIL};
use super::studies::{Point, points};
use crate::Options;
use crate::case::{self, Read};
use bandwise_scenario::ethernet::{
    Distribution, EthernetResults, EthernetScenario, Fingerprint, Metric, TAIL as SHARES,
};
use std::collections::BTreeMap;

type Case = case::Case<EthernetScenario>;
type Reading = case::Reading<EthernetResults>;

/// Returns all runs, in the order in which items first need them.
pub(super) fn cases(options: &Options) -> Vec<Case> {
    let mut plan = Plan { quick: options.quick, cases: Vec::new(), known: BTreeMap::new() };
    plan.study("basic", of_basic);
    plan.study("lossy-roce", |point| three("fig3", point.name()));
    plan.study("lossy-roce-with-congestion-control", |point| {
        let resilient = point.transport == "RoCE" && point.control == "DCQCN";
        let more = resilient.then(|| three("fig10", point.name()));
        three("fig6", point.name()).into_iter().chain(more.into_iter().flatten()).collect()
    });
    plan.study("factors", |point| match &*point.transport {
        "IRN" => vec![fct("fig7", point.name()), fct("text-4.3", point.name())],
        "IRN with go-back-N" | "IRN without BDP-FC" => vec![fct("fig7", point.name())],
        _ => vec![fct("text-4.3", point.name())],
    });
    plan.study("backing-off", |point| vec![fct("text-4.3", point.name())]);
    plan.study("incast", |point| vec![rct("fig9", point.name())]);
    plan.study("incast-variations", |point| vec![rct("text-4.4.3", point.name())]);
    plan.study("incast-with-cross-traffic", |point| {
        let mut readings = beside("text-4.4.3", format!("in the cross-traffic {}", point.name()));
        readings.push(rct("text-4.4.3", format!("beside cross-traffic {}", point.name())));
        readings
    });
    plan.study("windows", |point| {
        let more = (point.name() == "IRN+AIMD").then(|| three("text-4.6", point.name()));
        three("text-4.4.4", point.name()).into_iter().chain(more.into_iter().flatten()).collect()
    });
    plan.study("iwarp", |point| {
        [three("fig11", point.name()), three("text-4.6", point.name())].concat_readings()
    });
    plan.study("overheads", |point| three("fig12", point.name()));
    for table in TABLES {
        plan.study(table, |point| {
            let of_all = format!("{table} {}", point.name());
            [three(table, point.name()), three("text-4.4.1", of_all)].concat_readings()
        });
    }
    plan.cases
}

/// A concatenation of lists of readings.
trait Concat {
    fn concat_readings(self) -> Vec<Reading>;
}

impl<const N: usize> Concat for [Vec<Reading>; N] {
    fn concat_readings(self) -> Vec<Reading> {
        self.into_iter().flatten().collect()
    }
}

/// Returns the readings for figures 1, 2, 4, 5 and 8, and for the reference of figure 10.
fn of_basic(point: &Point) -> Vec<Reading> {
    let plain = point.control == NONE;
    let (with_roce, with_pfc) = if plain { ("fig1", "fig2") } else { ("fig4", "fig5") };
    let name = point.name();
    let mut readings = match &*point.transport {
        "IRN" => [three(with_roce, name.clone()), three(with_pfc, name.clone())].concat_readings(),
        "IRN+PFC" => three(with_pfc, name.clone()),
        _ => three(with_roce, name.clone()),
    };
    if name == "IRN" {
        readings.extend(three("fig10", name.clone()));
        let read: Read<EthernetResults> = Box::new(data_dropped);
        let (case, metric, unit) = (name.clone(), "packets dropped", "%");
        readings.push(Reading { item: "fig2", case, metric, unit, read });
    }
    readings.extend(single_packet_tail(&name));
    readings
}

/// Returns the dropped part of data packets, in percent. Half of the delivered packets are
/// acknowledgements, which are hardly ever dropped.
fn data_dropped(results: &EthernetResults) -> Option<f64> {
    let counters = &results.counters;
    let dropped = counters.packets_dropped as f64;
    let arrived = counters.packets_delivered as f64 / 2.0;
    (arrived > 0.0).then(|| 100.0 * dropped / (arrived + dropped))
}

/// The percentiles of figure 8, in thousandths, with their names.
const FIG8: [(u32, &str); 8] = [
    (900, "FCT p90"),
    (920, "FCT p92"),
    (940, "FCT p94"),
    (960, "FCT p96"),
    (980, "FCT p98"),
    (990, "FCT p99"),
    (995, "FCT p99.5"),
    (999, "FCT p99.9"),
];

fn single_packet_tail(name: &str) -> Vec<Reading> {
    debug_assert!(FIG8.iter().all(|(share, _)| SHARES.contains(share)));
    let reading = |(share, metric): (u32, &'static str)| {
        let read = move |results: &EthernetResults| {
            let tail = &results.single_packet_tail;
            tail.iter().find(|(s, _)| *s == share).map(|(_, time)| time.as_s_f64() * 1e3)
        };
        let (item, case, unit) = ("fig8", name.to_owned(), "ms");
        Reading { item, case, metric, unit, read: Box::new(read) }
    };
    FIG8.into_iter().map(reading).collect()
}

/// Returns readings of the three metrics (IRN 4.1), with times in seconds, as in the tables.
fn three(item: &'static str, case: String) -> Vec<Reading> {
    let reading = |metric, unit, which: Metric, scale: f64| {
        let read: Read<EthernetResults> = Box::new(move |r| which.of(r).map(|v| v * scale));
        Reading { item, case: case.clone(), metric, unit, read }
    };
    vec![
        reading(SLOWDOWN, "x", Metric::AverageSlowdown, 1.0),
        reading(FCT, "s", Metric::AverageFct, 1e-6),
        reading(TAIL, "s", Metric::TailFct, 1e-6),
    ]
}

/// Returns the three metrics of the flows beside an incast.
fn beside(item: &'static str, case: String) -> Vec<Reading> {
    let reading = |metric, unit, of: fn(&Distribution) -> f64| {
        let read: Read<EthernetResults> = Box::new(move |r| r.beside_requests.as_ref().map(of));
        Reading { item, case: case.clone(), metric, unit, read }
    };
    vec![
        reading(SLOWDOWN, "x", |found| found.average_slowdown),
        reading(FCT, "s", |found| found.average.as_s_f64()),
        reading(TAIL, "s", |found| found.percentiles[2].as_s_f64()),
    ]
}

fn fct(item: &'static str, case: String) -> Reading {
    let read: Read<EthernetResults> = Box::new(|r| Metric::AverageFct.of(r).map(|us| us * 1e-6));
    Reading { item, case, metric: FCT, unit: "s", read }
}

fn rct(item: &'static str, case: String) -> Reading {
    let read: Read<EthernetResults> = Box::new(|r| Metric::AverageRct.of(r).map(|us| us * 1e-6));
    Reading { item, case, metric: RCT, unit: "s", read }
}

/// Cases so far.
struct Plan {
    quick: bool,
    cases: Vec<Case>,
    /// Case of each scenario.
    known: BTreeMap<Fingerprint, usize>,
}

impl Plan {
    /// Adds the readings of a study's points.
    fn study(&mut self, file: &str, readings: impl Fn(&Point) -> Vec<Reading>) {
        for point in points(file, self.quick) {
            let next = self.cases.len();
            let at = *self.known.entry(point.scenario.fingerprint()).or_insert(next);
            let readings = readings(&point);
            if at == next {
                let name = format!("{file} {}", point.name());
                self.cases.push(Case { name, scenario: point.scenario, readings });
            } else {
                self.cases[at].readings.extend(readings);
            }
        }
    }
}
