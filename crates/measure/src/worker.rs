//! [`Worker`]: one side of a flow, on its own threads. A worker makes queue pairs, connects them,
//! and measures or answers. It keeps the queue pairs until it is dropped, because the other side
//! may still use them.

use crate::fellows::Fellows;
use crate::program::{self, Extent, Until};
use crate::threads::{self, Conditions, Finished, Work};
use crate::{any_psn, counted};
use anyhow::Context;
use bandwise_agents::agent::Event;
use bandwise_agents::message::Job;
use bandwise_agents::{FlowEnd, Report};
use bandwise_rdma::verbs::Qp;
use bandwise_rperf::{Generator, KeyValueRequests, KeyValueSizes, KeyValueTable, Window};
use bandwise_session::{Method, Part, Side};
use bandwise_units::Time;
use bandwise_verbs::ibverbs::{Chosen, QueuePairs, VerbsError, WithContents};
use bandwise_verbs::{Clock, Monotonic, Wakes};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// A command to a worker.
#[derive(Debug)]
pub enum Command {
    /// Connect to this side, for which the agent at this port of its address vouches.
    Connect(Side, u16),
    /// Start the run of the flow at this time.
    Start(Time),
    /// Stop measuring and report.
    Stop,
}

/// A handle of a worker, which ends when the handle is dropped.
#[derive(Debug)]
pub struct Worker {
    commands: Sender<Command>,
    stops: Arc<AtomicBool>,
    is_client: bool,
}

impl Worker {
    /// Starts a worker, which reports its events by `emit`.
    ///
    /// # Errors
    ///
    /// Returns an error if no thread can be started.
    pub fn start(
        chosen: Chosen,
        fellows: Arc<Fellows>,
        job: Job,
        clock: impl Clock + Send + Sync + 'static,
        emit: impl Fn(Event) + Send + 'static,
    ) -> std::io::Result<Worker> {
        let (sender, commands) = channel();
        let stops = Arc::new(AtomicBool::new(false));
        let is_client = job.part == Part::Client;
        let flow = Flow { fellows, job, clock, commands, stops: Arc::clone(&stops) };
        thread::Builder::new().name("flow".into()).spawn(move || {
            if let Err(error) = flow.work(chosen, &emit) {
                emit(Event::Failed(format!("{error:#}")));
            }
        })?;
        Ok(Worker { commands: sender, stops, is_client })
    }

    /// Sends a command.
    pub fn send(&self, command: Command) {
        // A server runs until its worker is dropped, because other clients may still measure.
        if matches!(command, Command::Stop) && self.is_client {
            self.stops.store(true, Relaxed);
        }
        // A worker that has failed has reported it.
        let _ = self.commands.send(command);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stops.store(true, Relaxed);
    }
}

struct Flow<C> {
    fellows: Arc<Fellows>,
    job: Job,
    clock: C,
    commands: Receiver<Command>,
    stops: Arc<AtomicBool>,
}

/// The interval of checks for a stop while a worker waits for the start.
const STOP_CHECK: Time = Time::from_ms(10);
/// The time before the start in which a worker polls the clock instead of sleeping.
const POLLING: Time = Time::from_ms(1);

impl<C: Clock + Sync> Flow<C> {
    /// Runs the flow. Fails if an error occurs before the measurement or on the server.
    fn work(self, chosen: Chosen, emit: &dyn Fn(Event)) -> anyhow::Result<()> {
        let (task, part) = (self.job.task, self.job.part);
        let (plan, threads) = (task.plan(part)?, task.threads_of(part));
        let mut devices = QueuePairs::open_many(chosen, plan, threads, any_psn())?;
        let here = Side::joined(devices.iter().map(QueuePairs::side));
        emit(Event::Prepared(here.context("no thread was asked for")?));
        let Ok(Command::Connect(side, port)) = self.commands.recv() else { return Ok(()) };
        self.fellows.check(self.job.flow, &side, port)?;
        let mut mtu = task.mtu;
        for (thread, device) in devices.iter_mut().enumerate() {
            mtu = device.connect(&task.other_side(part, thread, &side), task.path())?;
        }
        emit(Event::Connected(mtu));
        let loopback = devices.first().and_then(QueuePairs::loopback);
        let Method::KeyValue(store) = task.method else {
            return self.go(devices, loopback, emit, |_| Ok(None));
        };
        let (qps, window) = (store.queue_pairs(part), task.depth.get());
        let sizes = KeyValueSizes::herd(task.bytes.get());
        let devices = devices.into_iter().zip(0..);
        match self.job.part {
            Part::Client => {
                let of = |number| KeyValueRequests::new(number, &qps, sizes, window);
                let devices = devices.map(|(device, i)| WithContents::of(device, of(i)));
                self.go(devices.collect(), loopback, emit, |device| {
                    Ok(Some(device.contents()?.checked()))
                })
            }
            Part::Server => {
                let of = |number| KeyValueTable::new(number, &qps, sizes, window);
                let devices = devices.map(|(device, i)| WithContents::of(device, of(i)));
                self.go(devices.collect(), loopback, emit, |_| Ok(None))
            }
        }
    }

    /// Measures or answers with connected queue pairs, one device a thread. `values` returns the number
    /// of received values if messages hold values.
    fn go<D: Wakes<Error = VerbsError> + Send>(
        self,
        devices: Vec<D>,
        loopback: Option<Qp>,
        emit: &dyn Fn(Event),
        values: impl Fn(&mut D) -> Result<Option<u64>, VerbsError>,
    ) -> anyhow::Result<()> {
        let _kept = match self.job.part {
            Part::Server => self.answer(devices)?,
            Part::Client => {
                let (report, kept) = match self.commands.recv() {
                    Ok(Command::Start(at)) => self.measure(devices, loopback, at, values)?,
                    // The flow was stopped before the start.
                    Ok(_) => (Report::none(FlowEnd::Stopped), devices),
                    Err(_) => return Ok(()),
                };
                emit(Event::Ended(Box::new(report)));
                kept
            }
        };
        // The other side may still have messages in flight to these queue pairs.
        while self.commands.recv().is_ok() {}
        Ok(())
    }

    fn answer<D: Wakes<Error = VerbsError> + Send>(
        &self,
        devices: Vec<D>,
    ) -> Result<Vec<D>, VerbsError> {
        let task = &self.job.task;
        let work =
            devices.into_iter().map(|device| Work { device, program: program::server(task) });
        let conditions = Conditions {
            bind: &anywhere,
            by_events: program::server_sleeps(task),
            begins: &|| true,
        };
        let mut stop = || self.stops.load(Relaxed);
        // A server records no times.
        let worked = threads::run(work.collect(), &conditions, &Monotonic::start(), &mut stop);
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
            let program = program::client(task, loopback, &extent(thread))?;
            anyhow::Ok(Work { device, program })
        });
        let work = work.collect::<Result<Vec<_>, _>>()?;
        let (clock, stops) = (&self.clock, &*self.stops);
        let begins = || is_time(begin, clock, stops);
        let conditions = Conditions { bind: &anywhere, by_events: task.events, begins: &begins };
        let mut stop = || stops.load(Relaxed) || clock.now() >= end;
        let mut worked = threads::run(work, &conditions, clock, &mut stop);
        // The time in which all threads were active.
        let spans: Option<Vec<(Time, Time)>> = worked.iter().map(|worked| worked.active).collect();
        let began = spans.iter().flatten().map(|span| span.0).max();
        let ended = spans.iter().flatten().map(|span| span.1).min();
        let counts: Result<Vec<_>, _> =
            worked.iter_mut().map(|one| values(&mut one.device)).collect();
        let (programs, kept, ends, busy) = split(worked);
        let (Some(began), Some(ended)) = (began, ended) else {
            return Ok((Report::none(FlowEnd::Stopped), kept));
        };
        let end_of_run = match ends.and(counts.as_ref().map(drop).map_err(ToString::to_string)) {
            Err(why) => FlowEnd::Failed(why),
            Ok(()) if ended >= end => FlowEnd::Complete,
            Ok(()) => FlowEnd::Stopped,
        };
        let (bytes, took) = (task.bytes.get(), ended.saturating_sub(began));
        let of_all = took.as_s_f64() * programs.len() as f64;
        let report = Report {
            end: end_of_run,
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

/// Splits the results of several threads into programs, queue pairs, the first failure, and the sum
/// of processor time.
fn split<D>(
    worked: Vec<Finished<D, Generator>>,
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

/// Does not bind the thread. The flows of an agent would compete for the same processors.
fn anywhere(_: usize) {}

/// Waits until a time; returns `false` if the flow is stopped before it.
fn is_time(time: Time, clock: &impl Clock, stops: &AtomicBool) -> bool {
    loop {
        let left = time.saturating_sub(clock.now());
        if stops.load(Relaxed) {
            return false;
        }
        if left == Time::ZERO {
            return true;
        }
        if left > POLLING {
            let nap = (left - POLLING).min(STOP_CHECK);
            thread::sleep(Duration::from_nanos(nap.as_ps() / 1_000));
        }
    }
}
