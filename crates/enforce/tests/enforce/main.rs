//! Ports of Linux without Linux: what is decided, and what is written to a model of its kernel.
#![allow(missing_docs)]

mod apply;
mod changes;
mod common;
mod hardware;
mod kernel;
mod layout;
mod messages;
mod netlink;
mod throttled;
