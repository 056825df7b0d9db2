//! The decisions of the daemon: admission of clients, the order of stored changes and answers, the configuration of
//! ports. No I/O and no clock: [`Input`]s come in with the time, [`Output`]s are polled, and both can be serialised.
//!
//! **Store first, then answer.** A request has no visible effect until its changes are stored. Its answer, and the
//! orders to ports that follow from it, come after [`Input::Stored`]. If the changes can't be stored, the state is
//! undone and the request is refused. Requests that arrive during a write go together into the next one.
//!
//! **Requests are idempotent.** A client numbers its requests. The store keeps each answer, in the same write as the
//! changes, until the client acknowledges it. So a copy or a retry has no effect, before and after a crash.
//!
//! **Each port has one order at a time**, and pauses for [`Rules::order_gap`] after each. Changes in the meantime go
//! together into the next order. An order states the wanted configuration, not a difference. Repeating it writes
//! nothing if the port is correct: this is how ports are checked. A failed order is repeated, with growing delays.
//!
//! **Deviations are repaired.** Ports are checked periodically. A port with another configuration
//! than the written one is reported as overwritten, and written again. The network is discovered
//! periodically, and after an order has failed: ports are added and removed, and rerouted
//! connections are stored and then followed.
//!
//! **Several controllers have one history** (Saba 4.3.4). Controllers that share a store each know
//! all records. A write of a controller is valid only if the store has not changed since the
//! decision. Otherwise the controller applies the other's changes and decides again. So the stored
//! history is one that a single controller could have written. Each controller writes the ports of
//! the [`Group`]s that it holds and keeps the leases of their clients. [`Input::GroupsHeld`] lists
//! these groups; without a group, a controller accepts no requests.
//!
//! **A restart loses no state.** Applications, connections and drained ports are stored. Port configurations are
//! computed again, and the current ones are read from the ports. Clients get a full lease at the start.

mod batch;
mod change;
mod discovery;
mod group;
mod input;
mod leases;
mod machine;
mod order;
mod output;
mod owner;
mod port;
mod ports;
mod preview;
mod profiles;
mod reach;
mod request;
mod rules;
mod state;

pub use change::{Answered, Application, Change, Client, Connection, Job, Next};
pub use group::Group;
pub use input::{DiscoveredPort, Input, Route};
pub use machine::{Core, InvalidRecord, Snapshot};
pub use order::{Cause, OrderId, OrderOutcome, Task, Why};
pub use output::Output;
pub use owner::Owner;
pub use port::PortState;
pub use preview::{Candidate, PortDifference};
pub use profiles::{Clustering, Profiles};
pub use request::{Answer, ClientId, Limited, NumberedRequest, Refusal, Request, Ticket};
pub use rules::{Limits, Rules};
pub use state::State;
