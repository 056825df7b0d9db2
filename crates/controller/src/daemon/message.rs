//! [`Message`]: a message to the event loop.

use super::call::Call;
use super::paths::Paths;
use crate::core::{Answer, Core, Input, OrderId, OrderOutcome, Owner, Refusal, Route};
use bandwise_switches::Port;
use tokio::sync::oneshot;

/// The number of messages that may wait.
pub(super) const ROOM: usize = 4096;

type Answers = oneshot::Sender<Result<Answer, Refusal>>;
type Inspect = Box<dyn FnOnce(&mut Core, &mut dyn Paths) + Send>;

/// A message to the event loop.
pub(super) enum Message {
    Call(Owner, Call, Answers),
    Inspect(Inspect),
    /// An update from the persister: stored changes or held groups.
    Persisted(Input),
    OrderEnded {
        order: OrderId,
        outcome: OrderOutcome,
    },
    Discovered(Result<Discovered, String>),
    Stop,
}

/// The result of a discovery.
pub(super) struct Discovered {
    pub(super) ports: Vec<Port>,
    pub(super) routes: Vec<Route>,
}
