//! Ctrl-C: the first ends the work cleanly with partial results, the second ends the program at
//! once.

use crate::output::note;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A flag that is set by Ctrl-C.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Installs the handler of Ctrl-C. To be called once.
    pub(crate) fn listen() -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&asked);
        ctrlc::set_handler(move || {
            if flag.swap(true, Relaxed) {
                std::process::exit(130);
            }
            note("stopping; press Ctrl-C again to stop at once");
        })?;
        Ok(Interrupt(asked))
    }

    /// Returns `Break` after Ctrl-C.
    pub(crate) fn control(&self) -> ControlFlow<()> {
        if self.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns `true` after Ctrl-C.
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Relaxed)
    }
}
