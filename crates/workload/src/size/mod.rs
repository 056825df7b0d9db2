//! [`SizeDistribution`]: the distribution of flow sizes.

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

/// A distribution of flow sizes: whole numbers of bytes from 1 to [`MAX_FLOW`].
///
/// All kinds are ranges of sizes, each with a share of the flows. So mean, quantiles and samples
/// agree in all of them. A sample takes one random number.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeDistribution {
    /// The ranges, at least one, by size. Their shares cover 0 to 1 without gaps.
    steps: Vec<Step>,
}

/// A range of sizes and its flows.
#[derive(Debug, Clone, PartialEq)]
struct Step {
    /// The share of smaller flows.
    below: f64,
    /// The share of smaller flows and these flows together; more than `below`.
    up_to: f64,
    piece: Piece,
}

impl SizeDistribution {
    /// Returns a distribution with one size.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if the size is 0 or above [`MAX_FLOW`].
    pub fn fixed(size: Bytes) -> Result<Self, WorkloadError> {
        Self::uniform(size, size)
    }

    /// Returns a uniform distribution from `least` to `most`, both included.
    ///
    /// # Errors
    ///
    /// Returns a [`WorkloadError`] if a size is 0 or above [`MAX_FLOW`], or `least` exceeds `most`.
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

    /// Returns a distribution of pieces by size, each with the share up to its end; the last is 1.
    fn of(pieces: impl IntoIterator<Item = (f64, Piece)>) -> Self {
        let mut below = 0.0;
        let step =
            |(up_to, piece)| Step { below: std::mem::replace(&mut below, up_to), up_to, piece };
        SizeDistribution { steps: pieces.into_iter().map(step).collect() }
    }

    /// Returns the mean size in bytes, computed by formula.
    pub fn mean(&self) -> f64 {
        self.steps.iter().map(|step| (step.up_to - step.below) * step.piece.mean()).sum()
    }

    /// Returns the smallest possible size.
    pub fn least(&self) -> Bytes {
        Bytes::new(self.steps[0].piece.above() + 1)
    }

    /// Returns the largest possible size.
    pub fn most(&self) -> Bytes {
        Bytes::new(self.steps[self.steps.len() - 1].piece.most())
    }

    /// Returns the share of flows that are no larger than `size`, from 0 to 1.
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

    /// Returns the smallest size that a share of all flows does not exceed: `quantile(0.5)` is the
    /// median. Shares are above 0 and up to 1. A share out of range gives the smallest or the
    /// largest size.
    pub fn quantile(&self, share: f64) -> Bytes {
        let at = self.steps.partition_point(|step| step.up_to < share);
        let Some(Step { below, up_to, piece }) = self.steps.get(at) else { return self.most() };
        Bytes::new(piece.quantile((share - below) / (up_to - below)))
    }

    /// Returns a random size.
    pub fn sample(&self, stream: &mut Stream) -> Bytes {
        self.quantile(stream.fraction())
    }
}
