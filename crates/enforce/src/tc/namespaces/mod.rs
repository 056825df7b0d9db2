//! [`Namespaces`]: access to the kernel in each network namespace.

use super::reach::{Reach, unanswered};
use super::socket::Socket;
use super::wire::{Kernel, Reason, Wire};
use crate::htb::{Change, Root};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The folder with a file for each named namespace (ip-netns(8)).
const FOLDER: &str = "/run/netns";

/// The time for all requests of a visit. They take less than a millisecond, but wait while another program changes
/// devices.
const PATIENCE: Duration = Duration::from_secs(2);

/// A thread for each visited network namespace. The thread has entered the namespace and keeps a
/// socket there, so a visit starts no process.
///
/// If the kernel does not answer, only this thread hangs. Until it continues, further requests in
/// its namespace fail.
#[derive(Debug, Default)]
pub struct Namespaces {
    workers: BTreeMap<Option<String>, Worker>,
}

/// A thread in a namespace.
#[derive(Debug)]
struct Worker {
    /// The identity of the namespace, also after a renaming; `None` for the namespace of this program.
    identity: Option<(u64, u64)>,
    visits: Sender<Visit>,
    answers: Receiver<Result<Root, Reason>>,
    /// The number of outstanding requests whose callers no longer wait.
    given_up: usize,
}

struct Visit {
    device: String,
    changes: Vec<Change>,
    deadline: Instant,
}

/// A wire with a deadline.
trait Deadline: Wire {
    fn until(&mut self, deadline: Instant);
}

impl Deadline for Socket {
    fn until(&mut self, deadline: Instant) {
        Socket::until(self, deadline);
    }
}

impl Reach for Namespaces {
    fn visit(
        &mut self,
        namespace: Option<&str>,
        device: &str,
        changes: &[Change],
    ) -> Result<Root, Reason> {
        let key = namespace.map(str::to_owned);
        let file = namespace.map(|name| open(name).map_err(|error| nowhere(name, &error)));
        let file = file.transpose().inspect_err(|_| {
            // The socket would keep the namespace alive.
            self.workers.remove(&key);
        })?;
        let identity = file.as_ref().map(|of| of.1);
        if self.workers.get(&key).is_some_and(|worker| worker.identity != identity) {
            self.workers.remove(&key);
        }
        let start = || Worker::start(identity, move || enter(file.as_ref().map(|of| &of.0)));
        let worker = self.workers.entry(key).or_insert_with(start);
        let (device, changes) = (device.to_owned(), changes.to_vec());
        let deadline = Instant::now() + PATIENCE;
        worker.ask(Visit { device, changes, deadline }, PATIENCE)
    }
}

/// Opens the file of a namespace. Also returns the identity of the namespace.
fn open(name: &str) -> io::Result<(File, (u64, u64))> {
    let file = File::open(Path::new(FOLDER).join(name))?;
    let there = file.metadata()?;
    Ok((file, (there.dev(), there.ino())))
}

fn nowhere(name: &str, error: &io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::NotFound => Reason(format!("there is no network namespace {name}")),
        _ => Reason(format!("network namespace {name}: {error}")),
    }
}

/// Moves this thread into a namespace permanently, and opens a socket there.
fn enter(namespace: Option<&File>) -> io::Result<Socket> {
    if let Some(file) = namespace {
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
    }
    Socket::open()
}

impl Worker {
    /// Starts a thread that opens a wire and serves requests until their sender is dropped.
    fn start<W: Deadline>(
        identity: Option<(u64, u64)>,
        mut open: impl FnMut() -> io::Result<W> + Send + 'static,
    ) -> Self {
        let (visits, asked) = channel::<Visit>();
        let (answer, answers) = channel();
        std::thread::spawn(move || {
            let mut kernel = None;
            while let Ok(Visit { device, changes, deadline }) = asked.recv() {
                let visited = opened(&mut kernel, &mut open).and_then(|kernel| {
                    kernel.wire().until(deadline);
                    kernel.visit(&device, &changes)
                });
                if answer.send(visited).is_err() {
                    return;
                }
            }
        });
        Worker { identity, visits, answers, given_up: 0 }
    }

    /// Makes a visit, and waits for its result.
    fn ask(&mut self, visit: Visit, patience: Duration) -> Result<Root, Reason> {
        while self.given_up > 0 {
            match self.answers.try_recv() {
                Ok(_) => self.given_up -= 1,
                Err(_) => {
                    let reason = "the kernel has not answered an earlier request";
                    return Err(Reason(reason.into()));
                }
            }
        }
        let ended = "the thread with the kernel's socket has ended";
        if self.visits.send(visit).is_err() {
            return Err(Reason(ended.into()));
        }
        match self.answers.recv_timeout(patience) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                self.given_up += 1;
                Err(unanswered().into())
            }
            Err(RecvTimeoutError::Disconnected) => Err(Reason(ended.into())),
        }
    }
}

/// Returns the wire, which is opened by the first call.
fn opened<'a, W: Wire>(
    kernel: &'a mut Option<Kernel<W>>,
    open: &mut impl FnMut() -> io::Result<W>,
) -> Result<&'a mut Kernel<W>, Reason> {
    let there = match kernel.take() {
        Some(there) => there,
        None => {
            let failed = |error| Reason(format!("the kernel can't be reached: {error}"));
            Kernel::new(open().map_err(failed)?)
        }
    };
    Ok(kernel.insert(there))
}

#[cfg(test)]
mod tests;
