//! The process around the core, with switches that do as they are told, or hang.

mod network;
mod rates;
mod rotation;
mod started;
mod two_hosts;
mod world;
