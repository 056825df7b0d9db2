//! [`Answer`]: what applications and connections get.

use super::said::{self, Connection, Status};
use bandwise_enforce_simulated::Traffic;
use bandwise_units::BitRate;
use std::collections::BTreeMap;

/// What applications and connections get.
pub struct Answer {
    pub applications: Vec<Application>,
    pub connections: Vec<Row>,
}

/// An application, all parts of its job as one.
pub struct Application {
    pub application: u64,
    pub name: String,
    pub job: Option<String>,
    pub connections: usize,
    pub rate: Rate,
}

/// A connection.
pub struct Row {
    pub connection: u64,
    pub application: u64,
    pub from: String,
    pub to: String,
    pub level: u16,
    pub rate: Rate,
}

/// What somebody gets.
pub struct Rate {
    pub gets: BitRate,
    /// Without Saba.
    pub max_min: BitRate,
    /// Of an application the link of which that is the largest part, of a connection the fullest on its way: by its
    /// port, and the part. None for who has no connection.
    pub most: Option<(String, f64)>,
}

impl Answer {
    /// `rates` are what each connection gets, and what it would get without Saba.
    pub fn new(
        traffic: &Traffic,
        status: &Status,
        connections: &[Connection],
        rates: [&[BitRate]; 2],
    ) -> Answer {
        let [gets, max_min] = rates;
        let links = Links { traffic, loads: traffic.loads(gets) };
        let mut applications = BTreeMap::<u64, (&said::Application, Vec<usize>)>::new();
        let mut whole_of = BTreeMap::new();
        for of in &status.applications {
            whole_of.insert(of.application, of.whole);
            applications.entry(of.whole).or_insert((of, Vec::new()));
        }
        let row = |(at, of): (usize, &Connection)| {
            let application = whole_of[&of.application];
            if let Some((_, own)) = applications.get_mut(&application) {
                own.push(at);
            }
            let rate = Rate { gets: gets[at], max_min: max_min[at], most: links.fullest(at, gets) };
            let (from, to) = (of.from.clone(), of.to.clone());
            Row { connection: of.connection, application, from, to, level: of.level, rate }
        };
        let connections = connections.iter().enumerate().map(row).collect();
        let application = |(whole, (of, own)): (u64, (&said::Application, Vec<usize>))| {
            let sum = |rates: &[BitRate]| {
                BitRate::from_bps(own.iter().map(|&at| rates[at].as_bps()).sum())
            };
            let rate =
                Rate { gets: sum(gets), max_min: sum(max_min), most: links.most(&own, gets) };
            let (name, job, connections) = (of.name.clone(), of.job.clone(), own.len());
            Application { application: whole, name, job, connections, rate }
        };
        let applications = applications.into_iter().map(application).collect();
        Answer { applications, connections }
    }
}

/// Links, and what they carry of all connections.
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

    /// The fullest link on a connection's way, as that is what limits it, and its part of it.
    fn fullest(&self, connection: usize, rates: &[BitRate]) -> Option<(String, f64)> {
        let path = self.traffic.path(connection).iter().copied();
        let fuller = |a, b| if self.fullness(b) > self.fullness(a) { b } else { a };
        let link = path.reduce(fuller)?;
        Some((self.traffic.port(link), self.part(link, rates[connection].as_bps())))
    }

    /// The link of which some connections have the largest part together, the fullest of several.
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
