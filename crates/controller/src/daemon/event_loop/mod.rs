//! [`EventLoop`]: the thread that owns the core.

mod discovered;
mod parts;
mod persisted;
mod record;
mod report;

pub use parts::Parts;

use super::audit::OperatorOrder;
use super::call::Call;
use super::discovery::{self, KnownPaths, SharedSwitches};
use super::fence::Fence;
use super::handle::Handle;
use super::message::{Asked, Discovered, Event, Message};
use super::queue::Queue;
use super::writer::{self, Order};
use super::{Audit, EventSender, Metrics, PersisterMessage, Write};
use crate::cluster::Groups;
use crate::core::{Answer, Core, Input, OrderId, Output, Owner, Refusal, Request, Ticket};
use bandwise_saba::controller::PortId;
use bandwise_switches::{Fault, Switches};
use record::Record;
use std::collections::BTreeMap;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// The time that the restoration of ports may take before the daemon ends.
const RESTORING: Duration = Duration::from_secs(10);

/// The thread that owns the core.
pub struct EventLoop<S> {
    core: Core,
    paths: SharedSwitches<S>,
    record: Option<Record>,
    audit: Option<Audit>,
    metrics: Metrics,
    restores: bool,
    /// The deadline of the restoration, while the daemon ends.
    leaves: Option<Instant>,
    began: Instant,
    waiting: BTreeMap<Ticket, oneshot::Sender<Result<Answer, Refusal>>>,
    tickets: u64,
    /// Operators' orders without an answer: who asked for what.
    asked: BTreeMap<Ticket, (Owner, OperatorOrder)>,
    /// The time of the first request for a connection that a port is not configured for yet.
    unplaced: BTreeMap<PortId, Instant>,
    ordered: BTreeMap<OrderId, (PortId, Instant)>,
    store: UnboundedSender<PersisterMessage>,
    groups: Groups,
    writer: Sender<Order>,
    fence: Fence,
    discovery: Sender<KnownPaths>,
    /// Connections that were requested since the last discovery began, and their paths.
    since: KnownPaths,
    queue: Queue,
}

impl<S> Drop for EventLoop<S> {
    fn drop(&mut self) {
        // Other controllers may claim the ports from now on.
        self.fence.set(Duration::ZERO);
        self.queue.end();
    }
}

impl<S: Switches + Send + 'static> EventLoop<S> {
    /// Discovers the ports and starts the threads. The returned thread ends with the daemon; it returns the names of
    /// ports that should be restored and are not.
    ///
    /// # Errors
    ///
    /// Returns the [`Fault`] of the first discovery.
    pub fn start(mut parts: Parts<S>) -> Result<(Handle, JoinHandle<Vec<String>>), Fault> {
        let found = parts.paths.discover()?;
        let began = Instant::now();
        let queue = Queue::new();
        let (store, changes) = unbounded_channel();
        let (writer, orders) = channel();
        let (discovery, requests) = channel();
        let metrics = parts.metrics.clone();
        let (persister, events) = (parts.store, EventSender::new(queue.clone(), began));
        let persister = std::thread::spawn(move || persister.run(changes, &events, &metrics));
        let fence = Fence::new(began);
        let (switches, open, events) = (parts.switches, fence.clone(), queue.clone());
        std::thread::spawn(move || writer::run(switches, &orders, &open, &events));
        let paths = SharedSwitches::new(parts.paths);
        let (scanner, shared, events) = (parts.discovery, paths.clone(), queue.clone());
        std::thread::spawn(move || discovery::run(scanner, &shared, &requests, &events));
        let mut own = EventLoop {
            core: parts.core,
            paths,
            record: parts.recording.map(Record::new),
            audit: parts.audit,
            metrics: parts.metrics,
            restores: parts.restores,
            leaves: None,
            began,
            waiting: BTreeMap::new(),
            tickets: 0,
            unplaced: BTreeMap::new(),
            asked: BTreeMap::new(),
            ordered: BTreeMap::new(),
            store,
            groups: parts.groups,
            writer,
            fence,
            discovery,
            since: KnownPaths::new(),
            queue: queue.clone(),
        };
        let thread = std::thread::spawn(move || {
            own.since = own.known_paths();
            own.discovered(found, Vec::new());
            let unrestored = own.run();
            drop(own);
            // The persister releases the groups of this controller.
            let _ = persister.join();
            unrestored
        });
        Ok((Handle { queue }, thread))
    }

    fn run(&mut self) -> Vec<String> {
        loop {
            if let Some(unrestored) = self.left() {
                self.flush_record();
                return unrestored;
            }
            let message = self.queue.pop().or_else(|| {
                self.flush_record();
                let wake = self.core.wake().unwrap_or(Duration::from_secs(3600));
                let wait = wake.saturating_sub(self.began.elapsed());
                let left = self.leaves.map(|by| by.saturating_duration_since(Instant::now()));
                self.queue.wait(left.map_or(wait, |left| wait.min(left)));
                self.queue.pop()
            });
            match message {
                None => self.handle(Input::Tick),
                Some(Message::Stop) if self.restores && self.leaves.is_none() => {
                    tracing::info!("stopping daemon after restoring ports");
                    self.leaves = Some(Instant::now() + RESTORING);
                    self.handle(Input::Leave);
                }
                Some(Message::Stop) => {
                    tracing::info!("stopping daemon; ports keep their configuration");
                    self.leaves = Some(Instant::now());
                }
                Some(Message::Read(read)) => read(&mut self.core, &mut *self.paths.lock()),
                Some(Message::Asked(owner, Asked { call, answers })) => {
                    self.tickets += 1;
                    let ticket = Ticket(self.tickets);
                    self.waiting.insert(ticket, answers);
                    let input = self.input(ticket, owner, call);
                    self.handle(input);
                }
                Some(Message::Event(event)) => self.event(event),
            }
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Persisted(update) => self.persisted(update),
            Event::Discovered(Ok(Discovered { ports, routes })) => self.discovered(ports, routes),
            Event::Discovered(Err(error)) => {
                tracing::error!(error, "network discovery failed");
                self.metrics.discoveries_failed.inc();
                self.handle(Input::DiscoveryFailed { error });
            }
            Event::OrderEnded { order, outcome } => {
                if let Some((port, since)) = self.ordered.remove(&order) {
                    self.metrics.order_s.observe(since.elapsed().as_secs_f64());
                    self.placed(port, since);
                }
                self.handle(Input::OrderEnded { order, outcome });
            }
        }
    }

    /// Returns the ports that should be restored and are not, or `None` if the daemon can't end
    /// yet. The daemon can end when all ports are restored, the deadline has passed, or no
    /// restoration is configured.
    fn left(&self) -> Option<Vec<String>> {
        let by = self.leaves?;
        if !self.restores {
            return Some(Vec::new());
        }
        let open = self.core.ports().filter(|of| !of.1.is_settled());
        let open: Vec<String> = open.map(|of| of.1.name.clone()).collect();
        (open.is_empty() || Instant::now() >= by).then_some(open)
    }

    fn input(&mut self, ticket: Ticket, owner: Owner, call: Call) -> Input {
        if let Some(order) = OperatorOrder::of(&call) {
            self.report_order(&owner, order, &call);
            self.asked.insert(ticket, (owner.clone(), order));
        }
        match call {
            Call::Hello => Input::Hello { ticket, owner },
            Call::Renew(client) => Input::Renew { ticket, owner, client },
            Call::Goodbye(client) => Input::Goodbye { ticket, owner, client },
            Call::Drain(ports, drained) => Input::Drain { ticket, owner, ports, drained },
            Call::Reset => Input::Reset { ticket, owner },
            Call::Request(request) => {
                let path = match &request.request {
                    Request::Connect { from, to, .. } => {
                        let path = Switches::path(&mut *self.paths.lock(), from, to);
                        path.map_err(|fault| fault.to_string())
                    }
                    _ => Ok(Vec::new()),
                };
                if let (Request::Connect { from, to, .. }, Ok(path)) = (&request.request, &path) {
                    let ends = (from.as_str().into(), to.as_str().into());
                    discovery::add(&mut self.since, ends, Some(path.as_slice().into()));
                }
                let now = Instant::now();
                for port in path.iter().flatten() {
                    self.unplaced.entry(*port).or_insert(now);
                }
                Input::Request { ticket, owner, request, path }
            }
        }
    }

    /// Observes the delay of connections at a port. The order that was given at `since` has ended.
    fn placed(&mut self, port: PortId, since: Instant) {
        if let Some(requested) =
            self.unplaced.get(&port).copied().filter(|requested| *requested <= since)
        {
            self.unplaced.remove(&port);
            self.metrics.connection_s.observe(requested.elapsed().as_secs_f64());
        }
    }

    /// Passes an input to the core, records it, and carries out the outputs.
    fn handle(&mut self, input: Input) {
        let now = self.began.elapsed();
        let mut line = self.record.as_ref().and_then(|record| record.line(&input));
        self.core.handle(now, input);
        self.fence.set(self.core.writes_until());
        while let Some(output) = self.core.poll() {
            if let Some(line) = &mut line {
                line.outputs.add(&output);
            }
            self.metrics.count(&output);
            self.carry(output);
        }
        self.write_down(now, line);
    }

    fn carry(&mut self, output: Output) {
        self.report(&output);
        match output {
            // A thread that has ended is reported by its own message.
            Output::Store { write, after, changes } => {
                drop(self.store.send(PersisterMessage::Write(Write { write, after, changes })));
            }
            Output::Released { group } => drop(self.store.send(PersisterMessage::Released(group))),
            Output::Answer { ticket, answer } => {
                if let (Some((owner, order)), Err(refusal)) = (self.asked.remove(&ticket), &answer)
                {
                    self.report_refused(&owner, order, refusal);
                }
                if let Some(waiting) = self.waiting.remove(&ticket) {
                    drop(waiting.send(answer));
                }
            }
            Output::Order { order, port, task, .. } => {
                self.ordered.insert(order, (port, Instant::now()));
                drop(self.writer.send(Order { order, port, task }));
            }
            Output::Discover => {
                let mut known = self.known_paths();
                // The state lacks connections that are not stored yet.
                for (ends, path) in std::mem::take(&mut self.since) {
                    discovery::add(&mut known, ends, path);
                }
                drop(self.discovery.send(known));
            }
            Output::Written { .. }
            | Output::Failed { .. }
            | Output::Overwritten { .. }
            | Output::Lost { .. }
            | Output::Rerouted { .. }
            | Output::Late { .. }
            | Output::Stalled { .. }
            | Output::RecordIgnored { .. }
            | Output::Dropped { .. } => {}
        }
    }
}
