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

pub use outcome::{Ended, FlowOutcome, HostOutcome, Outcome};

use crate::message::{FromAgent, Job, Part, ToAgent};
use crate::{BEAT, Challenge, End, Plan, Report, SILENCE, Token};
use bandwise_rdma::wire::Mtu;
use bandwise_units::Time;
use bandwise_verbs::ibverbs::Side;
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

    fn drop_agent(&mut self, agent: usize, why: &str, now: Time) {
        self.peers[agent].is_there = false;
        self.orders.push(Order::Close(agent));
        match self.phase {
            Phase::Finishing => self.end_if_finished(),
            Phase::Over => {}
            Phase::Stopping => self.finish_if_reported(now),
            _ => {
                let name = self.name(agent);
                self.fail(format!("{name}: {why}"), now);
            }
        }
    }

    fn fail(&mut self, why: String, now: Time) {
        self.trouble(Ended::Failed(why), now);
    }

    /// It can't be whole any more. All that has begun is stopped.
    fn trouble(&mut self, why: Ended, now: Time) {
        if matches!(self.phase, Phase::Stopping | Phase::Finishing | Phase::Over) {
            return;
        }
        self.trouble.get_or_insert((why, now));
        match self.phase {
            Phase::Starting | Phase::Running => {
                self.phase = Phase::Stopping;
                self.until = now.saturating_add(STOPPING);
                self.tell_all(&ToAgent::Stop);
                // Who answers was there until now.
                for agent in 0..self.peers.len() {
                    self.ask(agent, now);
                }
                self.finish_if_reported(now);
            }
            _ => self.finish(now),
        }
    }

    fn message(&mut self, agent: usize, message: FromAgent, now: Time) {
        match message {
            FromAgent::Welcome { device, clock } => {
                self.peers[agent].welcome = Some((device, clock));
                if self.phase == Phase::Greeting
                    && self.peers.iter().all(|peer| peer.welcome.is_some())
                {
                    self.ask_clocks(Phase::Clocks, now);
                }
            }
            FromAgent::Clock { number, read } => self.clock(agent, number, read, now),
            FromAgent::Prepared { flow, side } => self.prepared(agent, flow, side, now),
            FromAgent::Connected { flow, mtu } => self.connected(agent, flow, mtu, now),
            FromAgent::Starting => {
                self.peers[agent].starting = true;
                if self.phase == Phase::Starting && self.peers.iter().all(|peer| peer.starting) {
                    self.phase = Phase::Running;
                    let end = self.start.saturating_add(self.plan.end());
                    self.until = end.saturating_add(REPORTING);
                }
            }
            FromAgent::Report { flow, report } => self.report(agent, flow, *report, now),
            FromAgent::Failed { flow, why } => {
                let flow = flow.and_then(|flow| self.plan.flows.get(usize::from(flow)));
                let of = flow.map_or_else(String::new, |flow| format!(", flow {}", flow.name));
                let name = self.name(agent);
                self.fail(format!("{name}{of}: {why}"), now);
            }
            FromAgent::Finished => {
                self.peers[agent].is_there = false;
                self.orders.push(Order::Close(agent));
                match self.phase {
                    Phase::Finishing => self.end_if_finished(),
                    _ => {
                        let name = self.name(agent);
                        self.fail(format!("{name}: it has finished before it was told to"), now);
                    }
                }
            }
        }
    }

    fn ask_clocks(&mut self, phase: Phase, now: Time) {
        self.phase = phase;
        self.until = now.saturating_add(SILENCE);
        for agent in 0..self.peers.len() {
            self.peers[agent].begin_exchanges();
            self.ask(agent, now);
        }
    }

    fn clock(&mut self, agent: usize, number: u64, read: Time, now: Time) {
        let is_counted = matches!(self.phase, Phase::Clocks | Phase::After);
        if let Err(error) = self.peers[agent].clock(number, read, now, is_counted) {
            let name = self.name(agent);
            return self.fail(format!("{name}: {error}"), now);
        }
        if !is_counted {
            return;
        }
        if self.peers[agent].exchanges < EXCHANGES {
            self.ask(agent, now);
        } else if self.peers.iter().all(|peer| peer.exchanges >= EXCHANGES) {
            match self.phase {
                Phase::Clocks => self.prepare(now),
                _ => self.finish(now),
            }
        }
    }

    fn prepare(&mut self, now: Time) {
        for agent in 0..self.peers.len() {
            let error = self.peers[agent].difference().map_or(Time::MAX, |d| d.error());
            if error > self.plan.margin {
                let name = self.name(agent);
                let why = format!(
                    "{name}: its clock is known to {error} alone, and the margin is {}: a longer `margin`, or a \
                     network that is less busy",
                    self.plan.margin
                );
                return self.fail(why, now);
            }
        }
        self.phase = Phase::Preparing;
        self.until = now.saturating_add(PREPARING);
        for number in 0..self.plan.flows.len() {
            let flow = &self.plan.flows[number];
            let job = |part| Job {
                flow: number as u16,
                part,
                task: flow.task,
                think: flow.think,
                active: flow.active,
                window: self.plan.window,
                seed: self.plan.seed,
            };
            let (from, to) = (flow.from, flow.to);
            let (client, server) = (job(Part::Client), job(Part::Server));
            self.tell(from, &ToAgent::Prepare(client));
            self.tell(to, &ToAgent::Prepare(server));
        }
    }

    /// Which side of a flow an agent is; it is at most one.
    fn end_of(&self, agent: usize, flow: u16) -> Option<usize> {
        let flow = self.plan.flows.get(usize::from(flow))?;
        [flow.from, flow.to].into_iter().position(|end| end == agent)
    }

    fn prepared(&mut self, agent: usize, flow: u16, side: Side, now: Time) {
        let Some(end) = self.end_of(agent, flow).filter(|_| self.phase == Phase::Preparing) else {
            return self.nonsense(agent, now);
        };
        let progress = &mut self.flows[usize::from(flow)];
        progress.sides[end] = Some(side);
        if let [Some(client), Some(server)] = progress.sides.clone() {
            let (from, to) = self.ends(flow);
            self.tell(from, &ToAgent::Connect { flow, side: server });
            self.tell(to, &ToAgent::Connect { flow, side: client });
        }
    }

    fn ends(&self, flow: u16) -> (usize, usize) {
        let flow = &self.plan.flows[usize::from(flow)];
        (flow.from, flow.to)
    }

    fn connected(&mut self, agent: usize, flow: u16, mtu: Mtu, now: Time) {
        let Some(end) = self.end_of(agent, flow).filter(|_| self.phase == Phase::Preparing) else {
            return self.nonsense(agent, now);
        };
        self.flows[usize::from(flow)].mtus[end] = Some(mtu);
        if self.flows.iter().all(|flow| flow.mtus.iter().all(Option::is_some)) {
            self.order_start(now);
        }
    }

    fn order_start(&mut self, now: Time) {
        self.phase = Phase::Starting;
        self.start = now.saturating_add(LEAD);
        self.until = self.start;
        for agent in 0..self.peers.len() {
            let there = self.peers[agent].difference().and_then(|d| d.there(self.start));
            match there {
                Some(there) => self.tell(agent, &ToAgent::Start(there)),
                None => return self.nonsense(agent, now),
            }
        }
    }

    fn report(&mut self, agent: usize, flow: u16, report: Report, now: Time) {
        let is_time = matches!(self.phase, Phase::Starting | Phase::Running | Phase::Stopping);
        if self.end_of(agent, flow) != Some(0)
            || !is_time
            || self.flows[usize::from(flow)].report.is_some()
        {
            return self.nonsense(agent, now);
        }
        let failed = match &report.end {
            End::Complete => None,
            End::Stopped if self.phase == Phase::Stopping => None,
            End::Stopped => Some("it stopped before it was told to".to_owned()),
            End::Failed(why) => Some(why.clone()),
        };
        self.flows[usize::from(flow)].report = Some(report);
        if let Some(why) = failed {
            let name = self.name(agent);
            let flow = &self.plan.flows[usize::from(flow)].name;
            self.fail(format!("{name}, flow {flow}: {why}"), now);
        }
        match self.phase {
            Phase::Stopping => self.finish_if_reported(now),
            Phase::Running if self.flows.iter().all(|flow| flow.report.is_some()) => {
                self.ask_clocks(Phase::After, now);
            }
            _ => {}
        }
    }

    fn nonsense(&mut self, agent: usize, now: Time) {
        self.drop_agent(agent, "it said what makes no sense then", now);
    }

    /// After a stop: who is there has reported.
    fn finish_if_reported(&mut self, now: Time) {
        let mut flows = self.flows.iter().zip(&self.plan.flows);
        let is_done = |(done, flow): (&Progress, &crate::Flow)| {
            done.report.is_some() || !self.peers[flow.from].is_there
        };
        if flows.all(is_done) {
            self.finish(now);
        }
    }

    fn finish(&mut self, now: Time) {
        self.phase = Phase::Finishing;
        self.until = now.saturating_add(FINISHING);
        self.tell_all(&ToAgent::Finish);
        self.end_if_finished();
    }

    fn end_if_finished(&mut self) {
        if self.peers.iter().all(|peer| !peer.is_there) {
            self.end();
        }
    }

    fn end(&mut self) {
        self.phase = Phase::Over;
        (self.until, self.beat) = (Time::MAX, Time::MAX);
        for agent in 0..self.peers.len() {
            if std::mem::take(&mut self.peers[agent].is_there) {
                self.orders.push(Order::Close(agent));
            }
        }
    }
}
