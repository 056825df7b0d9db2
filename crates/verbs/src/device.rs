//! [`Device`]: the execution of work requests.

use bandwise_rdma::verbs::{Completion, Posts};
use bandwise_units::Time;

/// Connected queue pairs, and the completion queue that they share.
pub trait Device {
    /// The reason for which the device can't continue.
    type Error;

    /// Posts requests in order. Requests that do not ring the doorbell are kept until one of their queue pair does, and
    /// then posted as a list.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn post(&mut self, posts: &mut Posts) -> Result<(), Self::Error>;

    /// Adds completions, oldest first, and returns at once.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), Self::Error>;

    /// Called after a poll that found nothing: the program waits for a completion, for `at_most` if that is given. Busy
    /// polling devices do nothing.
    ///
    /// # Errors
    ///
    /// Returns the error of the device.
    fn rest(&mut self, _at_most: Option<Time>) -> Result<Rested, Self::Error> {
        Ok(Rested::Briefly)
    }

    /// Checks for a fault that no completion reports. Called now and then.
    ///
    /// # Errors
    ///
    /// Returns the error of the device, if it has failed.
    fn check(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// The reason for which a rest ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rested {
    /// At once: the device is to be polled.
    Briefly,
    /// After a sleep, by a completion: the device is to be polled, and then the loop checks whether to stop. There may
    /// be no other end of a sleep.
    Woken,
    /// Otherwise: the loop checks at once whether to stop.
    Long,
}
