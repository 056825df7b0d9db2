//! Scripted cases.

use super::world::{World, application, connect, connection, ms, register};
use bandwise_controller::core::{
    Answer, Application, Candidate, Cause, Change, ClientId, Connection, Input, Limited, Limits,
    NumberedRequest, Output, Owner, Refusal, Request, Rules, Task,
};
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortConfig, PortId};
use bandwise_saba::mapping::PriorityLevel;

pub(crate) fn two_that_send() -> (World, ClientId, Vec<ApplicationId>) {
    two_that_send_by(Rules::default())
}

pub(crate) fn two_that_send_by(rules: Rules) -> (World, ClientId, Vec<ApplicationId>) {
    let mut world = World::new(rules);
    let client = world.hello();
    let all = application(&world.answer_to(client, 0, register("all")));
    let little = application(&world.answer_to(client, 1, register("little")));
    world.answer_to(client, 2, connect(all, "h1", "h3")).unwrap();
    world.answer_to(client, 3, connect(little, "h1", "h3")).unwrap();
    world.settle();
    (world, client, vec![all, little])
}

#[test]
fn weights_follow_sensitivity_and_open_connections() {
    let (mut world, client, applications) = two_that_send();
    let [little, all] = world.weights(3)[..] else { panic!("{:?}", world.ports) };
    assert!(all > little && world.weights(0).is_empty());
    world.answer_to(client, 4, Request::Deregister { application: applications[0] }).unwrap();
    world.settle();
    assert_eq!(world.weights(3), [1]);
    world.answer_to(client, 5, Request::Deregister { application: applications[1] }).unwrap();
    world.settle();
    assert!(world.weights(3).is_empty());
    assert_eq!(world.stored.applications().len() + world.stored.connections().len(), 0);
}

/// An old copy of the store brings back connections that have ended.
#[test]
fn connections_of_an_old_store_have_their_share_again() {
    let (mut world, client, applications) = two_that_send();
    let (ports, records) = (world.ports.clone(), world.stored.records().collect());
    world.answer_to(client, 4, Request::Deregister { application: applications[0] }).unwrap();
    world.settle();
    assert_ne!(world.ports, ports);
    world.hear(Input::Reloaded { revision: 0, write: 0, records });
    world.settle();
    assert_eq!(world.ports, ports);
}

#[test]
fn leave_restores_ports_and_restart_shares_them() {
    let (mut world, client, applications) = two_that_send();
    let shared = world.ports.clone();
    world.hear(Input::Leave);
    assert!(!world.core.is_settled());
    world.settle();
    assert!(world.ports.values().all(|port| port.weights.is_empty()));
    // Later requests change no port either.
    world.answer_to(client, 4, connect(applications[0], "h1", "h2")).unwrap();
    world.find();
    world.settle();
    assert!(world.ports.values().all(|port| port.weights.is_empty()));
    world.crash(true, true);
    world.settle();
    assert_eq!(world.ports[&PortId(3)], shared[&PortId(3)]);
    assert_eq!(world.weights(2), [1]);
}

#[test]
fn silent_client_is_dropped_when_its_lease_ends() {
    let (mut world, client, _) = two_that_send();
    let other = world.hello();
    let half = application(&world.answer_to(other, 0, register("half")));
    world.answer_to(other, 1, connect(half, "h1", "h3")).unwrap();
    world.settle();
    let lease = world.rules.lease;
    world.pass(lease - ms(1_000));
    let ticket = world.ticket();
    world.hear(Input::Renew { ticket, owner: Owner::default(), client: other });
    assert_eq!(world.answers[&ticket], Ok(Answer::Done));
    world.pass(ms(1_500));
    // A write that fails is tried again.
    world.store(false);
    assert_eq!(world.stored.clients().len(), 2);
    world.settle();
    let ticket = world.ticket();
    world.hear(Input::Renew { ticket, owner: Owner::default(), client: other });
    world.pass(world.rules.max_retry - ms(100));
    world.settle();
    assert!(world.outputs.contains(&Output::Dropped { client }));
    assert_eq!(world.stored.clients().collect::<Vec<_>>(), [other]);
    assert_eq!(world.weights(3), [1]);
    let gone = world.answer_to(client, 9, register("all"));
    assert_eq!(gone, Err(Refusal::NoSuchClient(client)));
}

#[test]
fn renewal_before_the_drop_is_stored_keeps_the_client() {
    let (mut world, client, _) = two_that_send();
    let ticket = world.ticket();
    world.hear(Input::Hello { ticket, owner: Owner::default() });
    // A write is in progress.
    world.pass(world.rules.lease);
    let ticket = world.ticket();
    world.hear(Input::Renew { ticket, owner: Owner::default(), client });
    world.settle();
    assert!(world.stored.clients().any(|of| of == client));
}

#[test]
fn backward_clock_jump_ends_no_lease_and_delays_no_order() {
    let (mut world, client, applications) = two_that_send();
    world.now = ms(0);
    // Recorded times are of that clock; the core uses the latest time that it received.
    world.ended.clear();
    world.answer_to(client, 4, connect(applications[1], "h1", "h2")).unwrap();
    world.settle();
    assert_eq!(world.weights(2), [1]);
}

/// A clock that jumps ahead, and a suspended process or machine: no calls could be received meanwhile.
#[test]
fn forward_clock_jump_drops_no_client() {
    let (mut world, client, _) = two_that_send();
    let silent = world.hello();
    world.settle();
    let lease = world.rules.lease;
    world.now += 3 * lease;
    // The first of many calls that wait.
    let ticket = world.ticket();
    world.hear(Input::Renew { ticket, owner: Owner::default(), client });
    assert!(world.outputs.iter().any(|output| matches!(output, Output::Stalled { .. })));
    world.settle();
    assert_eq!(world.stored.clients().collect::<Vec<_>>(), [client, silent]);
    // A live client makes a call within its lease; another one is dropped then.
    world.pass(lease - ms(1_000));
    let ticket = world.ticket();
    world.hear(Input::Renew { ticket, owner: Owner::default(), client });
    world.pass(ms(1_000));
    world.settle();
    assert_eq!(world.stored.clients().collect::<Vec<_>>(), [client]);
}

#[test]
fn changes_during_an_order_go_into_the_next() {
    let (mut world, client, applications) = two_that_send();
    world.now += ms(100);
    let before = world.outputs.len();
    for number in 4..104 {
        let application = applications[number as usize % 2];
        world.answer_to(client, number, connect(application, "h1", "h2")).unwrap();
    }
    let orders = |world: &World| -> Vec<u32> {
        let made = |output: &Output| match output {
            Output::Order { port: PortId(2), why, task: Task::Share(_), .. } => Some(why.made),
            _ => None,
        };
        world.outputs[before..].iter().filter_map(made).collect()
    };
    assert_eq!(orders(&world), [1]);
    world.settle();
    assert_eq!(orders(&world), [1, 99]);
}

#[test]
fn overwritten_port_is_restored() {
    let (mut world, ..) = two_that_send();
    let before = world.weights(3);
    world.ports.insert(PortId(3), PortConfig::default());
    world.now += world.rules.check_interval;
    world.hear(Input::Tick);
    world.settle();
    assert_eq!(world.weights(3), before);
    let written = |output: &&Output| matches!(output, Output::Written { .. });
    let Some(Output::Written { why, before: found, .. }) = world.outputs.iter().rfind(written)
    else {
        panic!()
    };
    assert_eq!((why.cause, found), (Cause::Overwritten, &Some(PortConfig::default())));
    let overwritten = |output: &&Output| matches!(output, Output::Overwritten { .. });
    assert_eq!(world.outputs.iter().filter(overwritten).count(), 1);
    // A port that was lost and found is read at once.
    world.gone.insert(3);
    world.find();
    assert_eq!(world.core.ports().count(), 3);
    world.ports.insert(PortId(3), PortConfig::default());
    world.now += world.rules.order_gap;
    world.gone.clear();
    world.find();
    world.settle();
    assert_eq!(world.weights(3), before);
}

#[test]
fn failed_order_is_retried_with_growing_delay() {
    let (mut world, client, applications) = two_that_send();
    world.now += ms(100);
    world.answer_to(client, 4, connect(applications[0], "h1", "h2")).unwrap();
    let mut waits = Vec::new();
    for _ in 0..5 {
        let (&order, _) = world.orders.first_key_value().unwrap();
        world.carry_out(order, false);
        let began = world.now;
        while world.orders.is_empty() {
            world.now = world.core.wake().unwrap();
            world.hear(Input::Tick);
            // Other ports are checked meanwhile.
            let others: Vec<_> =
                world.orders.iter().filter(|of| of.1.0 != PortId(2)).map(|of| *of.0).collect();
            others.into_iter().for_each(|order| world.carry_out(order, true));
        }
        waits.push((world.now - began).as_millis());
    }
    assert_eq!(waits, [100, 200, 400, 800, 1600]);
    let late = world.rules.late_after;
    world.now += late;
    world.hear(Input::Tick);
    assert!(world.core.ports().any(|(id, port)| id == PortId(2) && port.is_late()));
    world.settle();
    assert_eq!(world.weights(2), [1]);
}

#[test]
fn drained_ports_stay_restored_after_a_restart() {
    let (mut world, ..) = two_that_send();
    let before = world.weights(3);
    let ticket = world.ticket();
    world.hear(Input::Drain { ticket, owner: "operator".into(), ports: Vec::new(), drained: true });
    world.settle();
    assert!(world.weights(3).is_empty());
    world.crash(false, false);
    world.settle();
    assert!(world.weights(3).is_empty());
    let ticket = world.ticket();
    world.hear(Input::Drain {
        ticket,
        owner: "operator".into(),
        ports: vec![PortId(3)],
        drained: false,
    });
    world.settle();
    assert_eq!(world.weights(3), before);
    let ticket = world.ticket();
    world.hear(Input::Drain {
        ticket,
        owner: "operator".into(),
        ports: vec![PortId(9)],
        drained: true,
    });
    assert_eq!(world.answers[&ticket], Err(Refusal::NoSuchPort(PortId(9))));
}

#[test]
fn refusals_by_limits_are_repeatable() {
    let limits = Limits {
        clients: 2,
        applications: 2,
        connections: 2,
        unacknowledged: 7,
        ..Limits::default()
    };
    let mut world = World::new(Rules { limits, ..Rules::default() });
    let (client, _) = (world.hello(), world.hello());
    let ticket = world.ticket();
    world.hear(Input::Hello { ticket, owner: Owner::default() });
    let many = |most, of| Err(Refusal::TooMany { most, of });
    assert_eq!(world.answers[&ticket], many(2, Limited::Clients));
    let first = application(&world.answer_to(client, 0, register("all")));
    let second = application(&world.answer_to(client, 1, register("all")));
    assert_eq!(world.answer_to(client, 2, register("all")), many(2, Limited::Applications));
    let made = connection(&world.answer_to(client, 3, connect(first, "h0", "h1")));
    world.answer_to(client, 4, connect(second, "h0", "h1")).unwrap();
    let more = connect(first, "h0", "h2");
    assert_eq!(world.answer_to(client, 5, more.clone()), many(2, Limited::Connections));
    world.answer_to(client, 6, Request::Close { connection: made }).unwrap();
    assert_eq!(world.answer_to(client, 5, more.clone()), many(2, Limited::Connections));
    assert_eq!(world.answer_to(client, 7, more.clone()), many(7, Limited::Unacknowledged));
    let ticket = world.ask(NumberedRequest {
        client,
        number: 7,
        acknowledged_below: 7,
        request: more.clone(),
    });
    world.store(true);
    connection(&world.answers[&ticket]);
    let answer = world.answer_to(client, 6, Request::Close { connection: made });
    assert_eq!(answer, Err(Refusal::Acknowledged { number: 6, acknowledged_below: 7 }));
    assert_eq!(world.answer_to(client, 7, register("all")), Err(Refusal::OtherRequest(7)));
    // A refused request closes nothing.
    let gone = Request::Deregister { application: first };
    assert_eq!(world.answer_to(client, 7, gone), Err(Refusal::OtherRequest(7)));
    assert_eq!(world.core.state().connections_of(first).count(), 1);
}

/// Whatever one owner asks for, another one is served, and what is kept of refused requests has an end.
#[test]
fn owners_have_limits_of_their_own() {
    let limits = Limits { clients: 3, answers: 5, ..Limits::default() };
    let mut world = World::new(Rules { limits, ..Rules::default() });
    let many = |most, of| Refusal::TooMany { most, of };
    let clients: Vec<_> = (0..5).map(|_| world.hello_of("one".into())).collect();
    assert!(clients[..3].iter().all(Result::is_ok));
    assert_eq!(clients[3..], [Err(many(3, Limited::Clients)), Err(many(3, Limited::Clients))]);
    let other = world.hello_of("other".into()).unwrap();
    let unknown = Refusal::UnknownApplication("nobody".into());
    for number in 0..9 {
        let client = clients[number as usize % 3].as_ref().unwrap();
        let expected = if number < 5 { unknown.clone() } else { many(5, Limited::Answers) };
        let answer = world.answer_to(*client, number, register("nobody"));
        assert_eq!(answer, Err(expected), "{number}");
    }
    assert_eq!(world.answer_to(other, 0, register("nobody")), Err(unknown));
}

/// However many applications an owner registers, another one keeps half of an equal part, also after a restart.
#[test]
fn owner_with_many_applications_leaves_others_their_part() {
    let mut world = World::new(Rules::default());
    let (one, many) = (world.hello(), world.hello_of("many".into()).unwrap());
    let mut sends = |client, number, name| {
        let of = application(&world.answer_to(client, number, register(name)));
        world.answer_to(client, number + 1, connect(of, "h1", "h3")).unwrap();
    };
    sends(one, 0, "little");
    for number in 0..100 {
        sends(many, 2 * number, "all");
    }
    world.settle();
    assert_eq!(world.weights(3), [1, 3]);
    world.crash(true, true);
    world.settle();
    assert_eq!(world.weights(3), [1, 3]);
}

/// An operator ends all clients of that moment, in as many writes as it takes. Ids go on.
#[test]
fn reset_ends_all_clients_and_repeats_no_id() {
    let rules = Rules { max_changes: Some(24), ..Rules::default() };
    let (mut world, client, applications) = two_that_send_by(rules);
    let other = world.hello_of("other".into()).unwrap();
    for number in 0..30 {
        let of = application(&world.answer_to(other, 2 * number, register("half")));
        world.answer_to(other, 2 * number + 1, connect(of, "h1", "h3")).unwrap();
    }
    world.settle();
    let ticket = world.ticket();
    world.hear(Input::Reset { ticket, owner: Owner::default() });
    let after = world.ticket();
    world.hear(Input::Hello { ticket: after, owner: Owner::default() });
    world.settle();
    assert_eq!(world.answers[&ticket], Ok(Answer::Done));
    let Ok(Answer::Welcome { client: later, .. }) = world.answers[&after] else { panic!() };
    assert!(later > other && world.stored.clients().eq([later]));
    assert_eq!((world.stored.applications().len(), world.stored.connections().len()), (0, 0));
    assert!(world.ports.values().all(|port| port.weights.is_empty()), "{:?}", world.ports);
    let again = application(&world.answer_to(later, 0, register("all")));
    assert!(applications.iter().all(|before| again > *before));
    assert_eq!(world.answer_to(client, 9, register("all")), Err(Refusal::NoSuchClient(client)));
}

/// Nobody ends the client of another owner, or is told that this was done.
#[test]
fn goodbye_of_another_owner_is_refused() {
    let mut world = World::new(Rules::default());
    let client = world.hello();
    let ticket = world.ticket();
    world.hear(Input::Goodbye { ticket, owner: "other".into(), client });
    world.settle();
    assert_eq!(world.answers[&ticket], Err(Refusal::NoSuchClient(client)));
    assert!(world.stored.clients().any(|of| of == client));
}

#[test]
fn unknown_and_foreign_resources_are_refused() {
    let (mut world, client, applications) = two_that_send();
    let other = world.hello();
    let foreign = connect(applications[0], "h0", "h1");
    assert_eq!(
        world.answer_to(other, 0, foreign),
        Err(Refusal::NoSuchApplication(applications[0]))
    );
    let unknown_host = world.answer_to(client, 4, connect(applications[0], "h0", "h9"));
    assert!(unknown_host.unwrap_err().to_string().contains("there is no host"));
    let unknown = world.answer_to(client, 5, register("nobody"));
    assert_eq!(unknown, Err(Refusal::UnknownApplication("nobody".into())));
    let long = world.answer_to(client, 6, register(&"x".repeat(257)));
    assert!(matches!(long, Err(Refusal::BadSetting { .. })));
    let request = |nodes, dataset: &str| Request::Register {
        name: "all".into(),
        nodes: Some(nodes),
        dataset: Some(dataset.into()),
        job: None,
    };
    assert!(world.answer_to(client, 7, request(0, "1 GB")).is_err());
    assert!(world.answer_to(client, 8, request(1, "much")).is_err());
    let doubtful = world.answer_to(client, 9, request(80, "10 GB")).unwrap();
    let Answer::Registered { doubts, .. } = doubtful else { panic!() };
    // The table has three shares of each application.
    let [few, nodes] = &doubts[..] else { panic!("{doubts:?}") };
    assert!(few.starts_with("the model was learned from 3 shares"), "{few}");
    assert!(nodes.starts_with("used with 10.00 times the nodes"), "{nodes}");
}

#[test]
fn preview_equals_the_later_configuration() {
    let (mut world, client, _) = two_that_send();
    let owner = Owner::default();
    let paths = vec![vec![PortId(3)]];
    let differs = world.core.preview(&owner, &[Candidate { name: "half".into(), paths }]).unwrap();
    assert_eq!(world.core.preview(&owner, &[]).unwrap(), []);
    let half = application(&world.answer_to(client, 4, register("half")));
    world.answer_to(client, 5, connect(half, "h1", "h3")).unwrap();
    world.settle();
    assert_eq!(differs.len(), 1);
    assert_eq!(super::world::lowest(&differs[0].after), world.ports[&PortId(3)]);
    assert!(
        world.core.preview(&owner, &[Candidate { name: "nobody".into(), paths: vec![] }]).is_err()
    );
}

#[test]
fn requests_waiting_for_a_hanging_store_are_limited() {
    let mut world = World::new(Rules::default());
    let client = world.hello();
    for _ in 0..=10_001 {
        let ticket = world.ticket();
        world.hear(Input::Hello { ticket, owner: Owner::default() });
    }
    let refused = world.answers.values().filter(|answer| answer.is_err()).count();
    assert_eq!(refused, 1);
    world.settle();
    // One write, and the requests that waited for it, up to the limit.
    assert_eq!(world.stored.clients().len(), world.rules.limits.clients as usize);
    assert!(world.stored.clients().any(|of| of == client));
}

#[test]
fn invalid_records_of_other_controllers_are_ignored() {
    let (mut world, client, applications) = two_that_send();
    let shared = world.ports.clone();
    let state = world.core.state();
    let (_, made) = state.connections().next().unwrap();
    let (_, registered) = state.applications().next().unwrap();
    let far = Connection { level: PriorityLevel(99), ..made.clone() };
    let nameless = Application { name: String::new(), ..registered.clone() };
    let other = Application { name: "half".into(), ..registered.clone() };
    let (id, new) = (applications[0], ApplicationId(99));
    let changes = vec![
        Change::Connection(ConnectionId(99), Some(far)),
        Change::Application(new, Some(nameless)),
        Change::Application(id, Some(other)),
    ];
    world.outputs.clear();
    world.hear(Input::StoredByOther { revision: 1, changes });
    let passed = world.outputs.iter().filter_map(|output| match output {
        Output::RecordIgnored { error } => Some(error.as_str()),
        _ => None,
    });
    assert_eq!(
        passed.collect::<Vec<_>>(),
        [
            "stored connection 99 is invalid: no priority level 99: there are 3, counted from 0",
            "stored application 99 has the invalid name \"\"",
            "stored application 0 is invalid: application 0 is registered with another model or owner",
        ]
    );
    world.settle();
    assert_eq!(world.ports, shared);
    // The order of removals does not matter, also not that of owners.
    let changes = vec![
        Change::Client(client, None),
        Change::Connection(ConnectionId(99), None),
        Change::Application(new, None),
        Change::Application(id, None),
    ];
    world.hear(Input::StoredByOther { revision: 2, changes });
    assert!(world.core.state().applications().all(|(of, _)| of == applications[1]));
}
