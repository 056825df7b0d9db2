//! A coordinator and its agents over a network that can do anything, in made-up time. Each agent has a clock of its
//! own, and carries orders out as a device would: after a while.

mod devices;
mod faults;
mod truth;

pub(crate) use faults::{Fault, Pace};

use bandwise_agents::agent::{Event, Link, Order as AgentOrder, RunId};
use bandwise_agents::coordinator::{Order, Outcome};
use bandwise_agents::message::Job;
use bandwise_agents::{Agent, Challenge, Coordinator, FlowEnd, Plan, Token};
use bandwise_rdma::wire::Mtu;
use bandwise_session::Part;
use bandwise_session::{Region, Side};
use bandwise_units::Time;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

pub(crate) fn token(text: &str) -> Token {
    Token::of_text(&format!("{text}, of a test")).unwrap()
}

#[derive(Debug, Clone)]
enum Happens {
    ToAgent(usize, Vec<u8>),
    ToCoordinator(usize, Vec<u8>),
    Cut(usize),
    Worked(usize, RunId, u16, Event),
    /// A device has ended a flow's part, and tells so.
    Ends(usize, RunId, u16, FlowEnd),
    Interrupt,
}

/// A flow's part at an agent.
struct Worker {
    job: Job,
    began: Option<Time>,
    /// The start of the run, by the agent's clock.
    start: Time,
}

pub(crate) struct World {
    pub now: Time,
    pub coordinator: Coordinator,
    pub agents: Vec<Agent>,
    pub paces: Vec<Pace>,
    queue: BTreeMap<(Time, u64), Happens>,
    count: u64,
    lines: usize,
    asked: usize,
    faults: Vec<Fault>,
    closed: Vec<bool>,
    workers: BTreeMap<(usize, u16), Worker>,
    runs: Vec<Option<RunId>>,
    /// The true active time of each flow, by the coordinator's clock.
    pub active: BTreeMap<u16, (Time, Time)>,
    /// From when to when each really carried messages, by the coordinator's clock.
    pub began: BTreeMap<u16, Time>,
    pub ceased: BTreeMap<u16, Time>,
    /// The start of each reported measurement, by the agent's clock.
    pub starts: BTreeMap<u16, Time>,
    plan: Plan,
    /// The time at which nothing more happened.
    pub ended: Option<Time>,
    delay: Time,
    jitter: u64,
}

const LINK: Link = Link(7);
/// The address of the coordinator.
const FROM: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 9));

pub(crate) fn side() -> Side {
    Side {
        device: "d".into(),
        lid: 1,
        gid: None,
        mtu: Mtu::MAX,
        region: Region { address: 0, rkey: 0, bytes: 64 },
        manager: None,
        queue_pairs: Vec::new(),
    }
}

impl World {
    pub(crate) fn new(plan: &Plan, paces: &[Pace], delay: Time, faults: &[Fault]) -> Self {
        let tokens = vec![token("the same"); plan.hosts.len()];
        World::with_tokens(plan, paces, delay, faults, &tokens)
    }

    /// Agents with these tokens; the coordinator has that of the first.
    pub(crate) fn with_tokens(
        plan: &Plan,
        paces: &[Pace],
        delay: Time,
        faults: &[Fault],
        tokens: &[Token],
    ) -> Self {
        let now = Time::from_ms(1);
        let hosts = plan.hosts.len();
        let challenges: Vec<Challenge> = (0..hosts).map(|i| Challenge([i as u8; 16])).collect();
        let mut world = World {
            now,
            coordinator: Coordinator::new(plan.clone(), &tokens[0], &challenges, now),
            agents: tokens.iter().map(|t| Agent::new(t.clone(), "d".into(), "c".into())).collect(),
            paces: paces.to_vec(),
            queue: BTreeMap::new(),
            count: 0,
            lines: 0,
            asked: 0,
            faults: faults.to_vec(),
            closed: vec![false; hosts],
            workers: BTreeMap::new(),
            runs: vec![None; hosts],
            active: BTreeMap::new(),
            began: BTreeMap::new(),
            ceased: BTreeMap::new(),
            starts: BTreeMap::new(),
            plan: plan.clone(),
            ended: None,
            delay,
            jitter: 1,
        };
        for i in 0..hosts {
            let read = world.paces[i].read(now);
            world.agents[i].connected(LINK, FROM, Challenge([100 + i as u8; 16]), read);
        }
        for fault in faults {
            match fault {
                Fault::Cut(agent, at) => world.at(*at, Happens::Cut(*agent)),
                Fault::Interrupt(at) => world.at(*at, Happens::Interrupt),
                // Its host has gone, and what others send there comes to nothing.
                Fault::Silence(agent, at) => {
                    for (number, flow) in (0..).zip(&plan.flows) {
                        if flow.from == *agent || flow.to == *agent {
                            world.ceases(number, *at);
                        }
                    }
                }
                _ => {}
            }
        }
        world.settle();
        world
    }

    fn at(&mut self, time: Time, what: Happens) {
        self.count += 1;
        self.queue.insert((time.max(self.now), self.count), what);
    }

    /// A delay that differs from one to the next, up to twice the usual.
    fn some_delay(&mut self) -> Time {
        self.jitter = self
            .jitter
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Time::from_ps((self.jitter >> 16) % (2 * self.delay.as_ps()).max(1))
    }

    /// Sends a line subject to the faults, in order.
    fn send(&mut self, agent: usize, line: String, to: fn(usize, Vec<u8>) -> Happens) {
        let number = self.lines;
        self.lines += 1;
        let mut line = line.into_bytes();
        let mut times = 1;
        for fault in &self.faults {
            match *fault {
                Fault::Lost(n) if n == number => times = 0,
                Fault::Twice(n) if n == number => times = 2,
                Fault::Changed(n, place) if n == number => {
                    let place = place % line.len();
                    line[place] ^= 1;
                }
                Fault::Silence(a, at) if a == agent && at <= self.now => times = 0,
                _ => {}
            }
        }
        let earliest = self.now + self.some_delay();
        let is_before = |happens: &Happens| match (happens, to(agent, Vec::new())) {
            (Happens::ToAgent(a, _), Happens::ToAgent(b, _)) => *a == b,
            (Happens::ToCoordinator(a, _), Happens::ToCoordinator(b, _)) => *a == b,
            _ => false,
        };
        let last = self.queue.iter().filter(|(_, h)| is_before(h)).map(|(&(at, _), _)| at).max();
        let time = last.map_or(earliest, |last| last.max(earliest));
        for _ in 0..times {
            self.at(time, to(agent, line.clone()));
        }
    }

    /// Carries out all orders.
    fn settle(&mut self) {
        loop {
            let mut is_quiet = true;
            let orders: Vec<Order> = self.coordinator.orders().collect();
            for order in orders {
                is_quiet = false;
                match order {
                    Order::Send(agent, line) if !self.closed[agent] => {
                        self.send(agent, line, Happens::ToAgent);
                    }
                    Order::Send(..) => {}
                    Order::Close(agent) => self.cut_later(agent),
                }
            }
            for i in 0..self.agents.len() {
                let orders: Vec<AgentOrder> = self.agents[i].orders().collect();
                for order in orders {
                    is_quiet = false;
                    self.carry_out(i, order);
                }
            }
            if is_quiet {
                return;
            }
        }
    }

    /// Tells the other side, after all earlier messages, that a connection is closed, unless the agent is silenced.
    fn cut_later(&mut self, agent: usize) {
        let is_silent = |fault: &Fault| matches!(fault, Fault::Silence(a, at) if *a == agent && *at <= self.now);
        if !self.faults.iter().any(is_silent) {
            self.at(self.now + self.delay * 4, Happens::Cut(agent));
        }
    }

    fn happen(&mut self, what: Happens) {
        let now = self.now;
        match what {
            Happens::ToAgent(i, bytes) if !self.closed[i] => {
                self.agents[i].receive(LINK, &bytes, self.paces[i].read(now));
            }
            Happens::ToCoordinator(i, bytes) if !self.closed[i] => {
                self.coordinator.receive(i, &bytes, now);
            }
            Happens::ToAgent(..) | Happens::ToCoordinator(..) => {}
            Happens::Cut(i) => {
                self.closed[i] = true;
                self.agents[i].disconnected(LINK);
                self.coordinator.disconnected(i, "the connection was cut", now);
            }
            // The event may belong to an ended run.
            Happens::Worked(i, run, flow, event) => self.agents[i].event(run, flow, event),
            Happens::Ends(i, run, flow, end) => {
                let Some(worker) =
                    self.workers.get(&(i, flow)).filter(|_| self.runs[i] == Some(run))
                else {
                    return;
                };
                let is_client = worker.job.part == Part::Client;
                if let Some(began) = worker.began.filter(|_| is_client && end == FlowEnd::Complete)
                {
                    self.active.insert(flow, (began, now));
                }
                let (job, start) = (worker.job.clone(), worker.start);
                if is_client {
                    self.ceases(flow, now);
                    self.starts.insert(flow, start);
                }
                let report = self.report(i, &job, start, end);
                self.agents[i].event(run, flow, Event::Ended(Box::new(report)));
            }
            Happens::Interrupt => self.coordinator.interrupt(now),
        }
        self.settle();
    }

    /// Checks whether every agent is released.
    fn is_over(&self) -> bool {
        self.coordinator.outcome().is_some() && self.agents.iter().all(|agent| !agent.is_held())
    }

    /// Runs until every agent is released; panics if one waits forever.
    pub(crate) fn run(&mut self, limit: Time) -> Outcome {
        loop {
            if self.is_over() {
                self.ended = Some(self.now);
                assert!(self.workers.is_empty(), "a worker still measures");
                return self.coordinator.outcome().expect("the run has ended");
            }
            let next = self.queue.keys().next().map(|&(at, _)| at);
            let mut alarm = self.coordinator.deadline();
            for (agent, pace) in self.agents.iter().zip(&self.paces) {
                if let Some(deadline) = agent.deadline() {
                    // Rounded down, it may be a little early.
                    alarm = alarm.min(pace.when(deadline).saturating_add(Time::from_ns(1)));
                }
            }
            assert!(next.is_some() || alarm < Time::MAX, "nothing will happen, and it is not over");
            self.now = self.now.max(next.unwrap_or(Time::MAX).min(alarm));
            assert!(self.now <= limit, "the run does not end");
            while let Some(entry) = self.queue.first_entry() {
                if entry.key().0 > self.now {
                    break;
                }
                let what = entry.remove();
                self.happen(what);
            }
            self.coordinator.tick(self.now);
            for i in 0..self.agents.len() {
                let read = self.paces[i].read(self.now);
                self.agents[i].tick(read);
            }
            self.settle();
        }
    }
}
