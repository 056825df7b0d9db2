//! The controller of Saba: how long a connection takes to its ports, and how many come and go a second.

mod client;
mod many;
mod one;
mod start;
mod times;
mod watched;

pub(super) use many::run as many;
pub(super) use one::run as one;
