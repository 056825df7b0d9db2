//! Many connections: the time to make all of them, the rate at which they are closed and made, and
//! the memory that they need. The network is in memory, so that only the controller, its store and
//! its socket are measured.

use super::client::Client;
use super::start::start;
use super::times::{HereRow, TimesRow, here, line};
use crate::answer::Answer;
use crate::bench::facts::or_not_known;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::machine;
use crate::output::Outputs;
use crate::progress::Progress;
use anyhow::{Context, Error, Result, anyhow};
use bandwise_controller::core::Owner;
use bandwise_controller::daemon::Handle;
use bandwise_enforce_simulated::Simulated;
use bandwise_random::Stream;
use bandwise_stats::Percentile;
use bandwise_topology::builders;
use bandwise_units::{BitRate, Time};
use serde::Serialize;
use std::num::NonZeroU8;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The number of names in the table; each name is more sensitive than the previous one.
const NAMES: u64 = 16;
/// The number of clients, each with its own socket.
const CLIENTS: u64 = 20;
const APPLICATIONS: u64 = 1_000;
const CONNECTIONS: u64 = 100_000;
/// The numbers of leaves, of spines, and of hosts per leaf.
const FABRIC: (u16, u16, u16) = (8, 4, 16);
const QUEUES: NonZeroU8 = NonZeroU8::new(8).unwrap();
const SEED: u64 = 1;

/// The times of all steps.
struct Measured {
    filled_s: f64,
    /// Connections made or closed per second while all others are held, in each run.
    events_per_s: Vec<f64>,
    /// Milliseconds from a request to its answer, which follows the write to disk; sorted.
    answered: Vec<f64>,
    /// Milliseconds from the end of each run until all ports have their weights; sorted.
    settled: Vec<f64>,
    /// The peak memory in bytes when all connections had been made.
    filled_bytes: Option<u64>,
}

/// Fills a controller with connections, then closes and makes connections for `duration`, `runs`
/// times.
pub(crate) fn run(duration: Time, runs: u64, outputs: &Outputs) -> Result<(), Failure> {
    let interrupt = Interrupt::listen()?;
    let folder = tempfile::tempdir().map_err(Error::from)?;
    let (leaves, spines, hosts) = FABRIC;
    let (rate, delay) = (BitRate::from_gbps(100), Time::from_ns(500));
    let fabric = builders::leaf_spine(leaves, spines, hosts, rate, delay).map_err(Error::from)?;
    let network = Simulated::new(fabric, QUEUES);
    let switches = [network.clone(), network.clone(), network];
    let (socket, handle) = start(&table(), switches, folder.path())?;
    let bench = Bench { interrupt, socket: &socket, handle };
    let progress = Progress::begin("bench");
    let measured = bench.measure(Duration::from_nanos(duration.as_ps() / 1_000), runs, &progress);
    progress.end();
    let Some(measured) = measured? else { return Err(Failure::Interrupted) };
    outputs.answer(&ManyAnswer::new(&measured, folder.path(), runs))
}

/// Returns a sensitivity table in which each application is more sensitive than the previous one.
fn table() -> String {
    let mut table = "application,share,time_s\n".to_owned();
    for of in 0..NAMES {
        let most = 1.0 + 3.0 * (of as f64 + 1.0) / NAMES as f64;
        for share in [1.0, 0.5, 0.25] {
            let lost = (most - 1.0) * (1.0 / share - 1.0) / 3.0;
            table += &format!("a{of},{share},{}\n", 100.0 * (1.0 + lost));
        }
    }
    table
}

struct Bench<'a> {
    interrupt: Interrupt,
    socket: &'a Path,
    handle: Handle,
}

/// A client with its applications and its connections.
struct BenchClient {
    client: Client,
    applications: Vec<u64>,
    /// Pairs of a connection and its application.
    connections: Vec<(u64, u64)>,
    random: Stream,
    answered: Vec<f64>,
}

impl Bench<'_> {
    /// Runs all steps. Returns `None` after an interrupt.
    fn measure(
        &self,
        duration: Duration,
        runs: u64,
        progress: &Progress,
    ) -> Result<Option<Measured>> {
        progress.steps(CONNECTIONS);
        let open = |of| -> Result<BenchClient> {
            let (client, random) = (Client::hello(self.socket)?, Stream::new(SEED, "bench", of));
            let (applications, connections, answered) = (Vec::new(), Vec::new(), Vec::new());
            Ok(BenchClient { client, applications, connections, random, answered })
        };
        let mut all: Vec<BenchClient> = (0..CLIENTS).map(open).collect::<Result<_>>()?;
        let (began, made) = (Instant::now(), AtomicU64::new(0));
        self.each(&mut all, |client, stop| {
            client.fill(|| {
                progress.at(made.fetch_add(1, Relaxed) + 1);
                !stop.load(Relaxed)
            })
        })?;
        let filled_s = began.elapsed().as_secs_f64();
        let filled_bytes = machine::peak_rss_bytes();
        self.settled()?;
        all.iter_mut().for_each(|client| client.answered.clear());
        let (mut events_per_s, mut settled) = (Vec::new(), Vec::new());
        for _ in 0..runs {
            let (began, events) = (Instant::now(), AtomicU64::new(0));
            self.each(&mut all, |client, stop| {
                while began.elapsed() < duration && !stop.load(Relaxed) {
                    client.exchange()?;
                    events.fetch_add(2, Relaxed);
                }
                Ok(())
            })?;
            events_per_s.push(events.load(Relaxed) as f64 / began.elapsed().as_secs_f64());
            settled.push(self.settled()?.as_secs_f64() * 1e3);
        }
        if self.interrupt.asked() {
            return Ok(None);
        }
        let mut answered: Vec<f64> = all.into_iter().flat_map(|client| client.answered).collect();
        for numbers in [&mut answered, &mut events_per_s, &mut settled] {
            numbers.sort_by(f64::total_cmp);
        }
        Ok(Some(Measured { filled_s, events_per_s, answered, settled, filled_bytes }))
    }

    /// Runs all clients at once, each in a thread, until they are done or an interrupt sets the
    /// flag.
    fn each(
        &self,
        all: &mut [BenchClient],
        work: impl Fn(&mut BenchClient, &AtomicBool) -> Result<()> + Sync,
    ) -> Result<()> {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (work, stop) = (&work, &stop);
            let threads: Vec<_> =
                all.iter_mut().map(|client| scope.spawn(move || work(client, stop))).collect();
            while threads.iter().any(|thread| !thread.is_finished()) {
                std::thread::sleep(Duration::from_millis(10));
                stop.fetch_or(self.interrupt.asked(), Relaxed);
            }
            let joined = |thread: std::thread::ScopedJoinHandle<'_, Result<()>>| {
                thread.join().map_err(|_| anyhow!("a client ended by a fault"))?
            };
            threads.into_iter().try_for_each(joined)
        })
    }

    /// Waits until all ports have their wanted weights, and returns the time that it waited.
    fn settled(&self) -> Result<Duration> {
        let began = Instant::now();
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        while !runtime
            .block_on(self.handle.inspect(&Owner::default(), |core, _| core.is_settled()))
            .context("the controller has ended")?
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(began.elapsed())
    }
}

impl BenchClient {
    /// Registers the client's applications and makes their connections, while `may_continue` returns
    /// `true` after each.
    fn fill(&mut self, may_continue: impl Fn() -> bool) -> Result<()> {
        for _ in 0..APPLICATIONS / CLIENTS {
            let name = format!("a{}", self.random.below(NAMES));
            let application = self.client.register(&name)?;
            self.applications.push(application);
            for _ in 0..CONNECTIONS / APPLICATIONS {
                self.connect(application)?;
                if !may_continue() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Makes a connection of an application between two random hosts.
    fn connect(&mut self, application: u64) -> Result<()> {
        let hosts = u64::from(FABRIC.0) * u64::from(FABRIC.2);
        let from = self.random.below(hosts);
        let to = (from + 1 + self.random.below(hosts - 1)) % hosts;
        let began = Instant::now();
        let made = self.client.connect(application, &format!("h{from}"), &format!("h{to}"))?;
        self.answered.push(began.elapsed().as_secs_f64() * 1e3);
        self.connections.push((made, application));
        Ok(())
    }

    /// Closes a random connection and opens another of the same application.
    fn exchange(&mut self) -> Result<()> {
        let at = self.random.below(self.connections.len() as u64) as usize;
        let (connection, application) = self.connections.swap_remove(at);
        let began = Instant::now();
        self.client.close(connection)?;
        self.answered.push(began.elapsed().as_secs_f64() * 1e3);
        self.connect(application)
    }
}

fn mib(bytes: Option<u64>) -> String {
    or_not_known(bytes.map(|bytes| format!("{:.1} MiB", bytes as f64 / 1048576.0)))
}

fn text(measured: &Measured, folder: &Path) -> String {
    let Measured { filled_s, events_per_s, answered, settled, filled_bytes } = measured;
    let middle = Percentile::MEDIAN.of_sorted(events_per_s).expect("there are runs");
    let (least, most) = (events_per_s[0], events_per_s[events_per_s.len() - 1]);
    [
        format!(
            "{CONNECTIONS} connections of {APPLICATIONS} applications, from {CLIENTS} clients over HTTP, to a network in memory of \
             {} hosts\n\n",
            FABRIC.0 * FABRIC.2
        ),
        format!(
            "all made    in {filled_s:.1} s, {:.0} a second\n",
            CONNECTIONS as f64 / filled_s
        ),
        format!(
            "then        {middle:.0} made or closed a second (median of {least:.0} to {most:.0}), all others held\n"
        ),
        line("answered", answered),
        format!(
            "settled     at most {:.1} ms after the last\n",
            settled[settled.len() - 1]
        ),
        format!(
            "memory      {} when all were there, {} at most, clients included\n",
            mib(*filled_bytes),
            mib(machine::peak_rss_bytes())
        ),
        here(folder),
    ]
    .concat()
}

/// The times and rates of many connections.
#[derive(Serialize)]
struct ManyAnswer<'a> {
    schema: u32,
    case: &'static str,
    clients: u64,
    applications: u64,
    connections: u64,
    filled_s: f64,
    events_per_s: &'a [f64],
    answered: TimesRow,
    settled_ms: &'a [f64],
    filled_rss_bytes: Option<u64>,
    stats: HereRow,
    #[serde(skip)]
    measured: &'a Measured,
    #[serde(skip)]
    store: &'a Path,
}

impl<'a> ManyAnswer<'a> {
    fn new(measured: &'a Measured, store: &'a Path, runs: u64) -> Self {
        ManyAnswer {
            schema: 1,
            case: "controller-many",
            clients: CLIENTS,
            applications: APPLICATIONS,
            connections: CONNECTIONS,
            filled_s: measured.filled_s,
            events_per_s: &measured.events_per_s,
            answered: TimesRow::of(&measured.answered),
            settled_ms: &measured.settled,
            filled_rss_bytes: measured.filled_bytes,
            stats: HereRow::new(runs),
            measured,
            store,
        }
    }
}

impl Answer for ManyAnswer<'_> {
    const IS_ROUNDED: bool = true;

    fn text(&self) -> String {
        text(self.measured, self.store)
    }
}
