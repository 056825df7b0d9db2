//! How long the controller takes in the network of figure 4.19 of Saba: from nobody to 1,000
//! applications of 32 instances, each with a connection to all others of its application; and then when
//! one connection, and when one application comes and goes.
//!
//! ```sh
//! cargo run --release -p bandwise-saba --example controller_time -- [APPLICATIONS] [TIMES]
//! ```

#[path = "../tests/saba/common.rs"]
#[allow(dead_code)]
mod common;
#[allow(dead_code)]
mod network;

use bandwise_random::Stream;
use bandwise_saba::controller::{
    ApplicationId, ConnectionId, Controller, Event, Grouping, Levels, PortId, Profile, Settings,
    SharedTable,
};
use bandwise_saba::mapping::{PriorityLevel, Scaling};
use bandwise_saba::sensitivity::{Degree, Kind, Model};
use bandwise_saba::table::Application;
use network::{HOSTS, INSTANCES, core_ms, hosts, percentile, ports};
use std::num::{NonZeroU8, NonZeroU16};
use std::sync::Arc;
use std::time::Instant;

/// An application's hosts, one connection from each.
fn connections(id: u64, level: PriorityLevel, hosts: &[usize]) -> Vec<Event> {
    let connection = |(i, &from): (usize, &usize)| {
        let mut path = Vec::new();
        for &to in hosts.iter().filter(|&&to| to != from) {
            ports(from, to, |port| path.push(PortId(port as u64)));
        }
        let connection = ConnectionId(id * INSTANCES as u64 + i as u64);
        Event::Connected { connection, application: ApplicationId(id), level, path }
    };
    hosts.iter().enumerate().map(connection).collect()
}

fn name(number: u64) -> Application {
    Application::try_from(format!("workload {number}").as_str()).expect("a name")
}

#[derive(Clone)]
struct Run {
    saba: Controller,
    workloads: u64,
    chance: Stream,
    start: Instant,
}

impl Run {
    fn hear(&mut self, event: Event) {
        self.saba.handle(event).expect("each is told once");
    }

    fn register(&mut self, id: u64) -> PriorityLevel {
        let application = ApplicationId(id);
        let profile = Profile::Named(name(id % self.workloads));
        self.hear(Event::Registered { application, profile });
        self.saba.settle();
        self.saba.level(application).expect("its model is known")
    }

    fn connect(&mut self, id: u64, level: PriorityLevel) {
        let hosts = hosts(&mut self.chance);
        for event in connections(id, level, &hosts) {
            self.hear(event);
        }
    }

    /// What settling takes, in ms of a core (the system may count them in steps of 4), and how many commands there are.
    fn settle(&mut self) -> (f64, usize) {
        let before = core_ms(self.start);
        let commands = self.saba.settle().len();
        (core_ms(self.start) - before, commands)
    }
}

fn say(what: &str, times: &mut [(f64, usize)]) {
    let mut ms: Vec<f64> = times.iter().map(|of| of.0).collect();
    ms.sort_by(f64::total_cmp);
    let commands: usize = times.iter().map(|of| of.1).sum();
    println!(
        "    {what}: mean {:.2} ms, 99th percentile {:.2} ms, {} commands a time",
        ms.iter().sum::<f64>() / ms.len() as f64,
        percentile(&ms, 0.99),
        commands / times.len()
    );
}

fn main() {
    let given = std::env::args().nth(1).map(|a| a.parse::<u64>().expect("a number"));
    let applications = given.unwrap_or(1_000);
    let times = std::env::args().nth(2).map_or(1, |a| a.parse::<u64>().expect("a number"));
    let grouping = Grouping {
        levels: NonZeroU16::new(16).expect("16"),
        coordinates: Default::default(),
        scaling: Scaling::None,
        seed: 1,
    };
    for (workloads, is_shared) in [(20, true), (20, false), (1_000, true), (1_000, false)] {
        let models: Vec<Model> = (0..workloads)
            .map(|i| Model::fit(&common::staged(i, 0.0), Kind::Polynomial(Degree::THREE)))
            .collect::<Result<_, _>>()
            .expect("seven shares");
        let profiled = || (0..).zip(&models).map(|(i, model)| (name(i), model.clone()));
        let levels = match is_shared {
            true => Levels::Shared(Arc::new(
                SharedTable::new(profiled().collect(), &grouping).expect("slowdowns"),
            )),
            false => Levels::Registered(grouping),
        };
        let saba = Controller::new(Settings::default(), levels);
        let chance = Stream::new(1, "placement", 0);
        let mut run = Run { saba, workloads, chance, start: Instant::now() };
        if !is_shared {
            for (name, model) in profiled() {
                run.hear(Event::ModelUpdated { name, model, revision: 1 });
            }
        }
        let queues = NonZeroU8::new(8).expect("8");
        for port in (0..5 * HOSTS as u64).map(PortId) {
            run.hear(Event::PortFound { port, queues, revision: 1 });
        }
        for id in 0..applications {
            let application = ApplicationId(id);
            run.hear(Event::Registered {
                application,
                profile: Profile::Named(name(id % workloads)),
            });
        }
        println!(
            "{workloads} workloads, levels {}:",
            if is_shared { "shared" } else { "registered" }
        );
        say("levels of all", &mut [run.settle()]);
        for id in 0..applications {
            let level = run.saba.level(ApplicationId(id)).expect("its model is known");
            run.connect(id, level);
        }
        let mut ports = Vec::new();
        for _ in 0..times {
            let mut again = run.clone();
            ports.push(again.settle());
        }
        say("ports of all", &mut ports);
        run.settle();
        let mut one_connection = Vec::new();
        for id in 0..200 {
            run.hear(Event::Closed { connection: ConnectionId(id * 32), path: Vec::new() });
            one_connection.push(run.settle());
        }
        say("a connection closed", &mut one_connection);
        let (mut gone, mut came) = (Vec::new(), Vec::new());
        for id in 0..20 {
            run.hear(Event::Gone { application: ApplicationId(id) });
            gone.push(run.settle());
            let id = applications + id;
            let level = run.register(id);
            run.connect(id, level);
            came.push(run.settle());
        }
        say("an application gone", &mut gone);
        say("another's connections, after its registration", &mut came);
    }
}
