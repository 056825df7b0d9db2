//! Worlds: random applications, connections and ports, as events in any order.

use crate::common::{PROFILED, any_samples, share};
use bandwise_saba::controller::{
    Accepted, ApplicationId, Command, ConnectionId, Controller, Event, Grouping, Levels,
    PortConfig, PortId, Profile, Settings, SharedTable, Tenant,
};
use bandwise_saba::mapping::{PriorityLevel, Scaling};
use bandwise_saba::sensitivity::{Model, Monotone};
use bandwise_saba::table::Application;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;
use std::num::{NonZeroU8, NonZeroU16};
use std::sync::Arc;

/// The number of levels of connections, in all worlds.
pub(super) const LEVELS: u16 = 4;

/// Returns the model of an application that sends for a fraction `c` of its time at full bandwidth
/// and computes for the rest: slowdown `1 - c + c / b`.
pub(super) fn sends(c: f64) -> Model {
    let knots = PROFILED.map(|b| (share(b), 1.0 - c + c / b));
    Model::Monotone(Monotone::new(knots.to_vec()).unwrap())
}

pub(super) fn grouping() -> Grouping {
    let levels = NonZeroU16::new(LEVELS).unwrap();
    Grouping { levels, coordinates: Default::default(), scaling: Scaling::None, seed: 1 }
}

pub(super) fn name(number: usize) -> Application {
    Application::try_from(format!("workload {number}").as_str()).unwrap()
}

/// Returns a table of these models, by number.
pub(super) fn table(models: &[Model]) -> Arc<SharedTable> {
    let profiled = models.iter().enumerate().map(|(i, model)| (name(i), model.clone()));
    Arc::new(SharedTable::new(profiled.collect(), &grouping()).unwrap())
}

pub(super) fn found(port: u64, queues: u8, revision: u64) -> Event {
    let queues = NonZeroU8::new(queues).unwrap();
    Event::PortFound { port: PortId(port), queues, revision }
}

pub(super) fn registered(application: u64, model: &Model) -> Event {
    registered_by("", application, Profile::Model(model.clone()))
}

pub(super) fn registered_by(tenant: &str, application: u64, profile: Profile) -> Event {
    Event::Registered {
        application: ApplicationId(application),
        profile,
        tenant: Tenant::from(tenant),
    }
}

pub(super) fn connected(connection: u64, application: u64, level: u16, path: &[u64]) -> Event {
    Event::Connected {
        connection: ConnectionId(connection),
        application: ApplicationId(application),
        level: PriorityLevel(level),
        path: path.iter().copied().map(PortId).collect(),
    }
}

pub(super) fn closed(connection: u64, path: &[u64]) -> Event {
    let path = path.iter().copied().map(PortId).collect();
    Event::Closed { connection: ConnectionId(connection), path }
}

/// All events of a world, and those that still apply at the end.
#[derive(Debug, Clone)]
pub(super) struct World {
    /// The models that a table has at the start, by number of their name.
    pub models: Vec<Model>,
    pub events: Vec<Event>,
    pub lasting: Vec<Event>,
}

/// The profile of an application, by the number of a name or as a model, and whether the
/// application ends, and its tenant. One name has a model only after an update.
type App = (Result<usize, Model>, bool, usize);
/// The application, level, ports and end of a connection.
type Link = (u64, u16, Vec<u64>, bool);

const NAMES: usize = 4;
const TENANTS: [&str; 3] = ["a", "b", "c"];
const PORTS: u64 = 6;

/// Generates worlds of up to 7 applications and 25 connections through 6 ports.
pub(super) fn worlds(
    model: impl Strategy<Value = Model> + Clone + 'static,
) -> impl Strategy<Value = World> {
    let app = prop_oneof![(0..=NAMES).prop_map(Ok), model.clone().prop_map(Err)];
    let app = (app, prop::bool::weighted(0.2), 0..TENANTS.len());
    let applications = prop::collection::vec(app, 0..8);
    let path = prop::collection::vec(0..PORTS, 0..5);
    let link = (0u64..8, 0..LEVELS, path, prop::bool::weighted(0.3));
    let connections = prop::collection::vec(link, 0..26);
    // The states of each port, by revision: its queues, or `None` if it is lost.
    let port = prop::collection::vec(prop::option::weighted(0.8, 1u8..5), 0..4);
    let ports = prop::collection::vec(port, PORTS as usize);
    // The updates of each name's model, by revision.
    let models = prop::collection::vec(model.clone(), NAMES);
    let updates = prop::collection::vec(prop::collection::vec(model, 0..3), NAMES + 1);
    (models, applications, connections, ports, updates)
        .prop_map(|(models, a, c, p, u)| world(models, a, c, p, u))
}

/// Generates monotone models.
pub(super) fn any_worlds() -> impl Strategy<Value = World> {
    worlds(any_samples().prop_map(|samples| Model::Monotone(Monotone::fit(&samples))).boxed())
}

/// Generates models whose shares have a closed form.
pub(super) fn smooth_worlds() -> impl Strategy<Value = World> {
    worlds((1u32..=5).prop_map(|c| sends(0.2 * f64::from(c))).boxed())
}

fn world(
    models: Vec<Model>,
    applications: Vec<App>,
    connections: Vec<Link>,
    ports: Vec<Vec<Option<u8>>>,
    updates: Vec<Vec<Model>>,
) -> World {
    let (mut events, mut lasting) = (Vec::new(), Vec::new());
    let is_gone: Vec<bool> = applications.iter().map(|of| of.1).collect();
    for (id, (app, gone, tenant)) in (0..).zip(applications) {
        let profile = match app {
            Ok(number) => Profile::Named(name(number)),
            Err(model) => Profile::Model(model),
        };
        let application = ApplicationId(id);
        events.push(registered_by(TENANTS[tenant], id, profile));
        match gone {
            true => events.push(Event::Gone { application }),
            false => lasting.extend(events.last().cloned()),
        }
    }
    for (id, (application, level, path, is_closed)) in (0..).zip(connections) {
        let event = connected(id, application, level, &path);
        events.push(event.clone());
        if is_closed {
            events.push(closed(id, &path));
        } else if !is_gone.get(application as usize).is_some_and(|gone| *gone) {
            lasting.push(event);
        }
    }
    for (port, states) in (0..).zip(ports) {
        let states = (0..).zip(states).map(|(revision, queues)| match queues {
            Some(queues) => found(port, queues, revision),
            None => Event::PortLost { port: PortId(port), revision },
        });
        let states: Vec<Event> = states.collect();
        lasting.extend(states.last().cloned());
        events.extend(states);
    }
    for (number, models) in updates.into_iter().enumerate() {
        let updates = (1..).zip(models).map(|(revision, model)| {
            let name = name(number);
            Event::ModelUpdated { name, model, revision }
        });
        let updates: Vec<Event> = updates.collect();
        lasting.extend(updates.last().cloned());
        events.extend(updates);
    }
    World { models, events, lasting }
}

/// Generates a world and a sequence of its events: in any order, some of them several times, each
/// with a flag to settle after it.
pub(super) fn sequences(
    worlds: impl Strategy<Value = World>,
) -> impl Strategy<Value = (World, Vec<(Event, bool)>)> {
    let again = prop::collection::vec(any::<Index>(), 0..20);
    (worlds, again).prop_flat_map(|(world, again)| {
        let mut all = world.events.clone();
        if !all.is_empty() {
            all.extend(again.iter().map(|index| index.get(&world.events).clone()));
        }
        let settles = prop::collection::vec(any::<bool>(), all.len());
        (Just(world), Just(all).prop_shuffle(), settles)
            .prop_map(|(world, all, settles)| (world, all.into_iter().zip(settles).collect()))
    })
}

/// A controller, and the state of ports and applications that execute its commands.
pub(super) struct Watched {
    pub controller: Controller,
    pub ports: BTreeMap<PortId, PortConfig>,
    pub levels: BTreeMap<ApplicationId, PriorityLevel>,
    pub commands: Vec<Command>,
}

impl Watched {
    pub(super) fn new(settings: Settings, levels: Levels) -> Self {
        Watched {
            controller: Controller::new(settings, levels),
            ports: BTreeMap::new(),
            levels: BTreeMap::new(),
            commands: Vec::new(),
        }
    }

    pub(super) fn accept(&mut self, event: Event) -> Accepted {
        let accepted = self.controller.handle(event.clone()).unwrap();
        if accepted == Accepted::New {
            match event {
                // The port has lost its configuration.
                Event::PortFound { port, .. } | Event::PortLost { port, .. } => {
                    self.ports.remove(&port);
                }
                Event::Gone { application } => {
                    self.levels.remove(&application);
                }
                _ => {}
            }
        }
        accepted
    }

    /// Settles and checks that no command repeats the present state.
    pub(super) fn settle(&mut self) -> Vec<Command> {
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
        let commanded = self.ports.iter().map(|(port, config)| (*port, config));
        assert!(commanded.eq(self.controller.configurations()));
        assert!(self.levels.iter().all(|of| self.controller.level(*of.0) == Some(*of.1)));
        assert!(self.controller.is_settled() && self.controller.settle().is_empty());
        self.commands.extend(commands.iter().cloned());
        commands
    }

    /// Accepts all events, with settling as given, and settles at the end.
    pub(super) fn all(mut self, events: impl IntoIterator<Item = (Event, bool)>) -> Self {
        for (event, settle) in events {
            self.accept(event);
            if settle {
                self.settle();
            }
        }
        self.settle();
        self
    }

    /// Accepts all events and settles once.
    pub(super) fn at_once(self, events: &[Event]) -> Self {
        self.all(events.iter().map(|event| (event.clone(), false)))
    }
}
