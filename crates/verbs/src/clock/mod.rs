//! [`Clock`]: what a program's time is read from.

mod monotonic;
mod processor;
mod tsc;

pub use monotonic::Monotonic;
pub use processor::processor_time;
pub use tsc::{Tsc, TscError};

use bandwise_units::Time;

/// A clock that never goes back.
pub trait Clock {
    /// Time since the clock was made.
    fn now(&self) -> Time;
}
