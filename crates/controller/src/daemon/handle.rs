//! [`Handle`]: the sender of calls to the event loop.

use super::call::Call;
use super::message::Asked;
use super::paths::Paths;
use super::queue::{Queue, Untaken};
use crate::core::{Answer, Core, Owner, Refusal};
use crate::credentials::{Caller, Denied};
use tokio::sync::oneshot;

/// The reason why a call has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The core has refused the request.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The caller lacks the permission.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// Too many calls of the owner wait.
    #[error("too many requests are queued; retry the same request")]
    Busy,
    /// The daemon is ending.
    #[error("the controller is stopping; retry the same request")]
    Ending,
}

impl From<Untaken> for CallError {
    fn from(why: Untaken) -> Self {
        match why {
            Untaken::Full => CallError::Busy,
            Untaken::Ended => CallError::Ending,
        }
    }
}

/// The sender of calls to the event loop.
#[derive(Clone)]
pub struct Handle {
    pub(super) queue: Queue,
}

impl Handle {
    /// Makes a call if the caller has the permission. Returns the answer, after its changes are stored.
    ///
    /// # Errors
    ///
    /// Returns a [`CallError`] if the call is denied or refused, or if the daemon is busy or ending.
    pub async fn call(&self, caller: &Caller, call: Call) -> Result<Answer, CallError> {
        caller.check(&call)?;
        let (answers, answer) = oneshot::channel();
        self.queue.call(caller.owner().clone(), Asked { call, answers })?;
        Ok(answer.await.map_err(|_| CallError::Ending)??)
    }

    /// Runs a function on the core between two inputs, for a reader. The function can look up paths through the
    /// network. It should be short, as no input is handled meanwhile.
    ///
    /// # Errors
    ///
    /// Returns [`CallError::Busy`] or [`CallError::Ending`].
    pub async fn inspect<T: Send + 'static>(
        &self,
        reader: &Owner,
        inspect: impl FnOnce(&mut Core, &mut dyn Paths) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let (answers, answer) = oneshot::channel();
        let inspect = move |core: &mut Core, paths: &mut dyn Paths| {
            // The caller may have gone.
            let _ = answers.send(inspect(core, paths));
        };
        self.queue.read(reader.clone(), Box::new(inspect))?;
        answer.await.map_err(|_| CallError::Ending)
    }

    /// Ends the daemon before it handles further calls. Ports are restored first, if the daemon was started so.
    pub fn stop(&self) {
        self.queue.stop();
    }
}
