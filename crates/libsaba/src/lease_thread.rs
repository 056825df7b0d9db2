//! [`LeaseThread`]: a driver in a thread of its own, without a runtime. It renews the lease in the background.

use crate::Mark;
use crate::driver::Driver;
use crate::session::Local;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// A session, its driver, and the thread that renews the lease. Only the process that created it
/// sends requests. In a forked child, calls have no effect.
#[derive(Debug)]
pub(crate) struct LeaseThread {
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
    driver: Driver,
    is_ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeaseThread {
    /// Registers the application and starts the thread, which keeps trying if no controller is reachable. Returns the
    /// reason if the controller refuses the application.
    pub(crate) fn start(mut driver: Driver) -> Result<LeaseThread, String> {
        driver.send();
        if let Some(why) = driver.session.refused() {
            return Err(why.to_owned());
        }
        let state = State { driver, is_ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changes: Condvar::new() });
        let own = shared.clone();
        let renew = move || {
            let mut state = own.lock();
            while !state.is_ended {
                let wait = state.driver.poll();
                let waited = own.changes.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        };
        let thread = std::thread::Builder::new().name("saba".into()).spawn(renew);
        let thread = Mutex::new(Some(thread.map_err(|error| error.to_string())?));
        Ok(LeaseThread { shared, thread, process: std::process::id() })
    }

    /// Returns the locked state, in the process that created it. In a forked child the lock may be held forever.
    fn own(&self) -> Option<MutexGuard<'_, State>> {
        (self.process == std::process::id()).then(|| self.shared.lock())
    }

    /// Returns the mark, once a controller has assigned it.
    pub(crate) fn mark(&self) -> Option<Mark> {
        self.own()?.driver.session.mark()
    }

    /// Returns the errors of all endpoints, if no controller is reachable.
    pub(crate) fn unreachable(&self) -> Option<String> {
        self.own()?.driver.unreachable()
    }

    /// Sends the pending requests. If the controller has become unreachable, the thread is woken to
    /// search for another one.
    fn send(&self, driver: &mut Driver) {
        let was_unreachable = driver.is_unreachable();
        driver.send_if_reachable();
        if driver.is_unreachable() && !was_unreachable {
            self.shared.changes.notify_all();
        }
    }

    /// Registers a connection. Returns `None` if no controller has assigned a mark.
    pub(crate) fn open(&self, from: &str, to: &str) -> Result<Option<(Local, Mark)>, String> {
        let Some(mut state) = self.own().filter(|state| !state.is_ended) else { return Ok(None) };
        let driver = &mut state.driver;
        let Some(local) = driver.session.open(from.to_owned(), to.to_owned()) else {
            return Ok(None);
        };
        self.send(driver);
        match (driver.session.refusal(local), driver.session.mark()) {
            (Some(why), _) => Err(why),
            (None, mark) => Ok(mark.map(|mark| (local, mark))),
        }
    }

    pub(crate) fn close(&self, local: Local) {
        if let Some(mut state) = self.own().filter(|state| !state.is_ended) {
            state.driver.session.close(local);
            self.send(&mut state.driver);
        }
    }

    /// Says goodbye, if a controller is reachable, and ends the thread.
    pub(crate) fn end(&self) {
        let Some(mut state) = self.own() else { return };
        if state.is_ended {
            return;
        }
        state.is_ended = true;
        state.driver.send_goodbye();
        drop(state);
        self.shared.changes.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // A panic of the thread must not affect the program.
            let _ = thread.join();
        }
    }
}
