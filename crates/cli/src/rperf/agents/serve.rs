//! The agent: its connections, its workers, its clock.

use super::super::listening::listen;
use super::challenge;
use super::flags::Flags;
use super::inbox::{Came, Inbox, Wire};
use super::worker::{Command, Worker};
use crate::failure::Failure;
use crate::output::note;
use anyhow::Context;
use bandwise_agents::Agent;
use bandwise_agents::agent::{Event, Link, Order, RunId};
use bandwise_agents::message::Job;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::Chosen;
use bandwise_verbs::{Clock, Monotonic, Tsc};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Serves coordinators, one after another.
pub(super) fn run(flags: Flags) -> Result<(), Failure> {
    let token = flags.token.read()?;
    let chosen = flags.port.resolve()?;
    let device = format!("{} port {}", chosen.device, chosen.port);
    let listener = listen(flags.listen, &device)?;
    let agent = |clock: &dyn Display| Agent::new(token, device, clock.to_string());
    match Tsc::start() {
        Ok(tsc) => serve(listener, chosen, agent(&tsc), tsc),
        Err(_) => {
            let system = Monotonic::start();
            serve(listener, chosen, agent(&system), system)
        }
    }
}

/// What happens to an agent.
enum Happens {
    Connected(TcpStream),
    Said(Link, Came),
    Worked(RunId, u16, Event),
}

/// An agent's wires and workers.
struct Host<C> {
    chosen: Chosen,
    clock: C,
    inbox: Inbox<Happens>,
    wires: BTreeMap<Link, (Wire, String)>,
    workers: BTreeMap<u16, Worker>,
}

/// A while in which nothing has to happen.
const IDLE: Time = Time::from_ms(3_600_000);

fn serve<C: Clock + Copy + Send + Sync + 'static>(
    listener: TcpListener,
    chosen: Chosen,
    mut agent: Agent,
    clock: C,
) -> Result<(), Failure> {
    let inbox = Inbox::new();
    let arrivals = inbox.sender();
    let accept = move || {
        loop {
            match listener.accept() {
                Ok((stream, _)) => {
                    if arrivals.send(Happens::Connected(stream)).is_err() {
                        return;
                    }
                }
                // There may be no descriptors for the moment, or who came has gone.
                Err(_) => thread::sleep(Duration::from_millis(100)),
            }
        }
    };
    thread::Builder::new().name("listener".into()).spawn(accept).context("a thread to listen")?;
    let (wires, workers) = (BTreeMap::new(), BTreeMap::new());
    let mut host = Host { chosen, clock, inbox, wires, workers };
    let mut links = 0;
    loop {
        let now = clock.now();
        let patience = agent.deadline().map_or(IDLE, |deadline| deadline.saturating_sub(now));
        let happens = host.inbox.wait(patience);
        let now = clock.now();
        match happens {
            None => {}
            Some(Happens::Connected(stream)) => {
                links += 1;
                if host.connect(Link(links), stream) {
                    agent.connected(Link(links), challenge()?, now);
                }
            }
            Some(Happens::Said(link, Came::Bytes(bytes, at))) => agent.heard(link, &bytes, at),
            Some(Happens::Said(link, Came::Gone(why))) => {
                if let Some((_, from)) = host.wires.remove(&link) {
                    note(format_args!("{from}: {why}"));
                }
                agent.gone(link);
            }
            Some(Happens::Worked(run, flow, event)) => agent.event(run, flow, event),
        }
        agent.tick(now);
        let orders: Vec<Order> = agent.orders().collect();
        for order in orders {
            if let Some(lost) = host.carry_out(order) {
                agent.gone(lost);
            }
        }
    }
}

impl<C: Clock + Copy + Send + Sync + 'static> Host<C> {
    /// Whether the connection can be used.
    fn connect(&mut self, link: Link, stream: TcpStream) -> bool {
        let from = stream.peer_addr().map_or_else(|_| "somebody".to_owned(), |a| a.to_string());
        let said = move |came| Happens::Said(link, came);
        match Wire::open(stream, self.clock, self.inbox.sender(), said) {
            Ok(wire) => {
                self.wires.insert(link, (wire, from));
                true
            }
            Err(error) => {
                note(format_args!("{from}: {error}"));
                false
            }
        }
    }

    /// Carries an order out; answers with a connection that was lost over it.
    fn carry_out(&mut self, order: Order) -> Option<Link> {
        match order {
            Order::Send(link, line) => {
                let (wire, from) = self.wires.get_mut(&link)?;
                let error = wire.send(&line).err()?;
                note(format_args!("{from}: {error}"));
                self.wires.remove(&link);
                return Some(link);
            }
            Order::Close(link, why) => {
                if let Some((_, from)) = self.wires.remove(&link) {
                    note(format_args!("{from}: {why}"));
                }
            }
            Order::Prepare(run, job) => self.prepare(run, job),
            Order::Connect(_, flow, side) => {
                if let Some(worker) = self.workers.get(&flow) {
                    worker.tell(Command::Connect(side));
                }
            }
            Order::Start(_, at) => self.workers.values().for_each(|w| w.tell(Command::Start(at))),
            Order::Stop(_) => self.workers.values().for_each(|w| w.tell(Command::Stop)),
            Order::Drop(_) => self.workers.clear(),
        }
        None
    }

    fn prepare(&mut self, run: RunId, job: Job) {
        let flow = job.flow;
        let events = self.inbox.sender();
        let tell = {
            let events = events.clone();
            move |event| drop(events.send(Happens::Worked(run, flow, event)))
        };
        match Worker::start(self.chosen.clone(), job, self.clock, tell) {
            Ok(worker) => drop(self.workers.insert(flow, worker)),
            Err(error) => {
                let why = format!("there is no thread for it: {error}");
                // Who reads the inbox is this thread, so it must not wait for room in it.
                let tell =
                    move || drop(events.send(Happens::Worked(run, flow, Event::Failed(why))));
                drop(thread::spawn(tell));
            }
        }
    }
}
