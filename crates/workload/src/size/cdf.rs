//! Distributions from points of their cumulative distribution function (CDF).

use super::{Piece, SizeDistribution, Spread};
use crate::MAX_FLOW;
use bandwise_units::Bytes;

/// The reasons for which points are not a cumulative distribution. Shares are in the unit of the
/// input; points are counted from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CdfError {
    /// Fewer than two points.
    #[error("too few points for a distribution: {points}")]
    TooFew {
        /// The number of points.
        points: usize,
    },
    /// A last share other than 1 or 100.
    #[error("the distribution ends at {share}")]
    End {
        /// The last point.
        point: usize,
        /// Its share.
        share: f64,
    },
    /// A share out of range.
    #[error("a share of {share}")]
    Share {
        /// The point.
        point: usize,
        /// Its share.
        share: f64,
        /// The share of all flows: 1 or 100.
        all: f64,
    },
    /// A share below the previous one.
    #[error("the share falls from {before} to {share}")]
    ShareFalls {
        /// The point.
        point: usize,
        /// The share of the previous point.
        before: f64,
        /// The share of the point.
        share: f64,
    },
    /// A size below the previous one.
    #[error("the size falls from {before} to {bytes} bytes")]
    SizeFalls {
        /// The point.
        point: usize,
        /// The size of the previous point.
        before: u64,
        /// The size of the point.
        bytes: u64,
    },
    /// Flows without bytes.
    #[error("a share of {share} of flows with 0 bytes")]
    NoBytes {
        /// The point.
        point: usize,
        /// Its share.
        share: f64,
    },
    /// A size above [`MAX_FLOW`].
    #[error("a size of {bytes} bytes")]
    TooLarge {
        /// The point.
        point: usize,
        /// Its size.
        bytes: u64,
    },
}

impl CdfError {
    /// Returns the point at fault, counted from 0, if there is one.
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

    /// Returns the allowed values.
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
    /// Returns a distribution through points: a size in bytes, and the share of flows that are no
    /// larger. Shares are fractions if the last is 1, and percent if it is 100.
    ///
    /// Sizes between two points are distributed by `spread`. From a size of 0 on they are always
    /// uniform, because zero has no logarithm. Two points with the same size, or a first point with
    /// a share above 0, are flows of exactly that size. Between two points with the same share
    /// there are no flows.
    ///
    /// # Errors
    ///
    /// Returns a [`CdfError`] if the points are not a cumulative distribution.
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
        // There are no flows below the first point. Its share, if above 0, is of flows with its
        // size.
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
