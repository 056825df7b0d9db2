//! [`Controlled`]: ports that Saba's controller configures, centralised or as several instances.

use super::instances::Instances;
use super::steering::{Configurable, Paths, Steering};
use crate::jobs::job::{fitted, profile};
use crate::jobs::{JobsScenario, SharingPolicy};
use bandwise_flowsim::policy::WeightedQueues;
use bandwise_flowsim::{LinkConfig, Links, Simulation};
use bandwise_saba::Share;
use bandwise_saba::controller::{
    ApplicationId, Command, ConnectionId, Controller, Coordinates, Event, Grouping, Levels,
    PortConfig, PortId, Profile, Settings, SharedTable, Tenant, Weighting,
};
use bandwise_saba::mapping::{PriorityLevel, Scaling};
use bandwise_saba::sensitivity::Model;
use bandwise_saba::table::Application;
use bandwise_saba::weights::Floors;
use bandwise_workload::job::{Scale, WORKLOADS, Workload};
use std::collections::BTreeMap;
use std::num::{NonZeroU8, NonZeroU16};
use std::sync::Arc;

/// One or several controllers.
pub(in crate::jobs) trait Controllers {
    /// Takes an event.
    fn send(&mut self, event: Event);
    /// Returns the commands for all events so far.
    fn settle(&mut self) -> Vec<Command>;
}

impl Controllers for Controller {
    fn send(&mut self, event: Event) {
        self.handle(event).expect("each event is passed once");
    }

    fn settle(&mut self) -> Vec<Command> {
        Controller::settle(self)
    }
}

/// The controllers, and the jobs that they configure ports for. Links and ports have the same
/// numbers. A job is an application, with one connection over all links that it sends through.
pub(in crate::jobs) struct Controlled<C> {
    controllers: C,
    /// Name in the table and level, by job.
    jobs: Vec<(Application, PriorityLevel)>,
}

impl Controlled<Controller> {
    /// Returns one controller. Levels are those of all jobs of the scenario: they are assigned in
    /// advance (Saba 4.3.4), because a connection keeps its level. `policy` is Saba, or one that
    /// differs from it only in its weights.
    pub(in crate::jobs) fn centralised(
        scenario: &JobsScenario,
        links: &Links,
        policy: SharingPolicy,
    ) -> Self {
        let jobs = scenario.jobs.iter().enumerate();
        let models = jobs.map(|(job, shared)| (name(job), shared.model(scenario.model)));
        let table = table(scenario, models.collect());
        let names = (0..scenario.jobs.len()).map(name).collect();
        let saba = Controller::new(settings(scenario, policy), Levels::Shared(table.clone()));
        Controlled::new(saba, scenario, links, names, &table)
    }

    /// Returns the configuration of ports, by link.
    pub(in crate::jobs) fn configurations(&self) -> impl Iterator<Item = (u32, &PortConfig)> {
        self.controllers.configurations().map(|(port, config)| (port.0 as u32, config))
    }
}

impl Controlled<Instances> {
    /// Returns an instance for each switch with its cabled hosts. Levels come from workloads
    /// profiled in advance, without knowledge of the jobs (Saba 4.3.4): the paper's ten workloads
    /// and all others that jobs run, each once.
    pub(super) fn distributed(scenario: &JobsScenario, links: &Links) -> Self {
        let mut first: BTreeMap<&str, usize> = BTreeMap::new();
        for (job, shared) in scenario.jobs.iter().enumerate() {
            first.entry(&shared.workload).or_insert(job);
        }
        let of_job = |&job: &usize| (name(job), scenario.jobs[job].model(scenario.model));
        let mut models: BTreeMap<Application, Model> = first.values().map(of_job).collect();
        for workload in WORKLOADS.into_iter().filter(|workload| !first.contains_key(workload)) {
            let called = Application::try_from(workload).expect("letters are a name");
            let workload = Workload::by_name(workload).expect("it is in the table");
            let job = workload.job(Scale::default()).expect("a scale that is allowed");
            models.insert(called, fitted(&profile(&job, workload.rate), scenario.model));
        }
        let table = table(scenario, models);
        let names = scenario.jobs.iter().map(|job| name(first[&*job.workload])).collect();
        let settings = settings(scenario, SharingPolicy::Saba);
        let instances = Instances::new(&scenario.fabric, links, settings, &table);
        Controlled::new(instances, scenario, links, names, &table)
    }
}

impl<C: Controllers> Controlled<C> {
    /// Announces the ports with the scenario's queues, and looks up the jobs' levels in the table.
    fn new(
        mut controllers: C,
        scenario: &JobsScenario,
        links: &Links,
        names: Vec<Application>,
        table: &SharedTable,
    ) -> Self {
        let queues = one_or_more(scenario.queues.queues);
        for port in (0..links.ports().len() as u64).map(PortId) {
            controllers.send(Event::PortFound { port, queues, revision: 0 });
        }
        let level = |name: &Application| table.level_of(name).expect("the table has all jobs");
        let jobs = names.into_iter().map(|name| (name.clone(), level(&name))).collect();
        Controlled { controllers, jobs }
    }

    /// Announces all jobs with their paths to the controllers, without configuring the network.
    pub(in crate::jobs) fn with_all(mut self, paths: &[Paths]) -> Self {
        for (job, paths) in paths.iter().enumerate() {
            self.announce(job, paths);
        }
        self.controllers.settle();
        self
    }

    /// Returns the level of a job.
    pub(in crate::jobs) fn level(&self, job: usize) -> PriorityLevel {
        self.jobs[job].1
    }

    /// Announces a job with its paths.
    fn announce(&mut self, job: usize, paths: &Paths) {
        let (application, connection) = (ApplicationId(job as u64), ConnectionId(job as u64));
        let path = paths.links().into_iter().map(|link| PortId(link.into())).collect();
        let (name, level) = self.jobs[job].clone();
        let profile = Profile::Named(name);
        // All jobs are one tenant's.
        let tenant = Tenant::default();
        self.controllers.send(Event::Registered { application, profile, tenant });
        self.controllers.send(Event::Connected { connection, application, level, path });
    }

    /// Carries out the controllers' commands.
    fn settle(&mut self, ports: &mut impl Configurable) {
        for command in self.controllers.settle() {
            match command {
                // No job sends through this port.
                Command::Configure { config, .. } if config.weights.is_empty() => {}
                Command::Configure { port: PortId(link), config } => {
                    ports.configure(link as u32, &config);
                }
                // The level is the same as in the table.
                Command::Assign { .. } => {}
            }
        }
    }
}

fn settings(scenario: &JobsScenario, policy: SharingPolicy) -> Settings {
    let part = Share::try_from(scenario.queues.part).expect("a part of the whole");
    let weighting = match policy {
        SharingPolicy::EqualWeights => Weighting::EqualQueues,
        _ => Weighting::Sensitivity,
    };
    let of_models = policy != SharingPolicy::SabaNoFloor;
    let floors = Floors { of_models, ..Floors::default() };
    Settings { part, floors, weighting, ..Settings::default() }
}

fn table(scenario: &JobsScenario, models: BTreeMap<Application, Model>) -> Arc<SharedTable> {
    let grouping = Grouping {
        levels: NonZeroU16::from(one_or_more(scenario.queues.levels)),
        coordinates: Coordinates::Slowdowns,
        scaling: Scaling::None,
        seed: scenario.seed,
    };
    let table = SharedTable::new(models, &grouping);
    Arc::new(table.expect("slowdowns are coordinates of any model"))
}

/// Returns a job's name in the table. Names have the order of jobs.
fn name(job: usize) -> Application {
    Application::try_from(format!("{job:010}").as_str()).expect("digits are a name")
}

fn link_config(config: &PortConfig) -> LinkConfig {
    let queues = config.table.iter().map(|(level, queue)| (level.0 as u8, queue));
    LinkConfig::weighted(&config.weights, queues).expect("few queues, and weights above 0")
}

impl Configurable for Simulation<WeightedQueues> {
    fn configure(&mut self, link: u32, config: &PortConfig) {
        self.set_link(link, link_config(config)).expect("a link");
    }
}

impl<C: Controllers, N: Configurable> Steering<N> for Controlled<C> {
    fn class(&self, job: usize) -> u8 {
        self.jobs[job].1.0 as u8
    }

    fn starts(&mut self, job: usize, paths: &Paths, network: &mut N) {
        self.announce(job, paths);
        self.settle(network);
    }

    fn ended(&mut self, job: usize, _: &Paths, network: &mut N) {
        self.controllers.send(Event::Gone { application: ApplicationId(job as u64) });
        self.settle(network);
    }
}

fn one_or_more(n: u8) -> NonZeroU8 {
    NonZeroU8::new(n).unwrap_or(NonZeroU8::MIN)
}
