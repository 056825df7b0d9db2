//! Distributions from points of their cumulative distribution function (CDF).

use super::{Piece, SizeDistribution, Spread};
use crate::MAX_FLOW;
use bandwise_units::Bytes;

/// Why points are no cumulative distribution. Shares are in the unit they were given in; points
/// count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CdfError {
    /// No line can be drawn.
    #[error("too few points for a distribution: {points}")]
    TooFew {
        /// How many there are.
        points: usize,
    },
    /// The last share is not all flows.
    #[error("the distribution ends at {share}")]
    End {
        /// The last point.
        point: usize,
        /// Its share.
        share: f64,
    },
    /// No number from nothing to all.
    #[error("a share of {share}")]
    Share {
        /// The point.
        point: usize,
        /// Its share.
        share: f64,
        /// What all flows are: 1 or 100.
        all: f64,
    },
    /// Fewer flows up to a larger size.
    #[error("the share falls from {before} to {share}")]
    ShareFalls {
        /// The point.
        point: usize,
        /// The share of the one before.
        before: f64,
        /// Its own.
        share: f64,
    },
    /// Points out of order.
    #[error("the size falls from {before} to {bytes} bytes")]
    SizeFalls {
        /// The point.
        point: usize,
        /// The size of the one before.
        before: u64,
        /// Its own.
        bytes: u64,
    },
    /// Flows without a byte in them.
    #[error("a share of {share} of flows with 0 bytes")]
    NoBytes {
        /// The point.
        point: usize,
        /// Its share.
        share: f64,
    },
    /// Larger than any flow may be.
    #[error("a size of {bytes} bytes")]
    TooLarge {
        /// The point.
        point: usize,
        /// Its size.
        bytes: u64,
    },
}

impl CdfError {
    /// The point at fault, counted from 0, if it is one.
    pub fn point(&self) -> Option<usize> {
        match *self {
            Self::TooFew { .. } => None,
            Self::End { point, .. }
            | Self::Share { point, .. }
            | Self::ShareFalls { point, .. }
            | Self::SizeFalls { point, .. }
            | Self::NoBytes { point, .. }
            | Self::TooLarge { point, .. } => Some(point),
        }
    }

    /// What would be allowed instead.
    pub fn allowed(&self) -> String {
        match self {
            Self::TooFew { .. } => "two or more points".into(),
            Self::End { .. } => {
                "1 at the last point where shares are fractions, 100 where they are percent".into()
            }
            Self::Share { all, .. } => format!("0 to {all}, as the last point has {all}"),
            Self::ShareFalls { .. } => "shares that rise or stay from point to point".into(),
            Self::SizeFalls { .. } => "sizes that rise or stay from point to point".into(),
            Self::NoBytes { .. } => "a share of 0 at a size of 0: flows have 1 byte or more".into(),
            Self::TooLarge { .. } => format!("0 to {} bytes", MAX_FLOW.get()),
        }
    }
}

impl SizeDistribution {
    /// A distribution through points: a size in bytes, and the share of flows that are no larger.
    /// The last share must be 1, and all are fractions, or 100, and all are percent.
    ///
    /// Sizes between two points are spread as `spread` says; up from a size of 0 they are always
    /// uniform, as there is no logarithm of it. Two points of one size, or a first point with a share
    /// above 0, are flows of exactly that size. Between two points of one share there are none.
    pub fn cdf(points: &[(Bytes, f64)], spread: Spread) -> Result<Self, CdfError> {
        let [_, .., (_, last)] = *points else {
            return Err(CdfError::TooFew { points: points.len() });
        };
        let all = match last {
            1.0 => 1.0,
            100.0 => 100.0,
            share => return Err(CdfError::End { point: points.len() - 1, share }),
        };
        let mut pieces = Vec::new();
        // Before the first point there is nothing; what it has above 0 is flows of its own size.
        let (mut bytes_before, mut share_before) = (points[0].0.get(), 0.0);
        for (point, &(size, share)) in points.iter().enumerate() {
            let bytes = size.get();
            if !(0.0..=all).contains(&share) {
                return Err(CdfError::Share { point, share, all });
            }
            if share < share_before {
                return Err(CdfError::ShareFalls { point, before: share_before, share });
            }
            if bytes < bytes_before {
                return Err(CdfError::SizeFalls { point, before: bytes_before, bytes });
            }
            if bytes > MAX_FLOW.get() {
                return Err(CdfError::TooLarge { point, bytes });
            }
            if share > share_before {
                let piece = match bytes_before {
                    _ if bytes == 0 => return Err(CdfError::NoBytes { point, share }),
                    before if before == bytes => Piece::only(bytes),
                    before => Piece::new(before, bytes, spread),
                };
                pieces.push((share / all, piece));
            }
            (bytes_before, share_before) = (bytes, share);
        }
        Ok(Self::of(pieces))
    }
}
