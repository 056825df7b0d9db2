//! [`Wire`]: the transport of SMPs.

use crate::infiniband::LENGTH;
use bandwise_units::Time;
use std::io;

/// A transport of SMPs with a clock.
pub trait Wire {
    /// Returns the time of the clock.
    fn now(&self) -> Time;

    /// Sends a datagram. The answer may take up to `timeout`.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn send(&mut self, datagram: &[u8; LENGTH], timeout: Time) -> io::Result<()>;

    /// Returns the next datagram; `None` if no datagram of this kind arrived in time.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn receive(&mut self, at_most: Time) -> io::Result<Option<[u8; LENGTH]>>;
}
