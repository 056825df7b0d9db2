//! [`Monotonic`]: the system's monotonic clock.

use super::Clock;
use bandwise_units::Time;
use std::fmt;
use std::time::Instant;

/// The system's monotonic clock, in nanoseconds. Reading it takes 20 to 50 ns, and time servers adjust its rate.
#[derive(Debug, Clone, Copy)]
pub struct Monotonic(Instant);

impl Monotonic {
    /// Returns a clock that reads zero now.
    pub fn start() -> Self {
        Monotonic(Instant::now())
    }
}

impl fmt::Display for Monotonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system's clock")
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Time {
        Time::from_ns(self.0.elapsed().as_nanos() as u64)
    }
}
