//! [`CompletionQueue`]: what has ended, looked for or waited for. What is unsafe about that stands here.

#![allow(unsafe_code)]

use super::VerbsError;
use super::context::Context;
use rdma_mummy_sys as sys;
use std::io;
use std::os::fd::BorrowedFd;
use std::ptr::{NonNull, null_mut};

/// A completion queue, and the channel that tells of its events.
pub(super) struct CompletionQueue {
    // In the order in which they may be dropped.
    queue: Queue,
    channel: Channel,
}

struct Queue(NonNull<sys::ibv_cq>);
struct Channel(NonNull<sys::ibv_comp_channel>);

impl CompletionQueue {
    /// One with room for so many completions.
    pub(super) fn of(context: &Context, room: u32) -> Result<CompletionQueue, VerbsError> {
        // SAFETY: the device is open.
        let channel = unsafe { sys::ibv_create_comp_channel(context.as_ptr()) };
        let channel = NonNull::new(channel).map(Channel).ok_or_else(|| {
            VerbsError::last(context.name(), "a channel for events of completions can't be had")
        })?;
        let entries = i32::try_from(room).unwrap_or(i32::MAX);
        // SAFETY: the device is open, and the channel lives longer than the queue; there is no context of our own.
        let queue = unsafe {
            sys::ibv_create_cq(context.as_ptr(), entries, null_mut(), channel.0.as_ptr(), 0)
        };
        let queue = NonNull::new(queue).map(Queue).ok_or_else(|| {
            let what = format!("a completion queue of {room} can't be had (fewer: -q, -t)");
            VerbsError::last(context.name(), what)
        })?;
        Ok(CompletionQueue { queue, channel })
    }

    #[inline]
    pub(super) fn as_ptr(&self) -> *mut sys::ibv_cq {
        self.queue.0.as_ptr()
    }

    /// Asks for an event with the next completion, whatever it is of.
    pub(super) fn arm(&self) -> io::Result<()> {
        // SAFETY: the queue lives.
        match unsafe { sys::ibv_req_notify_cq(self.as_ptr(), 0) } {
            0 => Ok(()),
            code => Err(io::Error::from_raw_os_error(code.abs())),
        }
    }

    /// What can be read when there is an event.
    pub(super) fn events(&self) -> BorrowedFd<'_> {
        // SAFETY: the channel lives as long as this, and its descriptor is open as long.
        unsafe { BorrowedFd::borrow_raw(self.channel.0.as_ref().fd) }
    }

    /// Takes the event that is there.
    pub(super) fn take_event(&self) -> io::Result<()> {
        let (mut queue, mut context) = (null_mut(), null_mut());
        // SAFETY: channel and queue live; an event that was taken is acknowledged once.
        unsafe {
            if sys::ibv_get_cq_event(self.channel.0.as_ptr(), &mut queue, &mut context) != 0 {
                return Err(io::Error::last_os_error());
            }
            sys::ibv_ack_cq_events(queue, 1);
        }
        Ok(())
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once, after its queue pairs, which its owner drops first.
        unsafe { sys::ibv_destroy_cq(self.0.as_ptr()) };
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // SAFETY: it is destroyed once, after its queue.
        unsafe { sys::ibv_destroy_comp_channel(self.0.as_ptr()) };
    }
}
