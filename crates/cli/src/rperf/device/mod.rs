//! `bandwise rperf server` and `bandwise rperf client`: between two hosts, by their RDMA devices.

pub(super) mod address;
mod client;
mod flags;
mod here;
pub(super) mod json;
pub(super) mod port;
mod rate;
mod server;
mod settings;
pub(super) mod tables;

pub(super) use flags::{Client, Server};
