//! A store that was emptied or restored from an old copy: ids never come again, and ports have the weights of what the
//! copy has.

use super::world::{PORTS, connect, ms, path, profiles, register};
use bandwise_controller::core::{
    Answer, Change, ClientId, Core, DiscoveredPort, Input, NumberedRequest, Output, Owner, Request,
    Rules, State, Ticket,
};
use bandwise_saba::controller::{PortConfig, PortId, Settings};
use std::num::NonZeroU8;

/// A core of several, whose writes are all stored.
struct One {
    core: Core,
    revision: u64,
    requests: u64,
}

impl One {
    fn of(stored: State) -> Self {
        let core = Core::new(Rules::default(), Settings::default(), profiles(), stored, ms(0));
        let mut one = One { core: core.unwrap().shared("a".into(), 0), revision: 0, requests: 0 };
        let until = ms(1_000_000);
        one.core.handle(
            ms(0),
            Input::GroupsHeld { groups: vec!["a".into()], given_back: vec![], until },
        );
        let queues = NonZeroU8::new(2).unwrap();
        let seen = |port| {
            let (name, group) = (format!("p{port}"), "a".into());
            DiscoveredPort { port: PortId(port), name, queues, group }
        };
        let ports = (0..PORTS).map(seen).collect();
        one.core.handle(ms(0), Input::Discovered { ports, routes: Vec::new() });
        one
    }

    /// Handles an input, and stores all writes that follow. Returns the last answer.
    fn handle(&mut self, input: Input) -> Option<Answer> {
        let mut answered = None;
        self.core.handle(ms(self.revision), input);
        while let Some(output) = self.core.poll() {
            match output {
                Output::Store { write, .. } => {
                    self.revision += 1;
                    let revision = self.revision;
                    self.core.handle(ms(revision), Input::Stored { write, error: None, revision });
                }
                Output::Answer { answer, .. } => answered = Some(answer.unwrap()),
                _ => {}
            }
        }
        answered
    }

    fn hello(&mut self) -> ClientId {
        let answer = self.handle(Input::Hello { ticket: Ticket(0), owner: Owner::default() });
        let Some(Answer::Welcome { client, .. }) = answer else { panic!("{answer:?}") };
        client
    }

    fn ask(&mut self, client: ClientId, request: Request) -> Answer {
        let (ticket, owner, number) = (Ticket(0), Owner::default(), self.requests);
        self.requests += 1;
        let path = match &request {
            Request::Connect { from, to, .. } => path(from, to, 0),
            _ => Ok(Vec::new()),
        };
        let request = NumberedRequest { client, number, acknowledged_below: number, request };
        self.handle(Input::Request { ticket, owner, request, path }).unwrap()
    }

    /// Registers an application with a connection.
    fn register(&mut self, client: ClientId, name: &str) -> Answer {
        let answer = self.ask(client, register(name));
        let Answer::Registered { application, .. } = &answer else { panic!("{answer:?}") };
        self.ask(client, connect(*application, "h0", "h3"));
        answer
    }

    fn records(&self) -> Vec<Change> {
        self.core.state().records().collect()
    }

    /// Another etcd, or an older copy, takes the place of the store.
    fn replaced(&mut self, records: Vec<Change>) {
        let revision = self.revision;
        self.handle(Input::Reloaded { revision, write: 0, records });
    }

    fn wanted(&self) -> Vec<(PortId, PortConfig)> {
        self.core.ports().map(|(port, of)| (port, of.wanted.clone())).collect()
    }
}

#[test]
fn ids_never_come_again_after_the_store_was_emptied() {
    let mut one = One::of(State::default());
    let clients = [(); 3].map(|()| one.hello());
    one.replaced(Vec::new());
    assert_eq!(one.core.state().clients().len(), 0);
    let restored = one.records();
    assert!(one.hello() > clients[2]);
    assert!(One::of(State::of(restored)).hello() > clients[2]);
}

/// Another controller has given ids that this one had not learned when the store was emptied.
#[test]
fn ids_of_another_controller_do_not_come_again_after_the_store_was_emptied() {
    let mut one = One::of(State::default());
    one.hello();
    let mut other = One::of(State::of(one.records()));
    let last = (0..100).map(|_| other.hello()).last().unwrap();
    one.replaced(Vec::new());
    assert!(one.hello() > last);
}

/// Registrations that ended after the copy was made are there again, and count at the ports.
#[test]
fn ports_have_the_weights_of_registrations_that_a_copy_brings_back() {
    let mut one = One::of(State::default());
    let client = one.hello();
    let Answer::Registered { application, .. } = one.register(client, "all") else { panic!() };
    one.register(client, "little");
    let copy = one.records();
    let as_copied = one.wanted();
    one.ask(client, Request::Deregister { application });
    one.register(client, "half");
    assert_ne!(one.wanted(), as_copied);
    one.replaced(copy);
    assert_eq!(one.wanted(), as_copied);
}

/// After an emptied store, ports of former connections have no weights.
#[test]
fn ports_have_no_weights_after_the_store_was_emptied() {
    let mut one = One::of(State::default());
    let before = one.wanted();
    let client = one.hello();
    one.register(client, "all");
    assert_ne!(one.wanted(), before);
    one.replaced(Vec::new());
    assert_eq!(one.wanted(), before);
}
