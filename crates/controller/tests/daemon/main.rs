//! The process around the core, with switches that do as they are told, or hang.

mod kept;
mod network;
mod rates;
mod started;
mod two_hosts;
mod world;
