//! [`serve`]: the server of a measurement between two hosts.

use crate::peer::Peer;
use crate::placement::{Placement, report_pages};
use crate::threads::{self, Conditions, Work};
use crate::{Limits, Note, any_psn, program};
use anyhow::anyhow;
use bandwise_session::{Message, Method, Part, Plan, Side, Task};
use bandwise_verbs::ibverbs::manager::Listener;
use bandwise_verbs::ibverbs::{Chosen, QueuePairs};
use bandwise_verbs::{Control, ControlError, Monotonic};
use std::time::Instant;

/// A client that has been served.
#[derive(Debug, Clone)]
pub struct Served {
    /// First task.
    pub first: Task,
    /// Last task.
    pub last: Task,
    /// Device of the client.
    pub device: String,
}

/// Serves the tasks of one client until it is done, or its time is over.
///
/// # Errors
///
/// Returns an error if the client exceeds the limits or sends something unexpected, or if a device or the connection
/// fails.
pub fn serve(
    chosen: &Chosen,
    placement: &Placement,
    limits: &Limits,
    mut control: Control,
    note: Note,
) -> anyhow::Result<Served> {
    let client = Peer::of(&control)?;
    let until = Instant::now() + limits.time;
    let server = Server { chosen, placement, limits, client, until, note };
    let mut first = None;
    loop {
        let (task, side) = match control.receive() {
            Ok(Message::Ask { task, side }) => (task, side),
            Ok(_) => return Err(anyhow!("the client sent no task")),
            // A client of another version understands at least a refusal.
            Err(ControlError::Message(error)) => {
                control.send(&Message::Refused(error.to_string()))?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        let is_first = first.is_none();
        let first = *first.get_or_insert(task);
        match server.run(control, &task, &side, is_first)? {
            Some(connection) => control = connection,
            None => return Ok(Served { first, last: task, device: side.device }),
        }
    }
}

/// The device, processors and memory of a server, and its client.
struct Server<'a> {
    chosen: &'a Chosen,
    placement: &'a Placement,
    limits: &'a Limits,
    client: Peer,
    until: Instant,
    note: Note,
}

impl Server<'_> {
    /// Runs a task. Returns the connection if the client has another task.
    fn run(
        &self,
        mut control: Control,
        task: &Task,
        side: &Side,
        is_first: bool,
    ) -> anyhow::Result<Option<Control>> {
        let (mut devices, listener) = match self.prepare(task, side) {
            Ok(prepared) => prepared,
            Err(error) => {
                control.send(&Message::Refused(format!("{error:#}")))?;
                return Err(error);
            }
        };
        if is_first {
            report_pages(devices[0].pages(), self.note);
        }
        let here = Side::joined(devices.iter().map(QueuePairs::side)).expect("at least one thread");
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
        let mut control = control.watch()?.until(self.until);
        let mut work: Vec<_> = devices
            .into_iter()
            .map(|device| Work { device, program: program::server(task) })
            .collect();
        work[0].device.wake_by(control.readable()?);
        let sleeps = program::server_sleeps(task);
        let mut message = None;
        let mut stop = || {
            // A thread that sleeps until events reads the connection without delaying an answer.
            message = if sleeps { control.look_now() } else { control.look() };
            message.is_some()
        };
        let bind = |thread| self.placement.bind(thread, self.note);
        let conditions = Conditions { bind: &bind, by_events: sleeps, begins: &|| true };
        let worked = threads::run(work, &conditions, &Monotonic::start(), &mut stop);
        if message.is_none() {
            message = control.look_now();
        }
        match message {
            Some(Err(error @ ControlError::Over)) => {
                control.end(&Message::Failed(error.to_string()));
                Err(error.into())
            }
            Some(message) => match message? {
                Message::Done => Ok(None),
                Message::Next => Ok(Some(control.unwatch()?)),
                _ => Err(anyhow!("the client sent an unexpected message during the measurement")),
            },
            // The device has failed.
            None => {
                let failed = worked.into_iter().find_map(|worked| worked.end.err());
                let error =
                    failed.map_or_else(|| anyhow!("the server ended by itself"), Into::into);
                control.end(&Message::Failed(format!("{error:#}")));
                Err(error)
            }
        }
    }

    /// Opens queue pairs and connects them, or returns the listener for their connections by RDMA-CM.
    fn prepare(
        &self,
        task: &Task,
        side: &Side,
    ) -> anyhow::Result<(Vec<QueuePairs>, Option<Listener>)> {
        if matches!(task.method, Method::KeyValue(_)) {
            return Err(anyhow!("a key-value store is measured by agents alone"));
        }
        if Instant::now() >= self.until {
            return Err(ControlError::Over.into());
        }
        self.limits.check(task, side, &self.client)?;
        let plan = Plan { pages: self.placement.pages, ..task.plan(Part::Server)? };
        let threads = task.threads.get();
        let mut devices = QueuePairs::open_many(self.chosen.clone(), plan, threads, any_psn())?;
        if task.manager {
            let listener = Listener::open(self.chosen, any_psn())?;
            return Ok((devices, Some(listener)));
        }
        for (thread, device) in devices.iter_mut().enumerate() {
            device.connect(&side.of_thread(thread, threads as usize), task.path())?;
        }
        Ok((devices, None))
    }
}
