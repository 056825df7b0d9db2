//! [`Weigher`]: weights at ports, anew whenever a job comes or goes.

use super::SharingScenario;
use super::run::{Paths, Steering};
use bandwise_flowsim::policy::WeightedQueues;
use bandwise_flowsim::{LinkConfig, Queue, Simulation};
use bandwise_saba::Share;
use bandwise_saba::sensitivity::{Kind, Model};
use bandwise_saba::weights::{Catalogue, Effort, Floors, ModelId, Solver};
use std::collections::BTreeMap;

/// A queue a job at each port, with weights by eq. 4.2 of those that send through it.
pub(super) struct Weigher {
    catalogue: Catalogue,
    /// By job.
    models: Vec<ModelId>,
    part: Share,
    /// By link: the jobs that send through it, in order.
    jobs_at: Vec<Vec<u32>>,
    /// What was worked out before, by jobs.
    known: BTreeMap<Vec<u32>, LinkConfig>,
}

/// What a share of 1 is as a weight: the least share is still many units.
const UNITS: f64 = (1 << 20) as f64;

impl Weigher {
    pub(super) fn new(scenario: &SharingScenario, links: usize) -> Weigher {
        let mut catalogue = Catalogue::new();
        let mut model = |samples| {
            let model = Model::fit(samples, Kind::Monotone).expect("any samples have one");
            catalogue.add(&model, None)
        };
        let models = scenario.jobs.iter().map(|job| model(&job.samples)).collect();
        let part = Share::try_from(scenario.queues.part).expect("a part of the whole");
        let jobs_at = vec![Vec::new(); links];
        Weigher { catalogue, models, part, jobs_at, known: BTreeMap::new() }
    }

    fn configure(&mut self, link: u32, simulation: &mut Simulation<WeightedQueues>) {
        let jobs = &self.jobs_at[link as usize];
        if jobs.is_empty() {
            return;
        }
        if !self.known.contains_key(jobs) {
            let members: Vec<ModelId> = jobs.iter().map(|&job| self.models[job as usize]).collect();
            let mut solver =
                Solver::new(&self.catalogue, self.part, Floors::default(), Effort::default());
            let shares = solver.weights(&members).shares;
            let queue = |share: &f64| Queue::weighted(((share * UNITS) as u32).max(1));
            let queues: Vec<Queue> = shares.iter().map(queue).collect();
            let mut queue_of_class = vec![0; self.models.len()];
            for (queue, &job) in (0u8..).zip(jobs) {
                queue_of_class[job as usize] = queue;
            }
            let config = LinkConfig::new(queues, queue_of_class).expect("few enough jobs");
            self.known.insert(jobs.clone(), config);
        }
        simulation.set_link(link, self.known[jobs].clone()).expect("a link that is there");
    }
}

impl Steering<WeightedQueues> for Weigher {
    fn class(&self, job: usize) -> u8 {
        job as u8
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
