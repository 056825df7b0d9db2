//! [`Process`]: a running controller: the real core and the real session, and the work in its threads.

use super::super::world::{PORTS, profiles, resumed};
use super::etcd::keys;
use super::event::{Inside, Thread};
use bandwise_controller::cluster::content::Loaded;
use bandwise_controller::cluster::session::{CallId, Parameters, Session};
use bandwise_controller::core::{
    Core, DiscoveredPort, Group, Input, OrderId, Output, Profiles, Rules, State, Task, Ticket,
};
use bandwise_saba::controller::{PortId, Settings};
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use std::time::Duration;

pub(super) const NAMES: [&str; 3] = ["a", "b", "c"];
pub(super) const MEMBERS: usize = 2;

/// The lease of a controller in etcd.
pub(super) const LEASE: Duration = Duration::from_secs(3);

/// Rules with small writes, so that large changes take several, and short times.
pub(super) fn rules() -> Rules {
    Rules {
        max_changes: Some(24),
        lease: Duration::from_secs(6),
        check_interval: Duration::from_secs(1),
        discovery_interval: Duration::from_secs(5),
        max_retry: Duration::from_secs(1),
        ..Rules::default()
    }
}

pub(super) fn group_of(port: u64) -> Group {
    NAMES[port as usize % NAMES.len()].into()
}

pub(super) fn discovered(group: impl Fn(u64) -> Group) -> Input {
    let queues = NonZeroU8::new(2).unwrap();
    let seen = |port| DiscoveredPort {
        port: PortId(port),
        name: format!("p{port}"),
        queues,
        group: group(port),
    };
    Input::Discovered { ports: (0..PORTS).map(seen).collect(), routes: Vec::new() }
}

/// The profiles, which take long to make.
pub(super) struct Table(Profiles);

impl Table {
    pub(super) fn new() -> Self {
        Table(profiles())
    }

    /// Returns a core that starts from a state.
    pub(super) fn core(&self, state: State) -> Core {
        Core::new(rules(), Settings::default(), self.0.clone(), state, Duration::ZERO).unwrap()
    }
}

/// A controller's process.
pub(super) struct Process {
    pub(super) core: Core,
    /// A core that was resumed from a snapshot and must have the same outputs.
    shadow: Option<Core>,
    pub(super) session: Session,
    /// The number of the start, of all controllers.
    pub(super) run: u64,
    /// The time that the process's clock is behind.
    pub(super) behind: Duration,
    /// The start of a pause, and true if the clock stands still meanwhile.
    pub(super) paused: Option<(Duration, bool)>,
    /// What would have happened during the pause.
    pub(super) backlog: Vec<Inside>,
    /// The threads that do not run yet after a pause, and what waits for them.
    pub(super) asleep: BTreeMap<Thread, Vec<Inside>>,
    /// The number of the link in use, and its etcd.
    pub(super) link: u64,
    pub(super) member: usize,
    /// The watch of the link, and the next revision that it reports.
    pub(super) watch: Option<(CallId, i64)>,
    /// The arrival of the last update of the watch.
    pub(super) last_update: Duration,
    /// The arrival of the last message between event loop and session, each way.
    pub(super) last: [Duration; 2],
    pub(super) wake_core: Option<Duration>,
    pub(super) wake_session: Option<Duration>,
    /// Orders that wait for the writer: checks come last.
    pub(super) orders: BTreeMap<(bool, OrderId), (PortId, Task)>,
    pub(super) is_writing: bool,
    /// The client and its attempt, by ticket.
    pub(super) tickets: BTreeMap<Ticket, (usize, u64)>,
    pub(super) last_ticket: u64,
    /// True if the process ends in order.
    pub(super) is_ending: bool,
}

impl Process {
    /// Starts a controller from the content of etcd.
    pub(super) fn start(now: Duration, table: &Table, at: usize, run: u64, loaded: Loaded) -> Self {
        let own = Group::from(NAMES[at]);
        let core = table.core(State::of(loaded.records.iter().cloned()));
        let core = core.shared(own.clone(), loaded.head);
        let parameters = Parameters {
            own,
            run,
            groups: NAMES.map(Group::from).into(),
            rules: "all".into(),
            keys: keys(),
            lease: LEASE,
            endpoints: MEMBERS,
        };
        Process {
            core,
            shadow: None,
            session: Session::new(parameters, loaded),
            run,
            behind: now,
            paused: None,
            backlog: Vec::new(),
            asleep: BTreeMap::new(),
            link: 0,
            member: 0,
            watch: None,
            last_update: Duration::ZERO,
            last: [Duration::ZERO; 2],
            wake_core: None,
            wake_session: None,
            orders: BTreeMap::new(),
            is_writing: false,
            tickets: BTreeMap::new(),
            last_ticket: 0,
            is_ending: false,
        }
    }

    /// Passes an input to the core. Returns the outputs.
    pub(super) fn core(&mut self, now: Duration, input: Input) -> Vec<Output> {
        let now = now - self.behind;
        let copy = self.shadow.as_ref().map(|_| input.clone());
        self.core.handle(now, input);
        let outputs: Vec<Output> = std::iter::from_fn(|| self.core.poll()).collect();
        if let (Some(shadow), Some(input)) = (&mut self.shadow, copy) {
            shadow.handle(now, input);
            let others: Vec<Output> = std::iter::from_fn(|| shadow.poll()).collect();
            assert_eq!(others, outputs, "a resumed core differs");
        }
        outputs
    }

    /// Returns whether an order may begin now.
    pub(super) fn may_write(&self, now: Duration) -> bool {
        !self.is_ending && self.core.writes_until() > now - self.behind
    }

    /// Compares the core with one that is resumed from a snapshot, from now on.
    pub(super) fn shadow(&mut self) {
        self.shadow = Some(resumed(&self.core, rules()));
    }

    pub(super) fn ticket(&mut self) -> Ticket {
        self.last_ticket += 1;
        Ticket(self.last_ticket)
    }
}
