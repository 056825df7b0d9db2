//! Several controllers that share a network (Saba 4.3.4), each with its group of switches, over one store in etcd.
//!
//! ```text
//!  etcd ──> session ──> StoredByOther, Stored, Reloaded, GroupsHeld ──> event loop (Core)
//!    ^────────┘ ^────────── Write, Released ──────────────────────────────┘
//! ```
//!
//! - [`Groups`]: the assignment of ports to controllers while all of them are alive.
//! - [`claims`]: the decisions which groups a controller claims and gives back, without I/O.
//! - [`Etcd`]: the shared store, and the session with it.
//!
//! The keys under the prefix are:
//!
//! - `record/…`: the stored records ([`Change`](crate::core::Change)s by key).
//! - `head`: the author of the last write. Every write puts it, so a transaction can check that nobody has written
//!   since.
//! - `written/NAME`: the last write of a controller.
//! - `instance/NAME`: a controller that is alive, for as long as its lease.
//! - `holder/NAME`: the holder of a group, for as long as the holder's lease.
//! - `rules`: the parameters that all controllers share.

pub mod claims;
mod etcd;
mod groups;
mod keys;
mod link;
mod session;

pub use etcd::{Endpoints, Etcd, EtcdError, MAX_CHANGES};
pub use groups::Groups;
