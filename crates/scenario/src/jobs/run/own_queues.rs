//! [`OwnQueues`]: a queue for each job, with weights that follow the present jobs. Real ports have
//! fewer queues: this policy is an upper bound, without Saba's controller.

use super::steering::{Paths, Steering};
use crate::jobs::JobsScenario;
use bandwise_flowsim::policy::WeightedQueues;
use bandwise_flowsim::{LinkConfig, Queue, Simulation};
use bandwise_saba::Share;
use bandwise_saba::weights::{Catalogue, Effort, Floors, ModelId, Solver};
use std::collections::BTreeMap;

/// The source of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Shares by Saba's eq. 4.2.
    Sensitivity,
    /// Weights of the scenario.
    Given,
}

/// The configuration of the ports that jobs send through. Each job is a class.
pub(super) struct OwnQueues {
    source: Source,
    catalogue: Catalogue,
    /// Model of each job.
    models: Vec<ModelId>,
    given: Vec<f64>,
    part: Share,
    /// Jobs that send through each link, in order.
    jobs_at: Vec<Vec<u32>>,
    /// Cache of configurations, by present jobs.
    known: BTreeMap<Vec<u32>, LinkConfig>,
}

/// Weight of a share of 1 at an ideal port, large enough that the smallest share is still precise.
const UNITS: f64 = (1 << 20) as f64;

impl OwnQueues {
    pub(super) fn new(scenario: &JobsScenario, links: u32, source: Source) -> OwnQueues {
        let mut catalogue = Catalogue::new();
        let models =
            scenario.jobs.iter().map(|job| catalogue.add(&job.model(scenario.model), None));
        OwnQueues {
            source,
            models: models.collect(),
            catalogue,
            given: scenario.jobs.iter().map(|job| job.weight).collect(),
            part: Share::try_from(scenario.queues.part).expect("a part of the whole"),
            jobs_at: vec![Vec::new(); links as usize],
            known: BTreeMap::new(),
        }
    }

    /// Returns the share of each of these jobs.
    fn shares(&self, jobs: &[u32]) -> Vec<f64> {
        match self.source {
            Source::Given => {
                let sum: f64 = jobs.iter().map(|&job| self.given[job as usize]).sum();
                jobs.iter().map(|&job| self.given[job as usize] / sum).collect()
            }
            Source::Sensitivity => {
                let members: Vec<ModelId> =
                    jobs.iter().map(|&job| self.models[job as usize]).collect();
                let (floors, effort) = (Floors::default(), Effort::default());
                Solver::new(&self.catalogue, self.part, floors, effort).weights(&members).shares
            }
        }
    }

    /// Returns the configuration of a port that these jobs send through.
    fn config(&self, jobs: &[u32]) -> LinkConfig {
        let weight = |share: f64| Queue::weighted(((share * UNITS) as u32).max(1));
        let queues = self.shares(jobs).into_iter().map(weight).collect();
        let mut queue_of_class = vec![0; self.models.len()];
        for (queue, &job) in (0u8..).zip(jobs) {
            queue_of_class[job as usize] = queue;
        }
        LinkConfig::new(queues, queue_of_class).expect("few queues, and weights above 0")
    }

    fn configure(&mut self, link: u32, simulation: &mut Simulation<WeightedQueues>) {
        let jobs = &self.jobs_at[link as usize];
        if jobs.is_empty() {
            return;
        }
        if !self.known.contains_key(jobs) {
            let config = self.config(jobs);
            self.known.insert(jobs.clone(), config);
        }
        simulation.set_link(link, self.known[jobs].clone()).expect("a link that is there");
    }
}

impl Steering<Simulation<WeightedQueues>> for OwnQueues {
    fn class(&self, job: usize) -> u8 {
        u8::try_from(job).expect("no more jobs than a link has queues")
    }

    fn starts(&mut self, job: usize, paths: &Paths, simulation: &mut Simulation<WeightedQueues>) {
        for link in paths.links() {
            let jobs = &mut self.jobs_at[link as usize];
            let at = jobs.partition_point(|&other| other < job as u32);
            jobs.insert(at, job as u32);
            self.configure(link, simulation);
        }
    }

    fn ended(&mut self, job: usize, paths: &Paths, simulation: &mut Simulation<WeightedQueues>) {
        for link in paths.links() {
            self.jobs_at[link as usize].retain(|&other| other != job as u32);
            self.configure(link, simulation);
        }
    }
}
