//! [`Agent`]: what an agent says and does, whoever connects with it and whatever they say.
//!
//! Who connects is asked for the token first; several may be asked at a time. One of those who have it has the agent
//! at its disposal, until it says that it has finished, is gone, says nothing for [`SILENCE`] or what makes no sense,
//! or takes longer than a run can. Then everything that was begun for it is let go.

mod door;
mod run;

use crate::message::{FromAgent, Greeting, Job, ToAgent};
use crate::{Challenge, Report, SILENCE, Token};
use bandwise_rdma::wire::Mtu;
use bandwise_session::{Side, encode};
use bandwise_units::Time;
use door::{Door, Heard};
use run::Run;
use std::collections::BTreeMap;

/// A connection, by a number that whoever has it gives, another one each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link(pub u64);

/// What an agent orders.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// A line is to be sent.
    Send(Link, String),
    /// A connection is to be closed, after what was to be sent before; why, for people.
    Close(Link, String),
    /// Queue pairs are to be made.
    Prepare(RunId, Job),
    /// They are to be connected with those.
    Connect(RunId, u16, Side),
    /// All who measure begin when the clock reads that.
    Start(RunId, Time),
    /// Who measures stops and tells what there is.
    Stop(RunId),
    /// All of it is to be let go: nothing of it will be asked for any more.
    Drop(RunId),
}

/// One coordinator's use of the agent. What comes of an earlier one is not taken for this one's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunId(pub u64);

/// What came of an order.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Queue pairs are made; where they are.
    Prepared(Side),
    /// They are connected.
    Connected(Mtu),
    /// Who measures has ended.
    Ended(Box<Report>),
    /// What was ordered can't be done, or who answers can't go on.
    Failed(String),
}

/// Who may be asked for the token at a time; more are turned away.
pub const MOST_DOORS: usize = 16;

/// The agent.
#[derive(Debug)]
pub struct Agent {
    token: Token,
    device: String,
    clock: String,
    doors: BTreeMap<Link, Door>,
    run: Option<Run>,
    runs: u64,
    orders: Vec<Order>,
}

impl Agent {
    /// One that measures on a device by a clock; both are for people.
    pub fn new(token: Token, device: String, clock: String) -> Self {
        let (doors, orders) = (BTreeMap::new(), Vec::new());
        Agent { token, device, clock, doors, run: None, runs: 0, orders }
    }

    /// What is to be done, in order.
    pub fn orders(&mut self) -> impl Iterator<Item = Order> + '_ {
        self.orders.drain(..)
    }

    /// Whether a coordinator has the agent at its disposal.
    pub fn is_held(&self) -> bool {
        self.run.is_some()
    }

    /// When [`Agent::tick`] has something to do, if nothing happens before.
    pub fn deadline(&self) -> Option<Time> {
        let doors = self.doors.values().map(Door::deadline);
        doors.chain(self.run.as_ref().map(Run::deadline)).min()
    }

    /// Somebody has connected. `challenge` is to be drawn for it.
    pub fn connected(&mut self, link: Link, challenge: Challenge, now: Time) {
        if self.doors.len() >= MOST_DOORS {
            let why = "too many connections that have not shown the token".to_owned();
            self.refuse(link, why);
            return;
        }
        self.send_in_clear(link, &Greeting::Challenge(challenge));
        self.doors.insert(link, Door::new(challenge, now));
    }

    /// Bytes have come.
    pub fn heard(&mut self, link: Link, bytes: &[u8], now: Time) {
        let Some(door) = self.doors.get_mut(&link) else { return };
        door.push(bytes);
        while let Some(door) = self.doors.get_mut(&link) {
            match door.next(&self.token) {
                None => return,
                Some(Ok(Heard::Greeting)) => {}
                Some(Ok(Heard::Message(message))) => self.message(link, message, now),
                Some(Err(error)) => {
                    self.refuse(link, error.to_string());
                    self.lose(link);
                }
            }
        }
    }

    /// A connection has ended.
    pub fn gone(&mut self, link: Link) {
        self.lose(link);
    }

    /// Something has come of an order.
    pub fn event(&mut self, run: RunId, flow: u16, event: Event) {
        let Some(held) = self.run.as_mut().filter(|held| held.id == run) else { return };
        let link = held.link;
        if let Some(answer) = held.event(flow, event) {
            self.say(link, &answer);
        }
    }

    /// The time goes by.
    pub fn tick(&mut self, now: Time) {
        let late = |(link, door): (&Link, &Door)| (door.deadline() <= now).then_some(*link);
        let strangers: Vec<Link> = self.doors.iter().filter_map(late).collect();
        for link in strangers {
            self.refuse(link, format!("no token was shown within {SILENCE}"));
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
                if let Some(door) = self.doors.get_mut(&link) {
                    door.enter();
                }
                let (device, clock) = (self.device.clone(), self.clock.clone());
                self.say(link, &FromAgent::Welcome { device, clock });
            }
            (ToAgent::Hello, Some(_)) if !holds => {
                self.fail(link, "this agent measures for another coordinator".to_owned());
            }
            (ToAgent::Finish, Some(_)) if holds => {
                self.say(link, &FromAgent::Finished);
                self.orders.push(Order::Close(link, "it has finished".to_owned()));
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
            _ => self.fail(link, "this was asked for before anything was agreed on".to_owned()),
        }
    }

    fn touch(&mut self, link: Link, now: Time) {
        if let Some(run) = self.run.as_mut().filter(|run| run.link == link) {
            run.touch(now);
        }
    }

    /// Says why, and has nothing more to do with it.
    fn fail(&mut self, link: Link, why: String) {
        self.say(link, &FromAgent::Failed { flow: None, why: why.clone() });
        self.orders.push(Order::Close(link, why));
        self.lose(link);
    }

    /// Says why to who may not have the token.
    fn refuse(&mut self, link: Link, why: String) {
        self.send_in_clear(link, &Greeting::Refused(why.clone()));
        self.orders.push(Order::Close(link, why));
    }

    /// What belongs to a connection is let go.
    fn lose(&mut self, link: Link) {
        self.doors.remove(&link);
        if let Some(run) = self.run.take_if(|run| run.link == link) {
            self.orders.push(Order::Drop(run.id));
        }
    }

    fn say(&mut self, link: Link, message: &FromAgent) {
        if let Some(line) = self.doors.get_mut(&link).and_then(|door| door.seal(message)) {
            self.orders.push(Order::Send(link, line));
        }
    }

    fn send_in_clear(&mut self, link: Link, greeting: &Greeting) {
        self.orders.push(Order::Send(link, encode(greeting) + "\n"));
    }
}
