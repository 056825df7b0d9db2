//! A proxy to a controller that acts as another instance with the same store, and can fail.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The behaviour of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Requests are carried out and answered.
    Open,
    /// Requests are carried out, and their answers are lost, as if the instance ended in between.
    LosesAnswers,
    /// Requests are refused, as by an instance that is cut off from its store.
    CutOff,
}

/// A proxy in front of a controller's socket.
pub(crate) struct Proxy {
    behaviour: Arc<Mutex<Behaviour>>,
    path: PathBuf,
}

impl Proxy {
    pub(crate) fn start(path: PathBuf, controller: PathBuf) -> Proxy {
        let behaviour = Arc::new(Mutex::new(Behaviour::Open));
        let (listener, all) = (UnixListener::bind(&path).unwrap(), behaviour.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, behaviour) = (client.unwrap(), all.clone());
                let controller = UnixStream::connect(&controller).unwrap();
                std::thread::spawn(move || forward(client, controller, behaviour));
            }
        });
        Proxy { behaviour, path }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn set(&self, behaviour: Behaviour) {
        *self.behaviour.lock().unwrap() = behaviour;
    }
}

fn forward(mut client: UnixStream, mut controller: UnixStream, behaviour: Arc<Mutex<Behaviour>>) {
    let (mut answers, mut to, loses) =
        (controller.try_clone().unwrap(), client.try_clone().unwrap(), behaviour.clone());
    std::thread::spawn(move || {
        pump(&mut answers, &mut to, || *loses.lock().unwrap() != Behaviour::LosesAnswers);
    });
    pump(&mut client, &mut controller, || *behaviour.lock().unwrap() != Behaviour::CutOff);
    if *behaviour.lock().unwrap() == Behaviour::CutOff {
        let body = r#"{"error":"cut off from its store"}"#;
        let head = format!("HTTP/1.1 503 x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        // The client may have gone.
        let _ = client.write_all(head.as_bytes());
    }
    let _ = client.shutdown(std::net::Shutdown::Both);
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
