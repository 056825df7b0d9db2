//! One measurement with a server: agreeing with it, measuring, what came out.

use super::outcome::{Ended, Run, Throughput};
use super::port::any_psn;
use super::program::{self, Extent};
use super::rate::Rate;
use super::settings::{Settings, Until};
use super::threads::{self, How, Work, Worked};
use crate::interrupt::Interrupt;
use anyhow::anyhow;
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::{Bandwidth, Generator, Slices};
use bandwise_units::Time;
use bandwise_verbs::ibverbs::manager::{self, Connections};
use bandwise_verbs::ibverbs::{Pages, Plan, QueuePairs, Side};
use bandwise_verbs::session::{Control, ControlError, Message, Method, Part, Task, Watched};
use bandwise_verbs::{Clock, End};

/// Queue pairs that are connected with a server's, those of each thread.
pub(super) struct Connected {
    devices: Vec<QueuePairs>,
    control: Watched,
    task: Task,
    peer: Side,
    mtu: Mtu,
    /// Those that RDMA-CM made, if it did.
    connections: Option<Connections>,
}

/// What may follow a measurement.
pub(super) enum After {
    /// Another one, over this connection: the server waits for what that is.
    More(Control),
    /// Nothing. Queue pairs are still open: a device that has failed may take its time to close them, so what was
    /// measured is printed first.
    Nothing { _devices: Box<[QueuePairs]>, _connections: Option<Connections> },
}

/// How long threads may take to begin.
const TO_BEGIN: Time = Time::from_ms(20);

impl Connected {
    /// Asks for a measurement.
    pub(super) fn with(
        mut control: Control,
        settings: &Settings,
        task: Task,
    ) -> anyhow::Result<Self> {
        let server = &settings.server;
        let plan = Plan { pages: settings.place.pages, ..task.plan(Part::Client)? };
        let threads = task.threads.get();
        let mut devices = QueuePairs::open_many(settings.chosen.clone(), plan, threads, any_psn())?;
        let side = Side::joined(devices.iter().map(QueuePairs::side)).expect("a thread or more");
        control.send(&Message::Ask { task, side })?;
        let peer = match control.receive() {
            Ok(Message::Ready(peer)) => peer,
            Ok(Message::Refused(why)) => return Err(anyhow!("{server} refuses: {why}")),
            Ok(_) => return Err(anyhow!("{server} gave no answer to what was asked")),
            Err(error) => return Err(anyhow::Error::from(error).context(server.to_string())),
        };
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

    /// What the memory is made of.
    pub(super) fn pages(&self) -> &Pages {
        self.devices[0].pages()
    }

    /// Runs the method until it is done or something ends it.
    pub(super) fn measure(
        self,
        settings: &Settings,
        clock: &(impl Clock + Sync),
        interrupt: &Interrupt,
        is_last: bool,
    ) -> anyhow::Result<(Run, Ended, After)> {
        let Connected { devices, mut control, task, peer, mtu, connections } = self;
        let (pages, stamped_at_khz) = (devices[0].pages().clone(), devices[0].stamped_at_khz());
        let start = match devices.len() {
            1 => clock.now(),
            _ => clock.now() + TO_BEGIN,
        };
        let work = devices.into_iter().zip(0..).map(|(device, thread)| {
            let loopback = device.loopback();
            let (until, seed) = (settings.until, settings.seed);
            let of_thread = |rate: Rate| rate.of_thread(task.bytes.get(), task.threads.get());
            let (rate, slices) = (settings.rate.map(of_thread), Some(settings.window));
            let think = bandwise_agents::THINK;
            let extent = Extent { start, until, window: None, think, seed, thread, rate, slices };
            let program = program::of_client(&task, loopback, &extent)?;
            anyhow::Ok(Work { device, program })
        });
        let work = work.collect::<Result<Vec<_>, _>>()?;
        // Bulk traffic keeps its own time.
        let until = match (settings.until, task.method) {
            (Until::Samples(_), _) | (_, Method::Bulk(_)) => Time::MAX,
            (Until::Time(time), _) => start + time,
        };
        let mut why = None;
        let mut stop = || {
            // Who sleeps is asked when it has nothing better to do.
            let said = if task.events { control.look_now() } else { control.look() };
            why = match said {
                Some(said) => Some(Ended::Failed(last_word(said))),
                None if interrupt.asked() => Some(Ended::Interrupted),
                None if clock.now() >= until => Some(Ended::Complete),
                None => None,
            };
            why.is_some()
        };
        let how = How { place: &settings.place, by_events: task.events, begins: &|| true };
        let worked = threads::run(work, &how, clock, &mut stop);
        let now = clock.now();
        let failed = worked.iter().find_map(|worked| worked.end.as_ref().err());
        let all_done = worked.iter().all(|worked| matches!(worked.end, Ok(End::Done)));
        let end = match (why, failed) {
            _ if all_done => Ended::Complete,
            // What came first, even if queue pairs failed of it.
            (Some(why), _) => why,
            // A server that is there may know better.
            (None, Some(error)) => Ended::Failed(match control.look_now() {
                Some(said) => format!("{}; {error}", last_word(said)),
                None => error.to_string(),
            }),
            (None, None) => Ended::Complete,
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
        let nothing = After::Nothing { _devices: devices, _connections: connections };
        if end != Ended::Complete {
            return Ok((run, end, nothing));
        }
        if is_last {
            control.end(&Message::Done);
            return Ok((run, end, nothing));
        }
        let mut control = control.unwatch()?;
        Ok(match control.send(&Message::Next) {
            Ok(()) => (run, end, After::More(control)),
            Err(error) => (run, Ended::Failed(error.to_string()), nothing),
        })
    }
}

/// What bulk traffic came to.
fn throughput(worked: &[Worked<QueuePairs, Generator>], now: Time) -> Option<Throughput> {
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
    // As long as all threads were at it.
    let until = each.iter().map(|bandwidth| bandwidth.to).min();
    let spread = slices.zip(until).and_then(|(slices, until)| slices.spread(until));
    Throughput::of(each, spread)
}

/// What a server says that should say nothing.
fn last_word(said: Result<Message, ControlError>) -> String {
    match said {
        Ok(Message::Failed(why)) => format!("the server failed: {why}"),
        Ok(_) => "the server said something in the middle of the measurement".to_owned(),
        Err(error) => error.to_string(),
    }
}
