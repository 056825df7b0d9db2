//! The engine: events in order, nodes that handle them, links as the only channel between nodes.
//!
//! Nodes joined by short links share one queue of events: a *partition*. Where a link is long,
//! nothing that a node does at its one end matters at the other for a while, so the partitions
//! there run apart, a window at a time ([`Engine`]). Several partitions make a shard; shards may run
//! at the same time, if who runs the engine has hands for that ([`Executor`]).

mod event;
mod executor;
mod links;
mod member;
mod partition;
mod shard;
mod windows;

pub use event::{Event, EventQueue};
pub use executor::{Executor, Sequential};
pub use links::{LinkEnd, Links};
pub use member::Member;
pub use partition::{APART, ARRIVAL, Node, WAKE, partitions};
pub use shard::shards;
pub use windows::{Checkpoint, Engine};
