//! The daemon around Saba's controller (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters", thesis
//! 2022, sections 4.3 and 4.4; here `Saba`).
//!
//! - [`core`] decides, without I/O: who is taken, what is stored, which port is written when.
//! - [`store`] keeps what must outlive the process.

pub mod core;
pub mod store;
