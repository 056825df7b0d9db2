//! [`WithContents`]: queue pairs whose messages have contents.

use super::{QueuePairs, VerbsError};
use crate::{Device, Rested, Wakes, Woken};
use bandwise_rdma::verbs::{Completion, CompletionKind, Contents, Posts};
use bandwise_units::Time;

/// Queue pairs, and the source of their messages' contents. The [plan](bandwise_session::Plan) of the queue pairs must
/// have contents, and at most half as many messages as RECVs may be outstanding on each.
pub struct WithContents<C> {
    device: QueuePairs,
    contents: C,
    /// A buffer for a message on its way between contents and device.
    message: Box<[u8]>,
    /// The number of received messages, by queue pair.
    arrived: Box<[usize]>,
}

impl<C: Contents> WithContents<C> {
    /// Wraps queue pairs.
    ///
    /// # Panics
    ///
    /// Panics if the queue pairs were created without contents.
    pub fn of(device: QueuePairs, contents: C) -> Self {
        let plan = device.plan();
        assert!(plan.has_contents, "these queue pairs have no contents");
        let (message, arrived) = (vec![0; plan.bytes as usize], vec![0; plan.count() as usize]);
        WithContents { device, contents, message: message.into(), arrived: arrived.into() }
    }

    /// Returns the contents, after all received messages were checked.
    ///
    /// # Errors
    ///
    /// Returns a [`VerbsError`] if a message has wrong contents.
    pub fn contents(&mut self) -> Result<&C, VerbsError> {
        self.contents.check().map_err(VerbsError::Contents)?;
        Ok(&self.contents)
    }
}

impl<C: Contents> Device for WithContents<C> {
    type Error = VerbsError;

    fn post(&mut self, posts: &mut Posts) -> Result<(), VerbsError> {
        for request in posts.drain() {
            // `hand_over` refuses a message that is too long.
            if let Some(message) = self.message.get_mut(..request.bytes as usize) {
                self.contents.fill(request.qp, message);
                self.device.fill(request.qp, message);
            }
            self.device.hand_over(&request)?;
        }
        Ok(())
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), VerbsError> {
        // The messages of the last poll; later ones are in transit.
        self.contents.check().map_err(VerbsError::Contents)?;
        let before = seen.len();
        self.device.poll(seen)?;
        for came in seen[before..].iter().filter(|came| came.kind == CompletionKind::Received) {
            let number = &mut self.arrived[usize::from(came.qp.0)];
            let bytes = self.message.len().min(came.bytes as usize);
            let message = &mut self.message[..bytes];
            self.device.arrived(came.qp, *number, message);
            *number = number.wrapping_add(1);
            self.contents.arrived(came.qp, message);
        }
        Ok(())
    }

    fn rest(&mut self, at_most: Option<Time>) -> Result<Rested, VerbsError> {
        self.device.rest(at_most)
    }

    fn check(&mut self) -> Result<(), VerbsError> {
        self.device.check()
    }
}

impl<C: Contents> Wakes for WithContents<C> {
    fn arm(&mut self) -> Result<(), VerbsError> {
        self.device.arm()
    }

    fn sleep(&mut self, at_most: Time) -> Result<Woken, VerbsError> {
        self.device.sleep(at_most)
    }
}
