//! The implementation of [`Device`] and [`Wakes`] by queue pairs.

use super::super::VerbsError;
use super::super::completion_queue::Completed;
use super::QueuePairs;
use crate::{Device, Wakes, Woken};
use bandwise_rdma::verbs::{Completion, CompletionKind, Opcode, Posts, Qp};
use bandwise_units::Time;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// The interval of checks for events. A check is a system call, which may delay a measured message.
const ASK_EVERY: Duration = Duration::from_millis(100);

impl QueuePairs {
    /// Returns an error if the device has reported a fault.
    fn events(&self) -> Result<(), VerbsError> {
        while let Some((event, port)) = self.shared.context.next_event() {
            if let Some(what) = event.fault(port, self.chosen.port) {
                return Err(VerbsError::Event {
                    device: self.shared.context.name().to_owned(),
                    what,
                });
            }
        }
        Ok(())
    }
}

impl Device for QueuePairs {
    type Error = VerbsError;

    fn post(&mut self, posts: &mut Posts) -> Result<(), VerbsError> {
        for request in posts.drain() {
            self.hand_over(&request)?;
        }
        Ok(())
    }

    fn poll(&mut self, seen: &mut Vec<Completion>) -> Result<(), VerbsError> {
        let pairs = &mut self.pairs;
        let polled = self.completions.poll(|Completed { id, status, bytes, stamp }| {
            let pair = &mut pairs[usize::from(id.qp().0)];
            let kind = id.kind();
            if !status.is_success() {
                let qp = pair.qp.number();
                return Err(VerbsError::Failed { qp, what: name(kind), status });
            }
            let bytes = match kind {
                CompletionKind::Sent(_) => pair.payload(),
                CompletionKind::Received => {
                    pair.used += 1;
                    if 2 * pair.used == pair.recvs.len() {
                        pair.used = 0;
                        pair.receive()?;
                    }
                    bytes.saturating_sub(pair.header)
                }
            };
            seen.push(Completion { qp: id.qp(), id: id.id(), kind, bytes, truth: None, stamp });
            Ok(())
        });
        if polled.is_err() {
            // The device may report the cause, such as a port that went down.
            self.events()?;
        }
        polled?;
        if self.plan.sees_writes && self.shared.memory.arrived_mark() == self.seen.wrapping_add(1) {
            self.seen = self.seen.wrapping_add(1);
            let (kind, bytes) = (CompletionKind::Received, self.plan.bytes);
            seen.push(Completion { qp: Qp(0), id: 0, kind, bytes, truth: None, stamp: None });
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), VerbsError> {
        if self.asked.elapsed() < ASK_EVERY {
            return Ok(());
        }
        self.asked = Instant::now();
        self.events()
    }
}

impl Wakes for QueuePairs {
    fn arm(&mut self) -> Result<(), VerbsError> {
        let what = "an event can't be requested";
        self.completions
            .arm()
            .map_err(|error| VerbsError::of(self.shared.context.name(), what, error))
    }

    fn sleep(&mut self, at_most: Time) -> Result<Woken, VerbsError> {
        let failed =
            |error| VerbsError::of(self.shared.context.name(), "it can't wait for events", error);
        // Without another descriptor, the device's is listed twice.
        let (completions, device) = (self.completions.events(), self.shared.context.events());
        let other = self.wakes.as_ref().map_or(device, |other| other.as_fd());
        let mut fds =
            [completions, device, other].map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
        let ns = at_most.as_ps() / 1_000;
        let at_most =
            Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as i64 };
        match poll(&mut fds, Some(&at_most)) {
            // A signal: the loop may have to stop.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(failed(error.into())),
        }
        let [completions, device, _] = fds.map(|fd| fd.revents().contains(PollFlags::IN));
        if device {
            self.events()?;
        }
        if completions {
            self.completions.take_event().map_err(failed)?;
            return Ok(Woken::ByCompletion);
        }
        Ok(Woken::Otherwise)
    }
}

fn name(kind: CompletionKind) -> &'static str {
    match kind {
        CompletionKind::Sent(Opcode::Send) => "a SEND failed",
        CompletionKind::Sent(Opcode::Write) => "a WRITE failed",
        CompletionKind::Sent(Opcode::WriteImm) => "a WRITE with immediate failed",
        CompletionKind::Sent(Opcode::Read) => "a READ failed",
        CompletionKind::Sent(Opcode::Atomic) => "an atomic failed",
        CompletionKind::Received => "a RECV failed",
    }
}
