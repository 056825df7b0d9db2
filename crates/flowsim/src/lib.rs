//! Flow-level simulation: the rate of each flow at each instant, exactly, from event to event.
//!
//! - [`Network`] is a list of directed links with capacities. [`Links`] maps the ports of a fabric
//!   to links. [`FlowSpec`] has a path, bytes, a class and a group (a coflow, job or application).
//! - [`Simulation`] starts flows, returns the time of the next event and advances. Flows that are
//!   treated alike share one state, so their number costs little.
//! - [`policy`] decides ranks and queues. [`LinkConfig`] states how a link shares among queues, and
//!   the module `share` computes the equilibrium of the network.
//! - [`coflow`] runs traces of shuffles on one big switch.
//!
//! The crate does no I/O and reads no clock. Times, rates and volumes are integers: the same flows
//! give the same times on any machine, in any order of starts at one instant.
//!
//! # Examples
//!
//! Two flows of 125 MB share a link of 1 Gbps:
//!
//! ```
//! use bandwise_flowsim::policy::MaxMin;
//! use bandwise_flowsim::{FlowSpec, Network, Simulation};
//! use bandwise_units::{BitRate, Bytes, Time};
//!
//! let network = Network::new([BitRate::from_gbps(1)])?;
//! let mut simulation = Simulation::new(network, MaxMin);
//! let flow = FlowSpec { path: &[0], bytes: Bytes::new(125_000_000), class: 0, group: 0, cap: None };
//! let first = simulation.start(flow);
//! simulation.start(flow);
//! assert_eq!(simulation.rate(first), BitRate::from_bps(500_000_000));
//!
//! let mut ended = Vec::new();
//! while let Some(at) = simulation.next_event() {
//!     simulation.advance(at, &mut ended);
//! }
//! assert_eq!(ended.len(), 2);
//! assert_eq!(simulation.now(), Time::from_ms(2_000));
//! # Ok::<(), bandwise_flowsim::NetworkError>(())
//! ```

mod agenda;
pub mod coflow;
mod flow;
mod flows;
mod groups;
mod links;
mod network;
mod paths;
pub mod policy;
mod rank;
mod rate;
mod scene;
mod share;
mod simulation;

pub use flow::{FinishedFlow, FlowId, FlowSpec};
pub use links::Links;
pub use network::{LinkConfig, MAX_CAPACITY, MAX_QUEUES, MAX_WEIGHT, Network, NetworkError, Queue};
pub use policy::Policy;
pub use simulation::Simulation;
