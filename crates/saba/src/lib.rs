//! Saba's decisions: how much slower each application is with less bandwidth, how to share a port by
//! that, and which queues to do it with (Katebzadeh, "Application-Centric Bandwidth Allocation in
//! Datacenters", thesis 2022, chapter 4; here `Saba`).
//!
//! - [`sensitivity`] makes models of slowdown from measured completion times.
//! - [`table`] keeps those times, reads and writes them.
//! - [`weights`] share a port by those models.
//! - [`mapping`] puts applications into the few priority levels and queues that networks have.
//! - [`controller`] does all of that for those who are there now, and says how each port is to share.
//!
//! Nothing here does I/O or knows the time. The only operations on numbers are those that IEEE 754
//! rounds in one way (sums, products, quotients, square roots), so results are the same on any machine.

pub mod controller;
pub mod mapping;
mod roots;
pub mod sensitivity;
mod share;
pub mod table;
pub mod weights;

pub use share::{Share, ShareError};
