//! The engine: events in order, nodes that handle them, links as the only channel between nodes.
//!
//! Nodes joined by short links share one event queue and form a *partition*. A long link delays
//! every effect of one end on the other. Partitions separated by long links therefore run
//! independently for one window of time ([`Engine`]). A *shard* consists of several partitions; an
//! [`Executor`] with several workers runs shards in parallel.

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
pub use partition::{ARRIVAL, MIN_PARTITION_LATENCY, Node, WAKE, partitions};
pub use shard::shards;
pub use windows::{Checkpoint, Engine};
