//! A daemon around a network in memory, which obeys or hangs.

use super::two_hosts::TABLE;
use bandwise_controller::cluster::Groups;
use bandwise_controller::core::{
    Answer, ClientId, Clustering, Core, NumberedRequest, Owner, Profiles, Request, Rules,
};
use bandwise_controller::credentials::Caller;
use bandwise_controller::daemon::{
    Audit, Beginning, Call, EventLoop, Handle, Metrics, Parts, Recording, RotatingFile,
};
use bandwise_controller::store::{Embedded, Store};
use bandwise_enforce_simulated::Simulated;
use bandwise_input::Source;
use bandwise_saba::controller::{ApplicationId, PortConfig, PortId, Settings};
use bandwise_saba::table::read;
use bandwise_switches::{Applied, Fault, Left, Plan, Port, Switches, Wanted};
use bandwise_units::Bytes;
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The table of the two hosts, and `little`, which loses little.
fn table() -> String {
    format!("{TABLE}little,1,100\nlittle,0.5,110\nlittle,0.25,131\n")
}

/// A network in memory whose writer waits at a gate until the test decides the outcome.
struct Gated {
    network: Simulated,
    gate: Option<Receiver<bool>>,
}

impl Switches for Gated {
    type Plan = <Simulated as Switches>::Plan;

    fn discover(&mut self) -> Result<Vec<Port>, Fault> {
        self.network.discover()
    }

    fn path(&mut self, from: &str, to: &str) -> Result<Vec<PortId>, Fault> {
        self.network.path(from, to)
    }

    fn plan(&mut self, port: PortId, wanted: &Wanted) -> Result<Self::Plan, Fault> {
        self.network.plan(port, wanted)
    }

    fn apply(&mut self, plan: &Self::Plan) -> Result<Applied, Fault> {
        if let Some(gate) = self.gate.as_ref().filter(|_| !plan.is_empty())
            && !gate.recv().unwrap_or(true)
        {
            let (port, message) = (plan.to_string(), "no".into());
            return Err(Fault::Refused { port, reason: message, left: Left::AsBefore });
        }
        self.network.apply(plan)
    }

    fn read_back(&mut self, port: PortId) -> Result<PortConfig, Fault> {
        self.network.read_back(port)
    }
}

/// Returns the weights at a port.
pub(crate) fn weights(network: &Simulated, port: &str) -> Vec<u8> {
    let id = network.named(port).unwrap();
    network.clone().read_back(id).unwrap().weights
}

/// The ports on the path from the first host to the second, and back.
pub(crate) const THERE: [&str; 3] = ["h0:1", "s0:1", "s1:4"];
pub(crate) const BACK: [&str; 3] = ["h1:1", "s1:1", "s0:4"];

pub(crate) struct Daemon {
    pub handle: Handle,
    thread: JoinHandle<Vec<String>>,
    pub runtime: tokio::runtime::Runtime,
    pub metrics: Metrics,
    pub numbers: u64,
}

impl Daemon {
    pub(crate) fn start(
        folder: &Path,
        network: &Simulated,
        gate: Option<Receiver<bool>>,
    ) -> Daemon {
        // Failed orders are repeated at once.
        let rules = Rules { retry: Duration::ZERO, order_gap: Duration::ZERO, ..Rules::default() };
        Daemon::start_with(rules, folder, network, gate, false)
    }

    pub(crate) fn start_with(
        rules: Rules,
        folder: &Path,
        network: &Simulated,
        gate: Option<Receiver<bool>>,
        restores: bool,
    ) -> Daemon {
        let room = (Bytes::from_kib(1 << 20), 2);
        Daemon::start_keeping(rules, (folder, room), network, gate, restores)
    }

    /// Starts a daemon whose recording and audit log have this size and number of files.
    pub(crate) fn start_keeping(
        rules: Rules,
        (folder, (size, files)): (&Path, (Bytes, u32)),
        network: &Simulated,
        gate: Option<Receiver<bool>>,
        restores: bool,
    ) -> Daemon {
        let rotating = |name: &str| RotatingFile::new(folder.join(name), size, files);
        let mut store = Embedded::open(&folder.join("store")).unwrap();
        let (stored, levels) = (store.load().unwrap(), NonZeroU16::new(16).unwrap());
        let table = table();
        let clustering = Clustering { levels, seed: 1 };
        let beginning = Beginning::new(rules, clustering, table.clone(), &stored);
        let profiles = Profiles::new(read::csv(&Source::new("t", &table)).unwrap(), clustering);
        let core = Core::new(rules, Settings::default(), profiles, stored, Duration::ZERO);
        let gated = |gate| Gated { network: network.clone(), gate };
        let metrics = Metrics::new();
        let parts = Parts {
            core: core.unwrap(),
            store: Box::new(store),
            groups: Groups::alone(),
            switches: gated(gate),
            paths: gated(None),
            discovery: gated(None),
            recording: Some(Recording::begin(rotating("recording"), beginning).unwrap()),
            audit: Some(Audit::open(rotating("audit")).unwrap()),
            metrics: metrics.clone(),
            restores,
        };
        let (handle, thread) = EventLoop::start(parts).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Daemon { handle, thread, runtime, metrics, numbers: 0 }
    }

    pub(crate) fn say(&self, message: Call) -> Answer {
        self.runtime
            .block_on(self.handle.call(&Caller::local("test".into(), true), message))
            .unwrap()
    }

    pub(crate) fn hello(&self) -> ClientId {
        let Answer::Welcome { client, .. } = self.say(Call::Hello) else { panic!() };
        client
    }

    pub(crate) fn ask(&mut self, client: ClientId, request: Request) -> Answer {
        self.numbers += 1;
        self.say(Call::Request(NumberedRequest {
            client,
            number: self.numbers,
            acknowledged_below: 0,
            request,
        }))
    }

    pub(crate) fn register_and_connect(&mut self, client: ClientId, to: &str) -> ApplicationId {
        self.register_and_connect_as("all", client, to)
    }

    /// Registers an application that depends on `all` or `little` of the bandwidth, with a connection.
    pub(crate) fn register_and_connect_as(
        &mut self,
        name: &str,
        client: ClientId,
        to: &str,
    ) -> ApplicationId {
        let register =
            Request::Register { name: name.into(), nodes: None, dataset: None, job: None };
        let Answer::Registered { application, .. } = self.ask(client, register) else { panic!() };
        let from = if to == "h0" { "h1" } else { "h0" };
        let (from, to) = (from.into(), to.into());
        self.ask(client, Request::Connect { application, from, to });
        application
    }

    /// Polls until the condition holds.
    pub(crate) fn until(&self, is_so: impl Fn(&Core) -> bool + Clone + Send + 'static) {
        let look = || {
            let (is_so, owner) = (is_so.clone(), Owner::default());
            let looked = self.handle.inspect(&owner, move |core, _| is_so(core));
            self.runtime.block_on(looked).unwrap()
        };
        let until = Instant::now() + Duration::from_secs(60);
        while !look() {
            assert!(Instant::now() < until, "the condition does not come true");
            std::thread::yield_now();
        }
    }

    /// Stops the daemon. Returns the ports that are not restored.
    pub(crate) fn stop(self) -> Vec<String> {
        self.handle.stop();
        self.thread.join().unwrap()
    }
}
