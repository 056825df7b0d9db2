//! [`Coordinator`]: what is said to all agents of a plan, from the first connection to the last report.
//!
//! | phase | ends when |
//! |---|---|
//! | greeting | all agents have shown the token and are free |
//! | clocks | each agent's clock has been asked for some times, and the differences are small beside the margin |
//! | preparing | all queue pairs are connected; where they are goes through the coordinator |
//! | starting | all agents have agreed to the instant at which flows begin |
//! | running | all who measure have reported |
//! | after | clocks have been asked for once more |
//! | stopping | in place of the last two after a failure: all who measure have reported, or time is up |
//! | finishing | all agents have let go, or time is up |
//!
//! Each has an end in time. The first failure decides what is said of the whole; what agents measured until then is
//! kept.

mod outcome;
mod peer;
mod steps;
mod stop;

pub use outcome::{Ended, FlowOutcome, HostOutcome, Outcome};

use crate::message::ToAgent;
use crate::{BEAT, Challenge, Plan, Report, SILENCE, Token};
use bandwise_rdma::wire::Mtu;
use bandwise_session::Side;
use bandwise_units::Time;
use peer::{Peer, Said};

/// What the coordinator orders; agents go by their place in the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// A line is to be sent.
    Send(usize, String),
    /// A connection is to be closed, after what was to be sent before.
    Close(usize),
}

/// How often an agent's clock is asked for before the start, and after the end.
const EXCHANGES: u32 = 16;
/// From the order to start until flows begin: all agents must have agreed by then.
const LEAD: Time = Time::from_ms(1_000);
/// How long queue pairs may take: memory of gigabytes has to be locked. The 2 GB of a flow with messages of 1 GB took
/// some 30 s on emulated processors; an agent gives up after a minute.
const PREPARING: Time = Time::from_ms(45_000);
/// How long after its end a flow may be reported.
const REPORTING: Time = Time::from_ms(3_000);
/// How long agents may take to report after they were told to stop, and to let go: with [`SILENCE`] 4.5 s.
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

/// A flow on its way; client and server.
#[derive(Debug, Clone, Default)]
struct Progress {
    sides: [Option<Side>; 2],
    mtus: [Option<Mtu>; 2],
    report: Option<Report>,
}

/// Who tells the agents of a plan what to do.
#[derive(Debug)]
pub struct Coordinator {
    plan: Plan,
    peers: Vec<Peer>,
    flows: Vec<Progress>,
    phase: Phase,
    /// When the phase is given up.
    until: Time,
    beat: Time,
    start: Time,
    /// What was first to go wrong, and when it was known.
    trouble: Option<(Ended, Time)>,
    orders: Vec<Order>,
}

impl Coordinator {
    /// One that has a connection with every agent of the plan, in its order, and a challenge drawn for each.
    /// Panics if there are not as many challenges as hosts.
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

    /// What is to be done, in order.
    pub fn orders(&mut self) -> impl Iterator<Item = Order> + '_ {
        self.orders.drain(..)
    }

    /// When flows begin, by the coordinator's clock; `None` before that is known.
    pub fn start(&self) -> Option<Time> {
        (self.start < Time::MAX).then_some(self.start)
    }

    /// When [`Coordinator::tick`] has something to do, if nothing happens before.
    pub fn deadline(&self) -> Time {
        let silent = self.living().map(|(_, peer)| peer.heard.saturating_add(SILENCE)).min();
        self.until.min(self.beat).min(silent.unwrap_or(Time::MAX))
    }

    /// What came of it, once it is over.
    pub fn outcome(&self) -> Option<Outcome> {
        (self.phase == Phase::Over).then(|| self.judge())
    }

    /// Bytes have come from an agent, at that time.
    pub fn heard(&mut self, agent: usize, bytes: &[u8], now: Time) {
        if !self.peers[agent].is_there {
            return;
        }
        self.peers[agent].push(bytes);
        while self.peers[agent].is_there {
            match self.peers[agent].next() {
                None => return,
                Some(Ok(Said::Challenge)) => self.tell(agent, &ToAgent::Hello),
                Some(Ok(Said::Message(message))) => {
                    self.peers[agent].heard = now;
                    self.message(agent, message, now);
                }
                Some(Ok(Said::Refused(why))) => self.drop_agent(agent, &why, now),
                Some(Err(error)) => self.drop_agent(agent, &error.to_string(), now),
            }
        }
    }

    /// The connection with an agent has ended.
    pub fn gone(&mut self, agent: usize, why: &str, now: Time) {
        if self.peers[agent].is_there {
            self.drop_agent(agent, why, now);
        }
    }

    /// Somebody asks for the end.
    pub fn interrupt(&mut self, now: Time) {
        self.trouble(Ended::Interrupted, now);
    }

    /// The time goes by.
    pub fn tick(&mut self, now: Time) {
        if self.phase == Phase::Over {
            return;
        }
        let is_silent = |peer: &Peer| peer.heard.saturating_add(SILENCE) <= now;
        let silent: Vec<usize> =
            self.living().filter(|(_, peer)| is_silent(peer)).map(|(i, _)| i).collect();
        for agent in silent {
            self.drop_agent(agent, &format!("it said nothing for {SILENCE}"), now);
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
                                ": no queue pairs, and memory locked for them, within {PREPARING}"
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

    /// A host, for people.
    fn name(&self, agent: usize) -> String {
        let host = &self.plan.hosts[agent];
        format!("{} ({})", host.name, host.agent)
    }

    /// Who has not done what the phase is about.
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

    fn tell(&mut self, agent: usize, message: &ToAgent) {
        if let Some(line) = self.peers[agent].seal(message) {
            self.orders.push(Order::Send(agent, line));
        }
    }

    fn tell_all(&mut self, message: &ToAgent) {
        for agent in 0..self.peers.len() {
            self.tell(agent, message);
        }
    }

    /// Asks for an agent's clock, unless it has not answered the last time yet.
    fn ask(&mut self, agent: usize, now: Time) {
        if let Some(number) = self.peers[agent].ask(now) {
            self.tell(agent, &ToAgent::Clock(number));
        }
    }
}
