//! The controller: who is there comes in, how ports share goes out (Saba 4.3, 4.3.4, 4.4).
//!
//! A [`Controller`] is told [`Event`]s and says [`Command`]s; whoever runs it carries both. It knows no
//! clock and no network. An [`Instance`] is one of several that own a group of ports each (Saba 4.3.4)
//! and hand on what concerns the others.
//!
//! **Events come in any order, any number of times.** What is known is a set of facts: an id is used
//! once, so who is gone stays gone even if a late copy of its registration arrives; of ports and models
//! the highest revision counts. So the configuration in the end depends on what was heard, and on
//! neither its order nor its copies. Nothing has to be waited for: a connection of an application that
//! is not registered yet, or through a port that was not found yet, is remembered and counts for nothing
//! until then. Two events that contradict each other are refused as a value ([`Refused`]), the one that
//! came later.
//!
//! **A connection keeps the level that it was made with.** Levels of applications follow who is
//! registered (Saba 4.3.4: the mapping is updated when an application is registered or deregistered),
//! but the library takes a level when it registers and makes connections with it (Saba 4.4.1), and in
//! InfiniBand each packet of a connection carries the service level that it was made with (Saba 4.5.2).
//! So the event of a connection says its level, a new level of an application is for connections to
//! come, and a port has to have a queue for each level that a living connection has. A level stands
//! where the mean of the applications is that have it or connections with it, which is the centroid of
//! its group (Saba 4.3.3.1) where no connection is left from before.
//!
//! **Recomputing is lazy.** [`Controller::handle`] notes what changed; [`Controller::settle`] computes
//! each port that is concerned once, ports with the same models once for all of them, and says only what
//! differs from what it said before.

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
pub use event::{ApplicationId, ConnectionId, Event, Heard, PortId, Profile, Refused};
pub use instance::{Forward, Instance, InstanceId, Partition};
pub use machine::Controller;
pub use settings::{Coordinates, Grouping, Levels, Settings, Weighting};
pub use shared::SharedTable;
