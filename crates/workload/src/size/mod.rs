//! [`SizeDistribution`]: how large flows are.

mod cdf;
mod irn;
mod known;
mod piece;

pub use cdf::CdfError;
pub use irn::IrnSpreads;
pub use known::KNOWN;
pub use piece::Spread;

use crate::{MAX_FLOW, WorkloadError};
use bandwise_random::Stream;
use bandwise_units::Bytes;
use piece::Piece;

/// How large flows are: whole numbers of bytes from 1 to [`MAX_FLOW`].
///
/// All kinds are the same thing inside, ranges of sizes with a share of the flows each, so that
/// mean, quantiles and samples agree with each other in every one. One random number makes a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeDistribution {
    /// At least one, by size; the shares begin at 0, end at 1 and leave no gap.
    steps: Vec<Step>,
}

/// A range of sizes and the flows that have them.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    /// The share of flows that are smaller.
    below: f64,
    /// That share and these flows together; more than `below`.
    up_to: f64,
    piece: Piece,
}

impl SizeDistribution {
    /// All flows have `size`.
    pub fn fixed(size: Bytes) -> Result<Self, WorkloadError> {
        Self::uniform(size, size)
    }

    /// Every size from `least` to `most`, both included, is as likely as any other.
    pub fn uniform(least: Bytes, most: Bytes) -> Result<Self, WorkloadError> {
        let (least, most) = (least.get(), most.get());
        if least == 0 || most > MAX_FLOW.get() {
            let bytes = if least == 0 { least } else { most };
            return Err(WorkloadError::Size { bytes });
        }
        if least > most {
            return Err(WorkloadError::SizeRange { least, most });
        }
        Ok(Self::of([(1.0, Piece::new(least - 1, most, Spread::Uniform))]))
    }

    /// Pieces by size, each with the share of flows up to its end; the last share is 1.
    fn of(pieces: impl IntoIterator<Item = (f64, Piece)>) -> Self {
        let mut below = 0.0;
        let step =
            |(up_to, piece)| Step { below: std::mem::replace(&mut below, up_to), up_to, piece };
        SizeDistribution { steps: pieces.into_iter().map(step).collect() }
    }

    /// The mean size in bytes, by a formula and not by samples.
    pub fn mean(&self) -> f64 {
        self.steps.iter().map(|step| (step.up_to - step.below) * step.piece.mean()).sum()
    }

    /// The least size that can occur.
    pub fn least(&self) -> Bytes {
        Bytes::new(self.steps[0].piece.above() + 1)
    }

    /// The largest size that can occur.
    pub fn most(&self) -> Bytes {
        Bytes::new(self.steps[self.steps.len() - 1].piece.most())
    }

    /// The share of flows that are no larger than `size`, from 0 to 1.
    pub fn share_up_to(&self, size: Bytes) -> f64 {
        let after = self.steps.partition_point(|step| step.piece.above() < size.get());
        match after.checked_sub(1) {
            None => 0.0,
            Some(at) => {
                let Step { below, up_to, piece } = &self.steps[at];
                below + (up_to - below) * piece.share_up_to(size.get())
            }
        }
    }

    /// The least size that a share of all flows does not exceed: `quantile(0.5)` is the median.
    /// Shares are above 0 and up to 1; one outside gives the least or the largest size.
    pub fn quantile(&self, share: f64) -> Bytes {
        let at = self.steps.partition_point(|step| step.up_to < share);
        let Some(Step { below, up_to, piece }) = self.steps.get(at) else { return self.most() };
        Bytes::new(piece.quantile((share - below) / (up_to - below)))
    }

    /// A random size.
    pub fn sample(&self, stream: &mut Stream) -> Bytes {
        self.quantile(stream.fraction())
    }
}
