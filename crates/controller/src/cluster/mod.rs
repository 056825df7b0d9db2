//! Several controllers that share a network (Saba 4.3.4), each with its group of switches, by way of etcd.
//!
//! ```text
//!  etcd ──> session ──> Learned, Stored, Known, Held ──> event loop (Core)
//!    ^────────┘ ^────────── Write, Released ──────────────┘
//! ```
//!
//! - [`Groups`] says whose ports are whose while all are well.
//! - [`claims`] decides, without I/O, which groups a controller takes and which it gives back.
//! - [`Etcd`] is the store that they share, and the session with it.
//!
//! Under a prefix in etcd stand `record/…`, what is stored ([`Change`](crate::core::Change)s by key); `head`, which every
//! write puts, so that one can tell that nobody has written since; `written/NAME`, the last write of a controller;
//! `instance/NAME`, that it is alive, and `holder/NAME`, who has its group, both for as long as a lease; `rules`, what all
//! of them go by.

pub mod claims;
mod etcd;
mod groups;
mod keys;
mod link;
mod session;

pub use etcd::{Endpoints, Etcd, EtcdError, MAX_CHANGES};
pub use groups::Groups;
