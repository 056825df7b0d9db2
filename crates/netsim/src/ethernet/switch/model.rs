//! What a switch is told about how to behave.

use bandwise_rdma::congestion::RedMarker;
use bandwise_units::Bytes;

/// How a switch behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchModel {
    /// Where packets wait, and how many may.
    pub buffering: Buffering,
    /// Which packets are marked (ECN), by what waits for their output when they come in.
    pub ecn: Option<RedMarker>,
}

/// Where packets wait.
#[derive(Debug, Clone, PartialEq)]
pub enum Buffering {
    /// At their input, in a virtual output queue; outputs take from inputs in turn (IRN 4.1).
    PerInput(InputBuffers),
    /// At their output, in a buffer that all ports share.
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

/// When priority flow control says stop, and go on again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pfc {
    /// Beyond that much in an input's buffer: stop (X-OFF).
    pub stop: Bytes,
    /// At that much or less: go on (X-ON).
    pub go: Bytes,
}

/// A buffer that all ports share, by dynamic thresholds (Choudhury and Hahne, "Dynamic Queue Length
/// Thresholds for Shared-Memory Packet Switches", 1998): what may wait in one place is `alpha`
/// times what is free.
///
/// A place is a traffic class at an output where packets are dropped, and a class at an input where
/// flow control stops it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedBuffer {
    /// All of it, with what is set aside.
    pub buffer: Bytes,
    /// How much of what is free one place may have, beyond 0.
    pub alpha: f64,
    /// What every place has to itself.
    pub reserve: Bytes,
    /// Priority flow control; without it packets are dropped.
    pub pfc: Option<SharedPfc>,
}

/// Priority flow control of a shared buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedPfc {
    /// Set aside for each lossless class at each input, for what comes in after it was told to stop.
    pub headroom: Bytes,
    /// An input may go on when it is that far below the threshold.
    pub slack: Bytes,
}

impl Buffering {
    /// Whether there is priority flow control.
    pub const fn has_pfc(&self) -> bool {
        match self {
            Buffering::PerInput(inputs) => inputs.pfc.is_some(),
            Buffering::Shared(shared) => shared.pfc.is_some(),
        }
    }

    /// The buffer of one input port and class, or of the whole switch.
    pub const fn buffer(&self) -> Bytes {
        match self {
            Buffering::PerInput(inputs) => inputs.buffer,
            Buffering::Shared(shared) => shared.buffer,
        }
    }
}

impl SharedBuffer {
    /// What all places of a switch share: what is left when each has what is set aside for it.
    /// Nothing if that is more than there is.
    pub fn pool(&self, ports: usize, classes: u8, lossless: u8) -> Option<Bytes> {
        let places = ports as u64 * u64::from(classes);
        let used = lossless & (u8::MAX >> (8 - classes));
        let headroom = self.pfc.map_or(0, |pfc| pfc.headroom.get());
        let headrooms = ports as u64 * u64::from(used.count_ones()) * headroom;
        let aside = places.checked_mul(self.reserve.get())?.checked_add(headrooms)?;
        self.buffer.get().checked_sub(aside).map(Bytes::new)
    }
}
