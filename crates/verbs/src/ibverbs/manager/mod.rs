//! RDMA's connection manager (RDMA-CM): it resolves the route to an IP address, and the kernels of both sides connect
//! queue pairs by messages of their own (IBTA 12). The sides agree on the measurement over TCP, as without RDMA-CM.
//!
//! Of its results, the route, the queue pair number and the first PSN are used; timeouts equal those without RDMA-CM.

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
