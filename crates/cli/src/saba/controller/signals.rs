//! [`Signals`]: the signals of a running controller.

use anyhow::{Context, Result};
use nix::sys::signal::{SigSet, Signal};
use std::process::exit;
use std::sync::{Arc, OnceLock};

/// The order that a signal gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
}

type Handler = Box<dyn Fn(Asked) + Send + Sync>;

/// The signals SIGTERM, SIGINT and SIGHUP. One thread waits for them. All other threads block them, so whatever these
/// do, no signal is late.
pub(super) struct Signals(Arc<OnceLock<Handler>>);

impl Signals {
    /// Takes the signals from now on. Has to be called before any other thread starts. Until there is a handler, a
    /// signal to stop ends the program at once.
    pub(super) fn take() -> Result<Self> {
        let signals: SigSet =
            [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP].into_iter().collect();
        signals.thread_block().context("signals can't be blocked")?;
        let handler = Arc::new(OnceLock::<Handler>::new());
        let known = handler.clone();
        std::thread::spawn(move || {
            while let Ok(signal) = signals.wait() {
                let asked = match signal {
                    Signal::SIGHUP => Asked::Reload,
                    _ => Asked::Stop,
                };
                match (known.get(), asked) {
                    (Some(handler), asked) => handler(asked),
                    (None, Asked::Stop) => exit(128 + signal as i32),
                    // The settings are being read.
                    (None, Asked::Reload) => {}
                }
            }
        });
        Ok(Signals(handler))
    }

    /// Passes each signal to this handler.
    pub(super) fn handle(self, handler: impl Fn(Asked) + Send + Sync + 'static) {
        let is_first = self.0.set(Box::new(handler)).is_ok();
        debug_assert!(is_first, "signals have one handler");
    }
}
