//! [`Namespaces`]: the kernel's ear in each network namespace.

use super::reach::{Reach, unanswered};
use super::socket::Socket;
use super::wire::{Kernel, Trouble, Wire};
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

/// Where there is a file for each namespace with a name (ip-netns(8)).
const FOLDER: &str = "/run/netns";

/// How long the kernel may take for all that is asked of it at once. It takes less than a millisecond, but while
/// somebody else changes devices it has everybody wait.
const PATIENCE: Duration = Duration::from_secs(2);

/// A thread for each network namespace that is visited, which has entered it and keeps a socket there: a visit
/// takes no process, and no entering.
///
/// The thread is also who waits if the kernel does not answer: nobody can be called back from waiting inside it. Until
/// it has answered, nothing else is asked in that namespace.
#[derive(Debug, Default)]
pub struct Namespaces {
    ears: BTreeMap<Option<String>, Ear>,
}

/// A thread in a namespace.
#[derive(Debug)]
struct Ear {
    /// Which namespace it is, whatever is called so by now; none for this program's own.
    identity: Option<(u64, u64)>,
    questions: Sender<Question>,
    answers: Receiver<Result<Root, Trouble>>,
    /// How many questions have no answer yet, which nobody waits for any more.
    given_up: usize,
}

struct Question {
    device: String,
    changes: Vec<Change>,
    deadline: Instant,
}

/// What can be asked until some time.
trait Patient: Wire {
    fn until(&mut self, deadline: Instant);
}

impl Patient for Socket {
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
    ) -> Result<Root, Trouble> {
        let key = namespace.map(str::to_owned);
        let file = namespace.map(|name| open(name).map_err(|error| nowhere(name, &error)));
        let file = file.transpose().inspect_err(|_| {
            // Its socket would keep it alive.
            self.ears.remove(&key);
        })?;
        let identity = file.as_ref().map(|of| of.1);
        if self.ears.get(&key).is_some_and(|ear| ear.identity != identity) {
            self.ears.remove(&key);
        }
        let start = || Ear::start(identity, move || enter(file.as_ref().map(|of| &of.0)));
        let ear = self.ears.entry(key).or_insert_with(start);
        let (device, changes) = (device.to_owned(), changes.to_vec());
        let deadline = Instant::now() + PATIENCE;
        ear.ask(Question { device, changes, deadline }, PATIENCE)
    }
}

/// A namespace's file, and which it is.
fn open(name: &str) -> io::Result<(File, (u64, u64))> {
    let file = File::open(Path::new(FOLDER).join(name))?;
    let there = file.metadata()?;
    Ok((file, (there.dev(), there.ino())))
}

fn nowhere(name: &str, error: &io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::NotFound => Trouble(format!("there is no network namespace {name}")),
        _ => Trouble(format!("network namespace {name}: {error}")),
    }
}

/// Has this thread enter a namespace for the rest of its life, and opens a socket there.
fn enter(namespace: Option<&File>) -> io::Result<Socket> {
    if let Some(file) = namespace {
        move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
    }
    Socket::open()
}

impl Ear {
    /// Starts a thread that opens a wire and answers by it until nobody asks any more.
    fn start<W: Patient>(
        identity: Option<(u64, u64)>,
        mut open: impl FnMut() -> io::Result<W> + Send + 'static,
    ) -> Self {
        let (questions, asked) = channel::<Question>();
        let (answer, answers) = channel();
        std::thread::spawn(move || {
            let mut kernel = None;
            while let Ok(Question { device, changes, deadline }) = asked.recv() {
                let visited = opened(&mut kernel, &mut open).and_then(|kernel| {
                    kernel.wire().until(deadline);
                    kernel.visit(&device, &changes)
                });
                if answer.send(visited).is_err() {
                    return;
                }
            }
        });
        Ear { identity, questions, answers, given_up: 0 }
    }

    /// What came of a visit.
    fn ask(&mut self, question: Question, patience: Duration) -> Result<Root, Trouble> {
        while self.given_up > 0 {
            match self.answers.try_recv() {
                Ok(_) => self.given_up -= 1,
                Err(_) => {
                    let said = "the kernel still has not answered what it was asked before";
                    return Err(Trouble(said.into()));
                }
            }
        }
        let ended = "the thread that speaks to the kernel has ended";
        if self.questions.send(question).is_err() {
            return Err(Trouble(ended.into()));
        }
        match self.answers.recv_timeout(patience) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                self.given_up += 1;
                Err(unanswered().into())
            }
            Err(RecvTimeoutError::Disconnected) => Err(Trouble(ended.into())),
        }
    }
}

/// What is asked by, opened if it isn't yet.
fn opened<'a, W: Wire>(
    kernel: &'a mut Option<Kernel<W>>,
    open: &mut impl FnMut() -> io::Result<W>,
) -> Result<&'a mut Kernel<W>, Trouble> {
    let there = match kernel.take() {
        Some(there) => there,
        None => {
            let failed = |error| Trouble(format!("the kernel can't be asked there: {error}"));
            Kernel::new(open().map_err(failed)?)
        }
    };
    Ok(kernel.insert(there))
}

#[cfg(test)]
mod tests;
