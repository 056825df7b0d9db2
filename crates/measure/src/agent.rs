//! [`serve`]: an agent with its connections, workers and clock.

use crate::accept::accept;
use crate::connection::{Connection, Inbox, Received};
use crate::fellows::Fellows;
use crate::worker::{Command, Worker};
use crate::{Note, challenge};
use anyhow::Context;
use bandwise_agents::agent::{Event, Link, Order, RunId};
use bandwise_agents::message::Job;
use bandwise_agents::{Agent, Token};
use bandwise_session::{AllowedPeer, PortAddress};
use bandwise_units::Time;
use bandwise_verbs::ibverbs::Chosen;
use bandwise_verbs::{Clock, Monotonic, Tsc};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Serves coordinators that have the token, one after another, forever. Queue pairs are connected with those of other
/// agents and with `allowed` addresses. Reports the end of each connection by `note`.
///
/// # Errors
///
/// Returns an error if the system has no thread or no random numbers.
pub fn serve(
    listener: TcpListener,
    chosen: Chosen,
    token: Token,
    allowed: Vec<AllowedPeer>,
    note: Note,
) -> anyhow::Result<Infallible> {
    let own = [chosen.gid.map(|(_, gid)| PortAddress::Gid(gid)), lid(&chosen)];
    let own = own.into_iter().flatten().collect();
    let fellows = Arc::new(Fellows::new(token.clone(), allowed, own));
    let device = format!("{} port {}", chosen.device, chosen.port);
    let agent = |clock: &dyn Display| Agent::new(token, device, clock.to_string());
    match Tsc::start() {
        Ok(tsc) => run(listener, Host::new(chosen, fellows, tsc, note), agent(&tsc)),
        Err(_) => {
            let system = Monotonic::start();
            run(listener, Host::new(chosen, fellows, system, note), agent(&system))
        }
    }
}

/// Returns the LID of a port of InfiniBand.
fn lid(chosen: &Chosen) -> Option<PortAddress> {
    (chosen.lid != 0).then_some(PortAddress::Lid(chosen.lid))
}

/// An input of an agent.
enum Input {
    Connected(TcpStream),
    Received(Link, Received),
    Worker(RunId, u16, Event),
}

/// The connections and workers of an agent.
struct Host<C> {
    chosen: Chosen,
    fellows: Arc<Fellows>,
    clock: C,
    inbox: Inbox<Input>,
    connections: BTreeMap<Link, (Connection, SocketAddr)>,
    workers: BTreeMap<u16, Worker>,
    note: Note,
}

/// The longest wait of an agent without a deadline.
const IDLE: Time = Time::from_ms(3_600_000);

fn run<C: Clock + Copy + Send + Sync + 'static>(
    listener: TcpListener,
    mut host: Host<C>,
    mut agent: Agent,
) -> anyhow::Result<Infallible> {
    let (clock, note) = (host.clock, host.note);
    let arrivals = host.inbox.sender();
    let accept =
        move || while arrivals.send(Input::Connected(accept(&listener, note).0)).is_ok() {};
    thread::Builder::new()
        .name("listener".into())
        .spawn(accept)
        .context("starting the thread that listens")?;
    let mut links = 0;
    loop {
        let now = clock.now();
        let patience = agent.deadline().map_or(IDLE, |deadline| deadline.saturating_sub(now));
        let input = host.inbox.wait(patience);
        let now = clock.now();
        match input {
            None => {}
            Some(Input::Connected(stream)) => {
                links += 1;
                if let Some(from) = host.connect(Link(links), stream) {
                    agent.connected(Link(links), from, challenge()?, now);
                }
            }
            Some(Input::Received(link, Received::Bytes(bytes, at))) => {
                agent.receive(link, &bytes, at)
            }
            Some(Input::Received(link, Received::Closed(why))) => {
                if let Some((_, from)) = host.connections.remove(&link) {
                    note(format_args!("{from}: {why}"));
                }
                agent.disconnected(link);
            }
            Some(Input::Worker(run, flow, event)) => agent.event(run, flow, event),
        }
        agent.tick(now);
        let orders: Vec<Order> = agent.orders().collect();
        for order in orders {
            if let Some(lost) = host.carry_out(order) {
                agent.disconnected(lost);
            }
        }
    }
}

impl<C: Clock + Copy + Send + Sync + 'static> Host<C> {
    fn new(chosen: Chosen, fellows: Arc<Fellows>, clock: C, note: Note) -> Self {
        let (connections, workers) = (BTreeMap::new(), BTreeMap::new());
        Host { chosen, fellows, clock, inbox: Inbox::new(), connections, workers, note }
    }

    /// Takes over a connection and returns the peer's address; `None` if it can't be used.
    fn connect(&mut self, link: Link, stream: TcpStream) -> Option<IpAddr> {
        // A peer without an address has closed the connection.
        let from = stream.peer_addr().ok()?;
        let input = move |received| Input::Received(link, received);
        match Connection::open(stream, self.clock, self.inbox.sender(), input) {
            Ok(connection) => {
                self.connections.insert(link, (connection, from));
                Some(from.ip())
            }
            Err(error) => {
                (self.note)(format_args!("{from}: {error}"));
                None
            }
        }
    }

    /// Executes an order. Returns the connection if the order lost it.
    fn carry_out(&mut self, order: Order) -> Option<Link> {
        match order {
            Order::Send(link, line) => {
                let (connection, from) = self.connections.get_mut(&link)?;
                let error = connection.send(&line).err()?;
                (self.note)(format_args!("{from}: {error}"));
                self.connections.remove(&link);
                return Some(link);
            }
            Order::Close(link, why) => {
                if let Some((_, from)) = self.connections.remove(&link) {
                    (self.note)(format_args!("{from}: {why}"));
                }
            }
            Order::Prepare(run, job) => self.prepare(run, job),
            Order::Connect(_, flow, side, port) => {
                if let Some(worker) = self.workers.get(&flow) {
                    worker.send(Command::Connect(side, port));
                }
            }
            Order::Start(_, at) => self.workers.values().for_each(|w| w.send(Command::Start(at))),
            Order::Stop(_) => self.workers.values().for_each(|w| w.send(Command::Stop)),
            Order::Drop(_) => self.workers.clear(),
        }
        None
    }

    fn prepare(&mut self, run: RunId, job: Job) {
        let (flow, fellows) = (job.flow, Arc::clone(&self.fellows));
        let events = self.inbox.sender();
        let report = {
            let events = events.clone();
            move |event| drop(events.send(Input::Worker(run, flow, event)))
        };
        match Worker::start(self.chosen.clone(), fellows, job, self.clock, report) {
            Ok(worker) => drop(self.workers.insert(flow, worker)),
            Err(error) => {
                let why = format!("can't start a thread: {error}");
                // This thread reads the inbox, so it must not wait for room in it.
                let report =
                    move || drop(events.send(Input::Worker(run, flow, Event::Failed(why))));
                drop(thread::spawn(report));
            }
        }
    }
}
