//! Ranks with a special meaning.

/// The last rank that is served: after all others.
pub const LAST_RANK: u64 = HELD - 1;

/// The rank of flows that may not send, even over idle links.
pub const HELD: u64 = u64::MAX - 1;
