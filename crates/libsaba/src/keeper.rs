//! [`Keeper`]: a speaker with a thread of its own and no runtime: nothing of it is seen by the program.

use crate::Mark;
use crate::session::Local;
use crate::speaker::Speaker;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

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
    speaker: Speaker,
    is_ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keeper {
    /// Registers, if there is a controller, and goes on trying if there is none. Fails if it refuses.
    pub(crate) fn start(mut speaker: Speaker) -> Result<Keeper, String> {
        speaker.say();
        if let Some(why) = speaker.session.refused() {
            return Err(why.to_owned());
        }
        let state = State { speaker, is_ended: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changes: Condvar::new() });
        let own = shared.clone();
        let keeps = move || {
            let mut state = own.lock();
            while !state.is_ended {
                let wait = state.speaker.beat();
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
        self.own()?.speaker.session.mark()
    }

    /// Why no controller answers, if none does.
    pub(crate) fn away(&self) -> Option<String> {
        self.own()?.speaker.away()
    }

    /// Says it. The thread, which may wait for the lease, hears of a controller that is away, to look for it again.
    fn say(&self, speaker: &mut Speaker) {
        let was_away = speaker.is_away();
        speaker.say_if_there();
        if speaker.is_away() && !was_away {
            self.shared.changes.notify_all();
        }
    }

    /// A connection is there: by which it is closed, or none where no controller knows the application.
    pub(crate) fn open(&self, from: &str, to: &str) -> Result<Option<(Local, Mark)>, String> {
        let Some(mut state) = self.own().filter(|state| !state.is_ended) else { return Ok(None) };
        let speaker = &mut state.speaker;
        let Some(local) = speaker.session.open(from.to_owned(), to.to_owned()) else {
            return Ok(None);
        };
        self.say(speaker);
        match (speaker.session.refusal(local), speaker.session.mark()) {
            (Some(why), _) => Err(why),
            (None, mark) => Ok(mark.map(|mark| (local, mark))),
        }
    }

    pub(crate) fn close(&self, local: Local) {
        if let Some(mut state) = self.own().filter(|state| !state.is_ended) {
            state.speaker.session.close(local);
            self.say(&mut state.speaker);
        }
    }

    /// Says goodbye, if somebody hears it, and nothing more.
    pub(crate) fn end(&self) {
        let Some(mut state) = self.own() else { return };
        if state.is_ended {
            return;
        }
        state.is_ended = true;
        state.speaker.say_goodbye();
        drop(state);
        self.shared.changes.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // It ends by itself; a fault of its own harms nobody.
            let _ = thread.join();
        }
    }
}
