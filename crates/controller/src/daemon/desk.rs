//! [`Desk`]: the thread that owns the core.

use super::handle::{Handle, Message, ROOM, Said};
use super::recording::Sum;
use super::writer::{self, Order};
use super::{Audit, Metrics, Recording};
use crate::core::{Answer, Change, Core, Input, OrderId, Output, Owner, Refusal, Request, Ticket};
use crate::store::Store;
use bandwise_enforce::{Fault, Switches};
use bandwise_saba::controller::PortId;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// What a daemon is made of.
pub struct Parts<S> {
    /// The core, which has heard nothing yet.
    pub core: Core,
    /// Where changes are kept.
    pub store: Box<dyn Store>,
    /// Who writes ports.
    pub switches: S,
    /// Who knows ways through the network, while the other writes.
    pub paths: S,
    /// Where all that the core hears is written down, if it is.
    pub recording: Option<Recording>,
    /// The trail of what was done to ports, if one is kept.
    pub audit: Option<Audit>,
    /// What is counted.
    pub metrics: Metrics,
}

/// Who knows ways through the network.
pub trait Paths {
    /// The ports that data may leave through on the way from one host to another.
    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault>;
}

impl<S: Switches> Paths for S {
    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        Switches::path(self, from, to)
    }
}

/// The thread that owns the core.
pub struct Desk<S> {
    core: Core,
    paths: S,
    recording: Option<Recording>,
    audit: Option<Audit>,
    metrics: Metrics,
    began: Instant,
    waiting: BTreeMap<Ticket, oneshot::Sender<Result<Answer, Refusal>>>,
    tickets: u64,
    /// When the first request was heard for a connection that a port does not know of yet.
    unplaced: BTreeMap<PortId, Instant>,
    ordered: BTreeMap<OrderId, (PortId, Instant)>,
    store: Sender<(u64, Vec<Change>)>,
    writer: Sender<Order>,
    messages: Receiver<Message>,
}

impl<S: Switches + Send + 'static> Desk<S> {
    /// Finds the ports and starts the threads. The last of what is returned ends when the daemon does.
    pub fn start(mut parts: Parts<S>) -> Result<(Handle, JoinHandle<()>), Fault> {
        let found = parts.switches.discover()?;
        let (desk, messages) = sync_channel(ROOM);
        let (store, writes) = channel();
        let (writer, orders) = channel();
        let metrics = parts.metrics.clone();
        let (mut kept, to_desk) = (parts.store, desk.clone());
        std::thread::spawn(move || keep(&mut *kept, &metrics, &writes, &to_desk));
        let (switches, to_desk) = (parts.switches, desk.clone());
        std::thread::spawn(move || writer::run(switches, &orders, &to_desk));
        let mut own = Desk {
            core: parts.core,
            paths: parts.paths,
            recording: parts.recording,
            audit: parts.audit,
            metrics: parts.metrics,
            began: Instant::now(),
            waiting: BTreeMap::new(),
            tickets: 0,
            unplaced: BTreeMap::new(),
            ordered: BTreeMap::new(),
            store,
            writer,
            messages,
        };
        let thread = std::thread::spawn(move || {
            for port in found {
                let (port, name, queues) = (port.id, port.name, port.queues);
                own.hear(Input::Found { port, name, queues });
            }
            own.run();
        });
        Ok((Handle { desk }, thread))
    }

    fn run(&mut self) {
        loop {
            let message = match self.messages.try_recv() {
                Ok(message) => Some(message),
                Err(_) => {
                    self.record(|recording| recording.flush());
                    let wake = self.core.wake().unwrap_or(Duration::from_secs(3600));
                    let wait = wake.saturating_sub(self.began.elapsed());
                    match self.messages.recv_timeout(wait) {
                        Ok(message) => Some(message),
                        Err(RecvTimeoutError::Timeout) => None,
                        Err(RecvTimeoutError::Disconnected) => return,
                    }
                }
            };
            match message {
                None => self.hear(Input::Tick),
                Some(Message::Stop) => {
                    tracing::info!("stops; ports stay as they are");
                    return self.record(Recording::flush);
                }
                Some(Message::Look(look)) => look(&mut self.core, &mut self.paths),
                Some(Message::Said(by, said, answers)) => {
                    self.tickets += 1;
                    let ticket = Ticket(self.tickets);
                    self.waiting.insert(ticket, answers);
                    let input = self.input(ticket, by, said);
                    self.hear(input);
                }
                Some(Message::Stored { write, error }) => {
                    if let Some(error) = &error {
                        tracing::error!(write, error, "could not be stored");
                    }
                    self.hear(Input::Stored { write, error });
                    // A connection that changes no weights needs no order.
                    let core = &self.core;
                    let is_open =
                        |port: &PortId| core.port(*port).is_some_and(|of| !of.is_settled());
                    self.unplaced.retain(|port, _| is_open(port));
                }
                Some(Message::Ended { order, end }) => {
                    if let Some((port, since)) = self.ordered.remove(&order) {
                        self.metrics.order_s.observe(since.elapsed().as_secs_f64());
                        self.placed(port, since);
                    }
                    self.hear(Input::Ended { order, end });
                }
            }
        }
    }

    fn input(&mut self, ticket: Ticket, by: Owner, said: Said) -> Input {
        match said {
            Said::Hello => Input::Hello { ticket, by },
            Said::Renew(client) => Input::Renew { ticket, by, client },
            Said::Goodbye(client) => Input::Goodbye { ticket, by, client },
            Said::Drain(ports, drained) => Input::Drain { ticket, ports, drained },
            Said::Ask(asked) => {
                let path = match &asked.request {
                    Request::Connect { from, to, .. } => {
                        let path = Switches::path(&mut self.paths, from, to);
                        path.map_err(|fault| fault.to_string())
                    }
                    _ => Ok(Vec::new()),
                };
                let now = Instant::now();
                for port in path.iter().flatten() {
                    self.unplaced.entry(*port).or_insert(now);
                }
                Input::Ask { ticket, by, asked, path }
            }
        }
    }

    /// An order that was given at `since` has ended at a port: who came before that is there.
    fn placed(&mut self, port: PortId, since: Instant) {
        if let Some(heard) = self.unplaced.get(&port).copied().filter(|heard| *heard <= since) {
            self.unplaced.remove(&port);
            self.metrics.connection_s.observe(heard.elapsed().as_secs_f64());
        }
    }

    /// Tells the core, writes it down and does what it says.
    fn hear(&mut self, input: Input) {
        let now = self.began.elapsed();
        let kept = self.recording.is_some().then(|| input.clone());
        self.core.handle(now, input);
        let mut sum = Sum::new();
        while let Some(output) = self.core.poll() {
            if kept.is_some() {
                sum.add(&output);
            }
            self.metrics.count(&output);
            self.carry(output);
        }
        if let Some(input) = kept {
            self.record(|recording| recording.heard(now, input, sum));
        }
    }

    /// Goes on with the recording, if there is one. What can't be written ends it, as it would lack something.
    fn record(&mut self, how: impl FnOnce(&mut Recording) -> std::io::Result<()>) {
        if let Some(Err(error)) = self.recording.as_mut().map(how) {
            tracing::error!(%error, "the recording ends here: it can't be written");
            self.recording = None;
        }
    }

    fn carry(&mut self, output: Output) {
        self.tell(&output);
        match output {
            // Who ends first, ends; the desk hears of it by its messages.
            Output::Store { write, changes } => drop(self.store.send((write, changes))),
            Output::Answer { ticket, answer } => {
                if let Some(waiting) = self.waiting.remove(&ticket) {
                    drop(waiting.send(answer));
                }
            }
            Output::Order { order, port, task, .. } => {
                self.ordered.insert(order, (port, Instant::now()));
                drop(self.writer.send(Order { order, port, task }));
            }
            Output::Written { .. }
            | Output::Failed { .. }
            | Output::Late { .. }
            | Output::Dropped { .. } => {}
        }
    }

    /// Writes lines for people, and the trail.
    fn tell(&mut self, output: &Output) {
        let port = match output {
            Output::Order { port, .. }
            | Output::Written { port, .. }
            | Output::Failed { port, .. }
            | Output::Late { port, .. } => *port,
            Output::Dropped { client } => {
                tracing::warn!(client = client.0, "dropped: its lease has ended");
                return;
            }
            Output::Store { .. } | Output::Answer { .. } => return,
        };
        let name = self.core.port(port).map_or("", |port| &port.name);
        match output {
            Output::Written { after, why, .. } => {
                tracing::info!(port = name, weights = ?after.weights, cause = ?why.cause, "written");
            }
            Output::Failed { said, .. } => tracing::error!(port = name, said, "failed"),
            Output::Late { .. } => tracing::error!(port = name, "an order does not end"),
            _ => {}
        }
        if let Some(audit) = &mut self.audit {
            audit.line(output, name);
        }
    }
}

/// Stores what comes, and says so.
fn keep(
    store: &mut dyn Store,
    metrics: &Metrics,
    writes: &Receiver<(u64, Vec<Change>)>,
    desk: &SyncSender<Message>,
) {
    while let Ok((write, changes)) = writes.recv() {
        let began = Instant::now();
        let error = store.write(&changes).err().map(|error| error.to_string());
        metrics.store_s.observe(began.elapsed().as_secs_f64());
        if desk.send(Message::Stored { write, error }).is_err() {
            return;
        }
    }
}
