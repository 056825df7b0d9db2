//! Fuzzes the messages between coordinator and agents. A line begins with its receiver (`A`, or `C` and the agent's
//! number); `T` and a number advances the time by milliseconds. Valid messages are sealed with the token first;
//! others pass unchanged. Nothing panics, and all participants end.
#![no_main]

use bandwise_agents::agent::{Event, Link, Order, RunId};
use bandwise_agents::message::{FromAgent, Greeting, ToAgent};
use bandwise_agents::{Agent, Challenge, Challenges, Coordinator, Plan, Seals, Speaker, Token};
use bandwise_input::Source;
use bandwise_rdma::wire::Mtu;
use bandwise_session::{decode, encode};
use bandwise_units::Time;
use libfuzzer_sys::fuzz_target;
use std::net::Ipv4Addr;

const PLAN: &str = r#"
duration = "1 s"
host = [{ name = "a", agent = "a" }, { name = "b", agent = "b" }]
flow = [{ from = "a", to = "b", method = "rperf" }, { from = "b", to = "a", method = "bulk" },
  { from = "a", to = "b", method = "key-value", clients = 2, workers = 1 }]
"#;
const AGENT: Challenge = Challenge([1; 16]);
const COORDINATOR: Challenge = Challenge([2; 16]);

fn seals(token: &Token, speaks: Speaker) -> Seals {
    Seals::new(token.clone(), speaks, Challenges { agent: AGENT, coordinator: COORDINATOR })
}

/// Answers the agent's orders as a device with all capabilities does.
fn answer(agent: &mut Agent) {
    let orders: Vec<Order> = agent.orders().collect();
    for order in orders {
        if let Order::Connect(run, flow, ..) = order {
            agent.event(run, flow, Event::Connected(Mtu::MAX));
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let token = Token::of_text("a token of the fuzzer").expect("long enough");
    let mut agent = Agent::new(token.clone(), "device".into(), "clock".into());
    let plan = Plan::from_toml(&Source::new("plan", PLAN), 1).expect("a plan");
    let mut now = Time::from_ms(1);
    let mut coordinator = Coordinator::new(plan, &token, &[COORDINATOR; 2], now);
    let mut to_agent = seals(&token, Speaker::Coordinator);
    let mut to_coordinator = [seals(&token, Speaker::Agent), seals(&token, Speaker::Agent)];
    let link = Link(1);
    agent.connected(link, Ipv4Addr::LOCALHOST.into(), AGENT, now);
    let greets = |challenge| encode(&Greeting::Challenge(challenge)) + "\n";
    agent.receive(link, greets(COORDINATOR).as_bytes(), now);
    for i in 0..2 {
        coordinator.receive(i, greets(AGENT).as_bytes(), now);
    }
    for line in data.split(|&byte| byte == b'\n') {
        match line {
            [b'T', number @ ..] => {
                let text = String::from_utf8_lossy(number);
                now += Time::from_ms(text.trim().parse::<u16>().unwrap_or(1).into());
            }
            [b'A', body @ ..] => match decode::<ToAgent>(body) {
                Ok(message) => {
                    let flow = match &message {
                        ToAgent::Connect { flow, side, .. } => Some((*flow, side.clone())),
                        _ => None,
                    };
                    if let Some((flow, side)) = flow {
                        agent.event(RunId(1), flow, Event::Prepared(side));
                    }
                    agent.receive(link, to_agent.seal(&message).as_bytes(), now);
                }
                Err(_) => agent.receive(link, body, now),
            },
            [b'C', i @ (b'0' | b'1'), body @ ..] => {
                let i = usize::from(i - b'0');
                match decode::<FromAgent>(body) {
                    Ok(message) => {
                        let line = to_coordinator[i].seal(&message);
                        coordinator.receive(i, line.as_bytes(), now);
                    }
                    Err(_) => coordinator.receive(i, body, now),
                }
            }
            _ => {}
        }
        answer(&mut agent);
        agent.tick(now);
        coordinator.tick(now);
    }
    for _ in 0..1_000 {
        if !agent.is_held() && agent.deadline().is_none() && coordinator.outcome().is_some() {
            return;
        }
        let agents = agent.deadline().unwrap_or(Time::MAX);
        now = now.max(agents.min(coordinator.deadline()).min(now + Time::from_ms(60_000)));
        agent.tick(now);
        coordinator.tick(now);
    }
    panic!("somebody waits forever");
});
