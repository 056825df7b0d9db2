//! [`LINK_GBPS`]: the rate of the links.

/// Rate of the links as the paper counts it, Gbps.
pub(super) const LINK_GBPS: f64 = 56.0;
