//! The time from a connection's request to weights at the ports of its path, measured with a daemon
//! with store, socket and Linux ports in a temporary lab.

use super::client::Client;
use super::start::start;
use super::times::{HereRow, TimesRow, here, line};
use super::watched::Watched;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Outputs, note};
use crate::progress::Progress;
use anyhow::{Context, Error, Result};
use bandwise_controller::core::Rules;
use bandwise_enforce::htb::Marks;
use bandwise_lab::{Lab, LabError, Temporary, needs_root};
use bandwise_units::Time;
use serde::Serialize;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A table of two applications with unequal sensitivity, so that their weights differ.
const TABLE: &str =
    "application,share,time_s\nA,1,132\nA,0.5,260\nA,0.25,447\nB,1,100\nB,0.5,110\nB,0.25,131\n";
/// A connection passes two ports: from its host to the switch, and from there to the other host.
const PORTS: usize = 2;
/// The longest time to wait for a write.
const PATIENCE: Duration = Duration::from_secs(10);

/// Times from the request of each connection, in milliseconds, sorted.
#[derive(Default)]
struct Measured {
    /// Time to the answer, which follows the write to disk.
    answered: Vec<f64>,
    /// Time until the weights of the last port were read back and compared.
    read_back: Vec<f64>,
}

/// Opens and closes connections one by one for `duration`, `runs` times, and prints the times.
pub(crate) fn run(duration: Time, runs: u64, outputs: &Outputs) -> Result<(), Failure> {
    needs_root()?;
    let interrupt = Interrupt::listen()?;
    let name = format!("bench-{}", std::process::id());
    let lab = Lab { name, hosts: 3, rate_bps: 200_000_000, others: 0.1 };
    let stays = |lab: &Lab, error: LabError| {
        note(format_args!("the lab {:?} stays: {:#}", lab.name, Error::from(error)));
    };
    let lab = Temporary::up(lab, &|| interrupt.asked(), stays)?;
    let folder = tempfile::tempdir().map_err(Error::from)?;
    let (sender, written) = channel();
    let switches = || -> Result<Watched> {
        let switches = lab.lab().switches_with(Marks::local())?;
        Ok(Watched { switches, written: sender.clone() })
    };
    let switches = [switches()?, switches()?, switches()?];
    let (socket, _) = start(TABLE, switches, folder.path())?;
    let client = Client::hello(&socket)?;
    let progress = Progress::begin("bench");
    progress.steps(runs);
    let duration = Duration::from_nanos(duration.as_ps() / 1_000);
    let mut measured = Measured::default();
    let mut bench = Bench { client, written, rest: 2 * Rules::default().order_gap };
    let applications = [bench.client.register("A")?, bench.client.register("B")?];
    // Its weight changes whenever another connection is made or closed.
    bench.client.connect(applications[0], "h1", "h3")?;
    bench.last_write()?;
    for run in 0..runs {
        let began = Instant::now();
        loop {
            bench.round(applications[1], &mut measured)?;
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
    for ms in [&mut measured.answered, &mut measured.read_back] {
        ms.sort_by(f64::total_cmp);
    }
    outputs.answer(&OneAnswer::new(&measured, lab.lab(), folder.path(), runs))
}

struct Bench {
    client: Client,
    /// Receives the times at which ports were read back after a write.
    written: Receiver<Instant>,
    /// A pause longer than the controller's gap between two writes of a port.
    rest: Duration,
}

impl Bench {
    /// Makes a connection, waits until its weights are at the ports, and closes it.
    fn round(&mut self, application: u64, measured: &mut Measured) -> Result<()> {
        std::thread::sleep(self.rest);
        let began = Instant::now();
        let connection = self.client.connect(application, "h2", "h3")?;
        let answered = began.elapsed();
        let read_back = self.last_write()?.saturating_duration_since(began);
        measured.answered.push(answered.as_secs_f64() * 1e3);
        measured.read_back.push(read_back.as_secs_f64() * 1e3);
        std::thread::sleep(self.rest);
        self.client.close(connection)?;
        self.last_write().map(drop)
    }

    /// Returns the time at which the last port of a path was read back.
    fn last_write(&mut self) -> Result<Instant> {
        let mut last = Instant::now();
        for _ in 0..PORTS {
            last = self.written.recv_timeout(PATIENCE).context("a port is not written")?;
        }
        Ok(last)
    }
}

fn text(measured: &Measured, lab: &Lab, store: &Path) -> String {
    let links = lab.rate().map_or_else(|error| error.to_string(), |rate| rate.to_string());
    [
        format!(
            "{} connections one by one through {PORTS} ports of a lab of {links}, from the request over HTTP\n\n",
            measured.read_back.len()
        ),
        line("answered", &measured.answered),
        line("read back", &measured.read_back),
        here(store),
    ]
    .concat()
}

/// The times of connections through ports of a lab.
#[derive(Serialize)]
struct OneAnswer<'a> {
    schema: u32,
    case: &'static str,
    connections: usize,
    ports: usize,
    link_bps: u64,
    answered: TimesRow,
    read_back: TimesRow,
    stats: HereRow,
    #[serde(skip)]
    measured: &'a Measured,
    #[serde(skip)]
    lab: &'a Lab,
    #[serde(skip)]
    store: &'a Path,
}

impl<'a> OneAnswer<'a> {
    fn new(measured: &'a Measured, lab: &'a Lab, store: &'a Path, runs: u64) -> Self {
        OneAnswer {
            schema: 1,
            case: "controller",
            connections: measured.read_back.len(),
            ports: PORTS,
            link_bps: lab.rate_bps,
            answered: TimesRow::of(&measured.answered),
            read_back: TimesRow::of(&measured.read_back),
            stats: HereRow::new(runs),
            measured,
            lab,
            store,
        }
    }
}

impl Answer for OneAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        text(self.measured, self.lab, self.store)
    }
}
