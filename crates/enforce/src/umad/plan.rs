//! [`IbPlan`]: a planned change of a port.

use crate::infiniband::{Part, PortAt, Tables};
use bandwise_saba::controller::PortId;
use bandwise_switches::Plan;
use std::fmt;

/// A planned change of a port of InfiniBand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IbPlan {
    pub(super) id: PortId,
    pub(super) at: PortAt,
    pub(super) name: String,
    pub(super) before: Tables,
    pub(super) wanted: Tables,
    /// The parts to write, in order.
    pub(super) writes: Vec<Part>,
}

impl IbPlan {
    /// Returns the current tables of the port.
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
    /// Writes a line for each table that changes, or for several with the same change: name, current and new value.
    /// Arbitration entries are LANE:WEIGHT, mappings list the lanes of SL 0, 1 and so on.
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
