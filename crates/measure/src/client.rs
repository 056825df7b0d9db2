//! [`measure`]: the client of a measurement between two hosts.

use crate::outcome::{Outcome, Run, RunEnd, Throughput};
use crate::peer::Peer;
use crate::placement::{Placement, report_pages};
use crate::program::{self, Extent, Until};
use crate::rate::Rate;
use crate::threads::{self, Conditions, Finished, Work};
use crate::{Note, any_psn, reach};
use anyhow::{Context, anyhow};
use bandwise_agents::Address;
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{Bandwidth, Generator, Slices};
use bandwise_session::{AllowedPeer, Message, Method, Part, Plan, Side, Task};
use bandwise_units::Time;
use bandwise_verbs::ibverbs::manager::{self, Connections};
use bandwise_verbs::ibverbs::{Chosen, Pages, QueuePairs};
use bandwise_verbs::{Clock, Control, ControlError, DriveEnd, Watched};
use std::fmt::Display;

/// The settings of a client.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// Server.
    pub server: Address,
    /// Port of a device.
    pub chosen: Chosen,
    /// Processors and memory.
    pub placement: Placement,
    /// Tasks, measured one after another; at least one, all equal but for the message size.
    pub tasks: Vec<Task>,
    /// Addresses that the queue pairs of the server may have besides its own.
    pub allowed: Vec<AllowedPeer>,
    /// Limit of bulk traffic.
    pub rate: Option<Rate>,
    /// Length of the time slices from which peak and minimum are calculated.
    pub window: Time,
    /// End of each task.
    pub until: Until,
    /// Seed of the random pauses.
    pub seed: u64,
}

impl ClientSettings {
    /// Returns the method that all tasks share.
    pub fn method(&self) -> Method {
        self.tasks[0].method
    }
}

/// Resources that stay open after a measurement. A failed device may take time to close them, so
/// results are printed first.
pub struct StillOpen {
    _devices: Box<[QueuePairs]>,
    _connections: Option<Connections>,
}

/// Measures all tasks, one after another, over one connection to the server. The caller drops
/// [`StillOpen`] after it has printed the outcome.
///
/// # Errors
///
/// Returns an error if the server can't be reached or nothing could be measured. A later failure
/// is part of the outcome.
pub fn measure(
    settings: &ClientSettings,
    clock: &(impl Clock + Sync + Display),
    interrupted: &dyn Fn() -> bool,
    note: Note,
) -> anyhow::Result<(Outcome, Option<StillOpen>)> {
    let server = &settings.server;
    let stream = reach(server).with_context(|| {
        format!("{server} can't be reached; does `bandwise rperf server --listen` run there, at that port?")
    })?;
    let mut control = Control::over(stream)?;
    let mut runs = Vec::new();
    let mut tasks = settings.tasks.iter().peekable();
    let (end, open) = loop {
        let task = *tasks.next().expect("the last task ends the loop");
        let connected = match Connected::with(control, settings, task) {
            Ok(connected) => connected,
            Err(error) if runs.is_empty() => return Err(error),
            Err(error) => break (RunEnd::Failed(format!("{error:#}")), None),
        };
        if runs.is_empty() {
            note(format_args!("measuring with {server} …"));
            report_pages(connected.pages(), note);
        }
        let is_last = tasks.peek().is_none();
        let context = RunContext { settings, clock, interrupted, note };
        let (run, end, after) = connected.measure(&context, is_last)?;
        runs.push(run);
        match after {
            After::More(connection) => control = connection,
            After::Nothing(open) => break (end, Some(open)),
        }
    };
    Ok((Outcome { runs, end, clock: clock.to_string() }, open))
}

/// The context of a run.
struct RunContext<'a, C> {
    settings: &'a ClientSettings,
    clock: &'a C,
    interrupted: &'a dyn Fn() -> bool,
    note: Note,
}

/// Queue pairs connected to a server, those of each thread.
struct Connected {
    devices: Vec<QueuePairs>,
    control: Watched,
    task: Task,
    peer: Side,
    mtu: Mtu,
    /// Connections by RDMA-CM, if the task uses it.
    connections: Option<Connections>,
}

/// The state after a run.
enum After {
    /// The server waits for the next task on this connection.
    More(Control),
    /// The measurement has ended.
    Nothing(StillOpen),
}

/// The time for threads to start.
const START_TIME: Time = Time::from_ms(20);

impl Connected {
    /// Agrees on a task with the server and connects queue pairs.
    fn with(mut control: Control, settings: &ClientSettings, task: Task) -> anyhow::Result<Self> {
        let server = &settings.server;
        let plan = Plan { pages: settings.placement.pages, ..task.plan(Part::Client)? };
        let threads = task.threads.get();
        let mut devices = QueuePairs::open_many(settings.chosen.clone(), plan, threads, any_psn())?;
        let side = Side::joined(devices.iter().map(QueuePairs::side)).expect("at least one thread");
        control.send(&Message::Ask { task, side })?;
        let peer = match control.receive() {
            Ok(Message::Ready(peer)) => peer,
            Ok(Message::Refused(why)) => return Err(anyhow!("{server} refuses: {why}")),
            Ok(_) => return Err(anyhow!("{server} sent an unexpected answer")),
            Err(error) => return Err(anyhow::Error::from(error).context(server.to_string())),
        };
        let checked = Peer::of(&control).and_then(|of| Ok(of.check(&peer, &settings.allowed)?));
        checked.with_context(|| server.to_string())?;
        let (connections, mtu) = match task.manager {
            true => {
                let (connections, mtu) = manager::connect(&mut devices, &peer, task.path())?;
                (Some(connections), mtu)
            }
            false => {
                let mut mtu = task.mtu;
                for (thread, device) in devices.iter_mut().enumerate() {
                    mtu = device.connect(&peer.of_thread(thread, threads as usize), task.path())?;
                }
                (None, mtu)
            }
        };
        let control = control.watch()?;
        devices[0].wake_by(control.readable()?);
        Ok(Connected { devices, control, task, peer, mtu, connections })
    }

    /// Returns the pages of the memory.
    fn pages(&self) -> &Pages {
        self.devices[0].pages()
    }

    /// Runs the method until it is done or interrupted, or one side fails.
    fn measure(
        self,
        context: &RunContext<'_, impl Clock + Sync>,
        is_last: bool,
    ) -> anyhow::Result<(Run, RunEnd, After)> {
        let Connected { devices, mut control, task, peer, mtu, connections } = self;
        let &RunContext { settings, clock, interrupted, note } = context;
        let (pages, stamped_at_khz) = (devices[0].pages().clone(), devices[0].stamped_at_khz());
        let start = match devices.len() {
            1 => clock.now(),
            _ => clock.now() + START_TIME,
        };
        let work = devices.into_iter().zip(0..).map(|(device, thread)| {
            let loopback = device.loopback();
            let (until, seed) = (settings.until, settings.seed);
            let of_thread = |rate: Rate| rate.of_thread(task.bytes.get(), task.threads.get());
            let (rate, slices) = (settings.rate.map(of_thread), Some(settings.window));
            let think = bandwise_rperf::defaults::THINK;
            let extent = Extent { start, until, window: None, think, seed, thread, rate, slices };
            let program = program::client(&task, loopback, &extent)?;
            anyhow::Ok(Work { device, program })
        });
        let work = work.collect::<Result<Vec<_>, _>>()?;
        // Bulk traffic has its own limit of time.
        let until = match (settings.until, task.method) {
            (Until::Samples(_), _) | (_, Method::Bulk(_)) => Time::MAX,
            (Until::Time(time), _) => start + time,
        };
        let mut why = None;
        let mut stop = || {
            // A thread that sleeps until events reads the connection without delaying a round.
            let message = if task.events { control.look_now() } else { control.look() };
            why = match message {
                Some(message) => Some(RunEnd::Failed(explain(message))),
                None if interrupted() => Some(RunEnd::Interrupted),
                None if clock.now() >= until => Some(RunEnd::Complete),
                None => None,
            };
            why.is_some()
        };
        let bind = |thread| settings.placement.bind(thread, note);
        let conditions = Conditions { bind: &bind, by_events: task.events, begins: &|| true };
        let worked = threads::run(work, &conditions, clock, &mut stop);
        let now = clock.now();
        let failed = worked.iter().find_map(|worked| worked.end.as_ref().err());
        let all_done = worked.iter().all(|worked| matches!(worked.end, Ok(DriveEnd::Done)));
        let end = match (why, failed) {
            _ if all_done => RunEnd::Complete,
            // The first cause counts, even if queue pairs failed because of it.
            (Some(why), _) => why,
            // The server may know the cause.
            (None, Some(error)) => RunEnd::Failed(match control.look_now() {
                Some(message) => format!("{}; {error}", explain(message)),
                None => error.to_string(),
            }),
            (None, None) => RunEnd::Complete,
        };
        let measure = worked[0].program.measure();
        let by_stamps = measure
            .and_then(|measure| measure.against_truth())
            .and_then(|beside| Some((beside.truth.summary()?, beside.error.summary()?)));
        let run = Run {
            task,
            peer: peer.device,
            mtu,
            pages,
            stamped_at_khz,
            latency: measure.and_then(|measure| measure.latency().summary()),
            by_stamps,
            bandwidth: throughput(&worked, now),
            took: now.saturating_sub(start),
            busy: worked.iter().fold(Time::ZERO, |all, worked| all + worked.busy),
        };
        let devices = worked.into_iter().map(|worked| worked.device).collect();
        let nothing = After::Nothing(StillOpen { _devices: devices, _connections: connections });
        if end != RunEnd::Complete {
            return Ok((run, end, nothing));
        }
        if is_last {
            control.end(&Message::Done);
            return Ok((run, end, nothing));
        }
        let mut control = control.unwatch()?;
        Ok(match control.send(&Message::Next) {
            Ok(()) => (run, end, After::More(control)),
            Err(error) => (run, RunEnd::Failed(error.to_string()), nothing),
        })
    }
}

/// Returns the bandwidth of all threads.
fn throughput(worked: &[Finished<QueuePairs, Generator>], now: Time) -> Option<Throughput> {
    let bandwidth = |program: &Generator| {
        let bandwidth = program.bandwidth()?;
        Some(Bandwidth { to: bandwidth.to.min(now), ..bandwidth })
    };
    let each: Vec<_> = worked.iter().filter_map(|worked| bandwidth(&worked.program)).collect();
    let slices = worked.iter().filter_map(|worked| match &worked.program {
        Generator::Bulk(bulk) => bulk.slices().cloned(),
        _ => None,
    });
    let slices = slices.reduce(|mut all, one: Slices| {
        all.merge(one);
        all
    });
    // Slices count while all threads were active.
    let until = each.iter().map(|bandwidth| bandwidth.to).min();
    let spread = slices.zip(until).and_then(|(slices, until)| slices.spread(until));
    Throughput::of(each, spread)
}

/// Explains a message that a server sent in the middle of a run.
fn explain(message: Result<Message, ControlError>) -> String {
    match message {
        Ok(Message::Failed(why)) => format!("the server failed: {why}"),
        Ok(_) => "the server sent an unexpected message during the measurement".to_owned(),
        Err(error) => error.to_string(),
    }
}
