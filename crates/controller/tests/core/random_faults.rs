//! Random losses, copies, refusals and crashes: in the end ports are configured as without them.

use super::world::{NAMES, PORTS, World, connect, ms, register, register_part, resumed};
use bandwise_controller::core::{
    Answer, ClientId, Core, Input, NumberedRequest, Output, Owner, Refusal, Request, Rules, State,
    Ticket,
};
use bandwise_saba::controller::{ApplicationId, ConnectionId, PortConfig, PortId, Settings};
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeMap;

/// A client's request, about its own applications and connections, counted from the first.
#[derive(Debug, Clone)]
enum Step {
    /// A registration as part of a job, or alone.
    Register(usize, Option<u8>),
    Connect(usize, u64, u64),
    Close(usize),
    Deregister(usize),
}

/// An event of the test.
#[derive(Debug, Clone)]
enum Happens {
    /// A client sends its unanswered request, again if it was sent before.
    Sends(Index),
    /// An earlier request arrives once more.
    Copy(Index),
    Store(bool),
    Port(Index, bool),
    Time(u64),
    /// The answers that are on their way are lost.
    Lost,
    Crash(bool, bool),
    /// Links move; the next discovery sees it.
    Rewired(u64),
    /// A port appears or disappears.
    PortThere(u64, bool),
    /// Someone else writes to a port.
    Overwritten(u64),
    /// A running discovery ends.
    Discovered,
}

struct Client {
    id: Option<ClientId>,
    steps: Vec<Step>,
    /// The index of the next step; also its number.
    at: usize,
    /// The number of received answers that the client does not acknowledge.
    lag: u64,
    ticket: Option<Ticket>,
    applications: Vec<ApplicationId>,
    connections: Vec<ConnectionId>,
    /// The answers so far, without ids.
    answers: Vec<String>,
}

impl Client {
    fn request(&self) -> Option<Request> {
        let unknown = ApplicationId(u64::MAX);
        let application = |at: &usize| self.applications.get(*at).copied().unwrap_or(unknown);
        let request = match self.steps.get(self.at)? {
            Step::Register(name, None) => register(NAMES[*name]),
            Step::Register(name, Some(job)) => register_part(NAMES[*name], &job.to_string()),
            Step::Connect(of, from, to) => {
                connect(application(of), &format!("h{from}"), &format!("h{to}"))
            }
            Step::Close(at) => {
                let connection = self.connections.get(*at).copied();
                Request::Close { connection: connection.unwrap_or(ConnectionId(u64::MAX)) }
            }
            Step::Deregister(of) => Request::Deregister { application: application(of) },
        };
        Some(request)
    }

    fn sends(&mut self, world: &mut World, sent: &mut Vec<Input>) {
        let (ticket, input) = match self.id {
            None => {
                let ticket = world.ticket();
                (ticket, Input::Hello { ticket, owner: Owner::default() })
            }
            Some(client) => {
                let Some(request) = self.request() else { return };
                let number = self.at as u64;
                let acknowledged_below = number.saturating_sub(self.lag);
                let ticket =
                    world.ask(NumberedRequest { client, number, acknowledged_below, request });
                let input = world.inputs.last().cloned().unwrap().1;
                sent.push(input);
                self.ticket = Some(ticket);
                return;
            }
        };
        self.ticket = Some(ticket);
        world.hear(input);
    }

    /// Takes the client's answer, if there is one.
    fn receive(&mut self, world: &mut World) {
        let Some(answer) = self.ticket.and_then(|ticket| world.answers.remove(&ticket)) else {
            return;
        };
        self.ticket = None;
        match answer {
            Err(Refusal::NotStored(_)) => return,
            Ok(Answer::Welcome { client, .. }) => return self.id = Some(client),
            Ok(Answer::Registered { application, level, .. }) => {
                self.applications.push(application);
                self.answers.push(format!("{level:?}"));
            }
            Ok(Answer::Connected { connection, level }) => {
                self.connections.push(connection);
                self.answers.push(format!("{level:?}"));
            }
            Ok(Answer::Done) => self.answers.push("done".into()),
            Err(Refusal::UnknownApplication(_)) => self.answers.push("unknown".into()),
            Err(Refusal::NoPath(_)) => self.answers.push("no path".into()),
            Err(Refusal::NoSuchApplication(_) | Refusal::NoSuchConnection(_)) => {
                self.answers.push("not there".into());
            }
            Err(other) => panic!("{other}"),
        }
        self.at += 1;
    }
}

fn clients(steps: &[(Vec<Step>, u64)]) -> Vec<Client> {
    let client = |(steps, lag): &(Vec<Step>, u64)| Client {
        id: None,
        steps: steps.clone(),
        at: 0,
        lag: *lag,
        ticket: None,
        applications: Vec::new(),
        connections: Vec::new(),
        answers: Vec::new(),
    };
    steps.iter().map(client).collect()
}

/// Returns rules under which no lease ends.
fn patient() -> Rules {
    Rules { lease: ms(1_000_000_000), ..Rules::default() }
}

/// Completes the steps of all clients without further failures.
fn finish(world: &mut World, clients: &mut [Client]) {
    (world.moved, world.gone) = (0, Default::default());
    let has_waiting = world.write.is_some();
    world.find();
    for client in clients.iter_mut() {
        while client.id.is_none() || client.at < client.steps.len() {
            client.sends(world, &mut Vec::new());
            // Waiting requests may begin another write.
            while world.write.is_some() {
                world.store(true);
            }
            client.receive(world);
        }
    }
    if has_waiting {
        // A request that waits through a whole discovery keeps its former path until the next one.
        world.find();
        while world.write.is_some() {
            world.store(true);
        }
    }
    world.settle();
    // Checks find overwritten ports.
    world.now += world.rules.check_interval;
    world.hear(Input::Tick);
    world.settle();
}

type Seen = (BTreeMap<PortId, PortConfig>, Vec<Vec<String>>);

fn seen(world: &World, clients: &[Client]) -> Seen {
    (world.ports.clone(), clients.iter().map(|client| client.answers.clone()).collect())
}

fn undisturbed(steps: &[(Vec<Step>, u64)]) -> Seen {
    let (mut world, mut clients) = (World::new(patient()), clients(steps));
    finish(&mut world, &mut clients);
    seen(&world, &clients)
}

fn disturbed(steps: &[(Vec<Step>, u64)], happens: &[Happens]) -> (World, Vec<Client>) {
    let (mut world, mut clients, mut sent) = (World::new(patient()), clients(steps), Vec::new());
    for what in happens {
        match what {
            Happens::Sends(of) => of.get_mut(&mut clients).sends(&mut world, &mut sent),
            Happens::Copy(_) if sent.is_empty() => {}
            Happens::Copy(of) => {
                let mut copy = of.get(&sent).clone();
                let Input::Request { ticket, .. } = &mut copy else { unreachable!() };
                *ticket = world.ticket();
                world.hear(copy);
            }
            Happens::Store(is_well) => world.store(*is_well),
            Happens::Port(of, is_well) => {
                let orders: Vec<_> = world.orders.keys().copied().collect();
                if !orders.is_empty() {
                    world.carry_out(*of.get(&orders), *is_well);
                }
            }
            Happens::Time(ms) => {
                world.now += super::world::ms(*ms);
                world.hear(Input::Tick);
            }
            Happens::Lost => world.answers.clear(),
            Happens::Crash(is_stored, are_done) => {
                world.crash(*is_stored, *are_done);
                world.answers.clear();
            }
            Happens::Rewired(by) => world.moved = *by,
            Happens::PortThere(port, true) => drop(world.gone.remove(port)),
            Happens::PortThere(port, false) => drop(world.gone.insert(*port)),
            Happens::Overwritten(port) => {
                world.ports.insert(PortId(*port), PortConfig::default());
            }
            Happens::Discovered if world.discovery => world.find(),
            Happens::Discovered => {}
        }
        clients.iter_mut().for_each(|client| client.receive(&mut world));
    }
    (world, clients)
}

fn any_steps() -> impl Strategy<Value = Vec<(Vec<Step>, u64)>> {
    let step = prop_oneof![
        3 => (0..NAMES.len(), prop::option::of(0u8..2)).prop_map(|(name, job)| Step::Register(name, job)),
        // The last host does not exist.
        6 => (0usize..3, 0..PORTS, 0..=PORTS).prop_map(|(of, a, b)| Step::Connect(of, a, b)),
        2 => (0usize..4).prop_map(Step::Close),
        1 => (0usize..3).prop_map(Step::Deregister),
    ];
    prop::collection::vec((prop::collection::vec(step, 0..12), 0u64..4), 1..4)
}

fn any_faults() -> impl Strategy<Value = Vec<Happens>> {
    let happens = prop_oneof![
        6 => any::<Index>().prop_map(Happens::Sends),
        2 => any::<Index>().prop_map(Happens::Copy),
        6 => prop::bool::weighted(0.8).prop_map(Happens::Store),
        4 => (any::<Index>(), prop::bool::weighted(0.8)).prop_map(|(of, well)| Happens::Port(of, well)),
        2 => prop_oneof![0u64..40, 1_000u64..40_000].prop_map(Happens::Time),
        1 => Just(Happens::Lost),
        1 => (0..PORTS).prop_map(Happens::Rewired),
        1 => (0..PORTS, any::<bool>()).prop_map(|(port, there)| Happens::PortThere(port, there)),
        1 => (0..PORTS).prop_map(Happens::Overwritten),
        2 => Just(Happens::Discovered),
        1 => any::<(bool, bool)>().prop_map(|(stored, done)| Happens::Crash(stored, done)),
    ];
    prop::collection::vec(happens, 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Each client gets the same answers, and ports have the same configuration, as without failures.
    #[test]
    fn faults_do_not_change_the_final_state(steps in any_steps(), happens in any_faults()) {
        let (mut world, mut clients) = disturbed(&steps, &happens);
        finish(&mut world, &mut clients);
        prop_assert_eq!(seen(&world, &clients), undisturbed(&steps));
        prop_assert_eq!(&State::of(world.stored.records()), &world.stored);
        prop_assert_eq!(world.core.state(), &world.stored);
    }

    /// A core with the recorded inputs of another one has the same outputs.
    #[test]
    fn replayed_inputs_give_equal_outputs(steps in any_steps(), happens in any_faults()) {
        // A recording starts with the stored records, so after the last crash if there is one.
        let calm: Vec<Happens> =
            happens.into_iter().filter(|what| !matches!(what, Happens::Crash(..))).collect();
        let (world, _) = disturbed(&steps, &calm);
        let profiles = super::world::profiles();
        let core = Core::new(patient(), Settings::default(), profiles, State::default(), ms(0));
        let (mut core, mut outputs) = (core.unwrap(), Vec::<Output>::new());
        for (at, input) in &world.inputs {
            let written = serde_json::to_string(input).unwrap();
            let read: Input = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(&read, input);
            core.handle(*at, read);
            outputs.extend(std::iter::from_fn(|| core.poll()));
        }
        for output in &outputs {
            let written = serde_json::to_string(output).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Output>(&written).unwrap(), output);
        }
        prop_assert_eq!(outputs, world.outputs);
    }

    /// A core that resumes from any snapshot has the same outputs from then on.
    #[test]
    fn snapshot_resumes_with_equal_outputs(
        steps in any_steps(), happens in any_faults(), moments in prop::collection::vec(any::<Index>(), 1..4)
    ) {
        let (world, _) = disturbed(&steps, &happens);
        let mut core = world.begun.clone();
        let at: Vec<usize> = moments.iter().map(|of| of.index(world.inputs.len())).collect();
        let mut others = Vec::new();
        for (number, (now, input)) in world.inputs.iter().enumerate() {
            others.extend(at.iter().filter(|at| **at == number).map(|_| resumed(&core, patient())));
            core.handle(*now, input.clone());
            let outputs: Vec<Output> = std::iter::from_fn(|| core.poll()).collect();
            for other in &mut others {
                other.handle(*now, input.clone());
                let others: Vec<Output> = std::iter::from_fn(|| other.poll()).collect();
                prop_assert_eq!(&others, &outputs);
                prop_assert_eq!(other.wake(), core.wake());
            }
        }
        prop_assert!(others.iter().all(|other| other.snapshot() == core.snapshot()));
    }
}
