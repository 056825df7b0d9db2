//! The side that answers.

use super::super::listening::listen;
use super::flags::Server;
use super::json::name;
use super::place::{Place, tell_of};
use super::port::any_psn;
use super::program;
use super::threads::{self, How, Work};
use crate::failure::Failure;
use crate::output::note;
use anyhow::{Context, anyhow};
use bandwise_verbs::Monotonic;
use bandwise_verbs::ibverbs::manager::Listener;
use bandwise_verbs::ibverbs::{Chosen, Plan, QueuePairs, Side};
use bandwise_verbs::session::{Control, ControlError, Message, Method, Part, Task};

/// Serves one after another, or one.
pub(super) fn run(flags: Server) -> Result<(), Failure> {
    let chosen = flags.port.resolve()?;
    let place = flags.here.resolve(&chosen.device)?;
    place.take(0);
    let with = format_args!("{} port {} on {place}", chosen.device, chosen.port);
    let listener = listen(flags.listen, with)?;
    loop {
        let (stream, from) = listener.accept().context("waiting for who measures")?;
        let served = Control::over(stream)
            .map_err(anyhow::Error::from)
            .and_then(|control| serve(&chosen, &place, control));
        match served {
            Ok(what) => note(format_args!("{from}: {what}")),
            Err(error) if flags.once => return Err(error.context(from).into()),
            Err(error) => note(format_args!("{from}: {error:#}")),
        }
        if flags.once {
            return Ok(());
        }
    }
}

/// Serves one, as long as it asks for something, and says what was the last.
fn serve(chosen: &Chosen, place: &Place, mut control: Control) -> anyhow::Result<String> {
    let mut first = None;
    loop {
        let (task, side) = match control.receive() {
            Ok(Message::Ask { task, side }) => (task, side),
            Ok(_) => return Err(anyhow!("it asks for nothing that is measured")),
            // Whoever speaks another version may understand this much.
            Err(ControlError::Message(error)) => {
                control.send(&Message::Refused(error.to_string()))?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        let bytes = task.bytes.get();
        let is_first = first.is_none();
        let first = *first.get_or_insert(bytes);
        match answer(chosen, place, control, (&task, &side), is_first)? {
            Some(more) => control = more,
            None => {
                let what = if bytes == first { String::new() } else { format!("{first} B to ") };
                let method = name(task.method);
                return Ok(format!("served {method} of {what}{bytes} B from {}", side.device));
            }
        }
    }
}

/// Answers until it is done; if it wants something else the connection comes back.
fn answer(
    chosen: &Chosen,
    place: &Place,
    mut control: Control,
    (task, side): (&Task, &Side),
    is_first: bool,
) -> anyhow::Result<Option<Control>> {
    let (mut devices, listener) = match prepare(chosen, place, task, side) {
        Ok(prepared) => prepared,
        Err(error) => {
            control.send(&Message::Refused(format!("{error:#}")))?;
            return Err(error);
        }
    };
    if is_first {
        tell_of(devices[0].pages());
    }
    let here = Side::joined(devices.iter().map(QueuePairs::side)).expect("a thread or more");
    let manager = listener.as_ref().map(Listener::at);
    control.send(&Message::Ready(Side { manager, ..here }))?;
    let connected = listener.map(|listener| listener.accept(&mut devices, side, task.path()));
    let _connections = match connected.transpose() {
        Ok(connections) => connections,
        Err(error) => {
            control.send(&Message::Failed(error.to_string()))?;
            return Err(error.into());
        }
    };
    let mut control = control.watch()?;
    let mut work: Vec<_> = devices
        .into_iter()
        .map(|device| Work { device, program: program::of_server(task) })
        .collect();
    work[0].device.wake_by(control.readable()?);
    let sleeps = program::server_sleeps(task);
    let mut said = None;
    let mut stop = || {
        // Who sleeps is asked when it has nothing better to do.
        said = if sleeps { control.look_now() } else { control.look() };
        said.is_some()
    };
    let how = How { place, by_events: sleeps, begins: &|| true };
    let worked = threads::run(work, &how, &Monotonic::start(), &mut stop);
    if said.is_none() {
        said = control.look_now();
    }
    match said {
        Some(said) => match said? {
            Message::Done => Ok(None),
            Message::Next => Ok(Some(control.unwatch()?)),
            _ => Err(anyhow!("it said something else than that it is done")),
        },
        // The device has failed of itself.
        None => {
            let failed = worked.into_iter().find_map(|worked| worked.end.err());
            let error = failed.map_or_else(|| anyhow!("who answers is never done"), Into::into);
            control.end(&Message::Failed(format!("{error:#}")));
            Err(error)
        }
    }
}

/// Queue pairs that are connected, or with what waits for their connections.
fn prepare(
    chosen: &Chosen,
    place: &Place,
    task: &Task,
    side: &Side,
) -> anyhow::Result<(Vec<QueuePairs>, Option<Listener>)> {
    if matches!(task.method, Method::KeyValue(_)) {
        return Err(anyhow!("a key-value store is measured by agents alone"));
    }
    let plan = Plan { pages: place.pages, ..task.plan(Part::Server)? };
    let threads = task.threads.get();
    let mut devices = QueuePairs::open_many(chosen.clone(), plan, threads, any_psn())?;
    if task.manager {
        let listener = Listener::open(chosen, any_psn())?;
        return Ok((devices, Some(listener)));
    }
    for (thread, device) in devices.iter_mut().enumerate() {
        device.connect(&side.of_thread(thread, threads as usize), task.path())?;
    }
    Ok((devices, None))
}
