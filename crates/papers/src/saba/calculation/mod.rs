//! Figure 4.19: "the time the controller takes to compute the bandwidth share of applications for
//! all switches" (Saba 4.6.5), on this machine. This study alone is not reproducible, so it runs
//! only on request.

#[cfg(feature = "baseline")]
mod baseline;
mod clock;
mod switches;

use bandwise_random::Stream;
use bandwise_saba::controller::{
    ApplicationId, ConnectionId, Controller, Event, Grouping, Levels, PortId, Profile, Settings,
    Tenant,
};
use bandwise_saba::mapping::Scaling;
use bandwise_saba::sensitivity::{Degree, Kind, Model};
use bandwise_scenario::jobs::profile;
use bandwise_stats::Percentile;
use bandwise_workload::job::{REFERENCE_RATE, Scale, synthetic};
use clock::Clock;
use std::collections::BTreeMap;
use std::num::{NonZeroU8, NonZeroU16};
use switches::{INSTANCES, PORTS, hosts, ports};

/// Number of different workloads (Saba 4.6.1).
const WORKLOADS: u32 = 20;
/// Number of measured sizes up to each of [`MOST`].
const SIZES: usize = 20;
/// The largest numbers of applications for which the text states times.
pub(super) const MOST: [usize; 2] = [250, 1_000];
/// The numbers of applications that are reported on their own.
pub(super) const SHOWN: [usize; 4] = [250, 500, 750, 1_000];
/// Number of closed connections, and of ended applications, one after another.
const EVENTS: u64 = 25;

/// The degrees with their names.
pub(super) const DEGREES: [(Degree, &str); 3] =
    [(Degree::ONE, "k=1"), (Degree::TWO, "k=2"), (Degree::THREE, "k=3")];

/// Returns all numbers by name, over `placements` random placements. Returns `None` if `stop`
/// returns `true`.
pub(super) fn numbers(
    placements: u64,
    seed: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Option<BTreeMap<String, f64>> {
    let mut numbers = BTreeMap::new();
    for (degree, called) in DEGREES {
        let models = models(degree, seed);
        let mut times = Times::default();
        for placement in 0..placements {
            if stop() {
                return None;
            }
            let mut chance = Stream::new(seed, "placement", placement);
            let most = *MOST.last().expect("two");
            let placed: Vec<Vec<usize>> = (0..most).map(|_| hosts(&mut chance)).collect();
            times.measure(&models, &placed, seed);
            #[cfg(feature = "baseline")]
            if placement == 0 {
                numbers.extend(baseline::numbers(called, &models, &placed));
            }
        }
        times.report(called, &mut numbers);
    }
    Some(numbers)
}

fn models(degree: Degree, seed: u64) -> Vec<Model> {
    let model = |workload: &bandwise_workload::job::Workload| {
        let job = workload.job(Scale::default()).expect("a scale that is allowed");
        let model = Model::fit(&profile(&job, REFERENCE_RATE), Kind::Polynomial(degree));
        model.expect("seven shares are enough")
    };
    synthetic(seed, WORKLOADS).iter().map(model).collect()
}

/// Measured times in seconds.
#[derive(Default)]
struct Times {
    /// Times to calculate all ports, by number of applications.
    all_ports: BTreeMap<usize, Vec<f64>>,
    closed: Vec<f64>,
    ended: Vec<f64>,
}

/// Returns sizes in equal steps up to the largest.
fn sizes(most: usize) -> impl Iterator<Item = usize> {
    (1..=SIZES).map(move |i| most * i / SIZES)
}

impl Times {
    /// Connects the applications one after another. At each of the sizes, measures the time in
    /// which a controller without any calculated port calculates all ports.
    fn measure(&mut self, models: &[Model], placed: &[Vec<usize>], seed: u64) {
        let clock = Clock::new();
        let mut saba = controller(models, placed.len(), seed);
        for (id, hosts) in (0..).zip(placed) {
            connect(&mut saba, id, hosts);
            let size = id as usize + 1;
            if MOST.iter().any(|&most| sizes(most).any(|of| of == size)) {
                let mut saba = saba.clone();
                let time = clock.time(|| saba.settle());
                self.all_ports.entry(size).or_default().push(time);
            }
        }
        saba.settle();
        for id in 0..EVENTS {
            let connection = ConnectionId(id * INSTANCES as u64);
            send(&mut saba, Event::Closed { connection, path: Vec::new() });
            self.closed.push(clock.time(|| saba.settle()));
        }
        for id in 0..EVENTS {
            send(&mut saba, Event::Gone { application: ApplicationId(id) });
            self.ended.push(clock.time(|| saba.settle()));
        }
    }

    fn report(&self, called: &str, numbers: &mut BTreeMap<String, f64>) {
        let mut put = |case: String, times: &[f64]| {
            let mut sorted = times.to_vec();
            sorted.sort_by(f64::total_cmp);
            let p99 = Percentile::P99.of_sorted(&sorted).expect("each case has been timed");
            numbers.insert(format!("{case}, {called} 99th"), p99);
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            numbers.insert(format!("{case}, {called} mean"), mean);
        };
        for most in MOST {
            let times: Vec<f64> =
                sizes(most).flat_map(|size| &self.all_ports[&size]).copied().collect();
            put(format!("up to {most} applications"), &times);
        }
        for size in SHOWN {
            put(format!("{size} applications"), &self.all_ports[&size]);
        }
        put("a connection closed".into(), &self.closed);
        put("an application gone".into(), &self.ended);
    }
}

/// Returns a centralised controller that knows all ports, and has assigned all applications to
/// levels.
fn controller(models: &[Model], applications: usize, seed: u64) -> Controller {
    let grouping = Grouping {
        levels: NonZeroU16::new(16).expect("16"),
        coordinates: Default::default(),
        scaling: Scaling::None,
        seed,
    };
    let mut saba = Controller::new(Settings::default(), Levels::Registered(grouping));
    let queues = NonZeroU8::new(8).expect("8");
    for port in (0..PORTS as u64).map(PortId) {
        send(&mut saba, Event::PortFound { port, queues, revision: 0 });
    }
    for id in 0..applications {
        let profile = Profile::Model(models[id % models.len()].clone());
        let (application, tenant) = (ApplicationId(id as u64), Tenant::default());
        send(&mut saba, Event::Registered { application, profile, tenant });
    }
    saba.settle();
    saba
}

/// Makes a connection from each host of an application to all its other hosts.
fn connect(saba: &mut Controller, id: u64, hosts: &[usize]) {
    let application = ApplicationId(id);
    let level = saba.level(application).expect("it has registered");
    for (number, &from) in (0..).zip(hosts) {
        let mut path = Vec::new();
        for &to in hosts.iter().filter(|&&to| to != from) {
            ports(from, to, |port| path.push(PortId(port as u64)));
        }
        let connection = ConnectionId(id * INSTANCES as u64 + number);
        send(saba, Event::Connected { connection, application, level, path });
    }
}

fn send(saba: &mut Controller, event: Event) {
    saba.handle(event).expect("each event is passed once");
}
