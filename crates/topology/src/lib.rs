//! The fabric as everyone else sees it: hosts, switches, the cables between their ports, and
//! the way a packet takes through them.
//!
//! - [`Fabric`] is what a network can be: names are unique, cables end in ports that exist,
//!   every host reaches every other. [`FabricBuilder`] is the only way to one, so nobody after
//!   it checks again.
//! - [`builders`] makes the usual shapes, [`read`] takes TOML, the output of `ibnetdiscover` and
//!   netlists of `ibsim`, [`write`](mod@write) is the inverse.
//! - [`routes`] fills forwarding tables and finds credit loops in them.
//!
//! Nothing here does I/O, and everything iterates in the order of numbers, never of a hash.

mod build;
pub mod builders;
mod error;
mod fabric;
pub mod infiniband;
pub mod read;
pub mod routes;
pub mod write;

pub use build::FabricBuilder;
pub use error::FabricError;
pub use fabric::{
    Fabric, LONGEST_DELAY, Link, MAX_NODES, MAX_PORTS, Node, NodeId, NodeKind, Port, SLOWEST_LINK,
};
pub use routes::Routes;
