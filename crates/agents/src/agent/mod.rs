//! [`Agent`]: the actions of an agent, for any number of connections and any input.
//!
//! A connection has to prove that it has the token; several connections may do so at once. A new one
//! takes the place of an older one without a proof, so that they can't keep a coordinator out. One
//! coordinator with the token uses the agent. Its run ends when it finishes or disconnects, is
//! silent for [`SILENCE`], sends an invalid message, or exceeds the longest duration. The agent
//! then releases all resources of the run.

mod connection;
mod run;

use crate::message::{FromAgent, Greeting, Job, ToAgent};
use crate::{Challenge, Report, SILENCE, Token};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Side, encode};
use bandwise_units::Time;
use connection::{Connection, Origin, Received};
use core::cmp::Reverse;
use core::net::IpAddr;
use run::Run;
use std::collections::BTreeMap;

/// The number of a connection, which the driver assigns and never reuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link(pub u64);

/// An action that the agent asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Send a line.
    Send(Link, String),
    /// Close a connection after sending all earlier lines; the reason is for people.
    Close(Link, String),
    /// Make queue pairs.
    Prepare(RunId, Job),
    /// Connect the queue pairs with those of the other side, if they belong to the agent at this port of their address.
    Connect(RunId, u16, Side, u16),
    /// Start all measuring sides when the clock reads this time.
    Start(RunId, Time),
    /// Stop all measuring sides, which then report.
    Stop(RunId),
    /// Release all resources of a run.
    Drop(RunId),
}

/// The number of a run. Events of earlier runs are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunId(pub u64);

/// The result of an order.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Queue pairs are made; their addresses.
    Prepared(Side),
    /// Queue pairs are connected.
    Connected(Mtu),
    /// A measuring side has ended.
    Ended(Box<Report>),
    /// An order has failed, or a responding side can't continue.
    Failed(String),
}

/// The largest number of connections that are not the coordinator's, and of those from one address.
pub const MOST_PENDING: usize = 16;
/// The same from one IPv4 address, or from one IPv6 network of 64 bits.
pub const MOST_PENDING_OF_ONE: usize = 4;

/// The state machine of an agent.
#[derive(Debug)]
pub struct Agent {
    token: Token,
    device: String,
    clock: String,
    connections: BTreeMap<Link, Connection>,
    run: Option<Run>,
    runs: u64,
    orders: Vec<Order>,
}

impl Agent {
    /// Returns an agent with the name of its device and clock, for people.
    pub fn new(token: Token, device: String, clock: String) -> Self {
        let (connections, orders) = (BTreeMap::new(), Vec::new());
        Agent { token, device, clock, connections, run: None, runs: 0, orders }
    }

    /// Takes the orders, which have to be carried out in this sequence.
    pub fn orders(&mut self) -> impl Iterator<Item = Order> + '_ {
        self.orders.drain(..)
    }

    /// Returns `true` while a coordinator uses the agent.
    pub fn is_held(&self) -> bool {
        self.run.is_some()
    }

    /// Returns the time at which [`Agent::tick`] has work to do without another event.
    pub fn deadline(&self) -> Option<Time> {
        let connections = self.connections.values().map(Connection::deadline);
        connections.chain(self.run.as_ref().map(Run::deadline)).min()
    }

    /// Handles a new connection from an address. `challenge` has to be random.
    pub fn connected(&mut self, link: Link, from: IpAddr, challenge: Challenge, now: Time) {
        let from = Origin::of(from);
        if let Some(oldest) = self.displaced_by(from) {
            self.refuse(oldest, "too many connections without a proof of the token".to_owned());
            self.lose(oldest);
        }
        self.send_in_clear(link, &Greeting::Challenge(challenge));
        self.connections.insert(link, Connection::new(from, challenge, now));
    }

    /// Returns the connection whose place a new one takes: the oldest of its origin, or of the origin with the most
    /// connections; `None` if there is room.
    fn displaced_by(&self, from: Origin) -> Option<Link> {
        let holder = self.run.as_ref().map(|run| run.link);
        let pending = || self.connections.iter().filter(move |(link, _)| Some(**link) != holder);
        let count = |origin| pending().filter(|(_, other)| other.origin() == origin).count();
        let is_crowded = count(from) >= MOST_PENDING_OF_ONE;
        if !is_crowded && pending().count() < MOST_PENDING {
            return None;
        }
        let candidates = pending().filter(|(_, other)| !is_crowded || other.origin() == from);
        let age = |link: Link, other: &Connection| Reverse((other.deadline(), link));
        let first =
            candidates.max_by_key(|(link, other)| (count(other.origin()), age(**link, other)));
        first.map(|(link, _)| *link)
    }

    /// Handles bytes from a connection.
    pub fn receive(&mut self, link: Link, bytes: &[u8], now: Time) {
        let Some(connection) = self.connections.get_mut(&link) else { return };
        connection.push(bytes);
        while let Some(connection) = self.connections.get_mut(&link) {
            match connection.next(&self.token) {
                None => return,
                Some(Ok(Received::Greeting)) => {}
                Some(Ok(Received::Message(message))) => self.message(link, message, now),
                Some(Err(error)) => {
                    self.refuse(link, error.to_string());
                    self.lose(link);
                }
            }
        }
    }

    /// Handles the end of a connection.
    pub fn disconnected(&mut self, link: Link) {
        self.lose(link);
    }

    /// Handles the result of an order.
    pub fn event(&mut self, run: RunId, flow: u16, event: Event) {
        let Some(held) = self.run.as_mut().filter(|held| held.id == run) else { return };
        let link = held.link;
        if let Some(answer) = held.event(flow, event) {
            self.say(link, &answer);
        }
    }

    /// Handles the passage of time.
    pub fn tick(&mut self, now: Time) {
        let late = |(link, connection): (&Link, &Connection)| {
            (connection.deadline() <= now).then_some(*link)
        };
        let strangers: Vec<Link> = self.connections.iter().filter_map(late).collect();
        for link in strangers {
            self.refuse(link, format!("no proof of the token within {SILENCE}"));
            self.lose(link);
        }
        if let Some(run) = self.run.as_ref().filter(|run| run.deadline() <= now) {
            let (link, why) = (run.link, run.overdue(now));
            self.say(link, &FromAgent::Failed { flow: None, why: why.clone() });
            self.orders.push(Order::Close(link, why));
            self.lose(link);
        }
    }

    fn message(&mut self, link: Link, message: ToAgent, now: Time) {
        let holds = self.run.as_ref().is_some_and(|run| run.link == link);
        match (message, &mut self.run) {
            (ToAgent::Clock(number), _) => {
                self.say(link, &FromAgent::Clock { number, read: now });
                self.touch(link, now);
            }
            (ToAgent::Hello, None) => {
                self.runs += 1;
                self.run = Some(Run::new(RunId(self.runs), link, now));
                if let Some(connection) = self.connections.get_mut(&link) {
                    connection.enter();
                }
                let (device, clock) = (self.device.clone(), self.clock.clone());
                self.say(link, &FromAgent::Welcome { device, clock });
            }
            (ToAgent::Vouch { flow, side }, run) if !holds => {
                let is_ours = run.as_ref().is_some_and(|run| run.has_made(flow, &side));
                self.say(link, &FromAgent::Vouched(is_ours));
                let why = format!("an agent that asked for the owner of a side of flow {flow}");
                self.orders.push(Order::Close(link, why));
                self.lose(link);
            }
            (ToAgent::Hello, Some(_)) if !holds => {
                self.fail(link, "this agent is in use by another coordinator".to_owned());
            }
            (ToAgent::Finish, Some(_)) if holds => {
                self.say(link, &FromAgent::Finished);
                self.orders.push(Order::Close(link, "the coordinator has finished".to_owned()));
                self.lose(link);
            }
            (message, Some(run)) if holds => {
                run.touch(now);
                match run.message(message, now) {
                    Ok((orders, answer)) => {
                        self.orders.extend(orders);
                        if let Some(answer) = answer {
                            self.say(link, &answer);
                        }
                    }
                    Err(why) => self.fail(link, why),
                }
            }
            _ => self.fail(link, "this message was sent before the greeting".to_owned()),
        }
    }

    fn touch(&mut self, link: Link, now: Time) {
        if let Some(run) = self.run.as_mut().filter(|run| run.link == link) {
            run.touch(now);
        }
    }

    /// Reports an error to a coordinator, and ends its run.
    fn fail(&mut self, link: Link, why: String) {
        self.say(link, &FromAgent::Failed { flow: None, why: why.clone() });
        self.orders.push(Order::Close(link, why));
        self.lose(link);
    }

    /// Reports an error to a peer that may lack the token.
    fn refuse(&mut self, link: Link, why: String) {
        self.send_in_clear(link, &Greeting::Refused(why.clone()));
        self.orders.push(Order::Close(link, why));
    }

    /// Releases all resources of a connection.
    fn lose(&mut self, link: Link) {
        self.connections.remove(&link);
        if let Some(run) = self.run.take_if(|run| run.link == link) {
            self.orders.push(Order::Drop(run.id));
        }
    }

    fn say(&mut self, link: Link, message: &FromAgent) {
        if let Some(line) =
            self.connections.get_mut(&link).and_then(|connection| connection.seal(message))
        {
            self.orders.push(Order::Send(link, line));
        }
    }

    fn send_in_clear(&mut self, link: Link, greeting: &Greeting) {
        self.orders.push(Order::Send(link, encode(greeting) + "\n"));
    }
}
