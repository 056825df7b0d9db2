//! [`Handle`]: by which others reach the event loop.

use crate::core::{Answer, ClientId, Core, Input, NumberedRequest, Owner, Refusal};
use crate::credentials::{Caller, Denied};
use bandwise_saba::controller::PortId;
use std::sync::mpsc::{SyncSender, TrySendError};
use tokio::sync::oneshot;

/// What somebody says to the daemon.
#[derive(Debug)]
pub enum Call {
    /// A program wants to be a client.
    Hello,
    /// A client asks for something.
    Request(NumberedRequest),
    /// A client is alive.
    Renew(ClientId),
    /// A client says goodbye.
    Goodbye(ClientId),
    /// Ports are to be as they were found, or shared again; all where none is named.
    Drain(Vec<PortId>, bool),
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Who said it may not.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// More requests wait than the daemon takes.
    #[error("too many requests wait; the same request can be sent again")]
    Busy,
    /// The daemon ends.
    #[error("the controller is being stopped; the same request can be sent again")]
    Ending,
}

type Answers = oneshot::Sender<Result<Answer, Refusal>>;
type Inspect = Box<dyn FnOnce(&mut Core, &mut dyn super::event_loop::Paths) + Send>;

/// What comes to the event loop.
pub(super) enum Message {
    Call(Owner, Call, Answers),
    Inspect(Inspect),
    /// Of what is stored, and which groups are had.
    Persisted(Input),
    Ended {
        order: crate::core::OrderId,
        end: crate::core::End,
    },
    Discovered(Result<super::discovery::Discovered, String>),
    Stop,
}

/// How many messages may wait.
pub(super) const ROOM: usize = 4096;

/// By which others reach the event loop.
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

    /// Says something, if who says it may, and waits for the answer, which comes after it is stored.
    pub async fn call(&self, caller: &Caller, call: Call) -> Result<Answer, CallError> {
        caller.check(&call)?;
        let (answers, answer) = oneshot::channel();
        self.send(Message::Call(caller.owner().clone(), call, answers))?;
        Ok(answer.await.map_err(|_| CallError::Ending)??)
    }

    /// Looks at the core, between two inputs. SharedSwitches through the network can be looked up.
    pub async fn inspect<T: Send + 'static>(
        &self,
        inspect: impl FnOnce(&mut Core, &mut dyn super::event_loop::Paths) -> T + Send + 'static,
    ) -> Result<T, CallError> {
        let (answers, answer) = oneshot::channel();
        let inspect = move |core: &mut Core, paths: &mut dyn super::event_loop::Paths| {
            // Who asked may have left.
            let _ = answers.send(inspect(core, paths));
        };
        self.send(Message::Inspect(Box::new(inspect)))?;
        answer.await.map_err(|_| CallError::Ending)
    }

    /// HostPair the daemon after what it is at. Ports stay as they are.
    pub fn stop(&self) {
        // If it has ended, so much the better.
        let _ = self.messages.send(Message::Stop);
    }
}
