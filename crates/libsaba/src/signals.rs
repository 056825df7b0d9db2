//! Threads that get no signals of the program.

use nix::sys::signal::{SigSet, SigmaskHow};

/// Runs a function with all signals blocked, so that a thread that it starts receives none of the program's.
pub(crate) fn without_signals<T>(run: impl FnOnce() -> T) -> T {
    let before = SigSet::all().thread_swap_mask(SigmaskHow::SIG_SETMASK);
    let result = run();
    if let Ok(before) = before {
        // It was this thread's mask, so it is valid.
        let _ = before.thread_set_mask();
    }
    result
}
