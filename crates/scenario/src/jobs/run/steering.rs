//! [`Steering`]: the configuration of ports at starts and ends of jobs, on any network.

use crate::jobs::{JobsScenario, SharedJob};
use bandwise_flowsim::Links;
use bandwise_saba::controller::PortConfig;

/// A controller that configures the network at starts and ends of jobs.
pub(super) trait Steering<N> {
    /// Returns the class of a job's flows, before it starts.
    fn class(&self, job: usize) -> u8;
    /// Takes the start of a job, which will send over these paths.
    fn starts(&mut self, _job: usize, _paths: &Paths, _network: &mut N) {}
    /// Takes the end of a job.
    fn ended(&mut self, _job: usize, _paths: &Paths, _network: &mut N) {}
}

/// Ports that Saba's controller can configure.
pub(super) trait Configurable {
    /// Configures the queues of a link's port.
    fn configure(&mut self, link: u32, config: &PortConfig);
}

/// No steering: all flows are of one class, and links keep their first configuration.
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
    /// Start of each path in `links`, by sender times instances plus receiver.
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

    /// Returns the links from one instance to another.
    pub(super) fn path(&self, from: u32, to: u32) -> &[u32] {
        let pair = (from * self.instances + to) as usize;
        &self.links[self.begin[pair] as usize..self.begin[pair + 1] as usize]
    }

    /// Returns the links of all paths among the instances, each once.
    pub(in crate::jobs) fn links(&self) -> Vec<u32> {
        let mut links = self.links.clone();
        links.sort_unstable();
        links.dedup();
        links
    }
}
