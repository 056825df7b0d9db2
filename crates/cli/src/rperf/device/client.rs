//! The side that measures.

use super::flags::Client;
use super::outcome::{Ended, Outcome};
use super::port::any_psn;
use super::program::Extent;
use super::settings::{Settings, Until};
use super::{json, program, tables};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::note;
use anyhow::{Context, anyhow};
use bandwise_rdma::wire::Mtu;
use bandwise_rperf::Generator;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::{QueuePairs, Side};
use bandwise_verbs::session::{Control, ControlError, Message, Method, Part, Watched};
use bandwise_verbs::{ByEvents, Clock, End, Monotonic, Tsc, drive, processor_time};
use std::net::ToSocketAddrs;

/// Measures and prints.
pub(super) fn run(flags: Client) -> Result<(), Failure> {
    let (settings, outputs) = flags.resolve()?;
    let interrupt = Interrupt::listen()?;
    let connected = Connected::with(&settings)?;
    note(format_args!("measuring with {} …", settings.server));
    let outcome = match Tsc::start() {
        Ok(tsc) => {
            let clock = format!("the time-stamp counter, {:.0} MHz", tsc.hertz() as f64 / 1e6);
            connected.measure(&settings, &tsc, clock, &interrupt)?
        }
        Err(_) => {
            let clock = "the system's clock".to_owned();
            connected.measure(&settings, &Monotonic::start(), clock, &interrupt)?
        }
    };
    let text = tables::text(&settings, &outcome);
    outputs.emit(&text, &json::of(&settings, &outcome))?;
    match outcome.end {
        Ended::Complete if outcome.latency.is_none() && outcome.bandwidth.is_none() => {
            Err(anyhow!("no sample: the first rounds are not counted; needed: a longer -D").into())
        }
        Ended::Complete => Ok(()),
        Ended::Interrupted => Err(Failure::Interrupted),
        Ended::Failed(why) => Err(anyhow!("{why}; the results are partial").into()),
    }
}

/// Queue pairs that are connected with a server's.
struct Connected {
    device: QueuePairs,
    control: Watched,
    peer: Side,
    mtu: Mtu,
}

impl Connected {
    fn with(settings: &Settings) -> anyhow::Result<Self> {
        let Settings { server, task, .. } = settings;
        let addresses = (server.name.as_str(), server.port).to_socket_addrs();
        let addresses = addresses.with_context(|| format!("{server} can't be found"))?;
        let mut device =
            QueuePairs::open(settings.chosen.clone(), task.plan(Part::Client)?, any_psn())?;
        let mut control = Control::connect(&server.to_string(), &addresses.collect::<Vec<_>>())?;
        control.send(&Message::Ask { task: *task, side: device.side() })?;
        let peer = match control.receive() {
            Ok(Message::Ready(peer)) => peer,
            Ok(Message::Refused(why)) => return Err(anyhow!("{server} refuses: {why}")),
            Ok(_) => return Err(anyhow!("{server} gave no answer to what was asked")),
            Err(error) => return Err(anyhow::Error::from(error).context(server.to_string())),
        };
        let mtu = device.connect(&peer, task.path())?;
        let control = control.watch()?;
        device.wake_by(control.readable()?);
        Ok(Connected { device, control, peer, mtu })
    }

    /// Runs the method until it is done or something ends it.
    fn measure(
        self,
        settings: &Settings,
        clock: &impl Clock,
        clock_is: String,
        interrupt: &Interrupt,
    ) -> anyhow::Result<Outcome> {
        let Connected { mut device, mut control, peer, mtu } = self;
        let start = clock.now();
        let Settings { until, seed, .. } = *settings;
        let extent = Extent { start, until, window: None, seed };
        let mut program = program::of_client(&settings.task, device.loopback(), &extent)?;
        // Bulk traffic keeps its own time.
        let until = match (settings.until, settings.task.method) {
            (Until::Samples(_), _) | (_, Method::Bulk(_)) => Time::MAX,
            (Until::Time(time), _) => start + time,
        };
        let mut why = None;
        let events = settings.task.events;
        let mut stop = || {
            // Who sleeps is asked when it has nothing better to do.
            let said = if events { control.look_now() } else { control.look() };
            why = match said {
                Some(said) => Some(Ended::Failed(last_word(said))),
                None if interrupt.asked() => Some(Ended::Interrupted),
                None if clock.now() >= until => Some(Ended::Complete),
                None => None,
            };
            why.is_some()
        };
        let busy_before = processor_time();
        let ended = match events {
            true => drive(&mut program, &mut ByEvents::of(&mut device), clock, &mut stop),
            false => drive(&mut program, &mut device, clock, &mut stop),
        };
        let (now, busy) = (clock.now(), processor_time() - busy_before);
        let end = match ended {
            Ok(End::Done) => Ended::Complete,
            Ok(End::Stopped) => why.expect("that is why it stopped"),
            // A server that is there may know better.
            Err(error) => Ended::Failed(match control.look_now() {
                Some(said) => format!("{}; {error}", last_word(said)),
                None => error.to_string(),
            }),
        };
        if end == Ended::Complete {
            control.end(&Message::Done);
        }
        let bandwidth = |program: &Generator| {
            let mut bandwidth = program.bandwidth()?;
            bandwidth.to = bandwidth.to.min(now);
            Some(bandwidth)
        };
        Ok(Outcome {
            peer: peer.device,
            mtu,
            latency: program.latency().and_then(|latency| latency.summary()),
            bandwidth: bandwidth(&program),
            end,
            took: now.saturating_sub(start),
            busy,
            clock: clock_is,
        })
    }
}

/// What a server says that should say nothing.
fn last_word(said: Result<Message, ControlError>) -> String {
    match said {
        Ok(Message::Failed(why)) => format!("the server failed: {why}"),
        Ok(_) => "the server said something in the middle of the measurement".to_owned(),
        Err(error) => error.to_string(),
    }
}
