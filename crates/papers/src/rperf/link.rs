//! [`LINK_GBPS`]: the rate of the links.

/// The rate of the links as the paper states it, in Gbps.
pub(super) const LINK_GBPS: f64 = 56.0;
