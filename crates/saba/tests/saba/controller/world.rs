//! Worlds: applications, connections and ports that come and go, as events in any order.

use crate::common::{PROFILED, any_samples, share};
use bandwise_saba::controller::{
    Accepted, ApplicationId, Command, ConnectionId, Controller, Event, Grouping, Levels,
    PortConfig, PortId, Profile, Settings, SharedTable,
};
use bandwise_saba::mapping::{PriorityLevel, Scaling};
use bandwise_saba::sensitivity::{Model, Monotone};
use bandwise_saba::table::Application;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;
use std::num::{NonZeroU8, NonZeroU16};
use std::sync::Arc;

/// Levels that connections may have, in all worlds.
pub const LEVELS: u16 = 4;

/// An application that sends a part `c` of the time that it takes with all of the bandwidth, and
/// computes in the rest: slowdown `1 - c + c / b`.
pub fn sends(c: f64) -> Model {
    let knots = PROFILED.map(|b| (share(b), 1.0 - c + c / b));
    Model::Monotone(Monotone::new(knots.to_vec()).unwrap())
}

pub fn grouping() -> Grouping {
    let levels = NonZeroU16::new(LEVELS).unwrap();
    Grouping { levels, coordinates: Default::default(), scaling: Scaling::None, seed: 1 }
}

pub fn name(number: usize) -> Application {
    Application::try_from(format!("workload {number}").as_str()).unwrap()
}

/// A table of these models, by number.
pub fn table(models: &[Model]) -> Arc<SharedTable> {
    let profiled = models.iter().enumerate().map(|(i, model)| (name(i), model.clone()));
    Arc::new(SharedTable::new(profiled.collect(), &grouping()).unwrap())
}

pub fn found(port: u64, queues: u8, revision: u64) -> Event {
    let queues = NonZeroU8::new(queues).unwrap();
    Event::PortFound { port: PortId(port), queues, revision }
}

pub fn registered(application: u64, model: &Model) -> Event {
    let profile = Profile::Model(model.clone());
    Event::Registered { application: ApplicationId(application), profile }
}

pub fn connected(connection: u64, application: u64, level: u16, path: &[u64]) -> Event {
    Event::Connected {
        connection: ConnectionId(connection),
        application: ApplicationId(application),
        level: PriorityLevel(level),
        path: path.iter().copied().map(PortId).collect(),
    }
}

pub fn closed(connection: u64, path: &[u64]) -> Event {
    let path = path.iter().copied().map(PortId).collect();
    Event::Closed { connection: ConnectionId(connection), path }
}

/// All that is ever said, and what of it holds in the end.
#[derive(Debug, Clone)]
pub struct World {
    /// Models that a table knew ahead of time, by number of their name.
    pub models: Vec<Model>,
    pub said: Vec<Event>,
    pub holds: Vec<Event>,
}

/// A name or a model of its own; one name has no model unless it is told.
type Who = (Result<usize, Model>, bool);
/// Whose, with which level, along which ports, and whether it is closed.
type Link = (u64, u16, Vec<u64>, bool);

const NAMES: usize = 4;
const PORTS: u64 = 6;

/// Worlds of up to 7 applications and 25 connections through 6 ports.
pub fn worlds(
    model: impl Strategy<Value = Model> + Clone + 'static,
) -> impl Strategy<Value = World> {
    let who = prop_oneof![(0..=NAMES).prop_map(Ok), model.clone().prop_map(Err)];
    let applications = prop::collection::vec((who, prop::bool::weighted(0.2)), 0..8);
    let path = prop::collection::vec(0..PORTS, 0..5);
    let link = (0u64..8, 0..LEVELS, path, prop::bool::weighted(0.3));
    let connections = prop::collection::vec(link, 0..26);
    // What is said of each port, by revision: its queues, or that it is lost.
    let port = prop::collection::vec(prop::option::weighted(0.8, 1u8..5), 0..4);
    let ports = prop::collection::vec(port, PORTS as usize);
    // Better models for names, by revision.
    let models = prop::collection::vec(model.clone(), NAMES);
    let updates = prop::collection::vec(prop::collection::vec(model, 0..3), NAMES + 1);
    (models, applications, connections, ports, updates)
        .prop_map(|(models, a, c, p, u)| world(models, a, c, p, u))
}

/// Any monotone models.
pub fn any_worlds() -> impl Strategy<Value = World> {
    worlds(any_samples().prop_map(|samples| Model::Monotone(Monotone::fit(&samples))).boxed())
}

/// Models whose shares have a closed form.
pub fn smooth_worlds() -> impl Strategy<Value = World> {
    worlds((1u32..=5).prop_map(|c| sends(0.2 * f64::from(c))).boxed())
}

fn world(
    models: Vec<Model>,
    applications: Vec<Who>,
    connections: Vec<Link>,
    ports: Vec<Vec<Option<u8>>>,
    updates: Vec<Vec<Model>>,
) -> World {
    let (mut said, mut holds) = (Vec::new(), Vec::new());
    let is_gone: Vec<bool> = applications.iter().map(|of| of.1).collect();
    for (id, (who, gone)) in (0..).zip(applications) {
        let profile = match who {
            Ok(number) => Profile::Named(name(number)),
            Err(model) => Profile::Model(model),
        };
        let application = ApplicationId(id);
        said.push(Event::Registered { application, profile });
        match gone {
            true => said.push(Event::Gone { application }),
            false => holds.extend(said.last().cloned()),
        }
    }
    for (id, (application, level, path, is_closed)) in (0..).zip(connections) {
        let event = connected(id, application, level, &path);
        said.push(event.clone());
        if is_closed {
            said.push(closed(id, &path));
        } else if !is_gone.get(application as usize).is_some_and(|gone| *gone) {
            holds.push(event);
        }
    }
    for (port, states) in (0..).zip(ports) {
        let states = (0..).zip(states).map(|(revision, queues)| match queues {
            Some(queues) => found(port, queues, revision),
            None => Event::PortLost { port: PortId(port), revision },
        });
        let states: Vec<Event> = states.collect();
        holds.extend(states.last().cloned());
        said.extend(states);
    }
    for (number, models) in updates.into_iter().enumerate() {
        let updates = (1..).zip(models).map(|(revision, model)| {
            let name = name(number);
            Event::ModelUpdated { name, model, revision }
        });
        let updates: Vec<Event> = updates.collect();
        holds.extend(updates.last().cloned());
        said.extend(updates);
    }
    World { models, said, holds }
}

/// A world, and a way to hear of it: all that is said in any order, some of it several times, and after
/// which of it to settle.
pub fn heard(
    worlds: impl Strategy<Value = World>,
) -> impl Strategy<Value = (World, Vec<(Event, bool)>)> {
    let again = prop::collection::vec(any::<Index>(), 0..20);
    (worlds, again).prop_flat_map(|(world, again)| {
        let mut all = world.said.clone();
        if !all.is_empty() {
            all.extend(again.iter().map(|index| index.get(&world.said).clone()));
        }
        let settles = prop::collection::vec(any::<bool>(), all.len());
        (Just(world), Just(all).prop_shuffle(), settles)
            .prop_map(|(world, all, settles)| (world, all.into_iter().zip(settles).collect()))
    })
}

/// A controller, and what ports and applications have if they do what it says.
pub struct Watched {
    pub controller: Controller,
    pub ports: BTreeMap<PortId, PortConfig>,
    pub levels: BTreeMap<ApplicationId, PriorityLevel>,
    pub commands: Vec<Command>,
}

impl Watched {
    pub fn new(settings: Settings, levels: Levels) -> Self {
        Watched {
            controller: Controller::new(settings, levels),
            ports: BTreeMap::new(),
            levels: BTreeMap::new(),
            commands: Vec::new(),
        }
    }

    pub fn accept(&mut self, event: Event) -> Accepted {
        let heard = self.controller.handle(event.clone()).unwrap();
        if heard == Accepted::New {
            match event {
                // It has lost what it was told.
                Event::PortFound { port, .. } | Event::PortLost { port, .. } => {
                    self.ports.remove(&port);
                }
                Event::Gone { application } => {
                    self.levels.remove(&application);
                }
                _ => {}
            }
        }
        heard
    }

    /// Settles. Nothing is told that is so already.
    pub fn settle(&mut self) -> Vec<Command> {
        let commands = self.controller.settle();
        for command in &commands {
            match command.clone() {
                Command::Assign { application, level } => {
                    let before = self.levels.insert(application, level);
                    assert_ne!(before, Some(level), "{command:?}");
                }
                Command::Configure { port, config } => {
                    let before = match config.weights.is_empty() {
                        true => self.ports.remove(&port),
                        false => self.ports.insert(port, config.clone()),
                    };
                    assert_ne!(before.unwrap_or_default(), config, "{port:?}");
                }
            }
        }
        let told = self.ports.iter().map(|(port, config)| (*port, config));
        assert!(told.eq(self.controller.configurations()));
        assert!(self.levels.iter().all(|of| self.controller.level(*of.0) == Some(*of.1)));
        assert!(self.controller.is_settled() && self.controller.settle().is_empty());
        self.commands.extend(commands.iter().cloned());
        commands
    }

    /// Hears all of it and settles at the end.
    pub fn all(mut self, events: impl IntoIterator<Item = (Event, bool)>) -> Self {
        for (event, settle) in events {
            self.accept(event);
            if settle {
                self.settle();
            }
        }
        self.settle();
        self
    }

    /// Hears all of it at once.
    pub fn at_once(self, events: &[Event]) -> Self {
        self.all(events.iter().map(|event| (event.clone(), false)))
    }
}
