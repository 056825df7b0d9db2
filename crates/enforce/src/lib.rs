//! Who holds the switches: finds ports and the ways between hosts, says what would be written to a port,
//! writes it, reads it back (Katebzadeh, "Application-Centric Bandwidth Allocation in Datacenters",
//! thesis 2022, section 4.3.2; here `Saba`).
//!
//! - [`Switches`] is what a controller sees of any kind of network.
//! - [`htb`] decides, without I/O, how a port of Linux shares its link: classes of HTB by DSCP.
//! - [`tc`] is the network of such ports, written and read by netlink.
//! - [`infiniband`] decides, without I/O, how a port of InfiniBand shares its link: virtual lanes by service
//!   level, and what finds ports and ways.
//! - [`umad`] is the network of such ports, written and read by datagrams of subnet management.
//! - [`Named`] is any of them whose hosts have other names too, such as addresses.
//!
//! **Nothing is ever half-written on a port.** [`Switches::apply`] writes, reads back and compares; if
//! anything is refused or reads back otherwise, what stood there before is written again.

pub mod htb;
pub mod infiniband;
mod named;
mod paths;
mod switches;
pub mod tc;
pub mod umad;

pub use named::{Named, Names};
pub use switches::{Applied, Fault, Left, Plan, Port, Switches, Wanted};
