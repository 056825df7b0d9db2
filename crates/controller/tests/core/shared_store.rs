//! Several cores with one store: whatever the delays, crashes and holders of groups, in the end ports are configured as
//! by a single core.

use super::world::{NAMES, PORTS, connect, lowest, ms, path, profiles, register, resumed};
use bandwise_controller::core::{
    Answer, Change, ClientId, Core, DiscoveredPort, Group, Input, NumberedRequest, OrderId,
    OrderOutcome, Output, Owner, Refusal, Request, Rules, State, Task, Ticket,
};
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortConfig, PortId, Settings};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU8;
use std::time::Duration;

const CORES: [&str; 3] = ["a", "b", "c"];

/// Rules with small writes, so that large changes take several.
fn rules() -> Rules {
    let rules =
        Rules { max_changes: Some(24), lease: Duration::from_secs(86_400), ..Rules::default() };
    Rules { discovery_interval: Duration::from_secs(86_400), ..rules }
}

fn group_of(port: u64) -> Group {
    CORES[port as usize % CORES.len()].into()
}

/// A write in the store's history.
#[derive(Clone)]
struct Entry {
    by: (usize, u64, u64),
    changes: Vec<Change>,
}

struct One {
    core: Core,
    /// A core that was resumed from a snapshot and must have the same outputs.
    shadow: Option<Core>,
    /// The number of this start: writes of earlier starts are not its own.
    run: u64,
    /// The number of entries of the history that the core has received.
    known: usize,
    /// Writes on their way to the store: number, revision at the decision, changes.
    writes: Vec<(u64, u64, Vec<Change>)>,
    /// The last of them, until any write is received.
    pending: Option<u64>,
    orders: BTreeMap<OrderId, (PortId, Task)>,
    released: BTreeSet<Group>,
}

struct Several {
    now: Duration,
    ones: Vec<One>,
    history: Vec<Entry>,
    ports: BTreeMap<PortId, PortConfig>,
    /// The holder of each group.
    holders: BTreeMap<Group, usize>,
    answers: BTreeMap<Ticket, Result<Answer, Refusal>>,
    tickets: u64,
    runs: u64,
}

impl Several {
    fn new() -> Self {
        let ports = (0..PORTS).map(|port| (PortId(port), PortConfig::default())).collect();
        let mut several = Several {
            now: ms(0),
            ones: Vec::new(),
            history: Vec::new(),
            ports,
            holders: BTreeMap::new(),
            answers: BTreeMap::new(),
            tickets: 0,
            runs: 0,
        };
        for (at, name) in CORES.into_iter().enumerate() {
            let one = several.begun(at);
            several.ones.push(one);
            several.find(at);
            several.holders.insert(name.into(), at);
            several.hold(at);
        }
        several
    }

    /// Returns the stored state after a number of writes.
    fn stored(&self, writes: usize) -> State {
        let mut state = State::default();
        for entry in &self.history[..writes] {
            state = State::of(state.records().chain(entry.changes.clone()).collect::<Vec<_>>());
        }
        state
    }

    fn begun(&mut self, at: usize) -> One {
        self.runs += 1;
        let known = self.history.len();
        let core =
            Core::new(rules(), Settings::default(), profiles(), self.stored(known), self.now);
        let core = core.unwrap().shared(CORES[at].into(), known as u64);
        let (writes, orders, released) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
        let (run, shadow) = (self.runs, None);
        One { core, shadow, run, known, writes, pending: None, orders, released }
    }

    fn find(&mut self, at: usize) {
        let queues = NonZeroU8::new(2).unwrap();
        let seen = |port| {
            let (name, group) = (format!("p{port}"), group_of(port));
            DiscoveredPort { port: PortId(port), name, queues, group }
        };
        let ports = (0..PORTS).map(seen).collect();
        self.hear(at, Input::Discovered { ports, routes: Vec::new() });
    }

    fn hold(&mut self, at: usize) {
        let held = self.holders.iter().filter(|of| *of.1 == at);
        let groups = held.map(|of| of.0.clone()).collect();
        self.hear(
            at,
            Input::GroupsHeld { groups, until: self.now + Duration::from_secs(1_000_000) },
        );
    }

    fn hear(&mut self, at: usize, input: Input) {
        let now = self.now;
        let One { core, shadow, .. } = &mut self.ones[at];
        core.handle(now, input.clone());
        let outputs: Vec<Output> = std::iter::from_fn(|| core.poll()).collect();
        if let Some(shadow) = shadow {
            shadow.handle(now, input);
            assert_eq!(std::iter::from_fn(|| shadow.poll()).collect::<Vec<_>>(), outputs);
        }
        for output in outputs {
            match output {
                Output::Store { write, after, changes } => {
                    assert!(changes.len() <= 24, "{} changes at once", changes.len());
                    self.ones[at].writes.push((write, after, changes));
                    self.ones[at].pending = Some(write);
                }
                Output::Answer { ticket, answer } => drop(self.answers.insert(ticket, answer)),
                Output::Order { order, port, task, .. } => {
                    let group = group_of(port.0);
                    assert_eq!(self.holders.get(&group), Some(&at), "another's port");
                    self.ones[at].orders.insert(order, (port, task));
                }
                Output::Released { group } => drop(self.ones[at].released.insert(group)),
                _ => {}
            }
        }
    }

    /// The first write on its way reaches the store.
    fn store(&mut self, at: usize) {
        if self.ones[at].writes.is_empty() {
            return;
        }
        let (write, after, changes) = self.ones[at].writes.remove(0);
        if after == self.history.len() as u64 {
            self.history.push(Entry { by: (at, self.ones[at].run, write), changes });
        }
    }

    /// A core receives the next entry of the history.
    fn learn(&mut self, at: usize) {
        let Some(entry) = self.history.get(self.ones[at].known).cloned() else { return };
        self.ones[at].known += 1;
        let revision = self.ones[at].known as u64;
        let (by, run, write) = entry.by;
        let is_own = (by, run) == (at, self.ones[at].run);
        let pending = self.ones[at].pending.take();
        let input = match is_own && pending == Some(write) {
            true => Input::Stored { write, error: None, revision },
            false => Input::StoredByOther { revision, changes: entry.changes },
        };
        self.hear(at, input);
    }

    /// A core reads the whole store, as after an outage.
    fn know(&mut self, at: usize) {
        let known = self.history.len();
        (self.ones[at].known, self.ones[at].pending) = (known, None);
        let run = self.ones[at].run;
        let own = self.history.iter().filter(|of| (of.by.0, of.by.1) == (at, run));
        let write = own.map(|of| of.by.2).max().unwrap_or(0);
        let records = self.stored(known).records().collect();
        self.hear(at, Input::Reloaded { revision: known as u64, write, records });
    }

    fn carry_out(&mut self, at: usize, order: OrderId) {
        let Some((port, task)) = self.ones[at].orders.remove(&order) else { return };
        let stands = self.ports.get_mut(&port).unwrap();
        let wanted = match &task {
            Task::Check(config) if *stands == lowest(config) => {
                return self
                    .hear(at, Input::OrderEnded { order, outcome: OrderOutcome::Unchanged });
            }
            Task::Check(_) => {
                let found = stands.clone();
                return self.hear(
                    at,
                    Input::OrderEnded { order, outcome: OrderOutcome::Differs { found } },
                );
            }
            Task::Read => stands.clone(),
            Task::AsFound => PortConfig::default(),
            Task::Share(config) => lowest(config),
        };
        let is_written = *stands != wanted;
        *stands = wanted.clone();
        self.hear(
            at,
            Input::OrderEnded { order, outcome: OrderOutcome::Done { is_written, config: wanted } },
        );
    }

    /// A core crashes; its outstanding write may have been stored. Another one holds its groups from then on.
    fn dies(&mut self, at: usize, is_stored: bool, heir: usize) {
        if is_stored {
            self.store(at);
        }
        for (group, holder) in self.holders.clone() {
            if holder == at && heir != at {
                self.holders.insert(group, heir);
            }
        }
        self.ones[at] = self.begun(at);
        self.find(at);
        self.hold(at);
        self.hold(heir);
    }

    /// Hands a group over when no order at its ports is outstanding.
    fn hand_over(&mut self, group: &Group, to: usize) {
        let from = self.holders[group];
        if from == to {
            return;
        }
        let left = self.holders.iter().filter(|of| *of.1 == from && of.0 != group);
        let groups = left.map(|of| of.0.clone()).collect();
        self.ones[from].released.remove(group);
        let until = self.now + Duration::from_secs(1_000_000);
        // The core may give no order from here on.
        self.holders.remove(group);
        self.hear(from, Input::GroupsHeld { groups, until });
        while !self.ones[from].released.contains(group) {
            let (&order, _) = self.ones[from].orders.first_key_value().expect("it waits for one");
            self.carry_out(from, order);
        }
        self.holders.insert(group.clone(), to);
        self.hold(to);
    }

    /// Lets time pass and wakes all cores when they ask for it.
    fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        let wake = |one: &One| one.core.wake();
        while let Some(wake) = self.ones.iter().filter_map(wake).min().filter(|at| *at < until) {
            self.now = self.now.max(wake);
            (0..CORES.len()).for_each(|at| self.hear(at, Input::Tick));
        }
        self.now = until;
        (0..CORES.len()).for_each(|at| self.hear(at, Input::Tick));
    }

    fn settle(&mut self) {
        for _ in 0..3000 {
            for at in 0..CORES.len() {
                self.store(at);
                while self.ones[at].known < self.history.len() {
                    self.learn(at);
                }
                while let Some((&order, _)) = self.ones[at].orders.first_key_value() {
                    self.carry_out(at, order);
                }
            }
            let is_settled = |one: &One| {
                one.core.is_settled()
                    && one.orders.is_empty()
                    && one.known == self.history.len()
                    && one.writes.is_empty()
            };
            if self.ones.iter().all(is_settled) {
                return;
            }
            self.now += ms(5);
            (0..CORES.len()).for_each(|at| self.hear(at, Input::Tick));
        }
        panic!("they never settle");
    }
}

/// A client's request.
#[derive(Debug, Clone)]
enum Step {
    Register(usize),
    Connect(usize, u64, u64),
    Close(usize),
    Deregister(usize),
}

/// A client that sends each request to random cores until it is answered.
#[derive(Default)]
struct Client {
    id: Option<ClientId>,
    at: usize,
    ticket: Option<Ticket>,
    applications: Vec<ApplicationId>,
    connections: Vec<ConnectionId>,
    /// The applications and connections that have to exist.
    there: BTreeMap<ApplicationId, BTreeSet<ConnectionId>>,
}

impl Client {
    fn sends(&mut self, several: &mut Several, to: usize, steps: &[Step]) {
        several.tickets += 1;
        let ticket = Ticket(several.tickets);
        let owner = Owner::default();
        let Some(client) = self.id else {
            self.ticket = Some(ticket);
            return several.hear(to, Input::Hello { ticket, owner });
        };
        let unknown = u64::MAX;
        let application =
            |of: &usize| self.applications.get(*of).copied().unwrap_or(ApplicationId(unknown));
        let request = match steps.get(self.at) {
            None => return,
            Some(Step::Register(name)) => register(NAMES[*name]),
            Some(Step::Connect(of, from, host)) => {
                connect(application(of), &format!("h{from}"), &format!("h{host}"))
            }
            Some(Step::Close(of)) => {
                let connection = self.connections.get(*of).copied();
                Request::Close { connection: connection.unwrap_or(ConnectionId(unknown)) }
            }
            Some(Step::Deregister(of)) => Request::Deregister { application: application(of) },
        };
        let path = match &request {
            Request::Connect { from, to, .. } => path(from, to, 0),
            _ => Ok(Vec::new()),
        };
        self.ticket = Some(ticket);
        let number = self.at as u64;
        // The client leaves two answers unacknowledged.
        let request = NumberedRequest {
            client,
            number,
            acknowledged_below: number.saturating_sub(2),
            request,
        };
        several.hear(to, Input::Request { ticket, owner, request, path });
    }

    fn receive(&mut self, several: &mut Several, steps: &[Step]) {
        let Some(answer) = self.ticket.and_then(|ticket| several.answers.remove(&ticket)) else {
            return;
        };
        self.ticket = None;
        match (self.id, answer) {
            (_, Err(Refusal::NotStored(_))) => return,
            (None, Ok(Answer::Welcome { client, .. })) => {
                self.id = Some(client);
                return;
            }
            (_, Ok(Answer::Registered { application, .. })) => {
                self.applications.push(application);
                self.there.insert(application, BTreeSet::new());
            }
            (_, Ok(Answer::Connected { connection, .. })) => {
                let Step::Connect(of, ..) = steps[self.at] else { panic!() };
                self.connections.push(connection);
                self.there.get_mut(&self.applications[of]).unwrap().insert(connection);
            }
            (_, Ok(Answer::Done)) => match steps[self.at] {
                Step::Close(of) => {
                    let connection = self.connections[of];
                    self.there.values_mut().for_each(|all| {
                        all.remove(&connection);
                    });
                }
                Step::Deregister(of) => drop(self.there.remove(&self.applications[of])),
                _ => panic!(),
            },
            (Some(_), Err(Refusal::UnknownApplication(_) | Refusal::NoSuchApplication(_)))
            | (Some(_), Err(Refusal::NoSuchConnection(_) | Refusal::NoPath(_))) => {}
            other => panic!("{other:?}"),
        }
        self.at += 1;
    }
}

#[derive(Debug, Clone)]
enum Happens {
    Sends(Index, Index),
    Store(Index),
    Learn(Index),
    Know(Index),
    Port(Index, Index),
    Dies(Index, bool, Index),
    HandsOver(Index, Index),
    CutOff(Index),
    Time(u64),
    /// A snapshot is taken.
    Shadowed(Index),
}

fn any_faults() -> impl Strategy<Value = Vec<Happens>> {
    let index = any::<Index>;
    let happens = prop_oneof![
        8 => (index(), index()).prop_map(|(client, to)| Happens::Sends(client, to)),
        8 => index().prop_map(Happens::Store),
        8 => index().prop_map(Happens::Learn),
        1 => index().prop_map(Happens::Know),
        4 => (index(), index()).prop_map(|(at, order)| Happens::Port(at, order)),
        1 => (index(), any::<bool>(), index()).prop_map(|(at, stored, heir)| Happens::Dies(at, stored, heir)),
        1 => (index(), index()).prop_map(|(group, to)| Happens::HandsOver(group, to)),
        1 => index().prop_map(Happens::CutOff),
        3 => (0u64..40).prop_map(Happens::Time),
        1 => index().prop_map(Happens::Shadowed),
    ];
    prop::collection::vec(happens, 0..200)
}

fn any_steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let step = prop_oneof![
        3 => (0..NAMES.len()).prop_map(Step::Register),
        9 => (0usize..2, 0..PORTS, 0..=PORTS).prop_map(|(of, a, b)| Step::Connect(of, a, b)),
        2 => (0usize..4).prop_map(Step::Close),
        1 => (0usize..2).prop_map(Step::Deregister),
    ];
    prop::collection::vec(prop::collection::vec(step, 0..30), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn cluster_ends_with_the_state_of_one_controller(steps in any_steps(), happens in any_faults()) {
        let mut several = Several::new();
        let mut clients: Vec<Client> = steps.iter().map(|_| Client::default()).collect();
        let core = |of: &Index| of.index(CORES.len());
        for what in &happens {
            match what {
                Happens::Sends(client, to) => {
                    let client = client.index(clients.len());
                    clients[client].sends(&mut several, core(to), &steps[client]);
                }
                Happens::Store(at) => several.store(core(at)),
                Happens::Learn(at) => several.learn(core(at)),
                Happens::Know(at) => several.know(core(at)),
                Happens::Port(at, order) => {
                    let orders: Vec<OrderId> = several.ones[core(at)].orders.keys().copied().collect();
                    if !orders.is_empty() {
                        several.carry_out(core(at), *order.get(&orders));
                    }
                }
                Happens::Dies(at, stored, heir) => several.dies(core(at), *stored, core(heir)),
                Happens::HandsOver(group, to) => {
                    several.hand_over(&Group::from(*group.get(&CORES)), core(to));
                }
                Happens::CutOff(at) => {
                    let until = several.now;
                    several.hear(core(at), Input::GroupsHeld { groups: Vec::new(), until });
                    several.hold(core(at));
                }
                Happens::Shadowed(at) => {
                    let one = &mut several.ones[core(at)];
                    one.shadow = Some(resumed(&one.core, rules()));
                }
                Happens::Time(time) => {
                    several.now += ms(*time);
                    (0..CORES.len()).for_each(|at| several.hear(at, Input::Tick));
                }
            }
            for (client, steps) in clients.iter_mut().zip(&steps) {
                client.receive(&mut several, steps);
            }
        }
        // Clients without an answer repeat their request, each time to another core.
        for round in 0..300 {
            several.settle();
            for (client, steps) in clients.iter_mut().zip(&steps) {
                client.receive(&mut several, steps);
                client.sends(&mut several, round % CORES.len(), steps);
            }
        }
        several.settle();
        let stored = several.stored(several.history.len());
        for one in &several.ones {
            prop_assert_eq!(one.core.state(), &stored);
        }
        for (client, steps) in clients.iter().zip(&steps) {
            prop_assert_eq!(client.at, steps.len());
            let Some(id) = client.id else { continue };
            let there: BTreeMap<ApplicationId, BTreeSet<ConnectionId>> = stored
                .applications_of(id)
                .map(|of| (of, stored.connections_of(of).collect()))
                .collect();
            prop_assert_eq!(&there, &client.there);
        }
        // A single core that starts from the final state.
        let mut alone = Several::new();
        alone.ones.truncate(1);
        let core = Core::new(rules(), Settings::default(), profiles(), stored, ms(0)).unwrap();
        alone.ones[0].core = core;
        let queues = NonZeroU8::new(2).unwrap();
        let seen = |port| {
            let (name, group) = (format!("p{port}"), Group::default());
            DiscoveredPort { port: PortId(port), name, queues, group }
        };
        alone.holders = (0..PORTS).map(|port| (group_of(port), 0)).collect();
        alone.hear(0, Input::Discovered { ports: (0..PORTS).map(seen).collect(), routes: Vec::new() });
        let wanted = |core: &Core| -> BTreeMap<PortId, PortConfig> {
            core.ports().map(|(id, port)| (id, lowest(&port.wanted))).collect()
        };
        let as_one = wanted(&alone.ones[0].core);
        for one in &several.ones {
            prop_assert_eq!(&wanted(&one.core), &as_one);
        }
        // Ports without connections have and need no configuration.
        prop_assert_eq!(&several.ports, &as_one);
    }
}

/// Groups whose time has expired are lost, whatever input comes first.
#[test]
fn core_with_expired_groups_gives_no_order() {
    let mut several = Several::new();
    several.settle();
    several.hear(0, Input::GroupsHeld { groups: vec!["a".into()], until: several.now + ms(3000) });
    several.now += ms(60_000);
    // Its ports were checked a minute ago.
    several.holders.insert("a".into(), 1);
    several.hear(0, Input::Tick);
    assert!(several.ones[0].orders.is_empty());
    assert_eq!(several.ones[0].core.held().count(), 0);
    let ticket = Ticket(1);
    several.hear(0, Input::Hello { ticket, owner: Owner::default() });
    assert!(matches!(several.answers[&ticket], Err(Refusal::NotStored(_))));
}

/// The holder of a group ends the leases of its clients, and not before a full lease.
#[test]
fn group_holder_ends_client_leases() {
    let mut several = Several::new();
    let mut client = Client::default();
    client.sends(&mut several, 0, &[]);
    several.settle();
    client.receive(&mut several, &[]);
    let id = client.id.unwrap();
    let home = |several: &Several| {
        several.ones[2].core.state().records().find_map(|change| match change {
            Change::Client(of, Some(known)) if of == id => Some(known.home),
            _ => None,
        })
    };
    assert_eq!(home(&several), Some("a".into()));
    // Another core receives the call and keeps the lease from then on.
    let (ticket, owner) = (Ticket(77), Owner::default());
    several.hear(1, Input::Renew { ticket, owner: owner.clone(), client: id });
    assert_eq!(several.answers[&ticket], Ok(Answer::Done));
    several.settle();
    assert_eq!(home(&several), Some("b".into()));
    // That core crashes, and c holds its group.
    several.dies(1, false, 2);
    several.settle();
    several.pass(rules().lease - ms(1000));
    (0..3).for_each(|at| several.hold(at));
    several.hear(2, Input::Renew { ticket: Ticket(78), owner, client: id });
    several.pass(ms(10_000));
    (0..3).for_each(|at| several.hold(at));
    several.settle();
    assert!(home(&several).is_some(), "the lease has not ended");
    several.pass(rules().lease);
    (0..3).for_each(|at| several.hold(at));
    several.settle();
    assert_eq!(home(&several), None, "the client was silent for a whole lease");
}
