//! [`FabricFile`]: the fabrics of a file.

use super::error;
use super::node_line::node_line;
use crate::{Fabric, FabricError};
use bandwise_input::{InputError, Source};

/// The fabric of a file, with warnings about parts of the file.
#[derive(Debug, Clone)]
pub struct FabricFile {
    /// The parts of the fabric, at least one, without a path between them. A dump of two subnets, or
    /// of rails without a spine, has several.
    pub parts: Vec<Fabric>,
    /// Notes on lines that were skipped and on values that contradict each other.
    pub warnings: Vec<InputError>,
}

impl FabricFile {
    /// Returns a fabric in one part, without warnings.
    pub fn whole(fabric: Fabric) -> FabricFile {
        FabricFile { parts: vec![fabric], warnings: Vec::new() }
    }

    /// Returns the fabric if it is in one part, with the warnings.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] for a fabric in several parts.
    pub fn connected(self, source: &Source) -> Result<(Fabric, Vec<InputError>), InputError> {
        self.with_hosts(source, &[])
    }

    /// Returns the part with these hosts, and the warnings. Names of no host have no effect.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] if the hosts are in different parts, or if no host of several parts
    /// is named. It names two hosts without a path between them.
    pub fn with_hosts(
        mut self,
        source: &Source,
        hosts: &[&str],
    ) -> Result<(Fabric, Vec<InputError>), InputError> {
        let part_of = |name: &&str| self.parts.iter().position(|part| part.find(name).is_some());
        let named: Vec<(&str, usize)> =
            hosts.iter().filter_map(|name| Some((*name, part_of(name)?))).collect();
        let first = |part: usize| self.parts[part].node(self.parts[part].hosts()[0]).name.clone();
        let apart = match named.first() {
            _ if self.parts.len() == 1 => None,
            Some(&(from, part)) => {
                let other = named.iter().find(|(_, other)| *other != part);
                other.map(|(to, _)| (from.to_owned(), (*to).to_owned()))
            }
            None => Some((first(0), first(1))),
        };
        if let Some((from, to)) = apart {
            let at = node_line(source, &to).unwrap_or(0..0);
            return Err(error::at(source, at, &FabricError::Unreachable { from, to }));
        }
        let part = named.first().map_or(0, |(_, part)| *part);
        Ok((self.parts.swap_remove(part), self.warnings))
    }
}
