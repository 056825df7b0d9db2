//! [`Wire`]: the transport of SMPs.

use crate::infiniband::LENGTH;
use bandwise_units::Time;
use std::io;

/// A transport of SMPs with a clock.
pub trait Wire {
    /// Returns the time of the clock.
    fn now(&self) -> Time;

    /// Sends a datagram, whose answer may take up to `timeout`.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn send(&mut self, datagram: &[u8; LENGTH], timeout: Time) -> io::Result<()>;

    /// Returns the next datagram; `None` if none arrived in time, or only something else.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn receive(&mut self, at_most: Time) -> io::Result<Option<[u8; LENGTH]>>;
}
