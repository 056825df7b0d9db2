//! Network topology: hosts, switches, the cables between their ports, and the paths of packets.
//!
//! - [`Fabric`] is a valid network: names are unique, cables end in existing ports, every host
//!   reaches every other one. Only [`FabricBuilder`] makes one, so its users need no further
//!   checks.
//! - [`builders`] makes common topologies. [`read`] takes TOML, the output of `ibnetdiscover` and
//!   netlists of `ibsim`; [`write`](mod@write) is its inverse.
//! - [`routes`] computes forwarding tables and finds credit loops in them.
//!
//! The crate does no I/O. All iteration is in numeric order, never in that of a hash.
//!
//! ```
//! use bandwise_topology::{Routes, builders};
//! use bandwise_units::{BitRate, Time};
//!
//! let fabric = builders::leaf_spine(4, 2, 8, BitRate::from_gbps(100), Time::from_ns(10))?;
//! let routes = Routes::shortest(&fabric);
//! let hosts = fabric.hosts();
//! // Host, leaf, spine, leaf: four ports send the packet.
//! assert_eq!(routes.path(&fabric, hosts[0], hosts[31]).len(), 4);
//! # Ok::<(), bandwise_topology::FabricError>(())
//! ```

pub mod adapters;
mod build;
pub mod builders;
mod error;
mod fabric;
pub mod infiniband;
pub mod read;
pub mod routes;
mod tiers;
pub mod write;

pub use adapters::Adapters;
pub use build::FabricBuilder;
pub use error::FabricError;
pub use fabric::{
    Fabric, LONGEST_DELAY, Link, MAX_NODES, MAX_PORTS, Node, NodeId, NodeKind, Port, SLOWEST_LINK,
};
pub use routes::Routes;
