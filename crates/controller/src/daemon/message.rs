//! [`Message`]: a message to the event loop.

use super::call::Call;
use super::paths::Paths;
use crate::core::{Answer, Core, Input, OrderId, OrderOutcome, Owner, Refusal, Route};
use bandwise_switches::Port;
use tokio::sync::oneshot;

/// A call that waits for its answer.
pub(super) struct Asked {
    pub(super) call: Call,
    pub(super) answers: oneshot::Sender<Result<Answer, Refusal>>,
}

/// A function that reads the core and sends what it found to its caller.
pub(super) type Read = Box<dyn FnOnce(&mut Core, &mut dyn Paths) + Send>;

/// A message to the event loop.
pub(super) enum Message {
    Asked(Owner, Asked),
    Read(Read),
    Event(Event),
    Stop,
}

/// A report of another thread.
pub(super) enum Event {
    /// An update from the persister: stored changes or held groups.
    Persisted(Input),
    OrderEnded {
        order: OrderId,
        outcome: OrderOutcome,
    },
    Discovered(Result<Discovered, String>),
}

/// The result of a discovery.
pub(super) struct Discovered {
    pub(super) ports: Vec<Port>,
    pub(super) routes: Vec<Route>,
}
