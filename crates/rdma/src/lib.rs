//! The RDMA protocol, without I/O: what a program asks of a device ([`verbs`]), what stands on
//! the wire ([`wire`]), how lanes share a link ([`qos`]), how senders slow down ([`cc`]).

pub mod cc;
pub mod qos;
pub mod verbs;
pub mod wire;
