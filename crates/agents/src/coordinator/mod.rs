//! [`Coordinator`]: the control of all agents of a plan, from the first connection to the last report.
//!
//! | phase | ends when |
//! |---|---|
//! | greeting | all agents have proved that they have the token, and have accepted |
//! | clocks | the exchanges with each agent's clock are done, and their errors are small beside the margin |
//! | preparing | all queue pairs are connected; the coordinator passes on their addresses |
//! | starting | all agents have accepted the start of the flows |
//! | running | all measuring sides have reported |
//! | after | the exchanges with the clocks are done once more |
//! | stopping | instead of the last two, after a failure: all measuring sides have reported, or the deadline has passed |
//! | finishing | all agents have released everything, or the deadline has passed |
//!
//! Each phase has a deadline. The first failure is the reason of the end; results up to then are kept.

mod outcome;
mod peer;
mod steps;
mod stop;

pub use outcome::{FlowOutcome, HostOutcome, Outcome, RunEnd};

use crate::message::ToAgent;
use crate::{BEAT, Challenge, Plan, Report, SILENCE, Token};
use bandwise_rdma::wire::Mtu;
use bandwise_session::Side;
use bandwise_units::Time;
pub(crate) use peer::{Peer, Reply};

/// An action that the coordinator asks for. Agents are numbered in the order of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Send a line.
    Send(usize, String),
    /// Close a connection after sending all earlier lines.
    Close(usize),
}

/// The number of clock exchanges before the start, and after the end.
const EXCHANGES: u32 = 16;
/// The time from the order to start to the start of the flows. All agents have to accept the order
/// within it.
const LEAD: Time = Time::from_ms(1_000);
/// The time for making queue pairs, which includes locking gigabytes of memory. The 2 GB of a flow with messages of 1
/// GB took 30 s on emulated processors; an agent abandons a run after a minute.
const PREPARING: Time = Time::from_ms(45_000);
/// The time from the end of a flow to its report.
const REPORTING: Time = Time::from_ms(3_000);
/// The time for reporting after an order to stop, and for releasing: with [`SILENCE`] 4.5 s.
const STOPPING: Time = Time::from_ms(1_200);
const FINISHING: Time = Time::from_ms(300);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Greeting,
    Clocks,
    Preparing,
    Starting,
    Running,
    After,
    Stopping,
    Finishing,
    Over,
}

/// The progress of a flow, client and server.
#[derive(Debug, Clone, Default)]
struct Progress {
    sides: [Option<Side>; 2],
    mtus: [Option<Mtu>; 2],
    report: Option<Report>,
}

/// The state machine that controls the agents of a plan.
#[derive(Debug)]
pub struct Coordinator {
    plan: Plan,
    peers: Vec<Peer>,
    flows: Vec<Progress>,
    phase: Phase,
    /// The deadline of the phase.
    until: Time,
    beat: Time,
    start: Time,
    /// The first failure, and the time at which the coordinator noticed it.
    trouble: Option<(RunEnd, Time)>,
    orders: Vec<Order>,
}

impl Coordinator {
    /// Returns the coordinator of a plan that is connected with all agents, in the order of the plan. The challenges
    /// have to be random.
    ///
    /// # Panics
    ///
    /// Panics if the numbers of challenges and hosts differ.
    pub fn new(plan: Plan, token: &Token, challenges: &[Challenge], now: Time) -> Self {
        assert_eq!(challenges.len(), plan.hosts.len(), "a challenge for each host");
        let mut orders = Vec::new();
        let mut peers = Vec::new();
        for (i, &challenge) in challenges.iter().enumerate() {
            let (peer, greeting) = Peer::new(token.clone(), challenge, now);
            peers.push(peer);
            orders.push(Order::Send(i, greeting));
        }
        Coordinator {
            peers,
            flows: vec![Progress::default(); plan.flows.len()],
            phase: Phase::Greeting,
            until: now.saturating_add(SILENCE),
            beat: now.saturating_add(BEAT),
            start: Time::MAX,
            trouble: None,
            orders,
            plan,
        }
    }

    /// Takes the orders, which have to be carried out in this sequence.
    pub fn orders(&mut self) -> impl Iterator<Item = Order> + '_ {
        self.orders.drain(..)
    }

    /// Returns the start of the flows by the coordinator's clock; `None` if it is not set yet.
    pub fn start(&self) -> Option<Time> {
        (self.start < Time::MAX).then_some(self.start)
    }

    /// Returns the time at which [`Coordinator::tick`] has work to do without another event.
    pub fn deadline(&self) -> Time {
        let silent =
            self.living().map(|(_, peer)| peer.last_received.saturating_add(SILENCE)).min();
        self.until.min(self.beat).min(silent.unwrap_or(Time::MAX))
    }

    /// Returns the outcome; `None` before the end.
    pub fn outcome(&self) -> Option<Outcome> {
        (self.phase == Phase::Over).then(|| self.judge())
    }

    /// Handles bytes that an agent has sent.
    pub fn receive(&mut self, agent: usize, bytes: &[u8], now: Time) {
        if !self.peers[agent].is_there {
            return;
        }
        self.peers[agent].push(bytes);
        while self.peers[agent].is_there {
            match self.peers[agent].next() {
                None => return,
                Some(Ok(Reply::Challenge)) => self.send(agent, &ToAgent::Hello),
                Some(Ok(Reply::Message(message))) => {
                    self.peers[agent].last_received = now;
                    self.message(agent, message, now);
                }
                Some(Ok(Reply::Refused(why))) => self.drop_agent(agent, &why, now),
                Some(Err(error)) => self.drop_agent(agent, &error.to_string(), now),
            }
        }
    }

    /// Handles the end of an agent's connection.
    pub fn disconnected(&mut self, agent: usize, why: &str, now: Time) {
        if self.peers[agent].is_there {
            self.drop_agent(agent, why, now);
        }
    }

    /// Handles an interrupt by the user.
    pub fn interrupt(&mut self, now: Time) {
        self.trouble(RunEnd::Interrupted, now);
    }

    /// Handles the passage of time.
    pub fn tick(&mut self, now: Time) {
        if self.phase == Phase::Over {
            return;
        }
        let is_silent = |peer: &Peer| peer.last_received.saturating_add(SILENCE) <= now;
        let silent: Vec<usize> =
            self.living().filter(|(_, peer)| is_silent(peer)).map(|(i, _)| i).collect();
        for agent in silent {
            self.drop_agent(agent, &format!("silent for {SILENCE}"), now);
        }
        if self.beat <= now {
            self.beat = now.saturating_add(BEAT);
            for agent in 0..self.peers.len() {
                self.ask(agent, now);
            }
        }
        if self.until <= now {
            match self.phase {
                Phase::Finishing => self.end(),
                Phase::Stopping => self.finish(now),
                Phase::Over => {}
                _ => {
                    let who = self.waited_for();
                    let what = match self.phase {
                        Phase::Preparing => {
                            format!(
                                ": queue pairs and locked memory were not ready within {PREPARING}"
                            )
                        }
                        _ => String::new(),
                    };
                    self.fail(format!("{who}: took too long{what}"), now);
                }
            }
        }
    }

    fn living(&self) -> impl Iterator<Item = (usize, &Peer)> {
        self.peers.iter().enumerate().filter(|(_, peer)| peer.is_there)
    }

    /// Returns the name of an agent's host, for people.
    fn name(&self, agent: usize) -> String {
        let host = &self.plan.hosts[agent];
        format!("{} ({})", host.name, host.agent)
    }

    /// Returns the hosts that have not completed the phase.
    fn waited_for(&self) -> String {
        let agent = match self.phase {
            Phase::Greeting => self.peers.iter().position(|peer| peer.welcome.is_none()),
            Phase::Clocks | Phase::After => {
                self.peers.iter().position(|peer| peer.exchanges < EXCHANGES)
            }
            Phase::Starting => self.peers.iter().position(|peer| !peer.starting),
            Phase::Preparing => self.flows.iter().zip(&self.plan.flows).find_map(|(done, flow)| {
                let missing = done.mtus.iter().position(Option::is_none)?;
                Some([flow.from, flow.to][missing])
            }),
            _ => {
                let flows = self.flows.iter().zip(&self.plan.flows);
                flows.filter(|(done, _)| done.report.is_none()).map(|(_, flow)| flow.from).next()
            }
        };
        agent.map_or_else(|| "the coordinator".to_owned(), |agent| self.name(agent))
    }

    fn send(&mut self, agent: usize, message: &ToAgent) {
        if let Some(line) = self.peers[agent].seal(message) {
            self.orders.push(Order::Send(agent, line));
        }
    }

    fn tell_all(&mut self, message: &ToAgent) {
        for agent in 0..self.peers.len() {
            self.send(agent, message);
        }
    }

    /// Requests an agent's clock, unless the last request is outstanding.
    fn ask(&mut self, agent: usize, now: Time) {
        if let Some(number) = self.peers[agent].ask(now) {
            self.send(agent, &ToAgent::Clock(number));
        }
    }
}
