//! Threads for what knows none itself: a [`Team`] runs the parts of a network at the same time,
//! [`in_order`] does many jobs and has their results in order.

mod barrier;
mod jobs;
mod team;

pub use jobs::in_order;
pub use team::Team;
