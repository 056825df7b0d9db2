//! Rates over links instead of packets: who has how much of the network at each instant, exactly and from
//! event to event.
//!
//! - [`Network`] is a list of directed links with capacities, [`Links`] those of a fabric; [`FlowSpec`] a path, bytes, a class and a
//!   group (a coflow, job or application).
//! - [`Simulation`] starts flows, says when the next one ends and lets time pass. Flows that are treated
//!   alike share one state, so their number costs little.
//! - [`policy`] says who is served before whom and in which queue; how links share then is in
//!   [`LinkConfig`], and what the network as a whole comes to in the module `share`.
//! - [`coflow`] runs traces of shuffles on one big switch.
//!
//! Nothing here does I/O or knows another time than that of the simulation. Times, rates and volumes are
//! integers: the same flows give the same times on any machine, whatever the order in which those of one
//! instant were started.

mod agenda;
pub mod coflow;
mod flow;
mod flows;
mod groups;
mod links;
mod network;
mod paths;
pub mod policy;
mod rate;
mod scene;
mod share;
mod simulation;

pub use flow::{Ended, FlowId, FlowSpec};
pub use links::Links;
pub use network::{LinkConfig, MAX_CAPACITY, MAX_WEIGHT, Network, NetworkError, Queue};
pub use policy::Policy;
pub use simulation::Simulation;
