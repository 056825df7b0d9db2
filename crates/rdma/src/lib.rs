//! The RDMA protocol, without I/O: what a program asks of a device ([`verbs`]), what stands on
//! the wire ([`wire`]), how lanes share a link ([`qos`]), how senders slow down ([`cc`]),
//! how a flow survives losses ([`transport`]).

pub mod cc;
pub mod qos;
pub mod transport;
pub mod verbs;
pub mod wire;
