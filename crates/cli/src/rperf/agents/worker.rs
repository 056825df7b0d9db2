//! [`Worker`]: one side of a flow, in a thread of its own: makes queue pairs, connects them, measures or answers, and
//! keeps them until it is let go, because the other side may still use them.

use super::super::device::driven::driven;
use super::super::device::port::any_psn;
use super::super::device::program::{self, Extent};
use super::super::device::settings::Until;
use bandwise_agents::agent::Event;
use bandwise_agents::message::{Job, Part};
use bandwise_agents::{Counted, End, Report};
use bandwise_rperf::{Generator, Window};
use bandwise_units::{Bytes, Time};
use bandwise_verbs::ibverbs::{Chosen, QueuePairs, Side, VerbsError};
use bandwise_verbs::{Clock, Monotonic, processor_time};
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
        clock: impl Clock + Send + 'static,
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

impl<C: Clock> Flow<C> {
    /// An error is what went wrong before anything was measured, or on the side that answers.
    fn work(self, chosen: Chosen, tell: &dyn Fn(Event)) -> anyhow::Result<()> {
        let task = self.job.task;
        let plan = task.plan(self.job.part.into())?;
        let mut device = QueuePairs::open(chosen, plan, any_psn())?;
        tell(Event::Prepared(device.side()));
        let Ok(Command::Connect(side)) = self.commands.recv() else { return Ok(()) };
        let mtu = device.connect(&side, task.path())?;
        tell(Event::Connected(mtu));
        match self.job.part {
            Part::Server => self.answer(&mut device)?,
            Part::Client => {
                let report = match self.commands.recv() {
                    Ok(Command::Start(at)) => self.measure(&mut device, at)?,
                    Ok(_) => unmeasured(),
                    Err(_) => return Ok(()),
                };
                tell(Event::Ended(Box::new(report)));
            }
        }
        // The other side may still have something under way to these queue pairs.
        while self.commands.recv().is_ok() {}
        Ok(())
    }

    fn answer(&self, device: &mut QueuePairs) -> Result<(), VerbsError> {
        let mut program = program::of_server(&self.job.task);
        let sleeps = program::server_sleeps(&self.job.task);
        let mut stop = || self.stops.load(Relaxed);
        // It takes no times.
        let clock = Monotonic::start();
        driven(&mut program, device, &clock, sleeps, &mut stop).map(drop)
    }

    fn measure(&self, device: &mut QueuePairs, at: Time) -> anyhow::Result<Report> {
        let Job { task, active, window, think, seed, .. } = &self.job;
        let (begin, end) = (at + active.from(), at + active.to());
        let window = Window { from: at + window.from(), to: at + window.to() };
        let until = Until::Time(end - begin);
        let extent = Extent {
            start: begin,
            until,
            window: Some(window),
            think: *think,
            seed: *seed,
            thread: 0,
            rate: None,
            slices: None,
        };
        let mut program = program::of_client(task, device.loopback(), &extent)?;
        if !self.wait_until(begin) {
            return Ok(unmeasured());
        }
        let (began, busy) = (self.clock.now(), processor_time());
        let mut stop = || self.stops.load(Relaxed) || self.clock.now() >= end;
        let driven = driven(&mut program, device, &self.clock, task.events, &mut stop);
        let (ended, busy) = (self.clock.now(), processor_time() - busy);
        let end = match driven {
            Err(error) => End::Failed(error.to_string()),
            Ok(_) if ended >= end => End::Complete,
            Ok(_) => End::Stopped,
        };
        let took = ended - began;
        Ok(Report {
            end,
            active: Some((began.saturating_sub(at), ended.saturating_sub(at))),
            whole: whole(&program, task.bytes.get(), took),
            window: within(&program, task.bytes.get(), window, ended),
            cpu: (took > Time::ZERO).then(|| busy.as_s_f64() / took.as_s_f64()),
        })
    }

    /// Whether it is that time now, and not the end of it all.
    fn wait_until(&self, time: Time) -> bool {
        loop {
            let left = time.saturating_sub(self.clock.now());
            if self.stops.load(Relaxed) {
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
}

/// Of who was stopped before it began.
fn unmeasured() -> Report {
    let (whole, window) = (Counted::NONE, Counted::NONE);
    Report { end: End::Stopped, active: None, whole, window, cpu: None }
}

/// Messages of one size that took so long.
fn counted(messages: u64, bytes: u32, over: Time) -> Counted {
    Counted { messages, bytes: Bytes::new(u64::from(bytes)) * messages, over, latency: None }
}

fn whole(program: &Generator, bytes: u32, took: Time) -> Counted {
    match (program, program.latency()) {
        (Generator::Bulk(bulk), _) => counted(bulk.completed(), bytes, took),
        (_, Some(latency)) => {
            Counted { latency: latency.summary(), ..counted(latency.count(), bytes, took) }
        }
        (_, None) => Counted::NONE,
    }
}

fn within(program: &Generator, bytes: u32, window: Window, ended: Time) -> Counted {
    if let Some(bandwidth) = program.bandwidth() {
        let over = window.to.min(ended).saturating_sub(window.from);
        return counted(bandwidth.messages, bytes, over);
    }
    let Some(within) = program.measure().and_then(|measure| measure.within()) else {
        return Counted::NONE;
    };
    let latency = within.latency();
    let over = within.span().map_or(Time::ZERO, |(from, to)| to - from);
    Counted { latency: latency.summary(), ..counted(latency.count(), bytes, over) }
}
