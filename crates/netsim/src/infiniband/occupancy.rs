//! A check in debug builds that an input buffer never holds more than its size. Its accounting is
//! separate from the credits that ensure this.

use bandwise_units::{Bytes, Time};

/// Occupancy of a node's input buffers.
#[derive(Debug)]
pub(crate) struct Occupancy {
    #[cfg(debug_assertions)]
    buffers: Vec<Buffer>,
}

#[cfg(debug_assertions)]
#[derive(Debug, Default)]
struct Buffer {
    blocks: u32,
    /// Blocks by the time at which they become free.
    leaving: std::collections::BTreeMap<Time, u32>,
}

#[cfg_attr(not(debug_assertions), expect(unused_variables, reason = "debug builds only"))]
impl Occupancy {
    pub(super) fn new(buffers: usize) -> Self {
        Occupancy {
            #[cfg(debug_assertions)]
            buffers: std::iter::repeat_with(Buffer::default).take(buffers).collect(),
        }
    }

    /// Records that a packet of `blocks` arrived in buffer `number` by `now`.
    #[inline]
    pub(super) fn enter(&mut self, number: usize, now: Time, blocks: u32, size: Bytes) {
        #[cfg(debug_assertions)]
        {
            let buffer = &mut self.buffers[number];
            while let Some(first) = buffer.leaving.first_entry().filter(|e| *e.key() <= now) {
                buffer.blocks -= first.remove();
            }
            buffer.blocks += blocks;
            let held = Bytes::new(u64::from(buffer.blocks) * 64);
            assert!(held <= size, "a buffer of {size} holds {held} at {now}");
        }
    }

    /// Records that a packet of `blocks` will have left buffer `number` at `at`.
    #[inline]
    pub(super) fn leave(&mut self, number: usize, at: Time, blocks: u32) {
        #[cfg(debug_assertions)]
        {
            *self.buffers[number].leaving.entry(at).or_default() += blocks;
        }
    }
}
