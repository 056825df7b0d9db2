//! The RDMA protocol, without I/O: what a program asks of a device ([`verbs`]), what stands on
//! the wire ([`wire`]), how lanes share a link ([`qos`]), how a flow survives losses
//! ([`transport`]), how receivers let messages come ([`homa`]), how senders slow down: of InfiniBand by
//! FECN and BECN ([`cc`]), of RoCE by one of several algorithms ([`congestion`]).

pub mod cc;
pub mod congestion;
pub mod homa;
pub mod qos;
pub mod transport;
pub mod verbs;
pub mod wire;
