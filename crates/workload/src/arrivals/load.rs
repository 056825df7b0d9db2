//! [`Load`]: how much of its link each host uses.

use crate::WorkloadError;
use bandwise_units::BitRate;

/// The least load, as a fraction: below it a flow in a second is rare even in large fabrics.
pub const MIN_LOAD: f64 = 1e-6;
/// The highest load, as a fraction. What is offered beyond 1 waits for ever, which is a study of its
/// own; beyond 10 somebody has written percent.
pub const MAX_LOAD: f64 = 10.0;
/// The largest factor from payload to bytes on the wire: packets that are nine tenths header.
pub const MAX_WIRE_FACTOR: f64 = 10.0;

/// What each host sends on average, as a fraction of the rate of its link.
///
/// "The network load is set at 70% utilization" (IRN 4.1) does not say of which bytes. By default
/// payload counts, as in the generator that comes with the HPCC simulator: at 0.7 and 40 Gbps a host
/// sends 28 Gbps of payload, and headers come on top. With
/// [`with_wire_factor`](Self::with_wire_factor) bytes on the wire count. In a fabric of full bisection
/// bandwidth the load of its inner links is the same or, where neighbours talk, less.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    fraction: f64,
    link: BitRate,
    wire_factor: f64,
}

impl Load {
    /// That fraction of `link`, in payload; from [`MIN_LOAD`] to [`MAX_LOAD`].
    pub fn new(fraction: f64, link: BitRate) -> Result<Self, WorkloadError> {
        if !(MIN_LOAD..=MAX_LOAD).contains(&fraction) {
            return Err(WorkloadError::Load { load: fraction });
        }
        if link.as_bps() == 0 {
            return Err(WorkloadError::ZeroRate);
        }
        Ok(Load { fraction, link, wire_factor: 1.0 })
    }

    /// The same load in bytes on the wire, where `factor` of them go there for each byte of payload:
    /// 1.07 for packets of 1000 B of payload and 70 B around it. 1 to [`MAX_WIRE_FACTOR`].
    ///
    /// One factor serves flows of all sizes, so that it is exact for full packets. In a heavy-tailed
    /// distribution these have nearly all of the bytes.
    pub fn with_wire_factor(self, factor: f64) -> Result<Self, WorkloadError> {
        if !(1.0..=MAX_WIRE_FACTOR).contains(&factor) {
            return Err(WorkloadError::WireFactor { factor });
        }
        Ok(Load { wire_factor: factor, ..self })
    }

    /// The mean time between two flows of one host, in picoseconds, if flows have `mean` bytes of
    /// payload on average.
    pub(super) fn mean_gap_ps(&self, mean: f64) -> f64 {
        let bits = mean * self.wire_factor * 8.0;
        bits / (self.fraction * self.link.as_bps() as f64) * 1e12
    }
}
