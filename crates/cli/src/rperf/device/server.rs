//! The side that answers.

use super::flags::Server;
use super::json::name;
use super::port::any_psn;
use super::program;
use crate::failure::Failure;
use crate::output::note;
use anyhow::{Context, anyhow};
use bandwise_verbs::ibverbs::{Chosen, QueuePairs, Side};
use bandwise_verbs::session::{Control, ControlError, Message, Part, Task, Watched};
use bandwise_verbs::{ByEvents, End, Monotonic, drive};
use std::net::TcpListener;

/// Serves one after another, or one.
pub(super) fn run(flags: Server) -> Result<(), Failure> {
    let chosen = flags.port.resolve()?;
    let at = flags.listen;
    let listener = TcpListener::bind(at).map_err(|error| {
        let message = format!("--listen {at}: {error}");
        Failure::usage(message, "an address of this host, and a port that nobody listens at")
    })?;
    let at = listener.local_addr().context("the address that is listened at")?;
    note(format_args!("listening at {at}, to measure with {} port {}", chosen.device, chosen.port));
    if at.ip().is_loopback() {
        note("only this host can reach that address; others with --listen 0.0.0.0");
    }
    loop {
        let (stream, from) = listener.accept().context("waiting for who measures")?;
        let served = Control::over(stream)
            .map_err(anyhow::Error::from)
            .and_then(|control| serve(&chosen, control));
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

/// Serves one, and says what.
fn serve(chosen: &Chosen, mut control: Control) -> anyhow::Result<String> {
    let (task, side) = match control.receive() {
        Ok(Message::Ask { task, side }) => (task, side),
        Ok(_) => return Err(anyhow!("its first message is not what it wants")),
        // Whoever speaks another version may understand this much.
        Err(ControlError::Message(error)) => {
            control.send(&Message::Refused(error.to_string()))?;
            return Err(error.into());
        }
        Err(error) => return Err(error.into()),
    };
    let mut device = match prepare(chosen, &task, &side) {
        Ok(device) => device,
        Err(error) => {
            control.send(&Message::Refused(format!("{error:#}")))?;
            return Err(error);
        }
    };
    control.send(&Message::Ready(device.side()))?;
    let mut control = control.watch()?;
    device.wake_by(control.readable()?);
    let mut program = program::of_server(&task);
    let (clock, sleeps) = (Monotonic::start(), program::server_sleeps(&task));
    let mut said = None;
    let mut stop = || {
        // Who sleeps is asked when it has nothing better to do.
        said = if sleeps { control.look_now() } else { control.look() };
        said.is_some()
    };
    let end = match sleeps {
        true => drive(&mut *program, &mut ByEvents::of(&mut device), &clock, &mut stop),
        false => drive(&mut *program, &mut device, &clock, &mut stop),
    };
    match end {
        Ok(End::Done) => Err(anyhow!("who answers is never done")),
        Ok(End::Stopped) => ended(said.expect("that is why it stopped")),
        Err(error) => failed(control, error),
    }
    .map(|()| {
        format!("served {} of {} B from {}", name(task.method), task.bytes.get(), side.device)
    })
}

fn prepare(chosen: &Chosen, task: &Task, side: &Side) -> anyhow::Result<QueuePairs> {
    let mut device = QueuePairs::open(chosen.clone(), task.plan(Part::Server)?, any_psn())?;
    device.connect(side, task.path())?;
    Ok(device)
}

/// Who measured has said its last word.
fn ended(said: Result<Message, ControlError>) -> anyhow::Result<()> {
    match said? {
        Message::Done => Ok(()),
        _ => Err(anyhow!("it said something else than that it is done")),
    }
}

/// The device has failed: because the other side has gone, or of itself.
fn failed(mut control: Watched, error: impl Into<anyhow::Error>) -> anyhow::Result<()> {
    if let Some(said) = control.look_now() {
        return ended(said);
    }
    let error = error.into();
    control.end(&Message::Failed(format!("{error:#}")));
    Err(error)
}
