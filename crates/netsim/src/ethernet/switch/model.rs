//! Models of a switch.

use bandwise_rdma::congestion::RedMarker;
use bandwise_units::Bytes;

/// Behaviour of a switch.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchModel {
    /// Arrangement and size of buffers.
    pub buffering: Buffering,
    /// Marking (ECN) of arriving packets, by the bytes that wait for their output.
    pub ecn: Option<RedMarker>,
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
    /// Space reserved for each lossless class at each input, for packets that arrive after a pause.
    pub headroom: Bytes,
    /// Distance below the threshold at which an input is resumed.
    pub slack: Bytes,
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
    /// Returns the space shared by all queues of a switch, without the reserved parts. Returns
    /// `None` if those exceed the buffer.
    pub fn pool(&self, ports: usize, classes: u8, lossless: u8) -> Option<Bytes> {
        let queues = ports as u64 * u64::from(classes);
        let used = lossless & (u8::MAX >> (8 - classes));
        let headroom = self.pfc.map_or(0, |pfc| pfc.headroom.get());
        let headrooms = ports as u64 * u64::from(used.count_ones()) * headroom;
        let aside = queues.checked_mul(self.reserve.get())?.checked_add(headrooms)?;
        self.buffer.get().checked_sub(aside).map(Bytes::new)
    }
}
