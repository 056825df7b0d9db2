//! Bandwidth shares at the ports of a network: finds ports and paths, plans a change of a port, writes it and reads it
//! back (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters",
//! thesis 2022, section 4.3.2; here `Saba`).
//!
//! - [`Switches`] is the trait through which a controller uses any kind of network.
//! - [`htb`] decides, without I/O, how a port of Linux shares its link: classes of HTB by DSCP.
//! - [`tc`] writes and reads such ports by netlink.
//! - [`infiniband`] decides, without I/O, how a port of InfiniBand shares its link: virtual lanes by service
//!   level. It also finds ports and paths.
//! - [`umad`] writes and reads such ports by SMPs.
//! - [`Named`] adds further names of hosts, such as addresses, to any of them.
//!
//! **Nothing is ever half-written on a port.** [`Switches::apply`] writes, reads back and compares; if
//! the port refuses the change or reads back differently, the former configuration is restored.

pub mod htb;
pub mod infiniband;
mod named;
mod paths;
mod switches;
pub mod tc;
pub mod umad;

pub use named::{Named, Names};
pub use switches::{Applied, Fault, Left, Plan, Port, Switches, Wanted};
