//! The messages of agents and the next steps, while nothing fails.

use super::{Coordinator, EXCHANGES, LEAD, Order, PREPARING, Phase, REPORTING};
use crate::message::{FromAgent, Job, ToAgent};
use crate::{FlowEnd, Report, SILENCE};
use bandwise_rdma::wire::Mtu;
use bandwise_session::Part;
use bandwise_session::Side;
use bandwise_units::Time;

impl Coordinator {
    pub(super) fn message(&mut self, agent: usize, message: FromAgent, now: Time) {
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
            FromAgent::Vouched(_) => self.nonsense(agent, now),
            FromAgent::Finished => {
                self.peers[agent].is_there = false;
                self.orders.push(Order::Close(agent));
                match self.phase {
                    Phase::Finishing => self.end_if_finished(),
                    _ => {
                        let name = self.name(agent);
                        self.fail(format!("{name}: finished without an order"), now);
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
                    "{name}: its clock has an error of {error}, and the margin is {}: a longer `margin`, or a \
                     less busy network, is needed",
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
            self.send(from, &ToAgent::Prepare(client));
            self.send(to, &ToAgent::Prepare(server));
        }
    }

    /// Returns the index of the agent's side of a flow. An agent has at most
    /// one side of each flow.
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
            let port = |agent: usize| self.plan.hosts[agent].agent.port;
            let (client_port, server_port) = (port(from), port(to));
            self.send(from, &ToAgent::Connect { flow, side: server, port: server_port });
            self.send(to, &ToAgent::Connect { flow, side: client, port: client_port });
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
                Some(there) => self.send(agent, &ToAgent::Start(there)),
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
            FlowEnd::Complete => None,
            FlowEnd::Stopped if self.phase == Phase::Stopping => None,
            FlowEnd::Stopped => Some("stopped without an order".to_owned()),
            FlowEnd::Failed(why) => Some(why.clone()),
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
        self.drop_agent(agent, "sent an invalid message in this phase", now);
    }
}
