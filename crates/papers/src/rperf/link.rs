//! The rate of the links, as the paper states it and as it is.

use bandwise_units::BitRate;

/// The rate of the links as the paper states it, in Gbps.
pub(super) const LINK_GBPS: f64 = 56.0;
/// The data rate of the links: FDR after its coding of 64b/66b, 14.0625 Gbaud x 4 x 64/66.
pub(super) const LINK: BitRate = BitRate::from_bps(54_545_454_545);
