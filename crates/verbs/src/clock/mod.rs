//! [`Clock`]: the source of a program's time.

mod monotonic;
mod processor;
mod tsc;

pub use monotonic::Monotonic;
pub use processor::processor_time;
pub use tsc::{Tsc, TscError};

use bandwise_units::Time;

/// A monotonic clock.
pub trait Clock {
    /// Returns the time since the clock was made.
    fn now(&self) -> Time;
}
