//! [`Device`]: what carries requests out.

use bandwise_rdma::verbs::{Completion, Posts};

/// Queue pairs that are connected, and the completion queue that they share.
pub trait Device {
    /// Why it can't go on.
    type Error;

    /// Hands posted requests to the hardware, in order. Requests of a queue pair that don't ring are held until
    /// one does, and then handed over as a list.
    fn post(&mut self, posts: &mut Posts) -> Result<(), Self::Error>;

    /// Adds what has completed, oldest first, and returns at once.
    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), Self::Error>;
}
