//! A proxy to a controller that acts as another instance with the same store, and can fail.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The behaviour of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Requests are carried out and answered.
    Open,
    /// Requests are carried out, and their answers are lost, as if the instance ended in between.
    LosesAnswers,
    /// Requests are refused, as by an instance that is cut off from its store.
    CutOff,
    /// Requests are neither carried out nor answered, as by a stopped process.
    Hangs,
    /// Requests take a while, as with a slow disk.
    Slow,
}

/// The time for which a slow controller holds a request.
const HELD: Duration = Duration::from_millis(25);

#[derive(Debug)]
struct State {
    behaviour: Behaviour,
    /// The number of requests that hang.
    hanging: usize,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changes: Condvar,
}

impl Shared {
    fn is(&self, behaviour: Behaviour) -> bool {
        self.state.lock().unwrap().behaviour == behaviour
    }
}

/// A proxy in front of a controller's socket.
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    path: PathBuf,
}

impl Proxy {
    pub(crate) fn start(path: PathBuf, controller: PathBuf) -> Proxy {
        let state = Mutex::new(State { behaviour: Behaviour::Open, hanging: 0 });
        let shared = Arc::new(Shared { state, changes: Condvar::new() });
        let (listener, all) = (UnixListener::bind(&path).unwrap(), shared.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, shared) = (client.unwrap(), all.clone());
                let controller = UnixStream::connect(&controller).unwrap();
                std::thread::spawn(move || forward(client, controller, &shared));
            }
        });
        Proxy { shared, path }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn set(&self, behaviour: Behaviour) {
        self.shared.state.lock().unwrap().behaviour = behaviour;
        self.shared.changes.notify_all();
    }

    /// Waits until a number of requests hang.
    pub(crate) fn until_hanging(&self, number: usize) {
        let state = self.shared.state.lock().unwrap();
        drop(self.shared.changes.wait_while(state, |state| state.hanging < number).unwrap());
    }
}

fn forward(mut client: UnixStream, mut controller: UnixStream, shared: &Arc<Shared>) {
    let (mut answers, mut to, other) =
        (controller.try_clone().unwrap(), client.try_clone().unwrap(), shared.clone());
    std::thread::spawn(move || {
        pump(&mut answers, &mut to, || !other.is(Behaviour::LosesAnswers));
    });
    pump(&mut client, &mut controller, || {
        if shared.is(Behaviour::Slow) {
            std::thread::sleep(HELD);
        }
        hang(shared);
        !shared.is(Behaviour::CutOff)
    });
    if shared.is(Behaviour::CutOff) {
        let body = r#"{"error":"cut off from its store"}"#;
        let head = format!("HTTP/1.1 503 x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        // The client may have gone.
        let _ = client.write_all(head.as_bytes());
    }
    let _ = client.shutdown(std::net::Shutdown::Both);
}

/// Holds a request while the controller hangs.
fn hang(shared: &Shared) {
    let mut state = shared.state.lock().unwrap();
    if state.behaviour == Behaviour::Hangs {
        state.hanging += 1;
        shared.changes.notify_all();
        drop(
            shared.changes.wait_while(state, |state| state.behaviour == Behaviour::Hangs).unwrap(),
        );
    }
}

/// Copies until either end closes, or `may` forbids it; then both are closed.
fn pump(from: &mut UnixStream, to: &mut UnixStream, may: impl Fn() -> bool) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !may() || to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Write);
}
