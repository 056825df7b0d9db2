//! [`coordinate`]: a coordinator with its connections and its clock.

use crate::connection::{Connection, Inbox, Received};
use crate::{Note, challenge, reach};
use anyhow::Context;
use bandwise_agents::coordinator::{Order, Outcome};
use bandwise_agents::{Coordinator, Plan, Token};
use bandwise_units::Time;
use bandwise_verbs::{Clock, Monotonic};
use std::net::TcpStream;
use std::thread;

/// Runs a plan by the agents of its hosts. Reports progress by `note`.
///
/// # Errors
///
/// Returns an error if an agent can't be reached. A later failure is part of the outcome.
pub fn coordinate(
    plan: &Plan,
    token: &Token,
    interrupted: &dyn Fn() -> bool,
    note: Note,
) -> anyhow::Result<Outcome> {
    let streams = connect(plan)?;
    let challenges = plan.hosts.iter().map(|_| challenge()).collect::<Result<Vec<_>, _>>()?;
    let clock = Monotonic::start();
    let coordinator = Coordinator::new(plan.clone(), token, &challenges, clock.now());
    note(format_args!("{}: agreeing on what to measure …", size(plan)));
    run(coordinator, streams, clock, interrupted, note)
}

/// Returns the size of a plan, such as `2 hosts, 1 flow`.
pub fn size(plan: &Plan) -> String {
    let flows = if plan.flows.len() == 1 { "flow" } else { "flows" };
    format!("{} hosts, {} {flows}", plan.hosts.len(), plan.flows.len())
}

/// Connects to all agents at the same time; returns the connections in the order of the hosts.
fn connect(plan: &Plan) -> anyhow::Result<Vec<TcpStream>> {
    thread::scope(|scope| {
        let threads: Vec<_> =
            plan.hosts.iter().map(|host| scope.spawn(|| reach(&host.agent))).collect();
        let connected = threads.into_iter().zip(&plan.hosts).map(|(thread, host)| {
            let connected = thread.join().expect("`reach` does not panic");
            connected.with_context(|| {
                let (name, agent) = (&host.name, &host.agent);
                format!(
                    "{name} ({agent}) can't be reached; does `bandwise rperf agent --listen` run there, at that port?"
                )
            })
        });
        connected.collect()
    })
}

/// The interval of checks for an interrupt.
const INTERRUPT_CHECK: Time = Time::from_ms(100);

fn run(
    mut coordinator: Coordinator,
    streams: Vec<TcpStream>,
    clock: Monotonic,
    interrupted: &dyn Fn() -> bool,
    note: Note,
) -> anyhow::Result<Outcome> {
    let inbox = Inbox::new();
    let mut connections = Vec::new();
    for (agent, stream) in streams.into_iter().enumerate() {
        let input = move |received| (agent, received);
        let connection = Connection::open(stream, clock, inbox.sender(), input)?;
        connections.push(Some(connection));
    }
    let (mut is_interrupted, mut has_begun) = (false, false);
    loop {
        if let Some(start) = coordinator.start().filter(|_| !has_begun) {
            has_begun = true;
            let left = start.saturating_sub(clock.now()).as_s_f64();
            note(format_args!("ready: flows begin in {left:.1} s …"));
        }
        let orders: Vec<Order> = coordinator.orders().collect();
        let is_quiet = orders.is_empty();
        for order in orders {
            match order {
                Order::Send(agent, line) => {
                    let sent = connections[agent].as_mut().map(|connection| connection.send(&line));
                    if let Some(Err(error)) = sent {
                        connections[agent] = None;
                        coordinator.disconnected(agent, &error.to_string(), clock.now());
                    }
                }
                Order::Close(agent) => connections[agent] = None,
            }
        }
        if !is_quiet {
            continue;
        }
        if let Some(outcome) = coordinator.outcome() {
            return Ok(outcome);
        }
        let left = coordinator.deadline().saturating_sub(clock.now());
        match inbox.wait(left.min(INTERRUPT_CHECK)) {
            None => {}
            Some((agent, Received::Bytes(bytes, at))) => coordinator.receive(agent, &bytes, at),
            Some((agent, Received::Closed(why))) => {
                connections[agent] = None;
                coordinator.disconnected(agent, &why, clock.now());
            }
        }
        if interrupted() && !is_interrupted {
            is_interrupted = true;
            coordinator.interrupt(clock.now());
        }
        coordinator.tick(clock.now());
    }
}
