//! One of several controllers that share a store: the groups that it holds, and their clients.

use super::world::{ms, profiles};
use bandwise_controller::core::{
    Change, Client, ClientId, Core, DiscoveredPort, Group, Input, Output, Owner, Refusal, Rules,
    State, Ticket,
};
use bandwise_controller::daemon::Metrics;
use bandwise_saba::controller::{PortId, Settings};
use std::num::NonZeroU8;

fn new(stored: State) -> Core {
    let rules = Rules::default();
    let core = Core::new(rules, Settings::default(), profiles(), stored, ms(0)).unwrap();
    core.shared("a".into(), 0)
}

/// Passes an input. Returns the outputs.
fn hear(core: &mut Core, at: u64, input: Input) -> Vec<Output> {
    core.handle(ms(at), input);
    std::iter::from_fn(|| core.poll()).collect()
}

fn held(groups: &[&str], until: u64) -> Input {
    let groups = groups.iter().map(|of| Group::from(*of)).collect();
    Input::GroupsHeld { groups, given_back: Vec::new(), until: ms(until) }
}

/// Returns a state with one client, whose lease the holder of a group keeps.
fn client_of(home: &str) -> (ClientId, State) {
    let id = ClientId(7);
    let client = Client { acknowledged_below: 0, owner: Owner::default(), home: home.into() };
    (id, State::of([Change::Client(id, Some(client))]))
}

fn renew(client: ClientId) -> Input {
    Input::Renew { ticket: Ticket(1), owner: Owner::default(), client }
}

fn is_order(output: &Output) -> bool {
    matches!(output, Output::Order { .. })
}

/// Groups whose time has expired are lost, whatever input comes first.
#[test]
fn core_with_expired_groups_gives_no_order() {
    let mut core = new(State::default());
    assert!(core.is_cut_off() && !core.is_settled());
    let (port, name, queues) = (PortId(0), "p0".into(), NonZeroU8::new(2).unwrap());
    let ports = vec![DiscoveredPort { port, name, queues, group: "a".into() }];
    hear(&mut core, 0, Input::Discovered { ports, routes: Vec::new() });
    assert!(hear(&mut core, 0, held(&["a"], 3000)).iter().any(is_order));
    assert_eq!(core.writes_until(), ms(3000));
    assert!(!core.is_cut_off());
    assert_eq!(core.preview(&Owner::default(), &[]), Ok(Vec::new()));
    assert!(Metrics::new().text(&core).contains("bandwise_controller_cut_off 0\n"));
    // The port was checked a minute ago.
    assert!(!hear(&mut core, 60_000, Input::Tick).iter().any(is_order));
    assert_eq!(core.held().count(), 0);
    assert!(core.is_cut_off() && !core.is_settled());
    assert!(matches!(core.preview(&Owner::default(), &[]), Err(Refusal::NotStored(_))));
    assert!(Metrics::new().text(&core).contains("bandwise_controller_cut_off 1\n"));
    assert_eq!(core.writes_until(), ms(60_000));
    let (ticket, owner) = (Ticket(1), Owner::default());
    let outputs = hear(&mut core, 60_000, Input::Hello { ticket, owner });
    assert!(matches!(outputs[..], [Output::Answer { answer: Err(Refusal::NotStored(_)), .. }]));
}

/// A controller releases a group although its time has expired before.
#[test]
fn expired_group_is_given_back() {
    let mut core = new(State::default());
    hear(&mut core, 0, held(&["a", "b"], 3000));
    hear(&mut core, 60_000, Input::Tick);
    let (groups, given_back) = (vec!["a".into()], vec!["b".into()]);
    let input = Input::GroupsHeld { groups, given_back, until: ms(63_000) };
    let outputs = hear(&mut core, 60_000, input);
    assert!(outputs.contains(&Output::Released { group: "b".into() }), "{outputs:?}");
}

/// A client that is being removed gets no answer before the outcome is known.
#[test]
fn renewal_during_the_removal_waits_for_it() {
    let (client, state) = client_of("a");
    let mut core = new(state);
    hear(&mut core, 0, held(&["a"], 1_000_000));
    let is_store = |of: &Output| matches!(of, Output::Store { .. });
    let outputs = hear(&mut core, 30_000, Input::Tick);
    let Some(Output::Store { write, .. }) = outputs.iter().find(|of| is_store(of)) else {
        panic!()
    };
    assert!(hear(&mut core, 30_100, renew(client)).is_empty());
    let stored = Input::Stored { write: *write, error: None, revision: 1 };
    let outputs = hear(&mut core, 30_200, stored);
    // A refusal needs a write, which proves that the store has no such client.
    assert!(outputs.iter().any(is_store), "{outputs:?}");
}

/// A controller that gets a call of another's client keeps its lease, and answers when that is stored.
#[test]
fn renewal_at_another_controller_is_stored_before_the_answer() {
    let (client, state) = client_of("b");
    let mut core = new(state);
    hear(&mut core, 0, held(&["a"], 1_000_000));
    let outputs = hear(&mut core, 1, renew(client));
    let [Output::Store { write, ref changes, .. }] = outputs[..] else { panic!("{outputs:?}") };
    let [Change::Client(_, Some(Client { home, .. }))] = &changes[..] else { panic!() };
    assert_eq!(*home, Group::from("a"));
    let outputs = hear(&mut core, 2, Input::Stored { write, error: None, revision: 1 });
    assert!(matches!(outputs[..], [Output::Answer { answer: Ok(_), .. }]), "{outputs:?}");
    // The next renewal changes nothing.
    let outputs = hear(&mut core, 3, renew(client));
    assert!(matches!(outputs[..], [Output::Answer { answer: Ok(_), .. }]), "{outputs:?}");
}

/// A lease that began during a write ends when the store has not accepted the write.
#[test]
fn client_is_kept_only_after_it_is_stored() {
    let (client, state) = client_of("b");
    let mut core = new(state);
    hear(&mut core, 0, held(&["a"], 3000));
    let stores = |outputs: &[Output]| outputs.iter().any(|of| matches!(of, Output::Store { .. }));
    assert!(stores(&hear(&mut core, 2999, renew(client))));
    // The group is lost and held again, while the write is in progress.
    hear(&mut core, 3001, held(&["a"], 1_000_000));
    hear(&mut core, 3002, Input::StoredByOther { revision: 1, changes: Vec::new() });
    let outputs = hear(&mut core, 3003, renew(client));
    assert!(stores(&outputs), "b keeps the lease: {outputs:?}");
}

/// The holder of a group ends the leases of its clients, and not before a full lease.
#[test]
fn group_holder_ends_client_leases() {
    let (client, state) = client_of("b");
    let mut core = new(state);
    hear(&mut core, 0, held(&["a"], 1_000_000));
    let ends = |outputs: &[Output]| {
        let ended = |of: &Output| match of {
            Output::Store { changes, .. } => changes.contains(&Change::Client(client, None)),
            _ => false,
        };
        outputs.iter().any(ended)
    };
    // The controller of the client's group dies, and this one holds the group.
    hear(&mut core, 20_000, held(&["a", "b"], 1_000_000));
    assert!(!ends(&hear(&mut core, 49_000, Input::Tick)));
    hear(&mut core, 49_000, renew(client));
    assert!(!ends(&hear(&mut core, 78_900, Input::Tick)), "the lease was renewed");
    assert!(ends(&hear(&mut core, 79_000, Input::Tick)));
}
