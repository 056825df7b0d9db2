//! [`Groups`]: the assignment of ports to controllers while all of them are alive.

use crate::core::Group;
use crate::pattern::Pattern;
use std::fmt;

/// The assignment of ports to groups, by the port's name.
#[derive(Debug, Clone, Default)]
pub struct Groups(Vec<(Group, Vec<Pattern>)>);

impl Groups {
    /// Returns the assignment for a single controller: one group without a name.
    pub fn alone() -> Self {
        Groups::default()
    }

    /// Returns an assignment by patterns. A port belongs to the first group with a matching pattern, or else to the
    /// first group, so that every port has one.
    pub fn new(groups: Vec<(Group, Vec<Pattern>)>) -> Self {
        Groups(groups)
    }

    /// Returns the group of a port.
    pub fn of(&self, port: &str) -> Group {
        let is_like = |of: &&(Group, Vec<Pattern>)| of.1.iter().any(|like| like.is_like(port));
        let group = self.0.iter().find(is_like).or(self.0.first());
        group.map(|of| of.0.clone()).unwrap_or_default()
    }

    /// Iterates over all named groups.
    pub fn names(&self) -> impl Iterator<Item = &Group> {
        self.0.iter().map(|of| &of.0)
    }
}

impl fmt::Display for Groups {
    /// Writes one line for each group, with its patterns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, patterns) in &self.0 {
            let patterns: Vec<String> = patterns.iter().map(Pattern::to_string).collect();
            writeln!(f, "{name} = {}", patterns.join(", "))?;
        }
        Ok(())
    }
}
