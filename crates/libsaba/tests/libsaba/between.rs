//! A proxy to a controller that acts as another instance with the same store, and can fail.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The behaviour of the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Requests are carried out and answered.
    Open,
    /// Requests are carried out, and their answers are lost, as if the instance ended in between.
    LosesAnswers,
    /// Requests are refused, as by an instance that is cut off from its store.
    CutOff,
}

/// A proxy in front of a controller's socket.
pub(crate) struct Between {
    way: Arc<Mutex<Way>>,
    path: PathBuf,
}

impl Between {
    pub(crate) fn start(path: PathBuf, controller: PathBuf) -> Between {
        let way = Arc::new(Mutex::new(Way::Open));
        let (listener, all) = (UnixListener::bind(&path).unwrap(), way.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, way) = (client.unwrap(), all.clone());
                let controller = UnixStream::connect(&controller).unwrap();
                std::thread::spawn(move || passes(client, controller, way));
            }
        });
        Between { way, path }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn set(&self, way: Way) {
        *self.way.lock().unwrap() = way;
    }
}

fn passes(mut client: UnixStream, mut controller: UnixStream, way: Arc<Mutex<Way>>) {
    let (mut answers, mut to, loses) =
        (controller.try_clone().unwrap(), client.try_clone().unwrap(), way.clone());
    std::thread::spawn(move || {
        pump(&mut answers, &mut to, || *loses.lock().unwrap() != Way::LosesAnswers);
    });
    pump(&mut client, &mut controller, || *way.lock().unwrap() != Way::CutOff);
    if *way.lock().unwrap() == Way::CutOff {
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
