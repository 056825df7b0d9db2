//! [`CompletionQueue`]: polling and events of completions. It contains unsafe calls of libibverbs.

#![allow(unsafe_code)]

use super::context::Context;
use super::stamps::Stamps;
use super::work_id::WorkId;
use super::{Status, VerbsError};
use bandwise_units::Time;
use rdma_mummy_sys as sys;
use std::io;
use std::mem::zeroed;
use std::os::fd::BorrowedFd;
use std::ptr::{NonNull, null_mut};

/// The number of completions per poll.
const POLLED: usize = 32;

/// A completion queue, and the channel of its events.
pub(super) struct CompletionQueue {
    // Fields are dropped in this order.
    queue: Queue,
    channel: Channel,
    found: Box<[sys::ibv_wc; POLLED]>,
    /// The same queue with time stamps, and the meaning of its stamps.
    stamping: Option<(NonNull<sys::ibv_cq_ex>, Stamps)>,
}

struct Queue(NonNull<sys::ibv_cq>);
struct Channel(NonNull<sys::ibv_comp_channel>);

/// A completion.
pub(super) struct Completed {
    /// The id that was posted with the request.
    pub(super) id: WorkId,
    /// The status.
    pub(super) status: Status,
    /// The received bytes of a RECV, including the header.
    pub(super) bytes: u32,
    /// The time by the device's clock.
    pub(super) stamp: Option<Time>,
}

impl CompletionQueue {
    /// Creates a queue of this length, with time stamps if `stamps` is given and the device supports it.
    pub(super) fn of(
        context: &Context,
        room: u32,
        stamps: Option<Stamps>,
    ) -> Result<CompletionQueue, VerbsError> {
        // SAFETY: the device is open.
        let channel = unsafe { sys::ibv_create_comp_channel(context.as_ptr()) };
        let channel = NonNull::new(channel).map(Channel).ok_or_else(|| {
            VerbsError::last(context.name(), "a channel for completion events can't be created")
        })?;
        let stamping = stamps.and_then(|stamps| Some((stamping(context, room, &channel)?, stamps)));
        let queue = match &stamping {
            // SAFETY: the queue is alive, and both types are views of the same queue.
            Some((queue, _)) => unsafe { sys::ibv_cq_ex_to_cq(queue.as_ptr()) },
            None => {
                let entries = i32::try_from(room).unwrap_or(i32::MAX);
                // SAFETY: the device is open, and the channel outlives the queue.
                unsafe {
                    let channel = channel.0.as_ptr();
                    sys::ibv_create_cq(context.as_ptr(), entries, null_mut(), channel, 0)
                }
            }
        };
        let queue = NonNull::new(queue).map(Queue).ok_or_else(|| {
            let what = format!("a completion queue of {room} can't be created (fewer: -q, -t)");
            VerbsError::last(context.name(), what)
        })?;
        // SAFETY: the structs consist of numbers, for which zero is a valid value.
        let found = Box::new(unsafe { zeroed() });
        Ok(CompletionQueue { queue, channel, found, stamping })
    }

    /// Returns the rate of the device's clock in kHz; `None` without time stamps.
    pub(super) fn stamped_at_khz(&self) -> Option<u64> {
        self.stamping.as_ref().map(|(_, stamps)| stamps.khz())
    }

    /// Passes completions to `each`, oldest first, until there are no more or `each` returns `false`.
    #[inline]
    pub(super) fn poll(
        &mut self,
        mut each: impl FnMut(Completed) -> Result<(), VerbsError>,
    ) -> Result<(), VerbsError> {
        if let Some((queue, stamps)) = &mut self.stamping {
            // SAFETY: the queue is alive, and was created with sizes and stamps.
            return unsafe { poll_stamps(queue.as_ptr(), stamps, each) };
        }
        // SAFETY: the queue is alive, and the array has room for the given number of completions.
        let found = unsafe {
            sys::ibv_poll_cq(self.queue.0.as_ptr(), POLLED as i32, self.found.as_mut_ptr())
        };
        let found = usize::try_from(found).map_err(|_| VerbsError::Poll)?;
        for entry in &self.found[..found] {
            let sys::ibv_wc { wr_id, status, byte_len, .. } = *entry;
            each(Completed {
                id: WorkId(wr_id),
                status: Status(status),
                bytes: byte_len,
                stamp: None,
            })?;
        }
        Ok(())
    }

    /// Returns the library's handle, which is valid as long as this value lives.
    pub(super) fn as_ptr(&self) -> *mut sys::ibv_cq {
        self.queue.0.as_ptr()
    }

    /// Arms the queue: the next completion causes an event.
    pub(super) fn arm(&self) -> io::Result<()> {
        // SAFETY: the queue is alive.
        match unsafe { sys::ibv_req_notify_cq(self.as_ptr(), 0) } {
            0 => Ok(()),
            code => Err(io::Error::from_raw_os_error(code.abs())),
        }
    }

    /// Returns a descriptor that is readable when there is an event.
    pub(super) fn events(&self) -> BorrowedFd<'_> {
        // SAFETY: the channel and its open descriptor live as long as `self`.
        unsafe { BorrowedFd::borrow_raw(self.channel.0.as_ref().fd) }
    }

    /// Takes the pending event.
    pub(super) fn take_event(&self) -> io::Result<()> {
        let (mut queue, mut context) = (null_mut(), null_mut());
        // SAFETY: the channel and the queue are alive. A received event is acknowledged once.
        unsafe {
            if sys::ibv_get_cq_event(self.channel.0.as_ptr(), &mut queue, &mut context) != 0 {
                return Err(io::Error::last_os_error());
            }
            sys::ibv_ack_cq_events(queue, 1);
        }
        Ok(())
    }
}

/// The error of polling an empty queue (ENOENT).
const EMPTY: i32 = 2;

/// Creates a queue with time stamps; `None` if the device has none.
fn stamping(context: &Context, room: u32, channel: &Channel) -> Option<NonNull<sys::ibv_cq_ex>> {
    use sys::ibv_create_cq_wc_flags as with;
    let what = with::IBV_WC_EX_WITH_BYTE_LEN | with::IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
    // SAFETY: the struct consists of numbers and pointers, for which zero is a valid value.
    let mut wanted: sys::ibv_cq_init_attr_ex = unsafe { zeroed() };
    wanted.cqe = room;
    wanted.channel = channel.0.as_ptr();
    wanted.wc_flags = u64::from(what.0);
    // SAFETY: the device is open, and the channel outlives the queue.
    NonNull::new(unsafe { sys::ibv_create_cq_ex(context.as_ptr(), &mut wanted) })
}

/// Polls a queue with time stamps.
///
/// # Safety
///
/// The queue must be alive, and must have been created with sizes and stamps.
unsafe fn poll_stamps(
    queue: *mut sys::ibv_cq_ex,
    stamps: &mut Stamps,
    mut each: impl FnMut(Completed) -> Result<(), VerbsError>,
) -> Result<(), VerbsError> {
    let mut attributes = sys::ibv_poll_cq_attr { comp_mask: 0 };
    // SAFETY: the caller ensures that the queue is alive. An entry is read only after a successful
    // `ibv_start_poll` or `ibv_next_poll`, and before the next call. A successful `ibv_start_poll` is followed
    // by `ibv_end_poll`.
    unsafe {
        match sys::ibv_start_poll(queue, &mut attributes) {
            0 => {}
            EMPTY => return Ok(()),
            _ => return Err(VerbsError::Poll),
        }
        let mut polled = 0;
        let end = loop {
            let status = Status((*queue).status);
            let id = WorkId((*queue).wr_id);
            // A failed request has no other fields.
            let (bytes, stamp) = match status.is_success() {
                true => (
                    sys::ibv_wc_read_byte_len(queue),
                    Some(stamps.time(sys::ibv_wc_read_completion_ts(queue))),
                ),
                false => (0, None),
            };
            if let Err(error) = each(Completed { id, status, bytes, stamp }) {
                break Err(error);
            }
            polled += 1;
            if polled == POLLED {
                break Ok(());
            }
            match sys::ibv_next_poll(queue) {
                0 => {}
                EMPTY => break Ok(()),
                _ => break Err(VerbsError::Poll),
            }
        };
        sys::ibv_end_poll(queue);
        end
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: the queue is destroyed once, after its queue pairs, which its owner drops first.
        unsafe { sys::ibv_destroy_cq(self.0.as_ptr()) };
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // SAFETY: the channel is destroyed once, after its queue.
        unsafe { sys::ibv_destroy_comp_channel(self.0.as_ptr()) };
    }
}

#[cfg(test)]
mod tests;
