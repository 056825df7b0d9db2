//! The coordinator: its connections and its clock.

use super::super::reaching::reach;
use super::flags::RunFlags;
use super::inbox::{Came, Inbox, Wire};
use super::{USUAL, challenge, json, report, tables};
use crate::failure::Failure;
use crate::files::Text;
use crate::interrupt::Interrupt;
use crate::output::{Outputs, Rows, note};
use anyhow::{Context, anyhow};
use bandwise_agents::coordinator::{Ended, Order, Outcome};
use bandwise_agents::{Coordinator, Plan, Token};
use bandwise_units::Time;
use bandwise_verbs::{Clock, Monotonic};
use std::net::TcpStream;
use std::thread;

/// A plan, and where it comes from.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) plan: Plan,
    pub(super) text: Text,
    /// The command line.
    pub(super) command: String,
}

/// Has agents measure, and prints.
pub(super) fn run(flags: RunFlags) -> Result<(), Failure> {
    let text = Text::read(&flags.plan)?;
    let plan = Plan::from_toml(&text.source(), USUAL)?;
    let outputs = Outputs::new(flags.json, flags.report, Rows::default(), &[&flags.plan])?;
    let token = flags.token.read()?;
    let command = format!("bandwise rperf run {}", flags.plan.display());
    let settings = Settings { plan, text, command };
    let outcome = measured(&settings.plan, &token, &Interrupt::listen()?)?;
    outputs.emit(&tables::text(&settings, &outcome), &json::of(&settings, &outcome))?;
    if outputs.wants_report() {
        outputs.report(&report::html(&settings, &outcome))?;
    }
    match &outcome.end {
        Ended::Complete => tables::all_have_samples(&settings, &outcome),
        Ended::Interrupted => Err(Failure::Interrupted),
        Ended::Failed(why) => Err(anyhow!("{why}; the results are partial").into()),
    }
}

/// Has the agents of a plan measure.
pub fn measured(plan: &Plan, token: &Token, interrupt: &Interrupt) -> anyhow::Result<Outcome> {
    let streams = connect(plan)?;
    let challenges = plan.hosts.iter().map(|_| challenge()).collect::<Result<Vec<_>, _>>()?;
    let clock = Monotonic::start();
    let coordinator = Coordinator::new(plan.clone(), token, &challenges, clock.now());
    note(format_args!("{}: agreeing on what to measure …", tables::size(plan)));
    coordinate(coordinator, streams, clock, interrupt)
}

/// Connections with all agents, in their order, made at the same time.
fn connect(plan: &Plan) -> anyhow::Result<Vec<TcpStream>> {
    thread::scope(|scope| {
        let threads: Vec<_> =
            plan.hosts.iter().map(|host| scope.spawn(|| reach(&host.agent))).collect();
        let connected = threads.into_iter().zip(&plan.hosts).map(|(thread, host)| {
            let connected = thread.join().expect("it does not panic");
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

/// How often it is looked whether somebody asks for the end.
const LOOK: Time = Time::from_ms(100);

fn coordinate(
    mut coordinator: Coordinator,
    streams: Vec<TcpStream>,
    clock: Monotonic,
    interrupt: &Interrupt,
) -> anyhow::Result<Outcome> {
    let inbox = Inbox::new();
    let mut wires = Vec::new();
    for (agent, stream) in streams.into_iter().enumerate() {
        let wire = Wire::open(stream, clock, inbox.sender(), move |came| (agent, came))?;
        wires.push(Some(wire));
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
                    let sent = wires[agent].as_mut().map(|wire| wire.send(&line));
                    if let Some(Err(error)) = sent {
                        wires[agent] = None;
                        coordinator.gone(agent, &error.to_string(), clock.now());
                    }
                }
                Order::Close(agent) => wires[agent] = None,
            }
        }
        if !is_quiet {
            continue;
        }
        if let Some(outcome) = coordinator.outcome() {
            return Ok(outcome);
        }
        let left = coordinator.deadline().saturating_sub(clock.now());
        match inbox.wait(left.min(LOOK)) {
            None => {}
            Some((agent, Came::Bytes(bytes, at))) => coordinator.heard(agent, &bytes, at),
            Some((agent, Came::Gone(why))) => {
                wires[agent] = None;
                coordinator.gone(agent, &why, clock.now());
            }
        }
        if interrupt.asked() && !is_interrupted {
            is_interrupted = true;
            coordinator.interrupt(clock.now());
        }
        coordinator.tick(clock.now());
    }
}
