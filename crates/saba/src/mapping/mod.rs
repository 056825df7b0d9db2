//! Mapping of applications to priority levels, and of those to the queues of each port (Saba
//! 4.3.3).
//!
//! - [`Basis`] has the coordinates of models.
//! - [`PriorityLevels`] groups applications by K-means.
//! - [`Hierarchy`] merges levels step by step; each port uses the first step that fits its queues.
//! - [`arbitration`](arbitration()) converts shares of queues into integer weights.

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
