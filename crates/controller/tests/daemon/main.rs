//! The process around the core, with switches that do as they are told, or hang.

use bandwise_controller::core::{Answer, Asked, ClientId, Core, Profiles, Request, Rules};
use bandwise_controller::daemon::{
    Audit, Beginning, Desk, Handle, Metrics, Parts, Recording, Replay, Said,
};
use bandwise_controller::store::{Embedded, Store};
use bandwise_enforce::simulated::Simulated;
use bandwise_enforce::{Applied, Fault, Left, Plan, Port, Switches, Wanted};
use bandwise_input::Source;
use bandwise_saba::controller::{ApplicationId, PortConfig, PortId, Settings};
use bandwise_saba::table::read;
use bandwise_topology::{self as topology, Fabric, FabricBuilder};
use std::io::BufReader;
use std::num::{NonZeroU8, NonZeroU16};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

const TABLE: &str = "application,share,time_s\nall,1,100\nall,0.5,200\nall,0.25,400\n";

/// A network in memory, where what is written passes the gate: the writer waits until it is told how it goes.
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
            let (port, said) = (plan.to_string(), "no".into());
            return Err(Fault::Refused { port, said, left: Left::AsBefore });
        }
        self.network.apply(plan)
    }

    fn read_back(&mut self, port: PortId) -> Result<PortConfig, Fault> {
        self.network.read_back(port)
    }
}

/// Two hosts at two switches, with a cable between those from port 1, 2 or 3 of the first.
fn fabric(by: u8) -> Fabric {
    let mut fabric = FabricBuilder::new();
    let hosts = ["h0", "h1"].map(|name| fabric.add_host(name, 1).unwrap());
    let switches = ["s0", "s1"].map(|name| fabric.add_switch(name, 4).unwrap());
    let (rate, delay) = ("100 Gbps".parse().unwrap(), "10 ns".parse().unwrap());
    let port = |node, number| topology::Port { node, number };
    for (host, switch) in hosts.into_iter().zip(switches) {
        fabric.connect(port(host, 1), port(switch, 4), rate, delay).unwrap();
    }
    fabric.connect(port(switches[0], by), port(switches[1], 1), rate, delay).unwrap();
    fabric.build().unwrap()
}

fn network() -> Simulated {
    Simulated::new(fabric(1), NonZeroU8::new(2).unwrap())
}

/// Weights at a port.
fn weights(network: &Simulated, port: &str) -> Vec<u8> {
    let id = network.named(port).unwrap();
    network.clone().read_back(id).unwrap().weights
}

/// On the way from the first host to the second, and back.
const THERE: [&str; 3] = ["h0:1", "s0:1", "s1:4"];
const BACK: [&str; 3] = ["h1:1", "s1:1", "s0:4"];

struct Daemon {
    handle: Handle,
    thread: JoinHandle<()>,
    runtime: tokio::runtime::Runtime,
    metrics: Metrics,
    numbers: u64,
}

impl Daemon {
    fn start(folder: &Path, network: &Simulated, gate: Option<Receiver<bool>>) -> Daemon {
        // What fails is tried again at once, as nothing here waits.
        let rules = Rules { retry: Duration::ZERO, apart: Duration::ZERO, ..Rules::default() };
        Daemon::start_with(rules, folder, network, gate)
    }

    fn start_with(
        rules: Rules,
        folder: &Path,
        network: &Simulated,
        gate: Option<Receiver<bool>>,
    ) -> Daemon {
        let mut store = Embedded::open(&folder.join("store")).unwrap();
        let (stored, levels) = (store.load().unwrap(), NonZeroU16::new(16).unwrap());
        let beginning = Beginning::new(rules, (levels, 1), TABLE.into(), &stored);
        let profiles = Profiles::new(read::csv(&Source::new("t", TABLE)).unwrap(), levels, 1);
        let core = Core::new(rules, Settings::default(), profiles, stored, Duration::ZERO);
        let gated = |gate| Gated { network: network.clone(), gate };
        let metrics = Metrics::new();
        let parts = Parts {
            core: core.unwrap(),
            store: Box::new(store),
            switches: gated(gate),
            paths: gated(None),
            scout: gated(None),
            recording: Some(Recording::begin(&folder.join("recording"), &beginning).unwrap()),
            audit: Some(Audit::open(&folder.join("audit")).unwrap()),
            metrics: metrics.clone(),
        };
        let (handle, thread) = Desk::start(parts).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Daemon { handle, thread, runtime, metrics, numbers: 0 }
    }

    fn say(&self, said: Said) -> Answer {
        self.runtime.block_on(self.handle.say(said)).unwrap()
    }

    fn hello(&self) -> ClientId {
        let Answer::Welcome { client, .. } = self.say(Said::Hello) else { panic!() };
        client
    }

    fn ask(&mut self, client: ClientId, request: Request) -> Answer {
        self.numbers += 1;
        self.say(Said::Ask(Asked { client, number: self.numbers, heard_below: 0, request }))
    }

    fn register_and_connect(&mut self, client: ClientId, to: &str) -> ApplicationId {
        let register = Request::Register { name: "all".into(), nodes: None, dataset: None };
        let Answer::Registered { application, .. } = self.ask(client, register) else { panic!() };
        let from = if to == "h0" { "h1" } else { "h0" };
        let (from, to) = (from.into(), to.into());
        self.ask(client, Request::Connect { application, from, to });
        application
    }

    /// Looks until it is so.
    fn until(&self, is_so: impl Fn(&Core) -> bool + Clone + Send + 'static) {
        while !self
            .runtime
            .block_on(self.handle.look({
                let is_so = is_so.clone();
                move |core, _| is_so(core)
            }))
            .unwrap()
        {
            std::thread::yield_now();
        }
    }

    fn stop(self) {
        self.handle.stop();
        self.thread.join().unwrap();
    }
}

#[test]
fn a_port_that_hangs_holds_up_nobody_who_asks_and_one_that_refuses_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (network, (gate, passes)): (_, (Sender<bool>, _)) = (network(), channel());
    let mut daemon = Daemon::start(folder.path(), &network, Some(passes));
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    // The writer waits at the gate; others are answered.
    let other = daemon.hello();
    let application = daemon.register_and_connect(other, "h0");
    assert!(THERE.iter().chain(&BACK).all(|port| weights(&network, port).is_empty()));
    gate.send(false).unwrap();
    daemon.until(|core| core.ports().any(|of| of.1.failures > 0));
    drop(gate);
    daemon.until(Core::is_settled);
    assert!(THERE.iter().chain(&BACK).all(|port| weights(&network, port) == [1]));
    daemon.ask(other, Request::Deregister { application });
    daemon.until(Core::is_settled);
    assert!(BACK.iter().all(|port| weights(&network, port).is_empty()));
    daemon.stop();
    let recording = std::fs::File::open(folder.path().join("recording")).unwrap();
    let replayed = Replay::run(BufReader::new(recording), |_, _, _| ()).unwrap();
    assert_eq!((replayed.starts, replayed.differs, replayed.cut), (1, None, 0));
    let audit = std::fs::read_to_string(folder.path().join("audit")).unwrap();
    let lines: Vec<serde_json::Value> =
        audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |what: &str| lines.iter().filter(|line| line["what"] == what).count();
    assert_eq!((of("written"), of("failed")), (9, 1), "{audit}");
    assert_eq!(of("ordered"), 10);
}

#[test]
fn started_again_it_has_what_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let mut daemon = Daemon::start(folder.path(), &network, None);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    daemon.stop();
    // As a switch that came back empty meanwhile.
    let port = network.named(THERE[1]).unwrap();
    network.overwrite(port, PortConfig::default());
    // The thread that stores lets go of the file when it hears that nobody writes any more.
    while Embedded::open(&folder.path().join("store")).is_err() {
        std::thread::yield_now();
    }
    let mut daemon = Daemon::start(folder.path(), &network, None);
    daemon.until(Core::is_settled);
    assert_eq!(weights(&network, THERE[1]), [1]);
    daemon.numbers = 10;
    daemon.register_and_connect(client, "h0");
    daemon.stop();
}

/// A recording that was changed is told by its line; one that was cut is heard as far as it goes.
#[test]
fn a_recording_that_says_something_else_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut daemon = Daemon::start(folder.path(), &network(), None);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    daemon.until(Core::is_settled);
    daemon.stop();
    let text = std::fs::read_to_string(folder.path().join("recording")).unwrap();
    let replay = |text: &str| Replay::run(text.as_bytes(), |_, _, _| ());
    assert_eq!(replay(&text).unwrap().differs, None);
    let changed = text.replacen("\"to\":\"h1\"},\"path\"", "\"to\":\"hx\"},\"path\"", 1);
    let changed =
        if changed == text { text.replacen("\"to\":\"h1\"", "\"to\":\"hx\"", 1) } else { changed };
    assert!(replay(&changed).unwrap().differs.is_some());
    let cut = &text[..text.len() - 5];
    let twice = format!("{cut}\n{text}");
    for (text, starts) in [(cut, 1), (&*twice, 2)] {
        let replayed = replay(text).unwrap();
        assert_eq!((replayed.starts, replayed.cut, replayed.differs), (starts, 1, None));
    }
    let broken = text.replacen("{\"at_ns\"", "{\"at", 1);
    assert!(replay(&broken).unwrap_err().to_string().starts_with("line 2"));
    let lines: Vec<&str> = text.lines().collect();
    let headless = lines[1..].join("\n") + "\n";
    assert!(replay(&headless).unwrap_err().to_string().starts_with("line 1"));
    assert!(replay("{}\n{}\n").is_err());
}

/// Ports are looked at, and the network is looked over, as often as it can be.
fn restless() -> Rules {
    let often = Duration::from_millis(1);
    Rules {
        retry: often,
        longest_retry: often,
        apart: Duration::ZERO,
        look: often,
        discover: often,
        ..Rules::default()
    }
}

#[test]
fn what_somebody_else_writes_is_seen_counted_and_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let mut daemon = Daemon::start_with(restless(), folder.path(), &network, None);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    daemon.until(Core::is_settled);
    let port = network.named(THERE[1]).unwrap();
    network.overwrite(port, PortConfig::default());
    while weights(&network, THERE[1]) != [1] {
        std::thread::yield_now();
    }
    daemon.until(Core::is_settled);
    let metrics = daemon.metrics.clone();
    let text = daemon.runtime.block_on(daemon.handle.look(move |core, _| metrics.text(core)));
    let text = text.unwrap();
    assert!(text.contains("bandwise_controller_ports_overwritten_total 1\n"), "{text}");
    daemon.stop();
    let audit = std::fs::read_to_string(folder.path().join("audit")).unwrap();
    let line = |what: &str| audit.lines().rfind(|line| line.contains(what)).unwrap().to_owned();
    let seen: serde_json::Value = serde_json::from_str(&line("\"what\":\"overwritten\"")).unwrap();
    assert_eq!((&seen["name"], &seen["before"]["weights"][0]), (&"s0:1".into(), &1.into()));
    assert_eq!(seen["after"]["weights"], serde_json::json!([]));
    let back: serde_json::Value = serde_json::from_str(&line("\"what\":\"written\"")).unwrap();
    assert_eq!(
        (&back["why"]["cause"], &back["after"]["weights"][0]),
        (&"overwritten".into(), &1.into())
    );
}

#[test]
fn connections_follow_when_a_cable_moves_and_a_port_that_refuses_is_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let mut daemon = Daemon::start_with(restless(), folder.path(), &network, None);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h1");
    daemon.until(Core::is_settled);
    // As it is called when it is there.
    let refusing = Simulated::new(fabric(2), NonZeroU8::MIN).named("s0:2").unwrap();
    network.refuse(refusing, true);
    network.rewire(fabric(2));
    daemon.until(|core| core.ports().any(|of| of.1.name == "s0:2" && of.1.failures > 1));
    assert!(weights(&network, "s0:2").is_empty());
    network.refuse(refusing, false);
    daemon.until(move |core| core.is_settled() && core.port(refusing).unwrap().read.is_some());
    assert_eq!(weights(&network, "s0:2"), [1]);
    assert_eq!(network.named(THERE[1]), None);
    daemon.stop();
}
