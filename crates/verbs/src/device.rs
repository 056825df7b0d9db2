//! [`Device`]: what carries requests out.

use bandwise_rdma::verbs::{Completion, Posts};
use bandwise_units::Time;

/// Queue pairs that are connected, and the completion queue that they share.
pub trait Device {
    /// Why it can't go on.
    type Error;

    /// Hands posted requests to the hardware, in order. Requests of a queue pair that don't ring are held until
    /// one does, and then handed over as a list.
    fn post(&mut self, posts: &mut Posts) -> Result<(), Self::Error>;

    /// Adds what has completed, oldest first, and returns at once.
    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), Self::Error>;

    /// What is done when a poll has found nothing: the program waits for a completion, and for no longer than
    /// `at_most` if that is given. Busy devices do nothing.
    fn rest(&mut self, _at_most: Option<Time>) -> Result<Rested, Self::Error> {
        Ok(Rested::Briefly)
    }

    /// Whether it has told of a fault that no completion tells of. It is asked now and then.
    fn check(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// How a rest ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rested {
    /// At once: it is to be polled again.
    Briefly,
    /// After a sleep, with a completion: it is to be polled again, and then somebody may want it to stop. There may
    /// never be a sleep that ends otherwise.
    Woken,
    /// Otherwise: somebody may want it to stop at once.
    Long,
}
