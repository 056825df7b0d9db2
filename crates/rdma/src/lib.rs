//! The RDMA protocol, without I/O: what a program asks of a device ([`verbs`]), what stands on
//! the wire, how lanes share a link, how senders slow down.

pub mod verbs;
