//! The sharing of an InfiniBand port's link: virtual lanes (VL) with an arbitration table, and the lane of each service
//! level (SL) that packets carry (IBTA, InfiniBand Architecture Specification volume 1, sections 7.6 and 14.2). No I/O.
//!
//! - [`Smp`] is a subnet management packet; [`NodeInfo`], [`PortInfo`], [`SwitchInfo`] and [`Tables`] are its contents.
//! - [`Exchange`] sends requests, retransmits them, and returns the outcome of each.
//! - [`Discovery`] reads a [`Fabric`], which knows the ports on the path of a connection.
//! - [`Lanes`] are Saba's part of a port; they convert a configuration to [`Tables`] and back.

mod attributes;
mod discovery;
mod exchange;
mod fabric;
mod lanes;
mod smp;
mod tables;

pub use attributes::{Attribute, Guid, Kind, NodeInfo, PortInfo, SwitchInfo, description};
pub use discovery::{Discovery, Subject};
pub use exchange::{Done, Exchange, Patience, Unanswered};
pub use fabric::{Fabric, Node, PortAt};
pub use lanes::{Lanes, NoLanes, Unfit, listed};
pub use smp::{
    DATA, DIRECTED_ROUTE, Data, LENGTH, MOST_HOPS, Method, NotAnSmp, Request, Route, Smp,
};
pub use tables::{ArbitrationEntry, Mapping, Part, Tables};
