//! Saba's controller: applications and connections come in, configurations of ports go out (Saba
//! 4.3, 4.3.4, 4.4).
//!
//! A [`Controller`] accepts [`Event`]s and returns [`Command`]s. It has no clock and no network. An
//! [`Instance`] is one of several controllers that own a group of ports each (Saba 4.3.4) and
//! forward events to the others.
//!
//! **Events come in any order, any number of times.** The state is a set of facts. An id is used
//! once, so an ended application stays ended even if a late copy of its registration arrives. For
//! ports and models the highest revision counts. So the final configuration depends on the set of
//! events, and neither on their order nor on copies. No event waits for another: a connection of an
//! application that has not registered, or through a port that has not been found, is stored and
//! has no effect until then. Of two events that contradict each other, the later one is refused as
//! a value ([`Refused`]).
//!
//! **A connection keeps its level.** Levels of applications follow registrations (Saba 4.3.4: the
//! mapping is updated when an application is registered or deregistered). But the library takes a
//! level at registration and opens connections with it (Saba 4.4.1), and in InfiniBand each packet
//! of a connection carries the service level with which it was opened (Saba 4.5.2). So the event of
//! a connection has its level, a new level of an application is for further connections, and a port
//! has a queue for each level of a live connection. The point of a level is the mean of the
//! applications that have it or have connections with it. That is the centroid of its group (Saba
//! 4.3.3.1) if no older connection is left.
//!
//! **Computation is lazy.** [`Controller::handle`] records changes. [`Controller::settle`] computes
//! each affected port once, and ports with the same models once for all of them. It returns only
//! commands that differ from the previous ones.

mod accept;
mod bits;
mod command;
mod commanded;
mod event;
mod facts;
mod ids;
mod instance;
mod kinds;
mod machine;
mod merging;
mod numbers;
mod plan;
mod roster;
mod senders;
mod settings;
mod shared;
mod shares;

pub use command::{Command, PortConfig};
pub use event::{Accepted, ApplicationId, ConnectionId, Event, PortId, Profile, Refused, Tenant};
pub use instance::{Forward, Instance, InstanceId, Partition};
pub use machine::Controller;
pub use settings::{Coordinates, Grouping, Levels, Settings, Weighting};
pub use shared::SharedTable;
