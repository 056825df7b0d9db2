//! RDMA's connection manager (RDMA-CM): it finds the way to an IP address by the network's own means, and the two
//! sides' kernels connect queue pairs by messages of their own (IBTA 12). What is to be measured is agreed over TCP
//! as without it.
//!
//! Of what it finds out, the way to the other side, its queue pair and the first packet's number are taken; time-outs
//! are those that are used without it.

mod address;
mod channel;
mod connect;
mod connections;
mod listen;
mod ticket;

pub use address::usable;
pub use connect::connect;
pub use connections::Connections;
pub use listen::Listener;
