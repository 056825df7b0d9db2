//! [`RatesAnswer`]: the rates of applications and connections.

use super::By;
use super::tables;
use crate::answer::{Answer, Stats};
use bandwise_controller::http::{ApplicationStatus, ConnectionStatus, StatusDocument};
use bandwise_enforce_simulated::Traffic;
use bandwise_saba::controller::{ApplicationId, ConnectionId};
use bandwise_saba::mapping::PriorityLevel;
use bandwise_units::BitRate;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The rates of applications and connections.
#[derive(Serialize)]
pub(super) struct RatesAnswer {
    schema: u32,
    engine: EngineRow,
    /// Unset while ports are being written, or the controller is cut off from its store.
    pub(super) settled: bool,
    pub(super) applications: Vec<Application>,
    pub(super) connections: Vec<Row>,
    stats: Stats,
    #[serde(skip)]
    pub(super) by: By,
}

/// The engine that computed the rates.
#[derive(Serialize)]
#[serde(tag = "name", rename_all = "lowercase")]
enum EngineRow {
    Flows { at_rest: bool },
    Packets { warmup_ns: f64, measured_ns: f64 },
}

/// An application; all parts of a job are one application.
#[derive(Serialize)]
pub(super) struct Application {
    pub application: ApplicationId,
    pub name: String,
    pub job: Option<String>,
    pub connections: usize,
    #[serde(flatten)]
    pub rate: Rate,
}

/// A connection.
#[derive(Serialize)]
pub(super) struct Row {
    pub connection: ConnectionId,
    pub application: ApplicationId,
    pub level: PriorityLevel,
    pub from: String,
    pub to: String,
    #[serde(flatten)]
    pub rate: Rate,
}

/// The rate of an application or a connection, and its part of a link. The link of an application
/// is the one of which it has the largest part; the link of a connection is the fullest on its
/// path.
#[derive(Serialize)]
pub(super) struct Rate {
    #[serde(rename = "rate_bps", serialize_with = "bps")]
    pub gets: BitRate,
    /// The rate without Saba.
    #[serde(rename = "max_min_bps", serialize_with = "bps")]
    pub max_min: BitRate,
    /// The part of the link; `None` without a connection.
    pub part: Option<f64>,
    /// The port of the link; `None` without a connection.
    pub port: Option<String>,
}

impl Rate {
    fn new(gets: BitRate, max_min: BitRate, most: Option<(String, f64)>) -> Self {
        let (port, part) = most.unzip();
        Rate { gets, max_min, part, port }
    }
}

fn bps<S: Serializer>(rate: &BitRate, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(rate.as_bps())
}

impl Answer for RatesAnswer {
    fn text(&self) -> String {
        tables::text(self)
    }
}

impl From<By> for EngineRow {
    fn from(by: By) -> Self {
        match by {
            By::Flows { is_at_rest } => EngineRow::Flows { at_rest: is_at_rest },
            By::Packets(times) => EngineRow::Packets {
                warmup_ns: times.warmup.as_ns_f64(),
                measured_ns: times.measured.as_ns_f64(),
            },
        }
    }
}

impl RatesAnswer {
    /// Returns the answer for the rates of each connection, with Saba and without.
    pub(super) fn new(
        traffic: &Traffic,
        status: &StatusDocument,
        connections: &[ConnectionStatus],
        rates: [&[BitRate]; 2],
        by: By,
    ) -> Self {
        let [gets, max_min] = rates;
        let links = Links { traffic, loads: traffic.loads(gets) };
        let mut applications = BTreeMap::<ApplicationId, (&ApplicationStatus, Vec<usize>)>::new();
        let mut whole_of = BTreeMap::new();
        for of in &status.applications {
            whole_of.insert(of.application, of.whole);
            applications.entry(of.whole).or_insert((of, Vec::new()));
        }
        let row = |(at, of): (usize, &ConnectionStatus)| {
            let application = whole_of[&of.application];
            if let Some((_, own)) = applications.get_mut(&application) {
                own.push(at);
            }
            let rate = Rate::new(gets[at], max_min[at], links.fullest(at, gets));
            let (from, to) = (of.from.clone(), of.to.clone());
            Row { connection: of.connection, application, from, to, level: of.level, rate }
        };
        let connections = connections.iter().enumerate().map(row).collect();
        let application =
            |(whole, (of, own)): (ApplicationId, (&ApplicationStatus, Vec<usize>))| {
                let sum = |rates: &[BitRate]| {
                    BitRate::from_bps(own.iter().map(|&at| rates[at].as_bps()).sum())
                };
                let rate = Rate::new(sum(gets), sum(max_min), links.most(&own, gets));
                let (name, job, connections) = (of.name.clone(), of.job.clone(), own.len());
                Application { application: whole, name, job, connections, rate }
            };
        let applications = applications.into_iter().map(application).collect();
        RatesAnswer {
            schema: 1,
            engine: by.into(),
            settled: status.settled,
            applications,
            connections,
            stats: Stats::HERE,
            by,
        }
    }
}

/// The loads of links over all connections.
struct Links<'a> {
    traffic: &'a Traffic,
    loads: Vec<u64>,
}

impl Links<'_> {
    fn part(&self, link: u32, bps: u64) -> f64 {
        bps as f64 / self.traffic.rate(link).as_bps() as f64
    }

    fn fullness(&self, link: u32) -> f64 {
        self.part(link, self.loads[link as usize])
    }

    /// Returns the fullest link on a connection's path, which limits the connection, and the
    /// connection's part of it.
    fn fullest(&self, connection: usize, rates: &[BitRate]) -> Option<(String, f64)> {
        let path = self.traffic.path(connection).iter().copied();
        let fuller = |a, b| if self.fullness(b) > self.fullness(a) { b } else { a };
        let link = path.reduce(fuller)?;
        Some((self.traffic.port(link), self.part(link, rates[connection].as_bps())))
    }

    /// Returns the link of which the connections together have the largest part; of several, the
    /// fullest.
    fn most(&self, connections: &[usize], rates: &[BitRate]) -> Option<(String, f64)> {
        let mut on = BTreeMap::<u32, u64>::new();
        for &at in connections {
            for &link in self.traffic.path(at) {
                *on.entry(link).or_default() += rates[at].as_bps();
            }
        }
        let key = |&(link, bps): &(u32, u64)| (self.part(link, bps), self.fullness(link));
        let (link, bps) = on.into_iter().reduce(|a, b| if key(&b) > key(&a) { b } else { a })?;
        Some((self.traffic.port(link), self.part(link, bps)))
    }
}
