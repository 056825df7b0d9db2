//! Who does what may be done at the same time. The engine knows no threads; who runs it may have
//! some.

use std::num::NonZeroUsize;

/// Hands that work in rounds.
pub trait Executor {
    /// How many parts it can work on at the same time.
    fn workers(&self) -> NonZeroUsize;

    /// Asks `plan` what to do and calls `work` with that on every one of `parts`, in any order or at
    /// the same time, until `plan` says that there is nothing to do any more. `plan` has all parts
    /// to itself.
    fn rounds<T: Send, R: Copy + Send>(
        &self,
        parts: &mut [T],
        plan: impl FnMut(&mut [&mut T]) -> Option<R> + Send,
        work: impl Fn(&mut T, R) + Sync,
    );
}

/// One pair of hands: one part after the other.
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
