//! How ports of InfiniBand share their links: virtual lanes (VL) that take turns by an arbitration table, and
//! a lane for each service level (SL) that packets carry (IBTA, InfiniBand Architecture Specification volume 1,
//! sections 7.6 and 14.2). No I/O.
//!
//! - [`Smp`] is a datagram of subnet management as it is on the wire, [`NodeInfo`], [`PortInfo`], [`SwitchInfo`]
//!   and [`Tables`] are what it carries.
//! - [`Exchange`] sends requests, again where no answer comes, and says what became of each.
//! - [`Discovery`] asks its way to a [`Fabric`], which knows the ports on the way of a connection.
//! - [`Lanes`] are the operator's gift to Saba; they make [`Tables`] of a configuration, and the other way round.

mod attributes;
mod discovery;
mod exchange;
mod fabric;
mod lanes;
mod smp;
mod tables;

pub use attributes::{Attribute, Guid, Kind, NodeInfo, PortInfo, SwitchInfo, description};
pub use discovery::{Discovery, Question};
pub use exchange::{Done, Exchange, Patience, Unanswered};
pub use fabric::{Fabric, Node, PortAt};
pub use lanes::{Lanes, NoLanes, Unfit, listed};
pub use smp::{
    DATA, DIRECTED_ROUTE, Data, LENGTH, MOST_HOPS, Method, NotAnSmp, Request, Route, Smp,
};
pub use tables::{Mapping, Part, Tables, Turn};
