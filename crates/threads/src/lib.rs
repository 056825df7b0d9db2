//! Threads for the simulator, which has none itself: a [`Team`] is a
//! [`Crew`] whose members work at the same time.

mod barrier;
mod team;

pub use team::Team;
