//! [`Metric`]: the numbers of a run that are compared between runs.

use super::distribution::Distribution;
use super::groups::Group;
use super::results::EthernetResults;
use bandwise_units::Time;

/// A number of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Of all flows.
    AverageSlowdown,
    /// Flow completion time (FCT) of all flows.
    AverageFct,
    /// What 99% of the flows do not exceed: IRN's "tail FCT".
    TailFct,
    /// What 99.9% of them do not exceed.
    FarTailFct,
    /// What 99% of the flows of a single packet do not exceed.
    SinglePacketTail,
    /// Completion time of an incast's requests (RCT).
    AverageRct,
    /// Packets dropped, of all that were sent.
    Dropped,
    /// Time that ports were paused, all together.
    Paused,
}

impl Metric {
    /// All of them, in the order in which they are told.
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

    /// The three that IRN 4.1 looks at.
    pub const USUAL: [Metric; 3] = [Metric::AverageSlowdown, Metric::AverageFct, Metric::TailFct];

    /// As files and tables have it.
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

    /// What it is counted in.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::AverageSlowdown => "",
            Metric::Dropped => "%",
            Metric::Paused => "ms",
            _ => "us",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// The number in `results`; none where nothing was to be counted.
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
