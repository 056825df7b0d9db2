//! A model of a store, ports and clients around a core; each part fails on demand.

use bandwise_controller::core::{
    Answer, Change, ClientId, Clustering, Core, DiscoveredPort, Group, Input, NumberedRequest,
    OrderId, OrderOutcome, Output, Owner, Profiles, Refusal, Request, Route, Rules, Snapshot,
    State, Task, Ticket,
};
use bandwise_input::Source;
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortConfig, PortId, Settings};
use bandwise_saba::table::read;
use bandwise_units::lowest_terms;
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU8, NonZeroU16};
use std::time::Duration;

/// Three applications: one that only sends, one that sends half of the time, one that hardly sends.
pub(crate) const TABLE: &str = "application,share,time_s,nodes,dataset
all,1,100,8,10 GB
all,0.5,200
all,0.25,400
half,1,100,8,10 GB
half,0.5,150
half,0.25,250
little,1,100,8,10 GB
little,0.5,110
little,0.25,130
";
pub(crate) const NAMES: [&str; 4] = ["all", "half", "little", "unknown"];
pub(crate) const PORTS: u64 = 4;

pub(crate) fn profiles() -> Profiles {
    let levels = NonZeroU16::new(16).unwrap();
    Profiles::new(
        read::csv(&Source::new("table.csv", TABLE)).unwrap(),
        Clustering { levels, seed: 1 },
    )
}

/// Hosts are h0 to h3. The path to a host passes the port with its number, and from all but the last host also the next
/// one. `moved` shifts the ports.
pub(crate) fn path(from: &str, to: &str, moved: u64) -> Result<Vec<PortId>, String> {
    let number = |host: &str| host.strip_prefix('h')?.parse().ok().filter(|&n: &u64| n < PORTS);
    match (number(from), number(to)) {
        (Some(from), Some(to)) if from % 2 == 0 => {
            Ok([to, to + 1].map(|port| PortId((port + moved) % PORTS)).into())
        }
        (Some(_), Some(to)) => Ok(vec![PortId((to + moved) % PORTS)]),
        _ => Err(format!("there is no host {from:?} or {to:?}")),
    }
}

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Returns a core that was resumed from a snapshot of another one.
pub(crate) fn resumed(core: &Core, rules: Rules) -> Core {
    let written = serde_json::to_string(&core.snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&written).unwrap();
    let again = Core::resumed(rules, Settings::default(), profiles(), snapshot).unwrap();
    assert_eq!(again.snapshot(), core.snapshot());
    again
}

/// The parts that outlive a crash, and the outstanding work.
pub(crate) struct World {
    pub rules: Rules,
    pub core: Core,
    pub now: Duration,
    pub stored: State,
    /// The write in progress.
    pub write: Option<(u64, Vec<Change>)>,
    /// Outstanding orders, and the time at which each was given.
    pub orders: BTreeMap<OrderId, (PortId, Task)>,
    /// True if a discovery is running.
    pub discovery: bool,
    /// The number of ports by which links have moved.
    pub moved: u64,
    /// The pairs of hosts with requests since the last discovery.
    asked: BTreeSet<(Box<str>, Box<str>)>,
    /// Ports that are missing.
    pub gone: BTreeSet<u64>,
    /// The configurations of ports.
    pub ports: BTreeMap<PortId, PortConfig>,
    pub ended: BTreeMap<PortId, Duration>,
    pub answers: BTreeMap<Ticket, Result<Answer, Refusal>>,
    /// The owners of clients, of all but the default one.
    owners: BTreeMap<ClientId, Owner>,
    pub outputs: Vec<Output>,
    pub inputs: Vec<(Duration, Input)>,
    /// The core before its inputs.
    pub begun: Core,
    next: u64,
}

impl World {
    pub(crate) fn new(rules: Rules) -> World {
        let core = Core::new(rules, Settings::default(), profiles(), State::default(), ms(0));
        let core = core.unwrap();
        let mut world = World {
            rules,
            begun: core.clone(),
            core,
            now: ms(0),
            stored: State::default(),
            write: None,
            orders: BTreeMap::new(),
            discovery: false,
            moved: 0,
            asked: BTreeSet::new(),
            gone: BTreeSet::new(),
            ports: (0..PORTS).map(|port| (PortId(port), PortConfig::default())).collect(),
            ended: BTreeMap::new(),
            answers: BTreeMap::new(),
            owners: BTreeMap::new(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            next: 0,
        };
        world.find();
        world
    }

    /// Discovers the network.
    pub(crate) fn find(&mut self) {
        self.discovery = false;
        let queues = NonZeroU8::new(2).unwrap();
        let seen = |port| {
            let (name, group) = (format!("p{port}"), Group::default());
            DiscoveredPort { port: PortId(port), name, queues, group }
        };
        let ports = (0..PORTS).filter(|port| !self.gone.contains(port)).map(seen).collect();
        let ends = self.core.state().connections().map(|(_, of)| (of.from.clone(), of.to.clone()));
        let mut ends: BTreeSet<_> = ends.collect();
        ends.append(&mut self.asked);
        let way = |(from, to): (Box<str>, Box<str>)| {
            let path = path(&from, &to, self.moved).unwrap().into();
            Route { from, to, path }
        };
        let routes = ends.into_iter().map(way).collect();
        self.hear(Input::Discovered { ports, routes });
    }

    pub(crate) fn ticket(&mut self) -> Ticket {
        self.next += 1;
        Ticket(self.next)
    }

    /// Passes an input to the core and handles the outputs.
    pub(crate) fn hear(&mut self, input: Input) {
        self.inputs.push((self.now, input.clone()));
        self.core.handle(self.now, input);
        while let Some(output) = self.core.poll() {
            self.outputs.push(output.clone());
            match output {
                Output::Store { write, changes, .. } => {
                    assert!(self.write.is_none(), "one write at a time");
                    self.write = Some((write, changes));
                }
                Output::Answer { ticket, answer } => {
                    assert!(self.answers.insert(ticket, answer).is_none(), "answered twice");
                }
                Output::Order { order, port, task, .. } => {
                    let busy = self.orders.values().any(|of| of.0 == port);
                    assert!(!busy, "two orders to a port");
                    let rested = self
                        .ended
                        .get(&port)
                        .is_none_or(|at| *at + self.rules.order_gap <= self.now);
                    assert!(rested, "{port:?} had no rest");
                    self.orders.insert(order, (port, task));
                }
                Output::Discover => {
                    assert!(!self.discovery, "one survey at a time");
                    self.discovery = true;
                }
                _ => {}
            }
        }
    }

    /// The write in progress ends.
    pub(crate) fn store(&mut self, is_well: bool) {
        let Some((write, changes)) = self.write.take() else { return };
        if is_well {
            self.keep(changes);
        }
        let error = (!is_well).then(|| "the disk is full".to_owned());
        self.hear(Input::Stored { write, error, revision: 0 });
    }

    fn keep(&mut self, changes: Vec<Change>) {
        // A store keeps the last change of each record, by key.
        let records: Vec<Change> = self.stored.records().chain(changes).collect();
        self.stored = State::of(records);
    }

    /// A port carries out an order, or fails.
    pub(crate) fn carry_out(&mut self, order: OrderId, is_well: bool) {
        let Some((port, task)) = self.orders.remove(&order) else { return };
        let outcome = match is_well {
            true => self.done(port, &task),
            false => OrderOutcome::Failed { error: "no".into() },
        };
        self.ended.insert(port, self.now);
        self.hear(Input::OrderEnded { order, outcome });
    }

    fn done(&mut self, port: PortId, task: &Task) -> OrderOutcome {
        if self.gone.contains(&port.0) {
            return OrderOutcome::Failed { error: "it is gone".into() };
        }
        let stands = self.ports.get_mut(&port).unwrap();
        let wanted = match task {
            Task::Check(config) if *stands == lowest(config) => return OrderOutcome::Unchanged,
            Task::Check(_) => return OrderOutcome::Differs { found: stands.clone() },
            Task::Read => stands.clone(),
            Task::AsFound => PortConfig::default(),
            Task::Share(config) => lowest(config),
        };
        let is_written = *stands != wanted;
        *stands = wanted.clone();
        OrderOutcome::Done { is_written, config: wanted }
    }

    /// Crashes and restarts the core. Outstanding work may or may not have been done.
    pub(crate) fn crash(&mut self, is_stored: bool, are_done: bool) {
        if let Some((_, changes)) = self.write.take().filter(|_| is_stored) {
            self.keep(changes);
        }
        self.discovery = false;
        for (_, (port, task)) in std::mem::take(&mut self.orders) {
            if are_done {
                self.done(port, &task);
            }
        }
        self.ended.clear();
        self.inputs.clear();
        self.outputs.clear();
        let (rules, settings) = (self.rules, Settings::default());
        self.core = Core::new(rules, settings, profiles(), self.stored.clone(), self.now).unwrap();
        self.begun = self.core.clone();
        self.find();
    }

    /// Lets time pass and wakes the core when it asks for it.
    pub(crate) fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(wake) = self.core.wake().filter(|wake| *wake < until) {
            self.now = self.now.max(wake);
            self.hear(Input::Tick);
        }
        self.now = until;
        self.hear(Input::Tick);
    }

    /// Completes all outstanding work without failures.
    pub(crate) fn settle(&mut self) {
        for _ in 0..1000 {
            self.store(true);
            while let Some((&order, _)) = self.orders.first_key_value() {
                self.carry_out(order, true);
            }
            if self.discovery {
                self.find();
            }
            if self.core.is_settled() && self.write.is_none() && self.orders.is_empty() {
                return;
            }
            let wake = self.core.wake().unwrap_or(self.now);
            self.now = self.now.max(wake);
            self.hear(Input::Tick);
        }
        panic!("it never settles");
    }

    pub(crate) fn ask(&mut self, request: NumberedRequest) -> Ticket {
        let ticket = self.ticket();
        let path = match &request.request {
            Request::Connect { from, to, .. } => {
                let path = path(from, to, self.moved);
                if path.is_ok() {
                    self.asked.insert((from.as_str().into(), to.as_str().into()));
                }
                path
            }
            _ => Ok(Vec::new()),
        };
        let owner = self.owners.get(&request.client).cloned().unwrap_or_default();
        self.hear(Input::Request { ticket, owner, request, path });
        ticket
    }

    /// Sends a request and returns the answer, without failures.
    pub(crate) fn answer_to(
        &mut self,
        client: ClientId,
        number: u64,
        request: Request,
    ) -> Result<Answer, Refusal> {
        let ticket = self.ask(NumberedRequest { client, number, acknowledged_below: 0, request });
        self.store(true);
        self.answers.remove(&ticket).unwrap()
    }

    pub(crate) fn hello(&mut self) -> ClientId {
        self.hello_of(Owner::default()).unwrap()
    }

    /// Returns a client of this owner.
    pub(crate) fn hello_of(&mut self, owner: Owner) -> Result<ClientId, Refusal> {
        let ticket = self.ticket();
        self.hear(Input::Hello { ticket, owner: owner.clone() });
        self.store(true);
        match self.answers.remove(&ticket).unwrap()? {
            Answer::Welcome { client, .. } => {
                self.owners.insert(client, owner);
                Ok(client)
            }
            other => panic!("{other:?}"),
        }
    }

    /// Returns the weights at a port.
    pub(crate) fn weights(&self, port: u64) -> Vec<u8> {
        self.ports[&PortId(port)].weights.clone()
    }
}

pub(crate) fn lowest(config: &PortConfig) -> PortConfig {
    let weights: Vec<u32> = config.weights.iter().map(|&weight| weight.into()).collect();
    let weights = lowest_terms(&weights).into_iter().map(|weight| weight as u8).collect();
    PortConfig { table: config.table.clone(), weights }
}

pub(crate) fn register(name: &str) -> Request {
    Request::Register { name: name.into(), nodes: None, dataset: None, job: None }
}

pub(crate) fn register_part(name: &str, job: &str) -> Request {
    Request::Register { name: name.into(), nodes: None, dataset: None, job: Some(job.into()) }
}

pub(crate) fn connect(application: ApplicationId, from: &str, to: &str) -> Request {
    Request::Connect { application, from: from.into(), to: to.into() }
}

pub(crate) fn application(answer: &Result<Answer, Refusal>) -> ApplicationId {
    match answer {
        Ok(Answer::Registered { application, .. }) => *application,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn connection(answer: &Result<Answer, Refusal>) -> ConnectionId {
    match answer {
        Ok(Answer::Connected { connection, .. }) => *connection,
        other => panic!("{other:?}"),
    }
}
