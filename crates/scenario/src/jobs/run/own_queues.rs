//! [`OwnQueues`]: a queue a job, with weights that follow who is there. No port has as many; this is
//! what limited queues are compared with, so Saba's controller has no part in it.

use super::steering::{Paths, Steering};
use crate::jobs::JobsScenario;
use bandwise_flowsim::policy::WeightedQueues;
use bandwise_flowsim::{LinkConfig, Queue, Simulation};
use bandwise_saba::Share;
use bandwise_saba::weights::{Catalogue, Effort, Floors, ModelId, Solver};
use std::collections::BTreeMap;

/// Where weights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Each job's share by eq. 4.2.
    Sensitivity,
    /// What jobs were given by hand.
    Given,
}

/// Sets up the ports that jobs send through. A job is a class.
pub(super) struct OwnQueues {
    source: Source,
    catalogue: Catalogue,
    /// By job.
    models: Vec<ModelId>,
    given: Vec<f64>,
    part: Share,
    /// By link: the jobs that send through it, in order.
    jobs_at: Vec<Vec<u32>>,
    /// What was worked out before, by jobs.
    known: BTreeMap<Vec<u32>, LinkConfig>,
}

/// What a share of 1 is as the weight of an ideal port: the least share is still many units.
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

    /// The share of each of these jobs.
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

    /// How a port shares that these jobs send through.
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
