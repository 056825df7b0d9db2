//! Models of a switch.

use super::super::classes::Classes;
use super::marking::Marking;
use bandwise_units::Bytes;

/// Behaviour of a switch.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchModel {
    /// Arrangement and size of buffers.
    pub buffering: Buffering,
    /// Marking (ECN) of arriving packets.
    pub ecn: Option<Marking>,
}

/// Arrangement of waiting packets.
#[derive(Debug, Clone, PartialEq)]
pub enum Buffering {
    /// At their input, in virtual output queues; outputs serve inputs round-robin (IRN 4.1).
    PerInput(InputBuffers),
    /// At their output, in a buffer shared by all ports.
    Shared(SharedBuffer),
}

/// A buffer for each input port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputBuffers {
    /// Buffer of each input port, for each traffic class.
    pub buffer: Bytes,
    /// Priority flow control; without it packets are dropped.
    pub pfc: Option<Pfc>,
}

/// Thresholds of priority flow control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pfc {
    /// Pause (X-OFF) above this occupancy of an input's buffer.
    pub xoff: Bytes,
    /// Resume (X-ON) at this occupancy or below.
    pub xon: Bytes,
}

/// A buffer shared by all ports, with dynamic thresholds (Choudhury and Hahne, "Dynamic Queue
/// Length Thresholds for Shared-Memory Packet Switches", 1998): a queue may hold `alpha` times the
/// free space.
///
/// A queue is a traffic class at an output where packets are dropped, and a class at an input where
/// flow control pauses the sender.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedBuffer {
    /// Total size, reserved parts included.
    pub buffer: Bytes,
    /// Largest multiple of the free space that a queue may hold, above 0.
    pub alpha: f64,
    /// Space reserved for each queue.
    pub reserve: Bytes,
    /// Priority flow control; without it packets are dropped.
    pub pfc: Option<SharedPfc>,
}

/// Priority flow control of a shared buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedPfc {
    /// Space reserved for each lossless class at each input with a cable, for packets that arrive
    /// after a pause.
    pub headroom: Headroom,
    /// Distance below the threshold at which an input is resumed.
    pub slack: Bytes,
}

/// Headroom of a lossless class at an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headroom {
    /// The same at each input with a cable.
    Fixed(Bytes),
    /// The most bytes that arrive after a pause, by the input's link.
    ByLink,
}

impl Buffering {
    /// Returns whether there is priority flow control.
    pub const fn has_pfc(&self) -> bool {
        match self {
            Buffering::PerInput(inputs) => inputs.pfc.is_some(),
            Buffering::Shared(shared) => shared.pfc.is_some(),
        }
    }

    /// Returns the buffer of one input port and class, or of the whole switch.
    pub const fn buffer(&self) -> Bytes {
        match self {
            Buffering::PerInput(inputs) => inputs.buffer,
            Buffering::Shared(shared) => shared.buffer,
        }
    }
}

impl SharedBuffer {
    /// Returns the space shared by all queues of a switch with these headrooms of a lossless class, one
    /// for each port. Returns `None` if the reserved parts exceed the buffer.
    pub(crate) fn without_reserved(
        &self,
        headrooms: impl IntoIterator<Item = Bytes>,
        classes: &Classes,
    ) -> Option<Bytes> {
        let lossless = u64::from(classes.lossless_count());
        let mut left = self.buffer.get();
        for headroom in headrooms {
            let reserve = self.reserve.get().checked_mul(classes.count.into())?;
            left = left.checked_sub(reserve)?;
            left = left.checked_sub(headroom.get().checked_mul(lossless)?)?;
        }
        Some(Bytes::new(left))
    }
}
