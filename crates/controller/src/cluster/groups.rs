//! [`Groups`]: whose ports are whose while all are well.

use crate::core::Group;
use crate::pattern::Pattern;
use std::fmt;

/// The group of each port, by what people call the port.
#[derive(Debug, Clone, Default)]
pub struct Groups(Vec<(Group, Vec<Pattern>)>);

impl Groups {
    /// All ports are of one group without a name.
    pub fn alone() -> Self {
        Groups::default()
    }

    /// A port is of the first group with a pattern that its name is like, and of the first of all if there is none: so that
    /// each is somebody's.
    pub fn new(groups: Vec<(Group, Vec<Pattern>)>) -> Self {
        Groups(groups)
    }

    /// The group of a port.
    pub fn of(&self, port: &str) -> Group {
        let is_like = |of: &&(Group, Vec<Pattern>)| of.1.iter().any(|like| like.is_like(port));
        let group = self.0.iter().find(is_like).or(self.0.first());
        group.map(|of| of.0.clone()).unwrap_or_default()
    }

    /// All that have a name.
    pub fn names(&self) -> impl Iterator<Item = &Group> {
        self.0.iter().map(|of| &of.0)
    }
}

impl fmt::Display for Groups {
    /// A line for each, with its patterns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, patterns) in &self.0 {
            let patterns: Vec<String> = patterns.iter().map(Pattern::to_string).collect();
            writeln!(f, "{name} = {}", patterns.join(", "))?;
        }
        Ok(())
    }
}
