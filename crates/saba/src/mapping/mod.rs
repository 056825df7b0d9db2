//! Mapping: applications to priority levels, and those to the queues of each port (Saba 4.3.3).
//!
//! - [`Basis`] says in which coordinates models are near each other.
//! - [`PriorityLevels`] groups applications by K-means.
//! - [`Hierarchy`] merges levels step by step; each port takes the first step that fits its queues.
//! - [`arbitration`](arbitration()) makes integer weights of the shares of queues.

mod arbitration;
mod basis;
mod hierarchy;
mod kmeans;
mod levels;
mod queues;

pub use arbitration::{MAX_WEIGHT, arbitration};
pub use basis::{Basis, BasisError, Scaling};
pub use hierarchy::Hierarchy;
pub use levels::{PriorityLevel, PriorityLevels};
pub use queues::Queues;
