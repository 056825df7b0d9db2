//! [`Load`]: the average use of each host's link.

use crate::WorkloadError;
use bandwise_units::BitRate;

/// The lowest load, as a fraction. Below it a flow in a second is rare even in large fabrics.
pub const MIN_LOAD: f64 = 1e-6;
/// The highest load, as a fraction. Load beyond 1 grows queues without limit, which can be studied;
/// a number beyond 10 is most likely a percentage.
pub const MAX_LOAD: f64 = 10.0;
/// The largest ratio of bytes on the wire to payload: packets of nine tenths header.
pub const MAX_WIRE_FACTOR: f64 = 10.0;

/// The average sending rate of each host, as a fraction of the rate of its link.
///
/// "The network load is set at 70% utilization" (IRN 4.1) leaves open which bytes count. By default
/// payload counts, as in the generator of the HPCC simulator: at 0.7 and 40 Gbps a host sends 28
/// Gbps of payload, and headers are added. With [`with_wire_factor`](Self::with_wire_factor), bytes
/// on the wire count. In a fabric of full bisection bandwidth the inner links have the same load,
/// or less if neighbours communicate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    fraction: f64,
    link: BitRate,
    wire_factor: f64,
}

impl Load {
    /// Returns a load of this fraction of `link`, in payload, from [`MIN_LOAD`] to [`MAX_LOAD`].
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if the fraction is out of range, or the rate is zero.
    pub fn new(fraction: f64, link: BitRate) -> Result<Self, WorkloadError> {
        if !(MIN_LOAD..=MAX_LOAD).contains(&fraction) {
            return Err(WorkloadError::Load { load: fraction });
        }
        if link.as_bps() == 0 {
            return Err(WorkloadError::ZeroRate);
        }
        Ok(Load { fraction, link, wire_factor: 1.0 })
    }

    /// Counts the load in bytes on the wire, of which there are `factor` (1 to [`MAX_WIRE_FACTOR`])
    /// for each byte of payload: 1.07 for packets with 1000 B of payload and 70 B of headers.
    ///
    /// One factor serves flows of all sizes, so it is exact for full packets. In a heavy-tailed
    /// distribution these have nearly all bytes.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if the factor is out of range.
    pub fn with_wire_factor(self, factor: f64) -> Result<Self, WorkloadError> {
        if !(1.0..=MAX_WIRE_FACTOR).contains(&factor) {
            return Err(WorkloadError::WireFactor { factor });
        }
        Ok(Load { wire_factor: factor, ..self })
    }

    /// Returns the mean time between two flows of one host, in picoseconds, for flows of `mean`
    /// bytes of payload on average.
    pub(super) fn mean_gap_ps(&self, mean: f64) -> f64 {
        let bits = mean * self.wire_factor * 8.0;
        bits / (self.fraction * self.link.as_bps() as f64) * 1e12
    }
}
