//! The process around the core, with switches that do as they are told, or hang.

mod fake;

use bandwise_controller::core::{Answer, Asked, ClientId, Core, Profiles, Request, Rules};
use bandwise_controller::credentials::Caller;
use bandwise_controller::daemon::{
    Audit, Beginning, Desk, Handle, Metrics, Parts, Recording, Replay, Said,
};
use bandwise_controller::store::{Embedded, Store};
use bandwise_input::Source;
use bandwise_saba::controller::{ApplicationId, PortConfig, PortId, Settings};
use bandwise_saba::table::read;
use fake::{Fake, Ports, TABLE, ports};
use std::io::BufReader;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

struct Daemon {
    handle: Handle,
    thread: JoinHandle<()>,
    runtime: tokio::runtime::Runtime,
    numbers: u64,
}

impl Daemon {
    fn start(folder: &Path, ports: &Ports, gate: Option<Receiver<bool>>) -> Daemon {
        let mut store = Embedded::open(&folder.join("store")).unwrap();
        let stored = store.load().unwrap();
        // What fails is tried again at once, as nothing here waits.
        let rules = Rules { retry: Duration::ZERO, apart: Duration::ZERO, ..Rules::default() };
        let beginning = Beginning::new(rules, 1, TABLE.into(), &stored);
        let profiles = Profiles::new(read::csv(&Source::new("t", TABLE)).unwrap(), 1);
        let core = Core::new(rules, Settings::default(), profiles, stored, Duration::ZERO);
        let fake = |gate| Fake { ports: ports.clone(), gate };
        let parts = Parts {
            core: core.unwrap(),
            store: Box::new(store),
            switches: fake(gate),
            paths: fake(None),
            recording: Some(Recording::begin(&folder.join("recording"), &beginning).unwrap()),
            audit: Some(Audit::open(&folder.join("audit")).unwrap()),
            metrics: Metrics::new(),
        };
        let (handle, thread) = Desk::start(parts).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        Daemon { handle, thread, runtime, numbers: 0 }
    }

    fn say(&self, said: Said) -> Answer {
        self.runtime.block_on(self.handle.say(&Caller::local("test", true), said)).unwrap()
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
        let (from, to) = ("h0".into(), to.into());
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
    let (ports, (gate, passes)): (_, (Sender<bool>, _)) = (ports(), channel());
    let mut daemon = Daemon::start(folder.path(), &ports, Some(passes));
    let client = daemon.hello();
    daemon.register_and_connect(client, "h0");
    // The writer waits at the gate; others are answered.
    let other = daemon.hello();
    let application = daemon.register_and_connect(other, "h1");
    assert!(ports.lock().unwrap().values().all(|port| port.weights.is_empty()));
    gate.send(false).unwrap();
    daemon.until(|core| core.ports().any(|of| of.1.failures > 0 || of.1.fault.is_some()));
    for _ in 0..2 {
        gate.send(true).unwrap();
    }
    daemon.until(Core::is_settled);
    assert!(ports.lock().unwrap().values().all(|port| port.weights == [1]));
    gate.send(true).unwrap();
    daemon.ask(other, Request::Deregister { application });
    daemon.until(Core::is_settled);
    assert!(ports.lock().unwrap()[&PortId(1)].weights.is_empty());
    daemon.stop();
    let recording = std::fs::File::open(folder.path().join("recording")).unwrap();
    let replayed = Replay::run(BufReader::new(recording), |_, _, _| ()).unwrap();
    assert_eq!((replayed.starts, replayed.differs, replayed.cut), (1, None, 0));
    let audit = std::fs::read_to_string(folder.path().join("audit")).unwrap();
    let lines: Vec<serde_json::Value> =
        audit.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |what: &str| lines.iter().filter(|line| line["what"] == what).count();
    assert_eq!((of("written"), of("failed")), (3, 1), "{audit}");
    assert!(of("ordered") >= 4);
}

#[test]
fn started_again_it_has_what_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let ports = ports();
    let mut daemon = Daemon::start(folder.path(), &ports, None);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h0");
    daemon.stop();
    // As a switch that came back empty meanwhile.
    ports.lock().unwrap().insert(PortId(0), PortConfig::default());
    // The thread that stores lets go of the file when it hears that nobody writes any more.
    while Embedded::open(&folder.path().join("store")).is_err() {
        std::thread::yield_now();
    }
    let mut daemon = Daemon::start(folder.path(), &ports, None);
    daemon.until(Core::is_settled);
    assert_eq!(ports.lock().unwrap()[&PortId(0)].weights, [1]);
    daemon.numbers = 10;
    daemon.register_and_connect(client, "h1");
    daemon.stop();
}

/// A recording that was changed is told by its line; one that was cut is heard as far as it goes.
#[test]
fn a_recording_that_says_something_else_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut daemon = Daemon::start(folder.path(), &ports(), None);
    let client = daemon.hello();
    daemon.register_and_connect(client, "h0");
    daemon.until(Core::is_settled);
    daemon.stop();
    let text = std::fs::read_to_string(folder.path().join("recording")).unwrap();
    let replay = |text: &str| Replay::run(text.as_bytes(), |_, _, _| ());
    assert_eq!(replay(&text).unwrap().differs, None);
    let changed = text.replacen("\"to\":\"h0\"},\"path\"", "\"to\":\"hx\"},\"path\"", 1);
    let changed =
        if changed == text { text.replacen("\"to\":\"h0\"", "\"to\":\"hx\"", 1) } else { changed };
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
