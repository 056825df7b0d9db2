//! [`Steering`]: who sets up ports while jobs come and go, whatever network they belong to.

use crate::jobs::{JobsScenario, SharedJob};
use bandwise_flowsim::Links;
use bandwise_saba::controller::PortConfig;

/// Who sets up the network while jobs come and go.
pub(super) trait Steering<N> {
    /// The class of a job's flows, before it starts.
    fn class(&self, job: usize) -> u8;
    /// A job starts: it will send over these paths.
    fn starts(&mut self, _job: usize, _paths: &Paths, _network: &mut N) {}
    /// A job has ended.
    fn ended(&mut self, _job: usize, _paths: &Paths, _network: &mut N) {}
}

/// Ports that Saba's controller can set up.
pub(super) trait Configurable {
    /// Gives the port of a link these queues.
    fn configure(&mut self, link: u32, config: &PortConfig);
}

/// Nobody: all flows are of one class, and links share as they did at the beginning.
pub(super) struct Unsteered;

impl<N> Steering<N> for Unsteered {
    fn class(&self, _job: usize) -> u8 {
        0
    }
}

/// The paths among the instances of a job.
#[derive(Debug, Clone)]
pub(in crate::jobs) struct Paths {
    instances: u32,
    /// By sender times instances plus receiver: where in `links` its path begins.
    begin: Vec<u32>,
    links: Vec<u32>,
}

impl Paths {
    pub(in crate::jobs) fn new(scenario: &JobsScenario, links: &Links, job: &SharedJob) -> Paths {
        let instances = job.job.instances;
        let mut paths = Paths { instances, begin: vec![0], links: Vec::new() };
        for &from in &job.hosts {
            for &to in &job.hosts {
                if from != to {
                    paths.links.extend(links.path(&scenario.fabric, &scenario.routes, from, to));
                }
                paths.begin.push(paths.links.len() as u32);
            }
        }
        paths
    }

    /// The links from one instance to another.
    pub(super) fn path(&self, from: u32, to: u32) -> &[u32] {
        let pair = (from * self.instances + to) as usize;
        &self.links[self.begin[pair] as usize..self.begin[pair + 1] as usize]
    }

    /// The links of all paths among the instances, each once, whoever of them sends to whom.
    pub(in crate::jobs) fn links(&self) -> Vec<u32> {
        let mut links = self.links.clone();
        links.sort_unstable();
        links.dedup();
        links
    }
}
