//! Faults, and clocks.

use bandwise_units::Time;

/// A fault and its time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    /// The connection with an agent is closed, and both sides notice.
    Cut(usize, Time),
    /// From then on no message arrives, without an error at either side.
    Silence(usize, Time),
    /// A line, counted over all that are sent, gets lost.
    Lost(usize),
    /// The message arrives twice.
    Twice(usize),
    /// One byte of a line is changed.
    Changed(usize, usize),
    /// An agent's device never answers the order with that number, counted over all.
    Hangs(usize),
    /// The agent refuses the task.
    Refuses(usize),
    /// A device fails while it measures or answers.
    Breaks(usize, Time),
    /// The coordinator is interrupted.
    Interrupt(Time),
}

/// An agent's clock: how far ahead of the coordinator's, and by how many millionths faster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    pub ahead: Time,
    pub ppm: u64,
}

impl Pace {
    pub(crate) fn read(self, now: Time) -> Time {
        self.ahead
            + now
            + Time::from_ps((u128::from(now.as_ps()) * u128::from(self.ppm) / 1_000_000) as u64)
    }

    /// Returns the true time at which the clock shows a value.
    pub(crate) fn when(self, read: Time) -> Time {
        let since = read.saturating_sub(self.ahead).as_ps();
        Time::from_ps((u128::from(since) * 1_000_000 / u128::from(1_000_000 + self.ppm)) as u64)
    }
}
