//! Execution of independent parts in rounds. The engine itself starts no threads; its caller may
//! supply an executor that has some.

use std::num::NonZeroUsize;

/// An executor of work on independent parts, round by round.
pub trait Executor {
    /// Returns the number of parts that the executor can work on at the same time.
    fn workers(&self) -> NonZeroUsize;

    /// Calls `plan` for the next round and then `work` with its value on every part, in any order
    /// or in parallel. Repeats until `plan` returns `None`. `plan` has exclusive access to all
    /// parts.
    fn rounds<T: Send, R: Copy + Send>(
        &self,
        parts: &mut [T],
        plan: impl FnMut(&mut [&mut T]) -> Option<R> + Send,
        work: impl Fn(&mut T, R) + Sync,
    );
}

/// An executor that works on one part after the other.
#[derive(Debug, Clone, Copy)]
pub struct Sequential;

impl Executor for Sequential {
    fn workers(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn rounds<T: Send, R: Copy + Send>(
        &self,
        parts: &mut [T],
        mut plan: impl FnMut(&mut [&mut T]) -> Option<R> + Send,
        work: impl Fn(&mut T, R) + Sync,
    ) {
        let mut parts: Vec<&mut T> = parts.iter_mut().collect();
        while let Some(round) = plan(&mut parts) {
            for part in &mut parts {
                work(part, round);
            }
        }
    }
}
