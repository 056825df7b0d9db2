//! [`Worker`]: one side of a flow, in a thread of its own or several: makes queue pairs, connects them, measures or
//! answers, and keeps them until it is let go, because the other side may still use them.

use super::super::device::place::Place;
use super::super::device::port::any_psn;
use super::super::device::program::{self, Extent};
use super::super::device::settings::Until;
use super::super::device::threads::{self, How, Work, Worked};
use super::counted;
use anyhow::Context;
use bandwise_agents::agent::Event;
use bandwise_agents::message::{Job, Part};
use bandwise_agents::{End, Report};
use bandwise_rdma::verbs::Qp;
use bandwise_rperf::{Generator, KeyValueRequests, KeyValueSizes, KeyValueTable, Window};
use bandwise_units::Time;
use bandwise_verbs::ibverbs::{Chosen, QueuePairs, Side, VerbsError, WantedPages, WithContents};
use bandwise_verbs::session::Method;
use bandwise_verbs::{Clock, Monotonic, Wakes};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// What a worker is told.
#[derive(Debug)]
pub(super) enum Command {
    Connect(Side),
    /// When its flow's run begins.
    Start(Time),
    /// Who measures stops, and tells what there is.
    Stop,
}

/// A worker, to whoever ordered it. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    commands: Sender<Command>,
    stops: Arc<AtomicBool>,
    is_client: bool,
}

impl Worker {
    /// Begins to prepare. What comes of it is told by `tell`.
    pub(super) fn start(
        chosen: Chosen,
        job: Job,
        clock: impl Clock + Send + Sync + 'static,
        tell: impl Fn(Event) + Send + 'static,
    ) -> std::io::Result<Worker> {
        let (sender, commands) = channel();
        let stops = Arc::new(AtomicBool::new(false));
        let is_client = job.part == Part::Client;
        let flow = Flow { job, clock, commands, stops: Arc::clone(&stops) };
        thread::Builder::new().name("flow".into()).spawn(move || {
            if let Err(error) = flow.work(chosen, &tell) {
                tell(Event::Failed(format!("{error:#}")));
            }
        })?;
        Ok(Worker { commands: sender, stops, is_client })
    }

    /// Tells it something.
    pub(super) fn tell(&self, command: Command) {
        // Who answers goes on until all is over: others may still measure.
        if matches!(command, Command::Stop) && self.is_client {
            self.stops.store(true, Relaxed);
        }
        // One that has failed has told so.
        let _ = self.commands.send(command);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stops.store(true, Relaxed);
    }
}

struct Flow<C> {
    job: Job,
    clock: C,
    commands: Receiver<Command>,
    stops: Arc<AtomicBool>,
}

/// How often who waits for the start looks whether it is to stop, and how long before it sleeps no more.
const LOOK: Time = Time::from_ms(10);
const AWAKE: Time = Time::from_ms(1);

impl<C: Clock + Sync> Flow<C> {
    /// An error is what went wrong before anything was measured, or on the side that answers.
    fn work(self, chosen: Chosen, tell: &dyn Fn(Event)) -> anyhow::Result<()> {
        let (task, part) = (self.job.task, self.job.part.into());
        let (plan, threads) = (task.plan(part)?, task.threads_of(part));
        let mut devices = QueuePairs::open_many(chosen, plan, threads, any_psn())?;
        let here = Side::joined(devices.iter().map(QueuePairs::side));
        tell(Event::Prepared(here.context("no thread was asked for")?));
        let Ok(Command::Connect(side)) = self.commands.recv() else { return Ok(()) };
        let mut mtu = task.mtu;
        for (thread, device) in devices.iter_mut().enumerate() {
            mtu = device.connect(&task.other_side(part, thread, &side), task.path())?;
        }
        tell(Event::Connected(mtu));
        let loopback = devices.first().and_then(QueuePairs::loopback);
        let Method::KeyValue(store) = task.method else {
            return self.go(devices, loopback, tell, |_| Ok(None));
        };
        let (ways, window) = (store.ways(part), task.depth.get());
        let sizes = KeyValueSizes::herd(task.bytes.get());
        let devices = devices.into_iter().zip(0..);
        match self.job.part {
            Part::Client => {
                let of = |number| KeyValueRequests::new(number, &ways, sizes, window);
                let devices = devices.map(|(device, i)| WithContents::of(device, of(i)));
                self.go(devices.collect(), loopback, tell, |device| {
                    Ok(Some(device.contents()?.checked()))
                })
            }
            Part::Server => {
                let of = |number| KeyValueTable::new(number, &ways, sizes, window);
                let devices = devices.map(|(device, i)| WithContents::of(device, of(i)));
                self.go(devices.collect(), loopback, tell, |_| Ok(None))
            }
        }
    }

    /// Measures or answers with queue pairs that are connected, those of each thread. `values` says how many values
    /// have come, where messages hold some.
    fn go<D: Wakes<Error = VerbsError> + Send>(
        self,
        devices: Vec<D>,
        loopback: Option<Qp>,
        tell: &dyn Fn(Event),
        values: impl Fn(&mut D) -> Result<Option<u64>, VerbsError>,
    ) -> anyhow::Result<()> {
        let _kept = match self.job.part {
            Part::Server => self.answer(devices)?,
            Part::Client => {
                let (report, kept) = match self.commands.recv() {
                    Ok(Command::Start(at)) => self.measure(devices, loopback, at, values)?,
                    // Stopped before it began.
                    Ok(_) => (Report::none(End::Stopped), devices),
                    Err(_) => return Ok(()),
                };
                tell(Event::Ended(Box::new(report)));
                kept
            }
        };
        // The other side may still have something under way to these queue pairs.
        while self.commands.recv().is_ok() {}
        Ok(())
    }

    fn answer<D: Wakes<Error = VerbsError> + Send>(
        &self,
        devices: Vec<D>,
    ) -> Result<Vec<D>, VerbsError> {
        let task = &self.job.task;
        let work =
            devices.into_iter().map(|device| Work { device, program: program::of_server(task) });
        let place = anywhere();
        let how = How { place: &place, by_events: program::server_sleeps(task), begins: &|| true };
        let mut stop = || self.stops.load(Relaxed);
        // It takes no times.
        let worked = threads::run(work.collect(), &how, &Monotonic::start(), &mut stop);
        worked.into_iter().map(|worked| worked.end.map(|_| worked.device)).collect()
    }

    fn measure<D: Wakes<Error = VerbsError> + Send>(
        &self,
        devices: Vec<D>,
        loopback: Option<Qp>,
        at: Time,
        values: impl Fn(&mut D) -> Result<Option<u64>, VerbsError>,
    ) -> anyhow::Result<(Report, Vec<D>)> {
        let Job { task, active, window, think, seed, .. } = &self.job;
        let (begin, end) = (at + active.from(), at + active.to());
        let window = Window { from: at + window.from(), to: at + window.to() };
        let extent = |thread| Extent {
            start: begin,
            until: Until::Time(end - begin),
            window: Some(window),
            think: *think,
            seed: *seed,
            thread,
            rate: None,
            slices: Some(window.unit()),
        };
        let work = devices.into_iter().zip(0..).map(|(device, thread)| {
            let program = program::of_client(task, loopback, &extent(thread))?;
            anyhow::Ok(Work { device, program })
        });
        let work = work.collect::<Result<Vec<_>, _>>()?;
        let (clock, stops) = (&self.clock, &*self.stops);
        let (place, begins) = (anywhere(), || is_time(begin, clock, stops));
        let how = How { place: &place, by_events: task.events, begins: &begins };
        let mut stop = || stops.load(Relaxed) || clock.now() >= end;
        let mut worked = threads::run(work, &how, clock, &mut stop);
        // Once all had begun, and before the first ended.
        let spans: Option<Vec<(Time, Time)>> = worked.iter().map(|worked| worked.active).collect();
        let began = spans.iter().flatten().map(|span| span.0).max();
        let ended = spans.iter().flatten().map(|span| span.1).min();
        let counts: Result<Vec<_>, _> =
            worked.iter_mut().map(|one| values(&mut one.device)).collect();
        let (programs, kept, ends, busy) = apart(worked);
        let (Some(began), Some(ended)) = (began, ended) else {
            return Ok((Report::none(End::Stopped), kept));
        };
        let how_it_ended = match ends.and(counts.as_ref().map(drop).map_err(ToString::to_string)) {
            Err(why) => End::Failed(why),
            Ok(()) if ended >= end => End::Complete,
            Ok(()) => End::Stopped,
        };
        let (bytes, took) = (task.bytes.get(), ended.saturating_sub(began));
        let of_all = took.as_s_f64() * programs.len() as f64;
        let report = Report {
            end: how_it_ended,
            active: Some((began.saturating_sub(at), ended.saturating_sub(at))),
            carried: counted::carried(&programs).map(|carried| carried.saturating_sub(at)),
            whole: counted::whole(&programs, bytes, took),
            window: counted::within(&programs, bytes, window, ended),
            parts: counted::parts(&programs, bytes, window, ended),
            cpu: (took > Time::ZERO).then(|| busy.as_s_f64() / of_all),
            values: counts.ok().and_then(|counts| counts.into_iter().sum()),
        };
        Ok((report, kept))
    }
}

/// What several threads did: their programs, their queue pairs, the first failure, and how long they kept processors
/// busy.
fn apart<D>(
    worked: Vec<Worked<D, Generator>>,
) -> (Vec<Generator>, Vec<D>, Result<(), String>, Time) {
    let (mut programs, mut devices) = (Vec::new(), Vec::new());
    let (mut end, mut busy) = (Ok(()), Time::ZERO);
    for one in worked {
        programs.push(one.program);
        devices.push(one.device);
        end = end.and(one.end.map(drop).map_err(|error| error.to_string()));
        busy += one.busy;
    }
    (programs, devices, end, busy)
}

/// Threads run wherever the system lets them: an agent has several flows, which would be in each other's way.
fn anywhere() -> Place {
    Place::anywhere(WantedPages::Ordinary)
}

/// Whether it is that time now, and not the end of it all.
fn is_time(time: Time, clock: &impl Clock, stops: &AtomicBool) -> bool {
    loop {
        let left = time.saturating_sub(clock.now());
        if stops.load(Relaxed) {
            return false;
        }
        if left == Time::ZERO {
            return true;
        }
        if left > AWAKE {
            let nap = (left - AWAKE).min(LOOK);
            thread::sleep(Duration::from_nanos(nap.as_ps() / 1_000));
        }
    }
}
