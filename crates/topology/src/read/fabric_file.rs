//! [`FabricFile`]: the fabrics of a file.

use super::node_line::node_line;
use crate::{Fabric, FabricError, adapters};
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

    /// Returns the part with these hosts, and the warnings. A host is named by its name, or by that of
    /// the server whose adapter it is. Names of neither have no effect.
    ///
    /// # Errors
    ///
    /// Returns an [`InputError`] for a fabric in several parts if the hosts are in different parts, if
    /// they are adapters of servers in several parts, or if no host is named. It names two hosts
    /// without a path between them, or the adapters of a server.
    pub fn with_hosts(
        mut self,
        source: &Source,
        hosts: &[&str],
    ) -> Result<(Fabric, Vec<InputError>), InputError> {
        let part = if self.parts.len() == 1 { 0 } else { self.part_of(source, hosts)? };
        Ok((self.parts.swap_remove(part), self.warnings))
    }

    /// Returns the part with these hosts, of several parts.
    fn part_of(&self, source: &Source, hosts: &[&str]) -> Result<usize, InputError> {
        let named = hosts.iter().map(|&name| Named { name, adapters: self.adapters_of(name) });
        let named: Vec<Named> = named.filter(|named| !named.adapters.is_empty()).collect();
        let Some((first, others)) = named.split_first() else {
            let host = |part: usize| &*self.parts[part].node(self.parts[part].hosts()[0]).name;
            return Err(self.unreachable(source, host(0), host(1)));
        };
        let is_common = |part: &usize| named.iter().all(|named| named.is_in(*part));
        let common: Vec<usize> = (0..self.parts.len()).filter(is_common).collect();
        match common[..] {
            [part] => Ok(part),
            [] => {
                let is_apart =
                    |other: &&Named| !other.adapters.iter().any(|own| first.is_in(own.0));
                let apart = others.iter().find(is_apart).or(others.last()).unwrap_or(first);
                Err(self.unreachable(source, first.name, apart.name))
            }
            _ => {
                let message = format!("{:?} has {} adapters", first.name, first.adapters.len());
                let names = first.adapters.iter().map(|(_, host)| format!("{host:?}"));
                let names = names.collect::<Vec<_>>().join(", ");
                let at = node_line(source, first.adapters[0].1).unwrap_or(0..0);
                Err(source.error(at, message).allowed(format!("one of them: {names}")))
            }
        }
    }

    fn unreachable(&self, source: &Source, from: &str, to: &str) -> InputError {
        let error = FabricError::Unreachable { from: from.to_owned(), to: to.to_owned() };
        let message = format!("{error}: the file has {} parts", self.parts.len());
        let at = node_line(source, to).unwrap_or(0..0);
        source.error(at, message).allowed("hosts of one part")
    }

    /// Returns the host of that name, or the adapters of that server.
    fn adapters_of(&self, name: &str) -> Vec<(usize, &str)> {
        let hosts = self.parts.iter().enumerate().flat_map(|(part, fabric)| {
            fabric.hosts().iter().map(move |&host| (part, &*fabric.node(host).name))
        });
        let is_of = |host: &str| adapters::split(host).is_some_and(|(server, _)| server == name);
        match hosts.clone().find(|(_, host)| *host == name) {
            Some(host) => vec![host],
            None => hosts.filter(|(_, host)| is_of(host)).collect(),
        }
    }
}

/// A name of a host or a server, and the hosts that it stands for, each with its part.
struct Named<'a> {
    name: &'a str,
    adapters: Vec<(usize, &'a str)>,
}

impl Named<'_> {
    fn is_in(&self, part: usize) -> bool {
        self.adapters.iter().any(|(own, _)| *own == part)
    }
}
