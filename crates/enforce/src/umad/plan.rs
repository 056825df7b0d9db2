//! [`IbPlan`]: what would be written to a port.

use crate::Plan;
use crate::infiniband::{Part, PortAt, Tables};
use bandwise_saba::controller::PortId;
use std::fmt;

/// What would be written to a port of InfiniBand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IbPlan {
    pub(super) id: PortId,
    pub(super) at: PortAt,
    pub(super) name: String,
    pub(super) before: Tables,
    pub(super) wanted: Tables,
    /// In the order in which they are written.
    pub(super) writes: Vec<Part>,
}

impl Plan for IbPlan {
    fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }
}

impl fmt::Display for IbPlan {
    /// A line for each table that changes: what it is, what stands there, what will. Turns are LANE:WEIGHT,
    /// lanes are those of SL 0, 1 and so on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.writes.iter().try_for_each(|&part| {
            let (before, wanted) = (self.before.show(part), self.wanted.show(part));
            writeln!(f, "{}, {part}: {before} -> {wanted}", self.name)
        })
    }
}
