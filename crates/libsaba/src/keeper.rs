//! [`Keeper`]: says to the controller what the session wants said, keeps the lease, and finds a controller that comes
//! back. It has a thread of its own and no runtime: nothing of it is seen by the program.

use crate::Mark;
use crate::session::{Heard, Local, Named, Said, Session};
use crate::wire::Wire;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// From one try to reach a controller that is away to the next, at first; twice as long after each.
const RETRY: Duration = Duration::from_millis(500);

/// The longest such wait.
const LONGEST_RETRY: Duration = Duration::from_secs(10);

/// A session, and who speaks for it. Only the process that made it speaks: a fork of it is another program.
#[derive(Debug)]
pub(crate) struct Keeper {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    process: u32,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changes: Condvar,
}

#[derive(Debug)]
struct State {
    session: Session,
    wire: Wire,
    /// When a controller that did not answer is tried again, and how long after the try before.
    away: Option<(Instant, Duration)>,
    is_ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn exchange(&mut self, (method, path, body): &Said) -> io::Result<Heard> {
        let answer = self.wire.ask(method, path, body);
        let (status, body) = answer.inspect_err(|_| self.is_away())?;
        match status {
            200..300 => Ok(Heard::Done(body)),
            _ if body["refusal"].get("no_such_client").is_some() => Ok(Heard::Forgotten),
            // It can't be stored, or too many wait: the same can be said again.
            500.. => {
                self.is_away();
                Err(io::ErrorKind::ResourceBusy.into())
            }
            _ => {
                let said = body["error"].as_str().map(str::to_owned);
                Ok(Heard::Refused(said.unwrap_or_else(|| format!("refused, with status {status}"))))
            }
        }
    }

    fn is_away(&mut self) {
        let wait = self.away.map_or(RETRY, |(_, wait)| (2 * wait).min(LONGEST_RETRY));
        self.away = Some((Instant::now() + wait, wait));
    }

    /// Says all that is to be said, if there is somebody who hears it.
    fn say(&mut self) {
        while let Some(said) = self.session.say() {
            match self.exchange(&said) {
                Ok(heard) => self.session.hear(heard),
                Err(_) => return,
            }
            self.away = None;
        }
    }

    /// The same, unless it did not answer a moment ago: a program does not wait for it again.
    fn say_if_there(&mut self) {
        if self.away.is_none() {
            self.say();
        }
    }

    /// A step of the thread; how long until the next.
    fn beat(&mut self) -> Duration {
        if let Some((again, _)) = self.away {
            let left = again.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return left;
            }
        }
        let renewed = self.session.renewal().map(|said| self.exchange(&said));
        match renewed {
            Some(Ok(Heard::Forgotten)) => {
                self.away = None;
                self.session.forgotten();
            }
            Some(Ok(_)) => self.away = None,
            Some(Err(_)) | None => {}
        }
        if !matches!(renewed, Some(Err(_))) {
            self.say();
        }
        match self.away {
            Some((again, _)) => again.saturating_duration_since(Instant::now()),
            None => Duration::from_millis((self.session.lease_ms() / 3).max(50)),
        }
    }
}

impl Keeper {
    /// Registers, if there is a controller, and goes on trying if there is none. Fails if it refuses.
    pub(crate) fn start(named: Named, wire: Wire) -> Result<Keeper, String> {
        let mut state = State { session: Session::new(named), wire, away: None, is_ended: false };
        state.say();
        if let Some(why) = state.session.refused() {
            return Err(why.to_owned());
        }
        let shared = Arc::new(Shared { state: Mutex::new(state), changes: Condvar::new() });
        let own = shared.clone();
        let keeps = move || {
            let mut state = own.lock();
            while !state.is_ended {
                let wait = state.beat();
                let waited = own.changes.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        let thread = std::thread::Builder::new().name("saba".into()).spawn(keeps);
        let thread = Mutex::new(Some(thread.map_err(|error| error.to_string())?));
        Ok(Keeper { shared, thread, process: std::process::id() })
    }

    /// The state, in the process that made it. In another nobody may hold the lock, or have let it go.
    fn own(&self) -> Option<MutexGuard<'_, State>> {
        (self.process == std::process::id()).then(|| self.shared.lock())
    }

    /// What packets are to carry, if a controller has said it.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.own()?.session.mark()
    }

    /// A connection is there: by which it is closed, or none where no controller knows the application.
    pub(crate) fn open(&self, from: &str, to: &str) -> Result<Option<(Local, Mark)>, String> {
        let Some(mut state) = self.own().filter(|state| !state.is_ended) else { return Ok(None) };
        let Some(local) = state.session.open(from.to_owned(), to.to_owned()) else {
            return Ok(None);
        };
        state.say_if_there();
        match (state.session.refusal(local), state.session.mark()) {
            (Some(why), _) => Err(why),
            (None, mark) => Ok(mark.map(|mark| (local, mark))),
        }
    }

    pub(crate) fn close(&self, local: Local) {
        if let Some(mut state) = self.own().filter(|state| !state.is_ended) {
            state.session.close(local);
            state.say_if_there();
        }
    }

    /// Says goodbye, if somebody hears it, and nothing more.
    pub(crate) fn end(&self) {
        let Some(mut state) = self.own() else { return };
        if state.is_ended {
            return;
        }
        state.is_ended = true;
        if let Some(goodbye) = state.session.goodbye().filter(|_| state.away.is_none()) {
            // If nobody hears it, the lease ends.
            let _ = state.exchange(&goodbye);
        }
        drop(state);
        self.shared.changes.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // It ends by itself; a fault of its own harms nobody.
            let _ = thread.join();
        }
    }
}
