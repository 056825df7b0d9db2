//! An experiment on an Ethernet fabric: flows through a network whose hosts speak RoCE, IRN, iWARP or
//! Homa.
//!
//! An [`EthernetScenario`] is read from TOML, or built by an [`EthernetBuilder`]. Everything in a
//! document but its kind has a default: that of IRN 4.1. [`EthernetScenario::run`] takes flows one by
//! one, from the scenario's [`Workload`] or from a list, and returns [`EthernetResults`]. A [`Study`]
//! is one scenario many times, with some keys changed.
//!
//! "IRN" is R. Mittal et al., *Revisiting Network Support for RDMA*, the extended version of the
//! SIGCOMM 2018 paper; the number after it is the section.

mod arrivals;
mod builder;
mod distribution;
mod fingerprint;
mod flow;
mod groups;
mod metric;
mod ports;
mod requests;
mod results;
mod run;
mod scenario;
mod spec;
mod study;
mod transport_kind;
mod wire;
mod workload;

pub use builder::{ArrivalError, BuildError, EthernetBuilder};
pub use distribution::Distribution;
pub use fingerprint::Fingerprint;
pub use flow::{Arrival, FlowRecord};
pub use groups::Group;
pub use metric::Metric;
pub use ports::{PauseStorm, PortResult};
pub use requests::RequestResult;
pub use results::{EthernetResults, TAIL};
pub use run::FlowWatch;
pub use scenario::EthernetScenario;
pub use spec::is_of_load;
pub use study::{Axis, Plot, Point, Study};
pub use transport_kind::TransportKind;
pub use wire::Wire;
pub use workload::{Generator, Part, Workload};
