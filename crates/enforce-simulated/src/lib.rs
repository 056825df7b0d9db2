//! [`Simulated`]: a network in memory behind the trait [`Switches`](bandwise_switches::Switches), for tests and trials of
//! a controller.
//!
//! Its ports keep the configurations that are written to them. [`Traffic`] computes the rates of connections that all
//! send at once over these ports: exactly, by sharing of links ([`Traffic::flows`]), or by a simulation of all packets
//! ([`Traffic::packets`]). Packets take the shortest routes
//! ([`Routes::shortest`](bandwise_topology::Routes::shortest)).
//!
//! # Examples
//!
//! Two connections to one host, whose queues have the weights 3 and 1:
//!
//! ```
//! use bandwise_switches::{Switches, Wanted};
//! use bandwise_enforce_simulated::{Connection, Simulated};
//! use bandwise_saba::{controller::PortConfig, mapping::PriorityLevel};
//! use bandwise_topology::builders::single_switch;
//! use bandwise_units::{BitRate, Time};
//! use std::num::NonZeroU8;
//!
//! let fabric = single_switch(3, BitRate::from_gbps(100), Time::from_ns(10)).unwrap();
//! let mut network = Simulated::new(fabric, NonZeroU8::new(8).unwrap());
//! let table = [(PriorityLevel(0), 0), (PriorityLevel(1), 1)].into_iter().collect();
//! let config = PortConfig { table, weights: vec![3, 1] };
//! for port in network.discover()? {
//!     let plan = network.plan(port.id, &Wanted::Shared(config.clone()))?;
//!     network.apply(&plan)?;
//! }
//! let to_h2 = |from: &str, level| Connection {
//!     from: from.into(),
//!     to: "h2".into(),
//!     level: PriorityLevel(level),
//! };
//! let traffic = network.traffic(&[to_h2("h0", 0), to_h2("h1", 1)]).unwrap();
//! assert_eq!(traffic.flows().rates, [BitRate::from_gbps(75), BitRate::from_gbps(25)]);
//! # Ok::<(), bandwise_switches::Fault>(())
//! ```

mod flows;
mod network;
mod packets;
mod shape;
mod traffic;

pub use flows::Flows;
pub use network::{Simulated, SimulatedPlan};
pub use packets::Times;
pub use traffic::{Connection, Traffic, Uncarried};
