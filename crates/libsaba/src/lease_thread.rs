//! [`LeaseThread`]: a driver in a thread of its own, without a runtime. The thread sends all requests and renews the
//! lease. Calls of the program hand requests to it, and hold no lock while a controller is asked.

use crate::Mark;
use crate::driver::Driver;
use crate::http::TIMEOUT;
use crate::session::{Local, Session};
use crate::signals::without_signals;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time for which a call waits for the controller's answer. While a request has been without an answer for longer,
/// no call waits.
const PATIENCE: Duration = Duration::from_millis(500);

/// A session, and the thread that sends its requests. Only the process that created it sends requests. In a forked
/// child, calls have no effect.
#[derive(Debug)]
pub(crate) struct LeaseThread {
    shared: Arc<Shared>,
    /// The running thread. In a forked child, dropping the handle would detach another thread: numbers of threads are
    /// used again.
    thread: Mutex<Option<ManuallyDrop<JoinHandle<()>>>>,
    process: u32,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the thread: there is a request, or the application has ended.
    work: Condvar,
    /// Wakes calls: there are answers, or no controller is reachable.
    answers: Condvar,
}

#[derive(Debug)]
struct State {
    session: Session,
    /// The time at which the requests without an answer were sent.
    asked: Option<Instant>,
    /// The errors of all endpoints, if no controller is reachable.
    unreachable: Option<String>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Runs,
    /// The program has ended the application.
    IsToEnd,
    /// The thread has ended.
    Ended,
}

impl State {
    /// Returns the time until which a call waits at most, or `None` if it does not wait.
    fn until(&self, began: Instant) -> Option<Instant> {
        let answers = self.unreachable.is_none() && self.phase != Phase::Ended;
        let until = self.asked.map_or(began, |asked| asked.min(began)) + PATIENCE;
        Some(until).filter(|_| answers)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the condition holds, or `until`, which is asked after each change, returns `None` or has passed.
    fn wait<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        mut is_so: impl FnMut(&State) -> bool,
        until: impl Fn(&State) -> Option<Instant>,
    ) -> MutexGuard<'a, State> {
        while !is_so(&state) {
            let left = until(&state).map(|until| until.saturating_duration_since(Instant::now()));
            let Some(left) = left.filter(|left| !left.is_zero()) else { break };
            let waited = self.answers.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state
    }

    /// Sends requests until the application ends.
    fn run(&self, mut driver: Driver) {
        let mut state = self.lock();
        while state.phase == Phase::Runs {
            let due = driver.due(&mut state.session);
            if due.is_empty() {
                let left = driver.left(&state.session);
                let waited = self.work.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            state.asked = Some(Instant::now());
            drop(state);
            let replies = driver.exchange(due);
            state = self.lock();
            state.asked = None;
            driver.settle(&mut state.session, replies);
            state.unreachable = driver.unreachable();
            self.answers.notify_all();
        }
        if let Some(goodbye) = state.session.goodbye().filter(|_| state.unreachable.is_none()) {
            state.asked = Some(Instant::now());
            drop(state);
            driver.exchange(vec![goodbye]);
        }
    }
}

/// Marks the thread as ended, also if it ends by a panic: no call may wait for it.
struct Ends<'a>(&'a Shared);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.lock().phase = Phase::Ended;
        self.0.answers.notify_all();
    }
}

/// The reason why an application has no thread.
#[derive(Debug)]
pub(crate) enum NotStarted {
    /// The controller refuses the application.
    Refused(String),
    /// The system gives no thread.
    NoThread(std::io::Error),
}

impl LeaseThread {
    /// Starts the thread and registers the application. Waits until the controller answers or all endpoints have failed.
    pub(crate) fn start(session: Session, driver: Driver) -> Result<LeaseThread, NotStarted> {
        let state = State { session, asked: None, unreachable: None, phase: Phase::Runs };
        let (work, answers) = (Condvar::new(), Condvar::new());
        let shared = Arc::new(Shared { state: Mutex::new(state), work, answers });
        let own = shared.clone();
        // Each endpoint may take its time, and then a resolver more than that.
        let until = Instant::now() + TIMEOUT * driver.endpoints() as u32 + PATIENCE;
        let run = move || {
            let _ends = Ends(&own);
            own.run(driver);
        };
        let thread = without_signals(|| std::thread::Builder::new().name("saba".into()).spawn(run));
        let thread = ManuallyDrop::new(thread.map_err(NotStarted::NoThread)?);
        let thread = Mutex::new(Some(thread));
        let lease = LeaseThread { shared, thread, process: std::process::id() };
        let is_answered = |state: &State| {
            state.session.mark().is_some()
                || state.session.refused().is_some()
                || state.unreachable.is_some()
        };
        let until = |state: &State| Some(until).filter(|_| state.phase == Phase::Runs);
        let state = lease.shared.wait(lease.shared.lock(), is_answered, until);
        let refused = state.session.refused().map(str::to_owned);
        drop(state);
        match refused {
            Some(why) => {
                lease.end();
                Err(NotStarted::Refused(why))
            }
            None => Ok(lease),
        }
    }

    /// Returns the locked state, in the process that created it. In a forked child the lock may be held forever.
    fn own(&self) -> Option<MutexGuard<'_, State>> {
        (self.process == std::process::id()).then(|| self.shared.lock())
    }

    /// Returns the mark, once a controller has assigned it.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.own()?.session.mark()
    }

    /// Returns the controller's doubts about the application's model for this run.
    pub(crate) fn doubts(&self) -> Vec<String> {
        self.own().map(|state| state.session.doubts().to_vec()).unwrap_or_default()
    }

    /// Returns the reason why no controller answers, if none does.
    pub(crate) fn unreachable(&self) -> Option<String> {
        let state = self.own()?;
        let is_late = state.asked.is_some_and(|asked| asked.elapsed() > PATIENCE);
        let late = || is_late.then(|| format!("no response in {} ms", PATIENCE.as_millis()));
        state.unreachable.clone().or_else(late)
    }

    /// Registers a connection. Returns `None` if no controller has assigned a mark. If the controller does not answer in
    /// time, the thread registers the connection later.
    pub(crate) fn open(&self, from: &str, to: &str) -> Result<Option<(Local, Mark)>, String> {
        let began = Instant::now();
        let Some(mut state) = self.own() else { return Ok(None) };
        if state.phase != Phase::Runs {
            return Ok(None);
        }
        let Some(local) = state.session.open(from.to_owned(), to.to_owned()) else {
            return Ok(None);
        };
        self.shared.work.notify_one();
        let is_answered =
            |state: &State| state.session.is_known(local) || state.session.is_refused(local);
        let mut state = self.shared.wait(state, is_answered, |state| state.until(began));
        match (state.session.refusal(local), state.session.mark()) {
            (Some(why), _) => Err(why),
            (None, mark) => Ok(mark.map(|mark| (local, mark))),
        }
    }

    /// Closes a connection. The thread tells the controller.
    pub(crate) fn close(&self, local: Local) {
        if let Some(mut state) = self.own() {
            state.session.close(local);
            self.shared.work.notify_one();
        }
    }

    /// Ends the application and its thread. Waits for the controller's answer to the goodbye, no longer than other calls;
    /// a thread that still waits for a controller then ends by itself.
    pub(crate) fn end(&self) {
        let began = Instant::now();
        let Some(mut state) = self.own() else { return };
        if state.phase == Phase::Runs {
            state.phase = Phase::IsToEnd;
            self.shared.work.notify_one();
        }
        // A thread that asks no controller ends at once.
        let until = |state: &State| match state.asked {
            Some(_) => state.until(began),
            None => Some(began + PATIENCE),
        };
        let state = self.shared.wait(state, |state| state.phase == Phase::Ended, until);
        let is_ended = state.phase == Phase::Ended;
        drop(state);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let thread = thread.map(ManuallyDrop::into_inner);
        if let Some(thread) = thread.filter(|_| is_ended) {
            // A panic of the thread must not affect the program.
            let _ = thread.join();
        }
    }
}
