//! Tests of the crate from outside, in one program because each takes a while to link.

mod builders;
mod dumps;
mod errors_netlist;
mod errors_toml;
mod fabrics;
mod never_panics;
mod readers;
mod round_trip;
mod routes;
mod uplinks;
