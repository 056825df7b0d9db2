//! [`Adapters`]: hosts that their names describe as adapters of one server.
//!
//! A fabric has a host for each adapter, because subnet managers see adapters and not servers. Linux
//! describes an adapter by the server's name and the device's, such as `node1 mlx5_0` or
//! `node1 HCA-1`.

use crate::{Fabric, NodeId};
use std::collections::BTreeMap;
use std::fmt;

/// The beginnings of the names of RDMA devices in Linux, and of node descriptions of older drivers.
const DEVICES: [&str; 11] =
    ["HCA-", "mlx4_", "mlx5_", "hfi1_", "qib", "bnxt_re", "irdma", "ibp", "ibs", "rocep", "roceo"];

/// Returns the server and the adapter of a host's name, such as `node1` and `mlx5_0` of
/// `node1 mlx5_0`; `None` if the name does not end with the name of an adapter.
pub fn split(name: &str) -> Option<(&str, &str)> {
    let (server, adapter) = name.rsplit_once(' ')?;
    let is_device = |start: &&str| {
        let rest = adapter.strip_prefix(*start);
        rest.is_some_and(|rest| rest.ends_with(|last: char| last.is_ascii_digit()))
    };
    let server = server.trim_end();
    (!server.is_empty() && DEVICES.iter().any(is_device)).then_some((server, adapter))
}

/// Returns the hosts that are adapters of a server, by their names.
pub fn of_server(fabric: &Fabric, server: &str) -> Vec<NodeId> {
    let is_of =
        |host: &&NodeId| split(&fabric.node(**host).name).is_some_and(|(name, _)| name == server);
    fabric.hosts().iter().filter(is_of).copied().collect()
}

/// Returns the node of that name, or the only adapter of the server of that name.
pub fn find(fabric: &Fabric, name: &str) -> Option<NodeId> {
    fabric.find(name).or_else(|| match of_server(fabric, name)[..] {
        [only] => Some(only),
        _ => None,
    })
}

/// The numbers of hosts that look like several adapters of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adapters {
    /// Hosts of the fabric.
    pub hosts: usize,
    /// Hosts that are adapters of servers with several adapters.
    pub adapters: usize,
    /// Servers with several adapters.
    pub servers: usize,
    /// Fewest adapters of such a server, 2 or more.
    pub fewest: usize,
    /// Most adapters of such a server.
    pub most: usize,
}

impl Adapters {
    /// Returns the numbers for hosts of these names; `None` if no server has several adapters.
    pub fn of<'a>(names: impl Iterator<Item = &'a str>) -> Option<Adapters> {
        let mut hosts = 0;
        let mut by_server: BTreeMap<&str, usize> = BTreeMap::new();
        for name in names {
            hosts += 1;
            if let Some((server, _)) = split(name) {
                *by_server.entry(server).or_default() += 1;
            }
        }
        let several: Vec<usize> = by_server.into_values().filter(|&count| count > 1).collect();
        Some(Adapters {
            hosts,
            adapters: several.iter().sum(),
            servers: several.len(),
            fewest: *several.iter().min()?,
            most: *several.iter().max()?,
        })
    }
}

impl fmt::Display for Adapters {
    /// Writes the question that a reader of results has to answer, and its consequence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Adapters { hosts, adapters, servers, fewest, most } = self;
        write!(f, "{hosts} hosts: are ")?;
        match adapters == hosts {
            true => write!(f, "these ")?,
            false => write!(f, "{adapters} of these ")?,
        }
        let servers = match servers {
            1 => "1 server".to_owned(),
            n => format!("{n} servers"),
        };
        match fewest == most {
            true => write!(f, "{servers} with {most} adapters each?")?,
            false => write!(f, "{servers} with {fewest} to {most} adapters each?")?,
        }
        write!(f, " Rails are not modelled: each adapter counts as a host of its own")
    }
}

#[cfg(test)]
mod tests {
    use super::{Adapters, split};

    #[test]
    fn names_end_with_an_adapter() {
        assert_eq!(split("node1 mlx5_0"), Some(("node1", "mlx5_0")));
        assert_eq!(split("node1 mlx5_bond_0"), Some(("node1", "mlx5_bond_0")));
        assert_eq!(split("rack 2 node1  HCA-2"), Some(("rack 2 node1", "HCA-2")));
        for name in ["node1", "node1 mlx5_", "mlx5_0", " mlx5_0", "node1 leaf2", "node1 Mellanox"] {
            assert_eq!(split(name), None, "{name}");
        }
    }

    #[test]
    fn servers_with_several_adapters_are_counted() {
        let of = |names: &[&str]| Adapters::of(names.iter().copied());
        assert_eq!(of(&["a mlx5_0", "b mlx5_0", "c"]), None);
        let two = of(&["a mlx5_0", "a mlx5_1", "b HCA-1", "b HCA-2"]).unwrap();
        assert_eq!(
            two.to_string(),
            "4 hosts: are these 2 servers with 2 adapters each? Rails are not modelled: each adapter \
             counts as a host of its own"
        );
        let some = of(&["a mlx5_0", "a mlx5_1", "b mlx5_0", "b mlx5_1", "b mlx5_2", "c"]).unwrap();
        assert!(some.to_string().starts_with("6 hosts: are 5 of these 2 servers with 2 to 3 "));
    }
}
