//! The daemon with simulated switches that obey or hang.

mod network;
mod rates;
mod rotation;
mod started;
mod two_hosts;
mod world;
