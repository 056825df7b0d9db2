//! [`Handle`]: the sender of calls to the event loop.

use super::call::Call;
use super::message::Message;
use super::paths::Paths;
use crate::core::{Answer, Core, Refusal};
use crate::credentials::{Caller, Denied};
use std::sync::mpsc::{SyncSender, TrySendError};
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
    /// The queue of calls is full.
    #[error("too many requests are queued; retry the same request")]
    Busy,
    /// The daemon is ending.
    #[error("the controller is stopping; retry the same request")]
    Ending,
}

/// The sender of calls to the event loop.
#[derive(Clone)]
pub struct Handle {
    pub(super) messages: SyncSender<Message>,
}

impl Handle {
    fn send(&self, message: Message) -> Result<(), CallError> {
        self.messages.try_send(message).map_err(|error| match error {
            TrySendError::Full(_) => CallError::Busy,
            TrySendError::Disconnected(_) => CallError::Ending,
        })
    }

    /// Makes a call if the caller has the permission. Returns the answer, after its changes are stored.
    ///
    /// # Errors
    ///
    /// Returns a [`CallError`] if the call is denied or refused, or if the daemon is busy or ending.
    pub async fn call(&self, caller: &Caller, call: Call) -> Result<Answer, CallError> {
        caller.check(&call)?;
        let (answers, answer) = oneshot::channel();
        self.send(Message::Call(caller.owner().clone(), call, answers))?;
        Ok(answer.await.map_err(|_| CallError::Ending)??)
    }

    /// Runs a function on the core between two inputs. The function can look up paths through the network.
    ///
    /// # Errors
    ///
    /// Returns [`CallError::Busy`] or [`CallError::Ending`].
    pub async fn inspect<T: Send + 'static>(
        &self,
        inspect: impl FnOnce(&mut Core, &mut dyn Paths) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let (answers, answer) = oneshot::channel();
        let inspect = move |core: &mut Core, paths: &mut dyn Paths| {
            // The caller may have gone.
            let _ = answers.send(inspect(core, paths));
        };
        self.send(Message::Inspect(Box::new(inspect)))?;
        answer.await.map_err(|_| CallError::Ending)
    }

    /// Ends the daemon after the messages that are queued. Ports are restored first, if the daemon was started so.
    pub fn stop(&self) {
        // The daemon may have ended already.
        let _ = self.messages.send(Message::Stop);
    }
}
