//! End-to-end congestion control of RoCE (RDMA over Converged Ethernet): the switch marks packets
//! ([`RedMarker`]), the receiver tells the sender ([`NotificationPoint`]).
//!
//! InfiniBand has another congestion control (FECN and BECN), which is in [`cc`](crate::cc).

mod notification;
mod red;

pub use notification::{NotificationPoint, NotificationSettings};
pub use red::{RedError, RedMarker};
