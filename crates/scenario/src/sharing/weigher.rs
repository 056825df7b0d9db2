//! [`Weigher`]: queues and weights at ports, anew whenever a job comes or goes.

use super::SharingScenario;
use super::run::{Paths, Steering};
use bandwise_flowsim::policy::WeightedQueues;
use bandwise_flowsim::{LinkConfig, Queue, Simulation};
use bandwise_saba::Share;
use bandwise_saba::mapping::{
    Basis, Hierarchy, MAX_WEIGHT, PriorityLevel, PriorityLevels, Scaling, arbitration,
};
use bandwise_saba::sensitivity::Model;
use bandwise_saba::weights::{Catalogue, Effort, Floors, ModelId, Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU8, NonZeroU16};

/// Where weights come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighting {
    /// Each job's share by eq. 4.2.
    Sensitivity,
    /// What jobs were given by hand.
    Given,
    /// Queues are alike.
    Equal,
}

/// Sets up the ports that jobs send through.
pub(super) struct Weigher {
    weighting: Weighting,
    mapping: Mapping,
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

/// Which job is in which queue.
enum Mapping {
    /// Each in its own, and a class of its own.
    Own,
    /// By priority level, of which each port merges as many as it has to.
    Levels { of: Vec<PriorityLevel>, hierarchy: Hierarchy, queues: NonZeroU8 },
}

/// What a share of 1 is as the weight of an ideal port: the least share is still many units.
const UNITS: f64 = (1 << 20) as f64;

impl Weigher {
    /// Ports with a queue for each job, of any weights.
    pub(super) fn own_queues(
        scenario: &SharingScenario,
        links: usize,
        weighting: Weighting,
    ) -> Weigher {
        Weigher::new(scenario, links, weighting, Mapping::Own)
    }

    /// Ports with the scenario's queues, and weights as arbiters have them. Levels are of all jobs that
    /// there will be, as they are made ahead of time (Saba 4.3.4), for a connection keeps its level.
    pub(super) fn few_queues(
        scenario: &SharingScenario,
        links: usize,
        weighting: Weighting,
    ) -> Weigher {
        let models: Vec<Model> =
            scenario.jobs.iter().map(|job| job.model(scenario.model)).collect();
        let models: Vec<&Model> = models.iter().collect();
        let levels = NonZeroU16::from(one_or_more(scenario.queues.levels));
        let basis = Basis::measured(&models);
        let levels = PriorityLevels::group(&models, levels, basis, Scaling::None, scenario.seed)
            .expect("slowdowns are coordinates of any model");
        let mapping = Mapping::Levels {
            of: levels.of().to_vec(),
            hierarchy: Hierarchy::new(&levels),
            queues: one_or_more(scenario.queues.queues),
        };
        Weigher::new(scenario, links, weighting, mapping)
    }

    fn new(
        scenario: &SharingScenario,
        links: usize,
        weighting: Weighting,
        mapping: Mapping,
    ) -> Weigher {
        let mut catalogue = Catalogue::new();
        let models =
            scenario.jobs.iter().map(|job| catalogue.add(&job.model(scenario.model), None));
        Weigher {
            weighting,
            mapping,
            models: models.collect(),
            catalogue,
            given: scenario.jobs.iter().map(|job| job.weight).collect(),
            part: Share::try_from(scenario.queues.part).expect("a part of the whole"),
            jobs_at: vec![Vec::new(); links],
            known: BTreeMap::new(),
        }
    }

    /// The share of each of these jobs; all the same where queues are to be alike.
    fn shares(&self, jobs: &[u32]) -> Vec<f64> {
        match self.weighting {
            Weighting::Equal => vec![1.0; jobs.len()],
            Weighting::Given => {
                let sum: f64 = jobs.iter().map(|&job| self.given[job as usize]).sum();
                jobs.iter().map(|&job| self.given[job as usize] / sum).collect()
            }
            Weighting::Sensitivity => {
                let members: Vec<ModelId> =
                    jobs.iter().map(|&job| self.models[job as usize]).collect();
                let (floors, effort) = (Floors::default(), Effort::default());
                Solver::new(&self.catalogue, self.part, floors, effort).weights(&members).shares
            }
        }
    }

    /// How a port shares that these jobs send through.
    fn config(&self, jobs: &[u32]) -> LinkConfig {
        let shares = self.shares(jobs);
        let (weights, queue_of_class) = match &self.mapping {
            Mapping::Own => {
                let weights = shares.iter().map(|share| ((share * UNITS) as u32).max(1)).collect();
                let mut queue_of_class = vec![0; self.models.len()];
                for (queue, &job) in (0u8..).zip(jobs) {
                    queue_of_class[job as usize] = queue;
                }
                (weights, queue_of_class)
            }
            Mapping::Levels { of, hierarchy, queues } => {
                let levels = || jobs.iter().map(|&job| of[job as usize]);
                let present: BTreeSet<PriorityLevel> = levels().collect();
                let queues = hierarchy.queues(&present, *queues);
                let mut shares = queues.shares(levels().zip(shares));
                if self.weighting == Weighting::Equal {
                    shares.fill(1.0);
                }
                let weights = arbitration(&shares, MAX_WEIGHT).into_iter().map(u32::from).collect();
                let last = present.last().map_or(0, |level| usize::from(level.0));
                let mut queue_of_class = vec![0; last + 1];
                for (level, queue) in queues.iter() {
                    queue_of_class[usize::from(level.0)] = queue;
                }
                (weights, queue_of_class)
            }
        };
        let weights: Vec<u32> = weights;
        let queues = weights.into_iter().map(Queue::weighted).collect();
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

impl Steering<WeightedQueues> for Weigher {
    fn class(&self, job: usize) -> u8 {
        match &self.mapping {
            Mapping::Own => job as u8,
            Mapping::Levels { of, .. } => of[job].0 as u8,
        }
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

fn one_or_more(n: u8) -> NonZeroU8 {
    NonZeroU8::new(n).unwrap_or(NonZeroU8::MIN)
}
