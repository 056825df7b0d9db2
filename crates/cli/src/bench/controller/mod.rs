//! How long a controller takes from a connection to weights at the ports on its way: a daemon with its store, its
//! socket and its ports of Linux, in a lab of its own.

mod client;
mod watched;

use super::{cores, or_not_known};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::lab::{Lab, Temporary, needs_root};
use crate::machine;
use crate::output::Outputs;
use crate::progress::Progress;
use anyhow::{Context, Error, Result};
use bandwise_controller::core::{Core, Profiles, Rules, State};
use bandwise_controller::credentials::{Credentials, Gate};
use bandwise_controller::daemon::{Desk, Metrics, Parts};
use bandwise_controller::settings::Listen;
use bandwise_controller::store::Embedded;
use bandwise_controller::{Door, Marking, router};
use bandwise_enforce::htb::Marks;
use bandwise_input::Source;
use bandwise_report::json::rounded;
use bandwise_saba::table::read;
use bandwise_units::Time;
use client::Client;
use serde_json::{Value, json};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use watched::Watched;

/// Two applications of which one loses more with less bandwidth, so that weights are unequal.
const TABLE: &str =
    "application,share,time_s\nA,1,132\nA,0.5,260\nA,0.25,447\nB,1,100\nB,0.5,110\nB,0.25,131\n";
/// A connection passes two ports: from its host to the switch, and from there to the other host.
const PORTS: usize = 2;
/// How long a write may take before it is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Milliseconds from when a request was sent, of each connection, sorted.
#[derive(Default)]
struct Took {
    /// To its answer, which comes when it is on the disk.
    answered: Vec<f64>,
    /// To the last port's weights read back and compared.
    read_back: Vec<f64>,
}

/// Connections come and go one by one for `duration`, so many times, and it is printed what they took.
pub(super) fn run(duration: Time, runs: u64, outputs: &Outputs) -> Result<(), Failure> {
    needs_root()?;
    let interrupt = Interrupt::listen()?;
    let lab = Temporary::up(&interrupt)?;
    let folder = tempfile::tempdir().map_err(Error::from)?;
    let (client, written) = start(&lab, folder.path())?;
    let progress = Progress::begin("bench");
    progress.steps(runs);
    let duration = Duration::from_nanos(duration.as_ps() / 1_000);
    let mut took = Took::default();
    let mut bench = Bench { client, written, rest: 2 * Rules::default().apart };
    let applications = [bench.client.register("A")?, bench.client.register("B")?];
    // Somebody whose weight has to change when another comes.
    bench.client.connect(applications[0], "h1", "h3")?;
    bench.last_write()?;
    for run in 0..runs {
        let began = Instant::now();
        loop {
            bench.round(applications[1], &mut took)?;
            if interrupt.asked() {
                progress.end();
                return Err(Failure::Interrupted);
            }
            if began.elapsed() >= duration {
                break;
            }
        }
        progress.at(run + 1);
    }
    progress.end();
    for ms in [&mut took.answered, &mut took.read_back] {
        ms.sort_by(f64::total_cmp);
    }
    outputs.emit(&text(&took, lab.lab(), folder.path()), &json(&took, lab.lab(), runs))
}

/// A controller of the lab's ports, and a client of it.
fn start(lab: &Temporary, folder: &std::path::Path) -> Result<(Client, Receiver<Instant>)> {
    let source = Source::new("bench.csv", TABLE);
    let table = read::any(&source).map_err(Error::from)?;
    let settings = bandwise_saba::controller::Settings::default();
    let marking = Marking::Dscp(Marks::local());
    let profiles = Profiles::new(table, marking.levels(), 1);
    let core = Core::new(Rules::default(), settings, profiles, State::default(), Duration::ZERO)?;
    let (tell, written) = channel();
    let switches = || -> Result<Watched> {
        let switches = lab.lab().switches_with(Marks::local())?;
        Ok(Watched { switches, written: tell.clone() })
    };
    let metrics = Metrics::new();
    let parts = Parts {
        core,
        store: Box::new(Embedded::open(&folder.join("store"))?),
        switches: switches()?,
        paths: switches()?,
        scout: switches()?,
        recording: None,
        audit: None,
        metrics: metrics.clone(),
        restores: false,
    };
    let (handle, _) = Desk::start(parts)?;
    let socket = folder.join("socket");
    let door = Door::open(&Listen::Unix { path: socket.clone(), mode: 0o600 })?;
    door.serve(router(handle, metrics, marking, Gate::new(Credentials::default())))?;
    Ok((Client::hello(&socket)?, written))
}

struct Bench {
    client: Client,
    /// When ports were read back after they were written.
    written: Receiver<Instant>,
    /// Longer than a port is left alone after a write.
    rest: Duration,
}

impl Bench {
    /// A connection is made, and closed when its weights stand at the ports.
    fn round(&mut self, application: u64, took: &mut Took) -> Result<()> {
        std::thread::sleep(self.rest);
        let began = Instant::now();
        let connection = self.client.connect(application, "h2", "h3")?;
        let answered = began.elapsed();
        let read_back = self.last_write()?.saturating_duration_since(began);
        took.answered.push(answered.as_secs_f64() * 1e3);
        took.read_back.push(read_back.as_secs_f64() * 1e3);
        std::thread::sleep(self.rest);
        self.client.close(connection)?;
        self.last_write().map(drop)
    }

    /// When the last port on a way was read back.
    fn last_write(&mut self) -> Result<Instant> {
        let mut last = Instant::now();
        for _ in 0..PORTS {
            last = self.written.recv_timeout(PATIENCE).context("a port is not written")?;
        }
        Ok(last)
    }
}

/// What that part of sorted numbers does not exceed.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = (sorted.len() as f64 * part) as usize;
    sorted[at.min(sorted.len() - 1)]
}

fn text(took: &Took, lab: &Lab, store: &std::path::Path) -> String {
    let line = |what: &str, ms: &[f64]| {
        let [median, p90, longest] = [0.5, 0.9, 1.0].map(|part| quantile(ms, part));
        format!(
            "{what:<10}  median {median:.2} ms, 90th percentile {p90:.2} ms, longest {longest:.2} ms\n"
        )
    };
    let links = lab.rate().map_or_else(|error| error.to_string(), |rate| rate.to_string());
    [
        format!(
            "{} connections one by one through {PORTS} ports of a lab of {links}, from the request over HTTP\n\n",
            took.read_back.len()
        ),
        line("answered", &took.answered),
        line("read back", &took.read_back),
        format!("store       in {}\n", store.parent().unwrap_or(store).display()),
        format!("processor   {}, ", or_not_known(machine::cpu_model())),
        format!("{}\n", or_not_known(machine::cores().map(cores))),
        format!("bandwise    {}\n", env!("CARGO_PKG_VERSION")),
    ]
    .concat()
}

fn json(took: &Took, lab: &Lab, runs: u64) -> Value {
    let of = |ms: &[f64]| {
        json!({
            "median_ms": quantile(ms, 0.5), "p90_ms": quantile(ms, 0.9), "longest_ms": quantile(ms, 1.0),
        })
    };
    rounded(json!({
        "schema": 1,
        "case": "controller",
        "connections": took.read_back.len(),
        "ports": PORTS,
        "link_bps": lab.rate_bps,
        "answered": of(&took.answered),
        "read_back": of(&took.read_back),
        "stats": {
            "version": env!("CARGO_PKG_VERSION"),
            "runs": runs,
            "cpu_model": machine::cpu_model(),
            "cores": machine::cores(),
        },
    }))
}
