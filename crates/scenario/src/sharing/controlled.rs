//! [`Controlled`]: a network whose ports Saba's controller sets up.

use super::steering::{Configurable, Paths, Steering};
use super::{SharingPolicy, SharingScenario};
use bandwise_flowsim::policy::WeightedQueues;
use bandwise_flowsim::{LinkConfig, Queue, Simulation};
use bandwise_saba::Share;
use bandwise_saba::controller::{
    ApplicationId, Command, ConnectionId, Controller, Coordinates, Event, Grouping, Levels,
    PortConfig, PortId, Profile, Settings, SharedTable, Weighting,
};
use bandwise_saba::mapping::{PriorityLevel, Scaling};
use bandwise_saba::table::Application;
use bandwise_saba::weights::Floors;
use std::num::{NonZeroU8, NonZeroU16};
use std::sync::Arc;

/// The controller and what it needs to know of jobs. Links are ports, of the same numbers; a job is an
/// application, and a connection over all the links that it sends through.
pub(super) struct Controlled {
    controller: Controller,
    /// By job.
    levels: Vec<PriorityLevel>,
}

impl Controlled {
    /// Ports with the scenario's queues. Levels are of all jobs that there will be, as they are made
    /// ahead of time (Saba 4.3.4), for a connection keeps its level.
    ///
    /// `policy` is Saba, or one that differs from it in its weights.
    pub(super) fn new(scenario: &SharingScenario, links: u32, policy: SharingPolicy) -> Controlled {
        let grouping = Grouping {
            levels: NonZeroU16::from(one_or_more(scenario.queues.levels)),
            coordinates: Coordinates::Slowdowns,
            scaling: Scaling::None,
            seed: scenario.seed,
        };
        let jobs = scenario.jobs.iter().enumerate();
        let models = jobs.map(|(job, shared)| (name(job), shared.model(scenario.model)));
        let table = SharedTable::new(models.collect(), &grouping);
        let table = Arc::new(table.expect("slowdowns are coordinates of any model"));
        let level = |job| table.level_of(&name(job)).expect("the table has all jobs");
        let levels = (0..scenario.jobs.len()).map(level).collect();
        let part = Share::try_from(scenario.queues.part).expect("a part of the whole");
        let weighting = match policy {
            SharingPolicy::EqualWeights => Weighting::EqualQueues,
            _ => Weighting::Sensitivity,
        };
        let of_models = policy != SharingPolicy::SabaNoFloor;
        let floors = Floors { of_models, ..Floors::default() };
        let settings = Settings { part, floors, weighting, ..Settings::default() };
        let mut controller = Controller::new(settings, Levels::Shared(table));
        let queues = one_or_more(scenario.queues.queues);
        for port in (0..u64::from(links)).map(PortId) {
            tell(&mut controller, Event::PortFound { port, queues, revision: 0 });
        }
        Controlled { controller, levels }
    }

    /// All jobs are there, and send over these paths; nobody is told of it but the controller.
    pub(super) fn with_all(mut self, paths: &[Paths]) -> Controlled {
        for (job, paths) in paths.iter().enumerate() {
            self.hear(job, paths);
        }
        self.controller.settle();
        self
    }

    /// What ports were told, by link.
    pub(super) fn configurations(&self) -> impl Iterator<Item = (u32, &PortConfig)> {
        self.controller.configurations().map(|(port, config)| (port.0 as u32, config))
    }

    /// The level of each job.
    pub(super) fn levels(&self) -> &[PriorityLevel] {
        &self.levels
    }

    /// A job is there, and sends over these paths.
    fn hear(&mut self, job: usize, paths: &Paths) {
        let (application, connection) = (ApplicationId(job as u64), ConnectionId(job as u64));
        let path = paths.links().into_iter().map(|link| PortId(link.into())).collect();
        let (profile, level) = (Profile::Named(name(job)), self.levels[job]);
        tell(&mut self.controller, Event::Registered { application, profile });
        tell(&mut self.controller, Event::Connected { connection, application, level, path });
    }

    /// Does what the controller says.
    fn settle(&mut self, ports: &mut impl Configurable) {
        for command in self.controller.settle() {
            match command {
                // Nobody sends there; what it is set to matters to nobody.
                Command::Configure { config, .. } if config.weights.is_empty() => {}
                Command::Configure { port: PortId(link), config } => {
                    ports.configure(link as u32, &config);
                }
                // The same as in the table.
                Command::Assign { .. } => {}
            }
        }
    }
}

fn tell(controller: &mut Controller, event: Event) {
    controller.handle(event).expect("each is told once");
}

/// A job's name in the table; in the order of jobs.
fn name(job: usize) -> Application {
    Application::try_from(format!("{job:010}").as_str()).expect("digits are a name")
}

fn link_config(config: &PortConfig) -> LinkConfig {
    let queues = config.weights.iter().map(|&weight| Queue::weighted(weight.into())).collect();
    let last = config.table.iter().last().map_or(0, |(level, _)| usize::from(level.0));
    let mut queue_of_class = vec![0; last + 1];
    for (level, queue) in config.table.iter() {
        queue_of_class[usize::from(level.0)] = queue;
    }
    LinkConfig::new(queues, queue_of_class).expect("few queues, and weights above 0")
}

impl Configurable for Simulation<WeightedQueues> {
    fn configure(&mut self, link: u32, config: &PortConfig) {
        self.set_link(link, link_config(config)).expect("a link");
    }
}

impl<N: Configurable> Steering<N> for Controlled {
    fn class(&self, job: usize) -> u8 {
        self.levels[job].0 as u8
    }

    fn starts(&mut self, job: usize, paths: &Paths, network: &mut N) {
        self.hear(job, paths);
        self.settle(network);
    }

    fn ended(&mut self, job: usize, _: &Paths, network: &mut N) {
        tell(&mut self.controller, Event::Gone { application: ApplicationId(job as u64) });
        self.settle(network);
    }
}

fn one_or_more(n: u8) -> NonZeroU8 {
    NonZeroU8::new(n).unwrap_or(NonZeroU8::MIN)
}
