//! Several controllers that share a network (Saba 4.3.4), each with its group of switches, over one store in etcd.
//!
//! ```text
//!  etcd ──> session ──> StoredByOther, Stored, Reloaded, GroupsHeld ──> event loop (Core)
//!    ^────────┘ ^────────── Write, Released ──────────────────────────────┘
//! ```
//!
//! - [`Groups`]: the assignment of ports to controllers while all of them are alive.
//! - `claims`: the decisions of a controller to claim and release groups, without I/O.
//! - `session`: the decisions about etcd: calls, their failures, events. Without I/O and clock.
//! - `calls`: the operations on etcd as values; `content` and `keys`: the meaning of keys.
//! - `Etcd`: the shared store, and the driver of the session with it.
//!
//! Without the feature `etcd` only the groups are built: building the client of etcd needs `protoc`.
//!
//! The keys under the prefix are:
//!
//! - `record/…`: the stored records ([`Change`](crate::core::Change)s by key).
//! - `head`: the author of the last write. Every write sets this key, so a transaction can check
//!   that the store has not changed since.
//! - `written/NAME`: the last write of a controller.
//! - `instance/NAME`: a controller that is alive, for as long as its lease.
//! - `holder/NAME`: the holder of a group, for as long as the holder's lease.
//! - `rules`: the parameters that all controllers share.

#[cfg(feature = "etcd")]
pub mod calls;
#[cfg(feature = "etcd")]
pub mod claims;
#[cfg(feature = "etcd")]
pub mod content;
#[cfg(feature = "etcd")]
mod driver;
#[cfg(feature = "etcd")]
mod etcd;
mod groups;
#[cfg(feature = "etcd")]
mod keys;
#[cfg(feature = "etcd")]
mod link;
#[cfg(feature = "etcd")]
pub mod session;

#[cfg(feature = "etcd")]
pub use etcd::{Endpoints, Etcd, EtcdError};
pub use groups::Groups;
#[cfg(feature = "etcd")]
pub use keys::Keys;

/// The largest number of changes in a write: etcd's default limit is 128 operations, and a write adds two of its own.
pub const MAX_CHANGES: u32 = 120;
