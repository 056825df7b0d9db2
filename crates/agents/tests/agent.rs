//! One agent with any connections and any messages.

use bandwise_agents::agent::{Event, Link, MOST_PENDING, MOST_PENDING_OF_ONE, Order, RunId};
use bandwise_agents::message::{FromAgent, Greeting, Job, ToAgent};
use bandwise_agents::{
    Agent, Challenge, Challenges, SILENCE, Seals, Span, Speaker, Token, VouchError, VouchStep,
    Vouching,
};
use bandwise_rdma::verbs::Transport;
use bandwise_rdma::wire::Mtu;
use bandwise_session::Part;
use bandwise_session::{LONGEST_LINE, Method, Region, Side, Task, VERSION, encode};
use bandwise_units::Time;
use proptest::prelude::*;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const NOW: Time = Time::from_ms(1);
const FROM: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const THEIRS: Challenge = Challenge([1; 16]);
const OURS: Challenge = Challenge([2; 16]);

fn token() -> Token {
    Token::of_text("sixteen bytes or more").unwrap()
}

fn agent() -> Agent {
    Agent::new(token(), "rxe0 port 1".into(), "a clock".into())
}

fn seals() -> Seals {
    let challenges = Challenges { agent: THEIRS, coordinator: OURS };
    Seals::new(token(), Speaker::Coordinator, challenges)
}

/// Connects a coordinator, and returns its seals.
fn greeted(agent: &mut Agent, link: Link) -> Seals {
    agent.connected(link, FROM, THEIRS, NOW);
    agent.receive(link, format!("{}\n", encode(&Greeting::Challenge(OURS))).as_bytes(), NOW);
    let is_to_it = |order: &Order| matches!(order, Order::Send(to, _) if *to == link);
    assert_eq!(agent.orders().filter(is_to_it).count(), 1);
    seals()
}

fn messages(agent: &mut Agent, seals: &mut Seals) -> Vec<FromAgent> {
    let lines = agent.orders().filter_map(|order| match order {
        Order::Send(_, line) => Some(line),
        _ => None,
    });
    lines.map(|line| seals.open(line.trim_end().as_bytes()).unwrap()).collect()
}

fn job(flow: u16, part: Part) -> Job {
    let number = |n: u32| n.try_into().unwrap();
    let task = Task {
        method: Method::Rperf,
        transport: Transport::Rc,
        bytes: 64.try_into().unwrap(),
        inline: 0.try_into().unwrap(),
        queue_pairs: 1.try_into().unwrap(),
        threads: 1.try_into().unwrap(),
        depth: 1.try_into().unwrap(),
        mtu: Mtu::MAX,
        sl: number(0),
        traffic_class: 0.try_into().unwrap(),
        events: false,
        manager: false,
    };
    let span = |from, to| Span::new(Time::from_ms(from), Time::from_ms(to)).unwrap();
    Job { flow, part, task, think: Time::ZERO, active: span(0, 100), window: span(10, 90), seed: 1 }
}

fn side() -> Side {
    let region = Region { address: 0, rkey: 0, bytes: 64 };
    let (gid, queue_pairs) = (None, Vec::new());
    Side { device: "d".into(), lid: 0, gid, mtu: Mtu::MAX, region, manager: None, queue_pairs }
}

#[test]
fn second_coordinator_is_refused_while_agent_is_held() {
    let mut agent = agent();
    let mut first = greeted(&mut agent, Link(1));
    agent.receive(Link(1), first.seal(&ToAgent::Hello).as_bytes(), NOW);
    let welcome = messages(&mut agent, &mut first);
    assert!(matches!(&welcome[..], [FromAgent::Welcome { device, .. }] if device == "rxe0 port 1"));
    let mut second = greeted(&mut agent, Link(2));
    agent.receive(Link(2), second.seal(&ToAgent::Hello).as_bytes(), NOW);
    let busy = messages(&mut agent, &mut second);
    assert!(
        matches!(&busy[..], [FromAgent::Failed { why, .. }] if why.contains("another coordinator"))
    );
    // Once it has finished, the next one has it.
    agent.receive(Link(1), first.seal(&ToAgent::Finish).as_bytes(), NOW);
    assert_eq!(messages(&mut agent, &mut first), [FromAgent::Finished]);
    let mut third = greeted(&mut agent, Link(3));
    agent.receive(Link(3), third.seal(&ToAgent::Hello).as_bytes(), NOW);
    assert!(matches!(messages(&mut agent, &mut third)[..], [FromAgent::Welcome { .. }]));
}

/// A line replayed on the same or another connection has no effect.
#[test]
fn replayed_line_is_ignored() {
    let mut agent = agent();
    let mut seals = greeted(&mut agent, Link(1));
    let hello = seals.seal(&ToAgent::Hello);
    agent.receive(Link(1), hello.as_bytes(), NOW);
    assert!(agent.is_held());
    agent.receive(Link(1), hello.as_bytes(), NOW);
    assert!(!agent.is_held(), "a replayed line was accepted");
    agent.connected(Link(2), FROM, Challenge([3; 16]), NOW);
    agent.receive(
        Link(2),
        format!("{}\n{hello}", encode(&Greeting::Challenge(OURS))).as_bytes(),
        NOW,
    );
    assert!(!agent.is_held(), "a line of another connection was accepted");
    // The agent's own messages are not accepted as a coordinator's.
    let challenges = Challenges { agent: THEIRS, coordinator: OURS };
    let mut mirror = Seals::new(token(), Speaker::Agent, challenges);
    greeted_only(&mut agent, Link(3));
    agent.receive(Link(3), mirror.seal(&ToAgent::Hello).as_bytes(), NOW);
    assert!(!agent.is_held());
}

fn greeted_only(agent: &mut Agent, link: Link) {
    agent.orders().for_each(drop);
    greeted(agent, link);
}

#[test]
fn message_with_wrong_token_is_refused() {
    let mut agent = agent();
    greeted(&mut agent, Link(1));
    let other = Token::of_text("sixteen other bytes").unwrap();
    let challenges = Challenges { agent: THEIRS, coordinator: OURS };
    let mut forged = Seals::new(other, Speaker::Coordinator, challenges);
    agent.receive(Link(1), forged.seal(&ToAgent::Hello).as_bytes(), NOW);
    let orders: Vec<Order> = agent.orders().collect();
    let [Order::Send(_, line), Order::Close(_, why)] = &orders[..] else { panic!("{orders:?}") };
    assert!(line.contains("refused") && why.contains("not signed with this token"), "{orders:?}");
}

#[test]
fn other_protocol_version_is_reported() {
    let mut agent = agent();
    agent.connected(Link(1), FROM, THEIRS, NOW);
    let line = encode(&Greeting::Challenge(OURS)).replace(&format!(":{VERSION},"), ":99,");
    agent.receive(Link(1), format!("{line}\n").as_bytes(), NOW);
    let orders: Vec<Order> = agent.orders().collect();
    assert!(format!("{orders:?}").contains("speaks version 99"), "{orders:?}");
}

#[test]
fn connections_without_proof_are_limited_and_time_out() {
    let mut agent = agent();
    for i in 0..20 {
        agent.connected(Link(i), FROM, THEIRS, NOW + Time::from_ms(i));
    }
    let displaced: Vec<Link> = agent.orders().filter_map(closed).collect();
    assert_eq!(displaced, (0..20 - MOST_PENDING_OF_ONE as u64).map(Link).collect::<Vec<_>>());
    let now = NOW + Time::from_ms(16) + SILENCE;
    assert_eq!(agent.deadline(), Some(now));
    agent.tick(now + Time::from_ms(3));
    assert_eq!(agent.orders().filter_map(closed).count(), MOST_PENDING_OF_ONE);
    assert_eq!(agent.deadline(), None);
    agent.connected(Link(100), FROM, THEIRS, NOW);
    agent.receive(Link(100), &vec![b' '; LONGEST_LINE + 1], NOW);
    assert_eq!(agent.deadline(), None, "a line without an end");
}

/// Any number of connections without the token, from any number of addresses, keep no coordinator out, and none
/// displaces the coordinator that uses the agent.
#[test]
fn connections_without_proof_keep_no_coordinator_out() {
    let mut agent = agent();
    let mut links = (1_000..).map(Link);
    let mut strangers = |agent: &mut Agent| {
        for (host, link) in (0..10 * MOST_PENDING as u32).zip(&mut links) {
            agent.connected(link, Ipv4Addr::from_bits(0x0a01_0000 + host).into(), THEIRS, NOW);
        }
        // All addresses of an IPv6 network are one host's.
        for (host, link) in (0..100).zip(&mut links) {
            let address = Ipv6Addr::from_bits(0x2001_0db8 << 96 | host);
            agent.connected(link, address.into(), THEIRS, NOW);
        }
        agent.orders().for_each(drop);
    };
    strangers(&mut agent);
    let mut first = greeted(&mut agent, Link(1));
    agent.receive(Link(1), first.seal(&ToAgent::Hello).as_bytes(), NOW);
    assert!(matches!(messages(&mut agent, &mut first)[..], [FromAgent::Welcome { .. }]));
    strangers(&mut agent);
    agent.receive(Link(1), first.seal(&ToAgent::Clock(1)).as_bytes(), NOW);
    assert!(matches!(messages(&mut agent, &mut first)[..], [FromAgent::Clock { .. }]));
    assert!(agent.is_held());
}

fn closed(order: Order) -> Option<Link> {
    match order {
        Order::Close(link, _) => Some(link),
        _ => None,
    }
}

/// An agent vouches for the queue pairs of its current run, to anyone with the token and to nobody else.
#[test]
fn agent_vouches_for_its_own_queue_pairs_only() {
    let mut agent = agent();
    let mut seals = greeted(&mut agent, Link(1));
    for message in [ToAgent::Hello, ToAgent::Prepare(job(3, Part::Client))] {
        agent.receive(Link(1), seals.seal(&message).as_bytes(), NOW);
    }
    let mut links = (2..).map(Link);
    let mut ask = |agent: &mut Agent, token: Token, flow, side| {
        agent.orders().for_each(drop);
        let link = links.next().unwrap();
        agent.connected(link, FROM, THEIRS, NOW);
        let (mut vouching, line) = Vouching::new(token, OURS, flow, side);
        agent.receive(link, line.as_bytes(), NOW);
        loop {
            let lines: Vec<String> = agent
                .orders()
                .filter_map(|order| match order {
                    Order::Send(to, line) if to == link => Some(line),
                    _ => None,
                })
                .collect();
            match vouching.receive(lines.concat().as_bytes()) {
                Ok(VouchStep::Send(line)) => agent.receive(link, line.as_bytes(), NOW),
                other => return other,
            }
        }
    };
    assert_eq!(ask(&mut agent, token(), 3, side()), Err(VouchError::NotIts), "not made yet");
    agent.event(RunId(1), 3, Event::Prepared(side()));
    assert_eq!(ask(&mut agent, token(), 3, side()), Ok(VouchStep::Done));
    assert_eq!(ask(&mut agent, token(), 2, side()), Err(VouchError::NotIts));
    let other = Side { lid: 9, ..side() };
    assert_eq!(ask(&mut agent, token(), 3, other), Err(VouchError::NotIts));
    let stranger = Token::of_text("sixteen other bytes").unwrap();
    assert!(matches!(ask(&mut agent, stranger, 3, side()), Err(VouchError::Refused(_))));
    assert!(agent.is_held());
    agent.receive(Link(1), seals.seal(&ToAgent::Finish).as_bytes(), NOW);
    assert_eq!(ask(&mut agent, token(), 3, side()), Err(VouchError::NotIts), "released");
}

/// The limits of a plan are the agent's too: a coordinator may not be a plan's reader.
#[test]
fn jobs_beyond_the_limits_of_a_plan_are_refused() {
    let hour = Time::from_ms(3_600_000);
    let more = Time::from_ms(3_600_001);
    let span = |to| Span::new(Time::ZERO, to).unwrap();
    let usual = job(0, Part::Client);
    let longest = Job { active: span(hour), think: Time::from_ms(1_000), ..usual.clone() };
    for (job, why) in [
        (longest, None),
        (Job { active: span(more), ..usual.clone() }, Some("lasts longer than 3600 s")),
        (Job { window: span(more), ..usual.clone() }, Some("lasts longer than 3600 s")),
        (Job { think: Time::from_ms(1_001), ..usual }, Some("pauses for longer than 1 s")),
    ] {
        let mut agent = agent();
        let mut seals = greeted(&mut agent, Link(1));
        agent.receive(Link(1), seals.seal(&ToAgent::Hello).as_bytes(), NOW);
        agent.orders().for_each(drop);
        agent.receive(Link(1), seals.seal(&ToAgent::Prepare(job)).as_bytes(), NOW);
        let orders: Vec<Order> = agent.orders().collect();
        match why {
            None => assert!(matches!(orders[..], [Order::Prepare(..)]), "{orders:?}"),
            Some(why) => assert!(
                format!("{orders:?}").contains(why) && !agent.is_held(),
                "{why:?} is not in {orders:?}"
            ),
        }
    }
}

/// An agent releases everything when its coordinator falls silent.
#[test]
fn agent_is_released_when_its_coordinator_is_silent() {
    let mut agent = agent();
    let mut seals = greeted(&mut agent, Link(1));
    for message in [ToAgent::Hello, ToAgent::Prepare(job(3, Part::Client))] {
        agent.receive(Link(1), seals.seal(&message).as_bytes(), NOW);
    }
    let id = RunId(1);
    agent.event(id, 3, Event::Prepared(side()));
    agent.receive(
        Link(1),
        seals.seal(&ToAgent::Connect { flow: 3, side: side(), port: 1 }).as_bytes(),
        NOW,
    );
    agent.event(id, 3, Event::Connected(Mtu::MAX));
    let at = NOW + Time::from_ms(500);
    agent.receive(Link(1), seals.seal(&ToAgent::Start(at)).as_bytes(), NOW);
    let orders: Vec<Order> = agent.orders().collect();
    assert!(orders.contains(&Order::Start(id, at)), "{orders:?}");
    agent.tick(NOW + SILENCE);
    let orders: Vec<Order> = agent.orders().collect();
    assert!(orders.contains(&Order::Drop(id)) && !agent.is_held(), "{orders:?}");
    // Later events of the released run are ignored.
    agent.event(id, 3, Event::Failed("late".into()));
    assert_eq!(agent.orders().count(), 0);
}

#[test]
fn start_time_in_the_past_or_far_future_is_refused() {
    for (at, messages) in
        [(NOW, "came after the start"), (NOW + Time::from_ms(20_000), "more than 10 s away")]
    {
        let mut agent = agent();
        let mut seals = greeted(&mut agent, Link(1));
        for message in [ToAgent::Hello, ToAgent::Prepare(job(0, Part::Server))] {
            agent.receive(Link(1), seals.seal(&message).as_bytes(), NOW);
        }
        agent.event(RunId(1), 0, Event::Prepared(side()));
        let connect = ToAgent::Connect { flow: 0, side: side(), port: 1 };
        agent.receive(Link(1), seals.seal(&connect).as_bytes(), NOW);
        agent.event(RunId(1), 0, Event::Connected(Mtu::MAX));
        agent.orders().for_each(drop);
        agent.receive(Link(1), seals.seal(&ToAgent::Start(at)).as_bytes(), NOW);
        let orders: Vec<Order> = agent.orders().collect();
        assert!(format!("{orders:?}").contains(messages), "{orders:?}");
        assert!(orders.contains(&Order::Drop(RunId(1))));
    }
}

fn message() -> impl Strategy<Value = ToAgent> {
    let part = prop::sample::select(vec![Part::Client, Part::Server]);
    prop_oneof![
        1 => Just(ToAgent::Hello),
        3 => any::<u64>().prop_map(ToAgent::Clock),
        6 => (0u16..4, part).prop_map(|(flow, part)| ToAgent::Prepare(job(flow, part))),
        6 => (0u16..4).prop_map(|flow| ToAgent::Connect { flow, side: side(), port: 1 }),
        2 => (0u16..4).prop_map(|flow| ToAgent::Vouch { flow, side: side() }),
        3 => (0u64..12_000).prop_map(|ms| ToAgent::Start(Time::from_ms(ms))),
        1 => Just(ToAgent::Stop),
        1 => Just(ToAgent::Finish),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        Just(Event::Prepared(side())),
        Just(Event::Connected(Mtu::MAX)),
        Just(Event::Failed("why".into())),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Says(ToAgent),
    Happens(u16, Event),
    Waits(u64),
    Bytes(Vec<u8>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => message().prop_map(Step::Says),
        10 => (0u16..4, event()).prop_map(|(flow, event)| Step::Happens(flow, event)),
        3 => (0u64..1_500).prop_map(Step::Waits),
        1 => any::<Vec<u8>>().prop_map(Step::Bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// A coordinator with the token sends any messages in any order. Everything that began is released, at the latest
    /// when it falls silent; nothing is ordered after its release; nothing begins without a connection.
    #[test]
    fn any_message_order_releases_the_agent(steps in prop::collection::vec(step(), 0..40)) {
        let mut agent = agent();
        let mut seals = greeted(&mut agent, Link(1));
        let mut now = NOW;
        agent.receive(Link(1), seals.seal(&ToAgent::Hello).as_bytes(), now);
        let (mut prepared, mut connected, mut is_let_go) = (0, 0, false);
        let mut check = |agent: &mut Agent| -> Result<(), TestCaseError> {
            for order in agent.orders() {
                prop_assert!(!is_let_go || matches!(order, Order::Send(..) | Order::Close(..)), "{order:?}");
                match order {
                    Order::Prepare(..) => prepared += 1,
                    Order::Connect(..) => connected += 1,
                    Order::Start(..) => prop_assert!(prepared > 0 && prepared == connected),
                    Order::Drop(_) => is_let_go = true,
                    Order::Send(..) | Order::Close(..) | Order::Stop(_) => {}
                }
            }
            Ok(())
        };
        for step in steps {
            match step {
                Step::Says(message) => agent.receive(Link(1), seals.seal(&message).as_bytes(), now),
                Step::Happens(flow, event) => agent.event(RunId(1), flow, event),
                Step::Waits(ms) => {
                    now += Time::from_ms(ms);
                    agent.tick(now);
                }
                Step::Bytes(bytes) => agent.receive(Link(1), &bytes, now),
            }
            check(&mut agent)?;
        }
        while let Some(deadline) = agent.deadline() {
            prop_assert!(deadline <= now + SILENCE);
            now = now.max(deadline);
            agent.tick(now);
            check(&mut agent)?;
        }
        prop_assert!(!agent.is_held() && is_let_go);
    }

    /// Bytes of a peer without the token have no effect.
    #[test]
    fn unauthenticated_bytes_have_no_effect(parts in prop::collection::vec(any::<Vec<u8>>(), 0..8), greets in any::<bool>()) {
        let mut agent = agent();
        agent.connected(Link(1), FROM, THEIRS, NOW);
        if greets {
            agent.receive(Link(1), format!("{}\n", encode(&Greeting::Challenge(OURS))).as_bytes(), NOW);
        }
        for part in parts {
            agent.receive(Link(1), &part, NOW);
            agent.receive(Link(1), b"\n", NOW);
        }
        prop_assert!(agent.orders().all(|o| matches!(o, Order::Send(..) | Order::Close(..))));
        prop_assert!(!agent.is_held());
    }
}
