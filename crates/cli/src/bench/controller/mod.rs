//! The controller of Saba: the time from a connection's request to weights at its ports, and the
//! rate of connections made and closed.

mod client;
mod many;
mod one;
mod start;
mod times;
mod watched;

pub(super) use many::run as many;
pub(super) use one::run as one;
