//! [`Metric`]: the numbers by which runs are compared.

use super::distribution::Distribution;
use super::groups::Group;
use super::results::EthernetResults;
use bandwise_units::Time;

/// A number by which runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Average slowdown of all flows.
    AverageSlowdown,
    /// Average flow completion time (FCT) of all flows.
    AverageFct,
    /// 99th percentile of the FCT: IRN's "tail FCT".
    TailFct,
    /// 99.9th percentile of the FCT.
    FarTailFct,
    /// 99th percentile of the FCT of single-packet flows.
    SinglePacketTail,
    /// Average completion time of an incast's requests (RCT).
    AverageRct,
    /// Dropped part of all sent packets.
    Dropped,
    /// Time during which ports were paused, as a sum over ports.
    Paused,
}

impl Metric {
    /// All metrics, in the order of tables.
    pub const ALL: [Metric; 8] = [
        Metric::AverageSlowdown,
        Metric::AverageFct,
        Metric::TailFct,
        Metric::FarTailFct,
        Metric::SinglePacketTail,
        Metric::AverageRct,
        Metric::Dropped,
        Metric::Paused,
    ];

    /// The three metrics of IRN 4.1.
    pub const USUAL: [Metric; 3] = [Metric::AverageSlowdown, Metric::AverageFct, Metric::TailFct];

    /// Returns the name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Metric::AverageSlowdown => "average slowdown",
            Metric::AverageFct => "average FCT",
            Metric::TailFct => "FCT p99",
            Metric::FarTailFct => "FCT p99.9",
            Metric::SinglePacketTail => "single packet FCT p99",
            Metric::AverageRct => "average RCT",
            Metric::Dropped => "packets dropped",
            Metric::Paused => "paused",
        }
    }

    /// Returns the unit.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::AverageSlowdown => "",
            Metric::Dropped => "%",
            Metric::Paused => "ms",
            _ => "us",
        }
    }

    /// Returns the metric with a name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Returns the metric of results; `None` if nothing was counted.
    pub fn of(self, results: &EthernetResults) -> Option<f64> {
        let group = |wanted: Group| {
            results.groups.iter().find(|(group, _)| *group == wanted).map(|(_, found)| found)
        };
        let us = |time: Time| time.as_ns_f64() / 1e3;
        let at = |found: &Distribution, share| {
            let place = Distribution::PERCENTILES.iter().position(|p| *p == share);
            place.map(|place| us(found.percentiles[place]))
        };
        match self {
            Metric::AverageSlowdown => Some(group(Group::All)?.average_slowdown),
            Metric::AverageFct => Some(us(group(Group::All)?.average)),
            Metric::TailFct => at(group(Group::All)?, 990),
            Metric::FarTailFct => at(group(Group::All)?, 999),
            Metric::SinglePacketTail => at(group(Group::SinglePacket)?, 990),
            Metric::AverageRct => results.requests.as_ref().map(|requests| us(requests.average)),
            Metric::Dropped => {
                let counters = &results.counters;
                let sent = counters.packets_delivered + counters.packets_dropped;
                (sent > 0).then(|| 100.0 * counters.packets_dropped as f64 / sent as f64)
            }
            Metric::Paused => Some(results.counters.paused.as_s_f64() * 1e3),
        }
    }
}
