//! `bandwise rperf server` and `bandwise rperf client`: between two hosts, by their RDMA devices.

pub(super) mod address;
mod answer;
mod client;
mod flags;
mod here;
mod method_name;
pub(super) mod peers;
pub(super) mod port;
mod rate;
mod server;
mod settings;
pub(super) mod tables;

pub(super) use flags::{Client, Server};
pub(super) use method_name::method_name;
