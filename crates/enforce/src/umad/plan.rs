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

impl IbPlan {
    /// What stands at the port now.
    pub fn before(&self) -> &Tables {
        &self.before
    }
}

impl Plan for IbPlan {
    fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }
}

impl fmt::Display for IbPlan {
    /// A line for each table that changes, or for several that change alike: what it is, what stands there, what
    /// will. Turns are LANE:WEIGHT, lanes are those of SL 0, 1 and so on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<(String, String)> = Vec::new();
        for &part in &self.writes {
            let change = format!("{} -> {}", self.before.show(part), self.wanted.show(part));
            match (part, lines.last_mut()) {
                (Part::Mapping(input), Some((parts, same))) if *same == change => {
                    parts.push_str(&format!(", {input}"));
                }
                _ => lines.push((part.to_string(), change)),
            }
        }
        let name = &self.name;
        lines.iter().try_for_each(|(part, change)| writeln!(f, "{name}, {part}: {change}"))
    }
}
