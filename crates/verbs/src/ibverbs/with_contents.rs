//! [`WithContents`]: queue pairs whose messages hold something.

use super::{QueuePairs, VerbsError};
use crate::{Device, Rested, Wakes, Woken};
use bandwise_rdma::verbs::{Completion, CompletionKind, Contents, Posts};
use bandwise_units::Time;

/// Queue pairs, and who says what their messages hold. The [plan](bandwise_session::Plan) of the queue pairs must have contents,
/// and no more messages may be under way on one of them than half of its RECVs.
pub struct WithContents<C> {
    device: QueuePairs,
    contents: C,
    /// A message on its way between the two.
    message: Box<[u8]>,
    /// How many have arrived, by queue pair.
    arrived: Box<[usize]>,
}

impl<C: Contents> WithContents<C> {
    /// Queue pairs whose messages hold that. Panics if they were not made for it.
    pub fn of(device: QueuePairs, contents: C) -> Self {
        let plan = device.plan();
        assert!(plan.has_contents, "messages of these hold nothing");
        let (message, arrived) = (vec![0; plan.bytes as usize], vec![0; plan.count() as usize]);
        WithContents { device, contents, message: message.into(), arrived: arrived.into() }
    }

    /// What came of messages, once all that have been seen are looked at.
    pub fn contents(&mut self) -> Result<&C, VerbsError> {
        self.contents.check().map_err(VerbsError::Contents)?;
        Ok(&self.contents)
    }
}

impl<C: Contents> Device for WithContents<C> {
    type Error = VerbsError;

    fn post(&mut self, posts: &mut Posts) -> Result<(), VerbsError> {
        for request in posts.drain() {
            // What is too long is refused below.
            if let Some(message) = self.message.get_mut(..request.bytes as usize) {
                self.contents.fill(request.qp, message);
                self.device.fill(request.qp, message);
            }
            self.device.hand_over(&request)?;
        }
        Ok(())
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), VerbsError> {
        // Of the last poll: what was posted upon that is on its way.
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
