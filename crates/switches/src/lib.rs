//! The interface between a controller and the ports of any kind of network: [`Switches`].
//!
//! `bandwise-enforce` implements it for ports of Linux and of InfiniBand, `bandwise-enforce-simulated` for a network in
//! memory. [`Named`] adds further names of hosts, such as addresses, to any of them.
//!
//! **Nothing is half-written at a port.** [`Switches::apply`] writes, reads back and compares. If the port refuses the
//! change or reads back another configuration, the former one is restored.
//!
//! # Examples
//!
//! A function that restores the configurations from before the first write, at all ports of any network:
//!
//! ```
//! use bandwise_switches::{Fault, Plan, Switches, Wanted};
//!
//! /// Returns the number of ports that were written.
//! fn restore(network: &mut impl Switches) -> Result<usize, Fault> {
//!     let mut written = 0;
//!     for port in network.discover()? {
//!         let plan = network.plan(port.id, &Wanted::AsFound)?;
//!         if !plan.is_empty() {
//!             println!("{}:\n{plan}", port.name);
//!             written += usize::from(network.apply(&plan)?.is_written);
//!         }
//!     }
//!     Ok(written)
//! }
//! ```

mod fault;
mod named;
mod switches;

pub use fault::{Fault, Left};
pub use named::{Named, Names, canonical, has_host};
pub use switches::{Applied, Plan, Port, Switches, Wanted};
