//! [`Event`]: everything that happens at a time in a [`Twin`](super::twin::Twin).

use super::client::Call;
use bandwise_controller::cluster::calls::{self, Failure, Reply, Update};
use bandwise_controller::cluster::session::CallId;
use bandwise_controller::core::{Answer, Input, OrderId, OrderOutcome, Refusal, Task};
use bandwise_controller::daemon::PersisterMessage;
use bandwise_saba::controller::PortId;

/// Something that happens.
#[derive(Debug)]
pub(super) enum Event {
    /// A controller starts.
    Start(usize),
    /// A thread of a process runs again after a pause.
    Runs(usize, u64, Thread),
    /// Something happens inside of a controller's process, by its run.
    Inside(usize, u64, Inside),
    /// A call arrives at etcd, from a link of a controller.
    AtEtcd(usize, u64, CallId, calls::Call),
    /// Leases may have expired.
    Expiry,
    /// An order arrives at the switch, from a run of a controller.
    AtSwitch(usize, u64, OrderId, PortId, Task),
    /// A client sends its call, for the first time or again.
    Sends(usize, u64),
    /// A client receives the answer to an attempt.
    Receives(usize, u64, Result<Answer, Refusal>),
    /// A fault begins or ends.
    Fault(usize),
    Mends(usize),
}

/// Something that happens inside of a process, unless it is paused.
#[derive(Debug)]
pub(super) enum Inside {
    /// The session's thread: a link was opened, by its number.
    Opened(u64),
    /// No etcd answers on a link.
    NotOpened(u64),
    Answered(u64, CallId, Result<Reply, Failure>),
    Updated(u64, CallId, Update),
    WatchLost(u64, CallId),
    Message(PersisterMessage),
    WakeSession,
    /// The event loop: an input of the core.
    Core(Input),
    /// A call of a client, by its attempt.
    Call(usize, u64, Call),
    Discovered,
    WakeCore,
    OrderEnded(OrderId, OrderOutcome),
    /// The writer's thread begins the next order.
    Order,
}

/// A thread of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Thread {
    Session,
    EventLoop,
    Writer,
}

impl Inside {
    pub(super) fn thread(&self) -> Thread {
        match self {
            Inside::Opened(_)
            | Inside::NotOpened(_)
            | Inside::Answered(..)
            | Inside::Updated(..)
            | Inside::WatchLost(..)
            | Inside::Message(_)
            | Inside::WakeSession => Thread::Session,
            Inside::Core(_)
            | Inside::Call(..)
            | Inside::Discovered
            | Inside::WakeCore
            | Inside::OrderEnded(..) => Thread::EventLoop,
            Inside::Order => Thread::Writer,
        }
    }
}
